#pragma once

/// Names the calling thread as `top -H` shows it; at most 15 bytes are kept (prctl(2), PR_SET_NAME).
void mynah_set_thread_name(const char *name);

/// open(2)'s O_TMPFILE, a macro of several bits that Swift cannot import.
extern const int mynah_o_tmpfile;

/// renameat2(2) with RENAME_NOREPLACE: renames only if the target does not exist. 0, or −1 and errno.
int mynah_rename_noreplace(const char *from, const char *to);

// The terminal as a front panel. One at a time.

/// Takes a terminal over: raw keys (output processing stays), `enter` written to `output`; `leave` and the old modes
/// come back with `mynah_terminal_give_back`, with exit(3), and when a crash ends the process. Both texts are shorter
/// than 64 bytes. From then on the process refuses to be stopped by SIGTSTP, SIGTTIN and SIGTTOU.
///
/// 0, or −1 and errno.
int mynah_terminal_take(int input, int output, const char *enter, const char *leave);

/// Sets the terminal up again, after others have had it (SIGCONT).
void mynah_terminal_retake(void);

/// Gives the terminal back as it was found, and shows the last of what was caught of standard error. Safe in a
/// signal handler; a second call does nothing.
void mynah_terminal_give_back(void);

/// Sends standard error into a pipe if it is a terminal: nothing is to be printed across the panel.
///
/// The descriptor to poll, or −1 where nothing is caught.
int mynah_terminal_catch_errors(void);

/// Reads what was caught, at most 4096 bytes at once; 0 if there is nothing. Never waits.
long mynah_terminal_read_errors(char *bytes, unsigned long capacity);

/// Size of a terminal in cells. 0, or −1 and errno.
int mynah_terminal_size(int descriptor, int *columns, int *rows);

/// Blocks SIGWINCH and SIGCONT in this thread and those it starts from now on, for `mynah_terminal_open_signals`.
void mynah_terminal_block_signals(void);

/// A descriptor that is readable when SIGWINCH or SIGCONT has come. −1 and errno.
int mynah_terminal_open_signals(void);

/// The number of a signal that has come, or 0. Never waits.
int mynah_terminal_next_signal(int descriptor);
