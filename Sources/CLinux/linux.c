#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>

void mynah_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

const int mynah_o_tmpfile = O_TMPFILE;

int mynah_rename_noreplace(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}
