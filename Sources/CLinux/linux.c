#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

void mynah_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

const int mynah_o_tmpfile = O_TMPFILE;

int mynah_rename_noreplace(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

int mynah_lock_memory(int on_fault) {
  struct rlimit limit;
  if (geteuid() != 0 && getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) return EPERM;
  return mlockall(MCL_CURRENT | MCL_FUTURE | (on_fault ? MCL_ONFAULT : 0)) == 0 ? 0 : errno;
}

int mynah_memory_file(const char *name) { return memfd_create(name, 0); }

__attribute__((weak)) long mynah_thread_allocations(void) { return 0; }
int mynah_i2c_address(int descriptor, int address) { return ioctl(descriptor, I2C_SLAVE, (long)address); }

int mynah_tty_exclusive(int descriptor) { return ioctl(descriptor, TIOCEXCL); }

int mynah_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

int mynah_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

static void ending_signals(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGHUP);
  sigaddset(set, SIGINT);
  sigaddset(set, SIGQUIT);
  sigaddset(set, SIGTERM);
}

int mynah_ending_signals_begin(void) {
  sigset_t set;
  ending_signals(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void mynah_ending_signals_end(void) {
  sigset_t set;
  ending_signals(&set);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int mynah_read_signal(int descriptor) {
  struct signalfd_siginfo info;
  return read(descriptor, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}
