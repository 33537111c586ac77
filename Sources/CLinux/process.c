#define _GNU_SOURCE
#include "CLinux.h"
#include "spawn_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

int mynah_spawn_child(char *const arguments[], posix_spawn_file_actions_t *actions, pid_t *process) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  // Not at the priority of whoever starts it.
  struct sched_param ordinary = {0};
  posix_spawnattr_setschedpolicy(&attributes, SCHED_OTHER);
  posix_spawnattr_setschedparam(&attributes, &ordinary);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP |
                                            POSIX_SPAWN_SETSCHEDULER);
  int result = posix_spawnp(process, arguments[0], actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(actions);
  posix_spawnattr_destroy(&attributes);
  return result;
}

int mynah_spawn(char *const arguments[], pid_t *process, int *output, int *errors) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) < 0) return errno;
  if (pipe2(err, O_CLOEXEC) < 0) {
    int code = errno;
    close(out[0]);
    close(out[1]);
    return code;
  }
  // A key picture of 720p is longer than the 64 KiB that a pipe has; refused, it only costs turns.
  fcntl(out[1], F_SETPIPE_SZ, 1 << 20);
  fcntl(out[0], F_SETFL, O_NONBLOCK);
  fcntl(err[0], F_SETFL, O_NONBLOCK);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  int result = mynah_spawn_child(arguments, &actions, process);
  close(out[1]);
  close(err[1]);
  if (result != 0) {
    close(out[0]);
    close(err[0]);
    return result;
  }
  *output = out[0];
  *errors = err[0];
  return 0;
}

// Waits for a program's end: its id, 0 if it goes on, −1 if there is none.
static pid_t await(pid_t process, int *status, int milliseconds) {
  for (int waited = 0;; waited += 5) {
    pid_t found = waitpid(process, status, WNOHANG);
    if (found != 0 || waited >= milliseconds) return found;
    mynah_nap(5000000);
  }
}

int mynah_end_process(pid_t process, int grace_ms, int patience_ms) {
  int status = -1;
  pid_t found = await(process, &status, grace_ms);
  if (found == 0) {
    kill(-process, SIGTERM);
    found = await(process, &status, patience_ms);
  }
  // What it started itself may live on in its group.
  kill(-process, SIGKILL);
  while (found == 0 || (found < 0 && errno == EINTR)) found = waitpid(process, &status, 0);
  return found < 0 ? -1 : status;
}

int mynah_drop_process(pid_t process, int grace_ms, int *status) {
  pid_t found = await(process, status, grace_ms);
  int ended = 1;
  if (found == 0) {
    kill(-process, SIGKILL);
    found = await(process, status, 5);
    ended = 2;
  }
  return found == 0 ? 0 : found < 0 ? -1 : ended;
}

int mynah_wait_for_two(int first, int second, int milliseconds) {
  // poll(2) leaves out descriptors below zero.
  struct pollfd both[2] = {{.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}};
  int result = poll(both, 2, milliseconds);
  if (result < 0) return -errno;
  return (both[0].revents != 0 ? 1 : 0) | (both[1].revents != 0 ? 2 : 0);
}

long mynah_read(int descriptor, void *bytes, long capacity) {
  ssize_t count = read(descriptor, bytes, (size_t)capacity);
  return count < 0 ? -errno : count;
}

int64_t mynah_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void mynah_nap(int64_t nanoseconds) {
  struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}
