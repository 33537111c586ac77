#include "CLinux.h"

#include <linux/input.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

int mynah_input_name(int descriptor, char *name, size_t capacity) {
  memset(name, 0, capacity);
  return ioctl(descriptor, EVIOCGNAME(capacity - 1), name) < 0 ? -1 : 0;
}

int mynah_input_take(int descriptor) {
  int clock = CLOCK_MONOTONIC;
  if (ioctl(descriptor, EVIOCSCLOCKID, &clock) < 0) return -1;
  return ioctl(descriptor, EVIOCGRAB, (void *)1);
}

int mynah_input_keys(int descriptor, int only_down, unsigned char bits[96]) {
  memset(bits, 0, 96);
  return ioctl(descriptor, only_down ? EVIOCGKEY(96) : EVIOCGBIT(EV_KEY, 96), bits) < 0 ? -1 : 0;
}
