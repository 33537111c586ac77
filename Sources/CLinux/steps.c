#include "CLinux.h"

// Four rotations that cancel out, and an exchange of a register with itself: Valgrind hands what %rax points at to its
// tool when it meets them, a processor goes on (Valgrind manual, "The Client Request mechanism").
static void tell(long what, long lane, long nanoseconds) {
#if defined(__x86_64__)
  volatile unsigned long words[6] = {(unsigned long)what, (unsigned long)lane, (unsigned long)nanoseconds, 0, 0, 0};
  unsigned long answer = 0;
  __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                   : "+d"(answer)
                   : "a"(&words[0])
                   : "cc", "memory");
#else
  (void)what, (void)lane, (void)nanoseconds;
#endif
}

// As in Tests/Gate/counter.c: the tool's letters and a number.
enum { step_begins = ('M' << 24) | ('Y' << 16), step_ends };

void mynah_step_begins(long lane, long nanoseconds) { tell(step_begins, lane, nanoseconds); }
void mynah_step_ends(long lane) { tell(step_ends, lane, 0); }
