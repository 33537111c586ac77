#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

// Everything that `mynah_terminal_give_back` touches is plain memory and calls that signal-safety(7) allows: it runs
// in the handler of a crash as well.

static struct {
  struct termios found, raw;
  int input, output;
  char enter[64], leave[64];
  // The real standard error while ours is a pipe, and the pipe's end to read from; −1: not caught.
  int errors, caught;
  // The last of what was caught, for whoever looks at the terminal when the panel is gone.
  char tail[4096];
  size_t tail_length;
} terminal = {.errors = -1, .caught = -1};

static atomic_int is_taken;

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS, SIGQUIT};
static const int job_signals[] = {SIGTSTP, SIGTTIN, SIGTTOU};

static void write_all(int descriptor, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t count = write(descriptor, bytes, length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    bytes += count;
    length -= (size_t)count;
  }
}

static void set_modes(const struct termios *modes) {
  while (tcsetattr(terminal.input, TCSANOW, modes) < 0 && errno == EINTR) {
  }
}

static void crashed(int number) {
  mynah_terminal_give_back();
  // SA_RESETHAND has put the default back: the process ends as it would have ended without us.
  raise(number);
}

static void set_handlers(void (*fatal)(int), void (*job)(int)) {
  struct sigaction action = {.sa_flags = fatal == SIG_DFL ? 0 : (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  action.sa_handler = fatal;
  // Who tells of a crash gives the terminal back, too.
  for (size_t i = 0; i < sizeof fatal_signals / sizeof *fatal_signals; i++)
    if (!mynah_crash_guards(fatal_signals[i])) sigaction(fatal_signals[i], &action, NULL);
  action.sa_flags = 0;
  action.sa_handler = job;
  for (size_t i = 0; i < sizeof job_signals / sizeof *job_signals; i++) sigaction(job_signals[i], &action, NULL);
}

int mynah_terminal_take(int input, int output, const char *enter, const char *leave) {
  static atomic_int has_exit_handler;
  if (strlen(enter) >= sizeof terminal.enter || strlen(leave) >= sizeof terminal.leave) {
    errno = EINVAL;
    return -1;
  }
  if (tcgetattr(input, &terminal.found) < 0) return -1;
  terminal.raw = terminal.found;
  cfmakeraw(&terminal.raw);
  // What others print meanwhile should not run down the screen in stairs.
  terminal.raw.c_oflag = terminal.found.c_oflag;
  terminal.raw.c_cc[VMIN] = 1;
  terminal.raw.c_cc[VTIME] = 0;
  terminal.input = input;
  terminal.output = output;
  strcpy(terminal.enter, enter);
  strcpy(terminal.leave, leave);
  if (!atomic_exchange(&has_exit_handler, 1)) atexit(mynah_terminal_give_back);
  // In the background this stops us until the shell brings us to the front; only after it are such stops refused:
  // a recorder that has been stopped records nothing.
  if (tcsetattr(input, TCSANOW, &terminal.raw) < 0) return -1;
  atomic_store(&is_taken, 1);
  set_handlers(crashed, SIG_IGN);
  write_all(output, enter, strlen(enter));
  return 0;
}

void mynah_terminal_retake(void) {
  if (!atomic_load(&is_taken)) return;
  set_modes(&terminal.raw);
  write_all(terminal.output, terminal.enter, strlen(terminal.enter));
}

void mynah_terminal_give_back(void) {
  if (!atomic_exchange(&is_taken, 0)) return;
  write_all(terminal.output, terminal.leave, strlen(terminal.leave));
  // Keys that were pressed for us are not for the shell.
  tcflush(terminal.input, TCIFLUSH);
  set_modes(&terminal.found);
  if (terminal.errors >= 0) {
    dup2(terminal.errors, STDERR_FILENO);
    char rest[512];
    while (mynah_terminal_read_errors(rest, sizeof rest) > 0) {
    }
    write_all(terminal.errors, terminal.tail, terminal.tail_length);
    close(terminal.errors);
    terminal.errors = -1;
    // The pipe stays open: another thread may be waiting on it.
  }
  set_handlers(SIG_DFL, SIG_DFL);
}

int mynah_terminal_catch_errors(void) {
  int ends[2];
  if (!isatty(STDERR_FILENO) || terminal.errors >= 0) return -1;
  // Neither end ever waits: a full pipe drops what is written, and nobody who complains waits for a terminal.
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) return -1;
  int real = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (real < 0 || dup2(ends[1], STDERR_FILENO) < 0) {
    if (real >= 0) close(real);
    close(ends[0]);
    close(ends[1]);
    return -1;
  }
  close(ends[1]);
  if (terminal.caught >= 0) close(terminal.caught);
  terminal.tail_length = 0;
  terminal.caught = ends[0];
  terminal.errors = real;
  return ends[0];
}

long mynah_terminal_read_errors(char *bytes, unsigned long capacity) {
  if (terminal.caught < 0 || capacity > sizeof terminal.tail) return 0;
  ssize_t count = read(terminal.caught, bytes, capacity);
  if (count <= 0) return 0;
  size_t free_bytes = sizeof terminal.tail - terminal.tail_length;
  if ((size_t)count > free_bytes) {
    size_t old = (size_t)count - free_bytes;
    terminal.tail_length -= old;
    memmove(terminal.tail, terminal.tail + old, terminal.tail_length);
  }
  memcpy(terminal.tail + terminal.tail_length, bytes, (size_t)count);
  terminal.tail_length += (size_t)count;
  return count;
}

int mynah_terminal_size(int descriptor, int *columns, int *rows) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) < 0) return -1;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}

static void terminal_signals(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGWINCH);
  sigaddset(set, SIGCONT);
}

void mynah_terminal_block_signals(void) {
  sigset_t set;
  terminal_signals(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int mynah_terminal_open_signals(void) {
  sigset_t set;
  terminal_signals(&set);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int mynah_terminal_next_signal(int descriptor) {
  struct signalfd_siginfo information;
  if (read(descriptor, &information, sizeof information) != (ssize_t)sizeof information) return 0;
  return (int)information.ssi_signo;
}
