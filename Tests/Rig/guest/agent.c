/*
 * The rig's hand in the guest: runs what the host asks for over a virtio-serial port.
 *
 *   host:  RUN <id> <bytes of script> <bytes of input>\n  script  input
 *   guest: END <id> <exit status> <bytes of output>\n  output
 *
 * Every request runs in a process of its own, several at a time; an answer is written in one piece. Output is what the
 * shell wrote until it ended; what it left running in the background keeps running and is not waited for.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int port;

static void take(void *target, size_t count)
{
  for (char *at = target; count > 0;) {
    ssize_t got = read(port, at, count);
    if (got > 0) {
      at += got;
      count -= (size_t)got;
    } else if (got == 0) {
      usleep(20000); /* no host is connected */
    } else if (errno != EINTR && errno != EAGAIN) {
      perror("agent: read");
      exit(1);
    }
  }
}

static void give(const void *source, size_t count)
{
  for (const char *at = source; count > 0;) {
    ssize_t put = write(port, at, count);
    if (put > 0) {
      at += put;
      count -= (size_t)put;
    } else if (errno != EINTR && errno != EAGAIN) {
      _exit(1);
    } else {
      usleep(1000);
    }
  }
}

/* Reads `count` bytes of the host into an unnamed file, at its beginning. */
static int keep(size_t count)
{
  int file = memfd_create("input", MFD_CLOEXEC);
  char block[65536];
  for (size_t left = count; left > 0;) {
    size_t part = left < sizeof block ? left : sizeof block;
    take(block, part);
    if (write(file, block, part) != (ssize_t)part)
      perror("agent: keep");
    left -= part;
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

static void serve(unsigned long id, char *script, int input)
{
  int output = memfd_create("output", MFD_CLOEXEC);
  pid_t shell = fork();
  if (shell == 0) {
    setsid();
    dup2(input, 0);
    dup2(output, 1);
    dup2(output, 2);
    execl("/bin/sh", "sh", "-c", script, (char *)NULL);
    _exit(127);
  }
  int status = 0;
  while (waitpid(shell, &status, 0) < 0 && errno == EINTR)
    ;
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  struct stat about;
  fstat(output, &about);
  size_t size = (size_t)about.st_size;
  char *text = size ? mmap(NULL, size, PROT_READ, MAP_SHARED, output, 0) : NULL;
  int lock = open("/run/agent.lock", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  flock(lock, LOCK_EX);
  char head[64];
  int length = snprintf(head, sizeof head, "END %lu %d %zu\n", id, code, size);
  give(head, (size_t)length);
  if (size)
    give(text, size);
  flock(lock, LOCK_UN);
}

int main(int count, char **words)
{
  if (count != 2) {
    fprintf(stderr, "usage: agent PORT\n");
    return 64;
  }
  port = open(words[1], O_RDWR | O_CLOEXEC);
  if (port < 0) {
    perror(words[1]);
    return 1;
  }
  signal(SIGCHLD, SIG_IGN);
  for (;;) {
    char head[96];
    size_t used = 0;
    do
      take(head + used, 1);
    while (head[used] != '\n' && ++used < sizeof head - 1);
    head[used] = 0;
    unsigned long id;
    size_t script_bytes, input_bytes;
    if (sscanf(head, "RUN %lu %zu %zu", &id, &script_bytes, &input_bytes) != 3)
      continue;
    char *script = calloc(1, script_bytes + 1);
    take(script, script_bytes);
    int input = keep(input_bytes);
    if (fork() == 0) {
      signal(SIGCHLD, SIG_DFL);
      serve(id, script, input);
      _exit(0);
    }
    close(input);
    free(script);
  }
}
