#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/rtc.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

int mynah_set_wall_clock(long long nanoseconds) {
  struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  return clock_settime(CLOCK_REALTIME, &time) == 0 ? 0 : errno;
}

int mynah_set_hardware_clock(const char *device, long long seconds) {
  int file = open(device, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  time_t since = (time_t)seconds;
  struct tm fields;
  int code = 0;
  if (gmtime_r(&since, &fields) == NULL) {
    code = EINVAL;
  } else {
    struct rtc_time time = {.tm_sec = fields.tm_sec,
                            .tm_min = fields.tm_min,
                            .tm_hour = fields.tm_hour,
                            .tm_mday = fields.tm_mday,
                            .tm_mon = fields.tm_mon,
                            .tm_year = fields.tm_year};
    if (ioctl(file, RTC_SET_TIME, &time) != 0) code = errno;
  }
  close(file);
  return code;
}

int mynah_clock_is_kept(void) {
  struct timex state;
  memset(&state, 0, sizeof state);
  int outcome = adjtimex(&state);
  if (outcome < 0) return -1;
  return (state.status & STA_UNSYNC) == 0;
}

int mynah_ask_for_power(int reboots) { return kill(1, SIGRTMIN + (reboots ? 5 : 4)) == 0 ? 0 : errno; }
