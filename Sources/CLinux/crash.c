#define _GNU_SOURCE
#include "CLinux.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

// What the handler touches is plain memory, and system calls that signal-safety(7) allows or that never touch the C
// library's state.

enum { slot_bytes = 254, most_frames = 64, most_guesses = 32, most_maps = 48, stack_bytes = 16384, most_stacks = 16 };

struct slot {
  unsigned short length;
  char bytes[slot_bytes];
};

static struct slot events[200], lines[50];
static unsigned long event_count, line_count;

static const int guarded[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT};
static const char *const names[] = {"SIGSEGV", "SIGBUS", "SIGILL", "SIGTRAP", "SIGFPE", "SIGABRT"};
enum { signals = sizeof guarded / sizeof *guarded };

static int report = -1;
static _Atomic int is_armed;
static _Atomic int culprit;
static char stacks[most_stacks][stack_bytes] __attribute__((aligned(16)));
static _Atomic int stacks_given;

extern const ElfW(Ehdr) __ehdr_start __attribute__((weak, visibility("hidden")));

/// Where the program lies: what is to be taken off an address before the program's symbols know it.
static unsigned long load_base(void) {
  return &__ehdr_start && __ehdr_start.e_type == ET_DYN ? (unsigned long)&__ehdr_start : 0;
}

/// Whether code of the program's own is there.
static int is_ours(unsigned long address) {
  if (!&__ehdr_start) return 0;
  const ElfW(Phdr) *header = (const ElfW(Phdr) *)((const char *)&__ehdr_start + __ehdr_start.e_phoff);
  for (int i = 0; i < __ehdr_start.e_phnum; i++) {
    unsigned long start = load_base() + header[i].p_vaddr;
    if (header[i].p_type == PT_LOAD && header[i].p_flags & PF_X && address - start < header[i].p_memsz) return 1;
  }
  return 0;
}

long mynah_build_id(char *text, long capacity) {
  if (!&__ehdr_start) return 0;
  const char *start = (const char *)&__ehdr_start;
  const ElfW(Phdr) *header = (const ElfW(Phdr) *)(start + __ehdr_start.e_phoff);
  for (int i = 0; i < __ehdr_start.e_phnum; i++) {
    if (header[i].p_type != PT_NOTE) continue;
    const char *note = (const char *)(load_base() + header[i].p_vaddr), *end = note + header[i].p_memsz;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr) *head = (const ElfW(Nhdr) *)note;
      const unsigned char *value = (const unsigned char *)(head + 1) + ((head->n_namesz + 3) & ~3u);
      if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4) {
        long length = 0;
        for (unsigned k = 0; k < head->n_descsz && length + 2 < capacity; k++) {
          text[length++] = "0123456789abcdef"[value[k] >> 4];
          text[length++] = "0123456789abcdef"[value[k] & 15];
        }
        return length;
      }
      note = (const char *)value + ((head->n_descsz + 3) & ~3u);
    }
  }
  return 0;
}

// MARK: What is kept up to date

static void keep(struct slot *slots, unsigned long capacity, unsigned long *count, const char *bytes, long length) {
  struct slot *slot = &slots[*count % capacity];
  slot->length = 0;
  long kept = length < slot_bytes ? length : slot_bytes;
  memcpy(slot->bytes, bytes, (size_t)kept);
  slot->length = (unsigned short)kept;
  *count += 1;
}

void mynah_crash_keep_event(const char *bytes, long length) {
  keep(events, sizeof events / sizeof *events, &event_count, bytes, length);
}

void mynah_crash_keep_line(const char *bytes, long length) {
  keep(lines, sizeof lines / sizeof *lines, &line_count, bytes, length);
}

// MARK: The report

static struct {
  char bytes[4096];
  size_t used;
} out;

static void flush(void) {
  const char *next = out.bytes;
  while (out.used > 0) {
    ssize_t count = write(report, next, out.used);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    next += count;
    out.used -= (size_t)count;
  }
  out.used = 0;
}

static void put(const char *bytes, size_t length) {
  if (length > sizeof out.bytes - out.used) flush();
  memcpy(out.bytes + out.used, bytes, length);
  out.used += length;
}

static void say(const char *text) { put(text, strlen(text)); }

static void say_number(unsigned long value, unsigned base) {
  char digits[24];
  int at = sizeof digits;
  do digits[--at] = "0123456789abcdef"[value % base];
  while ((value /= base) > 0);
  put(digits + at, sizeof digits - (size_t)at);
}

static void say_address(unsigned long address) {
  say("  0x");
  say_number(address, 16);
  if (is_ours(address)) {
    say(" +0x");
    say_number(address - load_base(), 16);
  }
  say("\n");
}

static void say_slots(const struct slot *slots, unsigned long capacity, unsigned long count) {
  for (unsigned long i = count > capacity ? count - capacity : 0; i < count; i++) {
    const struct slot *slot = &slots[i % capacity];
    if (slot->length == 0 || slot->length > slot_bytes) continue;
    put(slot->bytes, slot->length);
    say("\n");
  }
}

/// Follows the frame pointers. They are read by the kernel: what is no memory is its error, not a second crash.
static void say_frames(const ucontext_t *context) {
#if defined(__x86_64__)
  unsigned long pc = (unsigned long)context->uc_mcontext.gregs[REG_RIP];
  unsigned long frame = (unsigned long)context->uc_mcontext.gregs[REG_RBP];
  say_address(pc);
#elif defined(__aarch64__)
  unsigned long frame = context->uc_mcontext.regs[29];
  say_address(context->uc_mcontext.pc);
  say_address(context->uc_mcontext.regs[30] & 0xffffffffffff);
#else
#error which registers hold the program counter and the frame?
#endif
  for (int i = 0; i < most_frames && frame != 0 && frame % sizeof frame == 0; i++) {
    unsigned long pair[2] = {0, 0};
    struct iovec own = {pair, sizeof pair}, there = {(void *)frame, sizeof pair};
    if (process_vm_readv(getpid(), &own, 1, &there, 1, 0) != (ssize_t)sizeof pair || pair[1] == 0) return;
    // Of aarch64 the upper bits may be a signature.
    say_address(pair[1] & 0xffffffffffff);
    if (pair[0] <= frame) return;
    frame = pair[0];
  }
}

/// What on the stack looks like return addresses of ours: C libraries keep no frame pointers.
static void say_guesses(const ucontext_t *context) {
#if defined(__x86_64__)
  unsigned long next = (unsigned long)context->uc_mcontext.gregs[REG_RSP];
#else
  unsigned long next = context->uc_mcontext.sp;
#endif
  static unsigned long words[64];
  for (int told = 0, round = 0; round < 32; round++, next += sizeof words) {
    struct iovec own = {words, sizeof words}, there = {(void *)next, sizeof words};
    ssize_t count = process_vm_readv(getpid(), &own, 1, &there, 1, 0);
    for (ssize_t i = 0; i < count / (ssize_t)sizeof *words; i++)
      if (is_ours(words[i]) && told++ < most_guesses) say_address(words[i]);
    if (count < (ssize_t)sizeof words) return;
  }
}

/// The lines of the map of memory that tell where code lies: program and libraries.
static void say_maps(void) {
  static char text[2048];
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), told = 0;
  if (file < 0) return;
  size_t used = 0;
  ssize_t count;
  while (told < most_maps && (count = read(file, text + used, sizeof text - used)) > 0) {
    used += (size_t)count;
    char *line = text, *end;
    while ((end = memchr(line, '\n', used - (size_t)(line - text)))) {
      size_t length = (size_t)(end - line) + 1;
      if (told < most_maps && memmem(line, length, " r-xp ", 6)) {
        put(line, length);
        told++;
      }
      line = end + 1;
    }
    used -= (size_t)(line - text);
    memmove(text, line, used);
    if (used == sizeof text) used = 0;
  }
  close(file);
}

static void say_cause(int number, const siginfo_t *info) {
  say("\nsignal ");
  for (int i = 0; i < signals; i++)
    if (guarded[i] == number) say(names[i]);
  if (info->si_code <= 0) {
    say(", sent by process ");
    say_number((unsigned long)info->si_pid, 10);
  } else {
    say(", code ");
    say_number((unsigned long)info->si_code, 10);
    say(", at address 0x");
    say_number((unsigned long)info->si_addr, 16);
  }
  char name[17] = "";
  prctl(PR_GET_NAME, name, 0, 0, 0);
  say("\nthread ");
  say(name);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  say("\ntime ");
  say_number((unsigned long)now.tv_sec, 10);
  clock_gettime(CLOCK_MONOTONIC, &now);
  say(" s since 1970, ");
  say_number((unsigned long)now.tv_sec, 10);
  say(" s of the device's clock\n");
}

static void crashed(int number, siginfo_t *info, void *context) {
  int self = (int)syscall(SYS_gettid), nobody = 0;
  if (atomic_compare_exchange_strong(&culprit, &nobody, self)) {
    say_cause(number, info);
    say("\naddresses, and where in the program\n");
    say_frames(context);
    say("\nperhaps, of what lies on the stack\n");
    say_guesses(context);
    say("\ncode in memory\n");
    say_maps();
    flush();
    say("\nlog\n");
    say_slots(lines, sizeof lines / sizeof *lines, line_count);
    say("\nevents\n");
    say_slots(events, sizeof events / sizeof *events, event_count);
    flush();
    mynah_terminal_give_back();
  } else if (nobody != self) {
    // Another thread is telling of it, and ends the process.
    struct timespec second = {1, 0};
    nanosleep(&second, NULL);
  }
  // The process ends as it would have ended without us: by the instruction that is tried again, or by the signal.
  signal(number, SIG_DFL);
  if (info->si_code <= 0) raise(number);
}

void mynah_crash_thread(void) {
  if (!atomic_load(&is_armed)) return;
  int number = atomic_fetch_add(&stacks_given, 1);
  if (number >= most_stacks) return;
  stack_t stack = {.ss_sp = stacks[number], .ss_size = stack_bytes};
  sigaltstack(&stack, NULL);
}

void mynah_crash_arm(int descriptor) {
  report = descriptor;
  atomic_store(&is_armed, 1);
  mynah_crash_thread();
  struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  sigset_t all;
  sigemptyset(&all);
  for (int i = 0; i < signals; i++) {
    sigaction(guarded[i], &action, NULL);
    sigaddset(&all, guarded[i]);
  }
  // Who started us may have blocked them.
  pthread_sigmask(SIG_UNBLOCK, &all, NULL);
}

int mynah_crash_guards(int number) {
  for (int i = 0; i < signals && atomic_load(&is_armed); i++)
    if (guarded[i] == number) return 1;
  return 0;
}
