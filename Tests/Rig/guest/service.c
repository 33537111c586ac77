/*
 * Starts a program as a service manager does, and writes down what it says.
 *
 *   service FOLDER PROGRAM ARGUMENT...
 *
 * The program gets NOTIFY_SOCKET (sd_notify(3)) and, with WATCHDOG_USEC in the environment, that as well; its standard
 * output and error go to FOLDER/log. FOLDER/notify has a line for every notification, with CLOCK_MONOTONIC in seconds
 * before it; FOLDER/started the time of the start, FOLDER/pid its process, and FOLDER/ended time and wait status of
 * its end. SIGTERM is handed on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static FILE *create(const char *name)
{
  FILE *file = fopen(name, "we");
  if (!file) {
    perror(name);
    exit(1);
  }
  setvbuf(file, NULL, _IOLBF, 0);
  return file;
}

static void note(FILE *file, char *text, ssize_t count)
{
  for (ssize_t i = 0; i < count; i++)
    if (text[i] == '\n')
      text[i] = ' ';
  fprintf(file, "%.6f %.*s\n", now(), (int)count, text);
}

int main(int count, char **words)
{
  if (count < 3) {
    fprintf(stderr, "usage: service FOLDER PROGRAM ARGUMENT...\n");
    return 64;
  }
  mkdir(words[1], 0755);
  if (chdir(words[1]) != 0) {
    perror(words[1]);
    return 1;
  }
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/notify.sock", words[1]);
  unlink(address.sun_path);
  unlink("ended");
  int socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (bind(socket_, (struct sockaddr *)&address, sizeof address) != 0) {
    perror(address.sun_path);
    return 1;
  }
  FILE *notifications = create("notify");
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  int arrivals = signalfd(-1, &signals, SFD_CLOEXEC);

  double start = now();
  pid_t child = fork();
  if (child == 0) {
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
    setenv("NOTIFY_SOCKET", address.sun_path, 1);
    int log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(log, 1);
    dup2(log, 2);
    if (chdir("/") == 0)
      execv(words[2], words + 2);
    perror(words[2]);
    _exit(127);
  }
  FILE *file = create("pid");
  fprintf(file, "%d\n", child);
  fclose(file);
  file = create("started");
  fprintf(file, "%.6f\n", start);
  fclose(file);

  for (;;) {
    struct pollfd polled[2] = {{socket_, POLLIN, 0}, {arrivals, POLLIN, 0}};
    if (poll(polled, 2, -1) < 0 && errno != EINTR)
      return 1;
    if (polled[0].revents) {
      char text[4096];
      ssize_t got = recv(socket_, text, sizeof text, 0);
      if (got > 0)
        note(notifications, text, got);
    }
    struct signalfd_siginfo about;
    if (!polled[1].revents || read(arrivals, &about, sizeof about) != sizeof about)
      continue;
    if (about.ssi_signo == SIGTERM)
      kill(child, SIGTERM);
    int status;
    if (waitpid(child, &status, WNOHANG) == child) {
      file = create("ended.new");
      fprintf(file, "%.6f %d\n", now(), WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
      fclose(file);
      rename("ended.new", "ended");
      return 0;
    }
  }
}
