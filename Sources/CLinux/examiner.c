#define _GNU_SOURCE
#include "CLinux.h"
#include "spawn_child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int mynah_spawn_server(char *const arguments[], int file, pid_t *process, int *socket) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return errno;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  if (file >= 0) posix_spawn_file_actions_adddup2(&actions, file, 3);
  posix_spawn_file_actions_addclosefrom_np(&actions, file >= 0 ? 4 : 3);
  int result = mynah_spawn_child(arguments, &actions, process);
  close(ends[1]);
  if (result != 0) {
    close(ends[0]);
    return result;
  }
  *socket = ends[0];
  return 0;
}

long mynah_send(int socket, const void *bytes, long count) {
  ssize_t sent = send(socket, bytes, (size_t)count, MSG_NOSIGNAL);
  return sent < 0 ? -errno : sent;
}

#if defined(__x86_64__)
#define MYNAH_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MYNAH_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "seccomp: say which architecture this is"
#endif

#define MYNAH_ALLOW(name) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
// Refuses the call if the argument has one of the bits, else allows it.
#define MYNAH_ALLOW_WITHOUT(name, argument, bits)                                                         \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4),                                                  \
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[argument])),                  \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), BPF_STMT(BPF_RET | BPF_K, MYNAH_REFUSED),       \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define MYNAH_REFUSED (SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA))

// What reading files and decoding them needs: memory, files to be read, the two ends that it was given, clocks.
static struct sock_filter mynah_reader[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MYNAH_ARCHITECTURE, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    MYNAH_ALLOW(read),
    MYNAH_ALLOW(pread64),
    MYNAH_ALLOW(lseek),
    MYNAH_ALLOW(close),
    MYNAH_ALLOW(fstat),
    MYNAH_ALLOW(newfstatat),
    MYNAH_ALLOW(statx),
    MYNAH_ALLOW(fcntl),
    MYNAH_ALLOW(fadvise64),
    // Only to be read: descriptors that can be written are those it was given.
    MYNAH_ALLOW_WITHOUT(openat, 2, O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND),
    // Sound and subtitles that lie beside a film are found by their names.
    MYNAH_ALLOW(getdents64),
    MYNAH_ALLOW(write),
    MYNAH_ALLOW_WITHOUT(mmap, 2, PROT_EXEC),
    MYNAH_ALLOW_WITHOUT(mprotect, 2, PROT_EXEC),
    MYNAH_ALLOW(munmap),
    MYNAH_ALLOW(mremap),
    MYNAH_ALLOW(madvise),
    MYNAH_ALLOW(brk),
    MYNAH_ALLOW(futex),
    MYNAH_ALLOW(clock_gettime),
    MYNAH_ALLOW(clock_getres),
    MYNAH_ALLOW(gettimeofday),
    MYNAH_ALLOW(clock_nanosleep),
    MYNAH_ALLOW(nanosleep),
    MYNAH_ALLOW(getrandom),
    MYNAH_ALLOW(getrusage),
    MYNAH_ALLOW(sched_getaffinity),
    MYNAH_ALLOW(sched_yield),
    MYNAH_ALLOW(getpid),
    MYNAH_ALLOW(gettid),
    // Only to itself: it has no other process's number, and may not look for one.
    MYNAH_ALLOW(tgkill),
    MYNAH_ALLOW(setitimer),
    MYNAH_ALLOW(rt_sigaction),
    MYNAH_ALLOW(rt_sigprocmask),
    MYNAH_ALLOW(rt_sigreturn),
    MYNAH_ALLOW(restart_syscall),
    MYNAH_ALLOW(exit),
    MYNAH_ALLOW(exit_group),
    BPF_STMT(BPF_RET | BPF_K, MYNAH_REFUSED),
};

static void limit(int what, rlim_t most) {
  struct rlimit value = {most, most};
  setrlimit(what, &value);
}

int mynah_confine(long memory_bytes, int processor_seconds, int niceness) {
  limit(RLIMIT_DATA, (rlim_t)memory_bytes);
  limit(RLIMIT_CPU, (rlim_t)processor_seconds);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, 32);
  setpriority(PRIO_PROCESS, 0, niceness);
  // Whoever started it is to learn of what it dies; nobody here could write a report.
  const int crashes[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
  for (size_t index = 0; index < sizeof crashes / sizeof crashes[0]; index++) signal(crashes[index], SIG_DFL);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return errno;
  struct sock_fprog program = {
      .len = sizeof mynah_reader / sizeof mynah_reader[0],
      .filter = mynah_reader,
  };
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0 ? errno : 0;
}
