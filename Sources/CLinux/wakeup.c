#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { IDLE = 0, SIGNALLED = 1, WAITING = 2 };

void mynah_wakeup_signal(unsigned int *word) {
  if (__atomic_exchange_n(word, SIGNALLED, __ATOMIC_SEQ_CST) == WAITING)
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void mynah_wakeup_wait(unsigned int *word, long long nanoseconds) {
  if (nanoseconds < 0) nanoseconds = 0;
  struct timespec deadline = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  for (;;) {
    unsigned int expected = IDLE;
    if (!__atomic_compare_exchange_n(word, &expected, WAITING, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
        expected == SIGNALLED)
      break;
    // FUTEX_WAIT_BITSET, unlike FUTEX_WAIT, takes a point of CLOCK_MONOTONIC.
    long result = syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, WAITING,
                          nanoseconds == LLONG_MAX ? NULL : &deadline, NULL, FUTEX_BITSET_MATCH_ANY);
    if (result != 0 && errno == ETIMEDOUT) break;
  }
  // What was left by whoever signalled is seen from here on, also where the signal and the timeout met.
  __atomic_exchange_n(word, IDLE, __ATOMIC_SEQ_CST);
}
