#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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
