/*
 * Tells when a processor of the virtual machine stood still: prints a line for every wake-up that came more than LIMIT
 * ms late to a task of the highest real-time priority that is bound to it (CLOCK_MONOTONIC in s, lateness in ms,
 * processor).
 *
 *   stalls LIMIT
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **words)
{
  int64_t limit = (count > 1 ? atoi(words[1]) : 100) * 1000000ll, step = 20000000;
  int processor = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
  while (processor > 0 && fork() != 0)
    processor--;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  sched_setaffinity(0, sizeof only, &only);
  struct sched_param highest = {.sched_priority = 99};
  sched_setscheduler(0, SCHED_FIFO, &highest);
  mlockall(MCL_CURRENT | MCL_FUTURE);
  setvbuf(stdout, NULL, _IOLBF, 0);
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  for (;;) {
    time.tv_nsec += step;
    if (time.tv_nsec >= 1000000000) {
      time.tv_sec++;
      time.tv_nsec -= 1000000000;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
    struct timespec woken;
    clock_gettime(CLOCK_MONOTONIC, &woken);
    int64_t late = (woken.tv_sec - time.tv_sec) * 1000000000ll + woken.tv_nsec - time.tv_nsec;
    if (late > limit) {
      printf("%lld.%03ld %lld %d\n", (long long)woken.tv_sec, woken.tv_nsec / 1000000, (long long)(late / 1000000),
             processor);
      time = woken;
    }
  }
}
