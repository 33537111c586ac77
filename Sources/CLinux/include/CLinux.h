#pragma once

/// Names the calling thread as `top -H` shows it; at most 15 bytes are kept (prctl(2), PR_SET_NAME).
void mynah_set_thread_name(const char *name);

/// open(2)'s O_TMPFILE, a macro of several bits that Swift cannot import.
extern const int mynah_o_tmpfile;

/// renameat2(2) with RENAME_NOREPLACE: renames only if the target does not exist. 0, or −1 and errno.
int mynah_rename_noreplace(const char *from, const char *to);
