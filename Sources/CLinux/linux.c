#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/magic.h>
#include <linux/watchdog.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

void mynah_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

void mynah_set_thread_niceness(int niceness) { setpriority(PRIO_PROCESS, 0, niceness); }

const int mynah_o_tmpfile = O_TMPFILE;

int mynah_rename_noreplace(int directory, const char *from, int new_directory, const char *to) {
  return renameat2(directory, from, new_directory, to, RENAME_NOREPLACE);
}

int mynah_push_out(int file, long long from, long long older, long long fresh) {
  const unsigned int wait = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  if (sync_file_range(file, from + older, fresh, SYNC_FILE_RANGE_WRITE) != 0) return -1;
  return older > 0 ? sync_file_range(file, from, older, wait) : 0;
}

int mynah_is_fat(const char *path) {
  struct statfs system;
  return statfs(path, &system) == 0 && system.f_type == MSDOS_SUPER_MAGIC;
}

int mynah_settle_name(int directory, const char *name) {
  int file = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return -1;
  int result = fsync(file), code = errno;
  close(file);
  errno = code;
  return result;
}

int mynah_allocate(int file, long long offset, long long bytes) {
  struct statfs system;
  if (fstatfs(file, &system) == 0 && system.f_type == MSDOS_SUPER_MAGIC) return EOPNOTSUPP;
  return fallocate(file, 0, offset, bytes) == 0 ? 0 : errno;
}

void mynah_map_blocks_from(int bytes) { mallopt(M_MMAP_THRESHOLD, bytes); }

int mynah_lock_memory(int on_fault) {
  struct rlimit limit;
  if (geteuid() != 0 && getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) return EPERM;
  return mlockall(MCL_CURRENT | MCL_FUTURE | (on_fault ? MCL_ONFAULT : 0)) == 0 ? 0 : errno;
}

int mynah_memory_file(const char *name) { return memfd_create(name, 0); }

__attribute__((weak)) long mynah_thread_allocations(void) { return 0; }
int mynah_i2c_address(int descriptor, int address) { return ioctl(descriptor, I2C_SLAVE, (long)address); }

int mynah_tty_exclusive(int descriptor) { return ioctl(descriptor, TIOCEXCL); }

void mynah_tty_shared(int descriptor) { ioctl(descriptor, TIOCNXCL); }

int mynah_peer_process(int descriptor) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? (int)peer.pid : 0;
}

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

int mynah_watchdog_timeout(int descriptor, int seconds) {
  int timeout = seconds;
  if (ioctl(descriptor, WDIOC_SETTIMEOUT, &timeout) == 0) return timeout;
  // One whose time cannot be set says which it has.
  return ioctl(descriptor, WDIOC_GETTIMEOUT, &timeout) == 0 ? timeout : -1;
}

int mynah_notify(int descriptor, const char *name, const void *bytes, size_t count) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(name);
  if (length < 2 || length > sizeof address.sun_path) {
    errno = EINVAL;
    return -1;
  }
  memcpy(address.sun_path, name, length);
  if (address.sun_path[0] == '@') address.sun_path[0] = 0;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  ssize_t sent = sendto(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&address, size);
  return sent == (ssize_t)count ? 0 : -1;
}

static long limit_of(int resource) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return 0;
  return limit.rlim_cur == RLIM_INFINITY ? -1 : (long)limit.rlim_cur;
}

long mynah_realtime_limit(void) {
  long limit = limit_of(RLIMIT_RTPRIO);
  return limit < 0 || limit > 99 ? 99 : limit;
}

long mynah_memory_lock_limit(void) { return limit_of(RLIMIT_MEMLOCK); }

void mynah_device_number(const char *path, char *text, size_t capacity) {
  struct stat status;
  text[0] = 0;
  if (stat(path, &status) == 0 && S_ISCHR(status.st_mode))
    snprintf(text, capacity, "%u:%u", major(status.st_rdev), minor(status.st_rdev));
}

unsigned int mynah_major(unsigned long device) { return major(device); }

unsigned int mynah_minor(unsigned long device) { return minor(device); }

long mynah_scalar_without_name(void) { return 0; }
