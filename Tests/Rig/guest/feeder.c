/*
 * A camera whose pictures are known: writes pre-encoded pictures to a device of v4l2loopback, in even steps.
 *
 *   feeder DEVICE REEL LOG [START]
 *
 * REEL holds, in the processor's byte order: four characters of the format, and width, height, pictures a second and
 * their count, 32 bits each; then of every picture its length in 32 bits, and its bytes. They go round and round until
 * SIGTERM: picture n (counted on through the rounds) at START + n / rate of CLOCK_MONOTONIC, in ns; without START, the
 * first in 50 ms. LOG has a line for each: n, and the time after the write in ns. The kernel stamps it in the write.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Room that the device keeps for a picture. */
#define ROOM (512 << 10)

static volatile sig_atomic_t is_ending;

static void end(int signal)
{
  (void)signal;
  is_ending = 1;
}

static int64_t now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void sleep_until(int64_t instant)
{
  struct timespec time = {instant / 1000000000, instant % 1000000000};
  while (!is_ending && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
    ;
}

static int fail(const char *what)
{
  fprintf(stderr, "feeder: %s: %s\n", what, strerror(errno));
  return 1;
}

int main(int count, char **words)
{
  if (count != 4 && count != 5) {
    fprintf(stderr, "usage: feeder DEVICE REEL LOG [START]\n");
    return 64;
  }
  int reel = open(words[2], O_RDONLY | O_CLOEXEC);
  struct stat about;
  if (reel < 0 || fstat(reel, &about) != 0)
    return fail(words[2]);
  const uint8_t *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, reel, 0);
  if (bytes == MAP_FAILED)
    return fail(words[2]);
  uint32_t head[5];
  memcpy(head, bytes, sizeof head);
  uint32_t rate = head[3], pictures = head[4];
  size_t *places = calloc(pictures + 1, sizeof *places);
  size_t at = sizeof head;
  for (uint32_t i = 0; i < pictures; i++) {
    uint32_t length;
    memcpy(&length, bytes + at, sizeof length);
    places[i] = at;
    at += sizeof length + length;
    if (at > (size_t)about.st_size || length > ROOM) {
      fprintf(stderr, "feeder: picture %u of %s cannot be fed\n", i, words[2]);
      return 65;
    }
  }
  places[pictures] = at;

  int device = open(words[1], O_RDWR | O_CLOEXEC);
  if (device < 0)
    return fail(words[1]);
  struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_OUTPUT};
  format.fmt.pix.pixelformat = head[0];
  format.fmt.pix.width = head[1];
  format.fmt.pix.height = head[2];
  format.fmt.pix.field = V4L2_FIELD_NONE;
  format.fmt.pix.sizeimage = ROOM;
  if (ioctl(device, VIDIOC_S_FMT, &format) != 0)
    return fail("VIDIOC_S_FMT");
  if (format.fmt.pix.pixelformat != head[0] || format.fmt.pix.width != head[1]) {
    fprintf(stderr, "feeder: the device takes other pictures\n");
    return 1;
  }
  struct v4l2_streamparm parameters = {.type = V4L2_BUF_TYPE_VIDEO_OUTPUT};
  parameters.parm.output.timeperframe = (struct v4l2_fract){1, rate};
  if (ioctl(device, VIDIOC_S_PARM, &parameters) != 0)
    return fail("VIDIOC_S_PARM");
  FILE *log = fopen(words[3], "we");
  if (!log)
    return fail(words[3]);
  setvbuf(log, NULL, _IOLBF, 0);

  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  struct sched_param priority = {.sched_priority = 70};
  sched_setscheduler(0, SCHED_FIFO, &priority);
  mlockall(MCL_CURRENT);

  int64_t start = count == 5 ? atoll(words[4]) : now() + 50000000;
  for (int64_t n = 0; !is_ending; n++) {
    sleep_until(start + n * 1000000000ll / rate);
    if (is_ending)
      break;
    size_t place = places[n % pictures];
    uint32_t length;
    memcpy(&length, bytes + place, sizeof length);
    ssize_t put = write(device, bytes + place + sizeof length, length);
    if (put != (ssize_t)length)
      return fail("write");
    fprintf(log, "%lld %lld\n", (long long)n, (long long)now());
  }
  return 0;
}
