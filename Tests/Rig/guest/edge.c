/*
 * Presses keys and watches lamps on a bank of gpio-sim, and tells when sound began, with the times of the kernel's clock.
 *
 *   edge press LINE MS                       holds the key (pulls the line low) for MS; prints when it did, in ns
 *   edge wait LINE VALUE TIMEOUT_MS          waits for a lamp, to 10 ms; prints the time it took in ns
 *   edge answer KEY LAMP VALUE TIMEOUT_MS    presses, and prints the ns until the lamp has the value; releases after
 *                                            40 ms at the earliest
 *   edge began STATUS RATE                   of a stream's status file in /proc: when its frame 0 was played, in ns
 *
 * Exit status 1: the lamp did not get there. GPIO_SIM names the bank's folder in sysfs.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static int open_line(const char *line, const char *what, int flags)
{
  const char *bank = getenv("GPIO_SIM");
  char path[256];
  snprintf(path, sizeof path, "%s/sim_gpio%s/%s", bank ? bank : "/run/gpio-sim", line, what);
  int file = open(path, flags);
  if (file < 0) {
    perror(path);
    exit(69);
  }
  return file;
}

static void pull(int file, int isHeld)
{
  const char *word = isHeld ? "pull-down" : "pull-up";
  if (pwrite(file, word, strlen(word), 0) < 0)
    perror("edge: pull");
}

/* Looks every nap_us: often enough for what is measured, seldom enough to leave the processor to what is watched. */
static int await(int file, int value, int64_t from, int64_t until, long nap_us)
{
  char text[4];
  do {
    if (pread(file, text, sizeof text, 0) > 0 && text[0] == '0' + value) {
      printf("%lld\n", (long long)(now() - from));
      return 0;
    }
    struct timespec pause = {0, nap_us * 1000};
    nanosleep(&pause, NULL);
  } while (now() < until);
  return 1;
}

static void sleep_ms(int64_t ms)
{
  struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
  if (ms > 0)
    nanosleep(&pause, NULL);
}

/* The card moves on in steps: of many readings, the one right after a step tells most. */
static int began(const char *path, int64_t rate)
{
  int64_t best = INT64_MAX;
  for (int n = 0; n < 40; n++) {
    char text[1024];
    int file = open(path, O_RDONLY);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    int64_t at = now();
    if (file >= 0)
      close(file);
    text[length > 0 ? length : 0] = 0;
    const char *place = strstr(text, "hw_ptr");
    if (!place || !(place = strchr(place, ':')))
      return 1;
    int64_t start = at - atoll(place + 1) * 1000000000ll / rate;
    if (start < best)
      best = start;
    sleep_ms(7);
  }
  printf("%lld\n", (long long)best);
  return 0;
}

int main(int count, char **words)
{
  if (count == 4 && !strcmp(words[1], "press")) {
    int key = open_line(words[2], "pull", O_WRONLY);
    printf("%lld\n", (long long)now());
    pull(key, 1);
    sleep_ms(atoi(words[3]));
    pull(key, 0);
    return 0;
  }
  if (count == 5 && !strcmp(words[1], "wait")) {
    int64_t from = now();
    return await(open_line(words[2], "value", O_RDONLY), atoi(words[3]), from, from + atoi(words[4]) * 1000000ll, 10000);
  }
  if (count == 6 && !strcmp(words[1], "answer")) {
    int key = open_line(words[2], "pull", O_WRONLY);
    int lamp = open_line(words[3], "value", O_RDONLY);
    int64_t from = now();
    pull(key, 1);
    int result = await(lamp, atoi(words[4]), from, from + atoi(words[5]) * 1000000ll, 100);
    sleep_ms(40 - (now() - from) / 1000000);
    pull(key, 0);
    return result;
  }
  if (count == 4 && !strcmp(words[1], "began"))
    return began(words[2], atoll(words[3]));
  fprintf(stderr, "usage: edge press LINE MS | wait LINE VALUE MS | answer KEY LAMP VALUE MS | began STATUS RATE\n");
  return 64;
}
