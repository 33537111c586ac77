#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Names the calling thread as `top -H` shows it; at most 15 bytes are kept (prctl(2), PR_SET_NAME).
void mynah_set_thread_name(const char *name);

/// Has the calling thread, and no other, stand back behind the others: 0…19 (setpriority(2), C library/kernel differences).
void mynah_set_thread_niceness(int niceness);

/// open(2)'s O_TMPFILE, a macro of several bits that Swift cannot import.
extern const int mynah_o_tmpfile;

/// renameat2(2) with RENAME_NOREPLACE: renames only if the target does not exist. 0, or −1 and errno.
int mynah_rename_noreplace(int directory, const char *from, int new_directory, const char *to);

/// Whether a path is on FAT.
int mynah_is_fat(const char *path);

/// Has a file's length and place written where its new name is: on FAT they follow the name only with its inode, and whoever
/// pulls a stick out before that finds an empty file of that name. 0, or −1 and errno.
int mynah_settle_name(int directory, const char *name);

/// sync_file_range(2): starts writing `fresh` bytes at `from + older` to the medium, and waits for the `older` ones at `from`.
/// 0, or −1 with errno: an error of either is told here once, and by no later sync.
int mynah_push_out(int file, long long from, long long older, long long fresh);

/// fallocate(2): gives a file blocks for these bytes and grows it to their end. 0, or errno; EOPNOTSUPP too on FAT, where the
/// kernel would write all of them.
int mynah_allocate(int file, long long offset, long long bytes);

/// Starts a joinable thread that names itself, asks for SCHED_FIFO and touches its stack before `body` runs; returns
/// when it has. `body` and `context` are all that the thread keeps.
///
/// `priority` is 1…99; `refusal` becomes 0, or the errno with which SCHED_FIFO was refused. 0, or pthread_create's errno.
int mynah_start_realtime_thread(pthread_t *thread, const char *name, int priority, size_t stack_bytes,
                                void (*body)(void *), void *context, int *refusal);

/// mlockall(2) of what is mapped now and later: everything at once, or (MCL_ONFAULT) each page when it is touched.
/// 0, or errno; EPERM, untried, where a finite RLIMIT_MEMLOCK would make every allocation beyond it fail later.
int mynah_lock_memory(int on_fault);

/// Lets the C library's heap make every block of so many bytes and more a mapping of its own, once and for all
/// (mallopt(3), M_MMAP_THRESHOLD).
void mynah_map_blocks_from(int bytes);

/// memfd_create(2): a file without a name on disk. The descriptor, or −1 and errno.
int mynah_memory_file(const char *name);

/// Heap allocations that the calling thread has made; 0 unless a counting allocator is linked in (as in the tests).
__attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))
long mynah_thread_allocations(void);

/// Chooses the device that later writes of an open /dev/i2c-N go to (I2C_SLAVE, Linux i2c-dev). 0, or −1 and errno;
/// EBUSY if a kernel driver has that address.
int mynah_i2c_address(int descriptor, int address);

/// The name of an input device of the kernel's (EVIOCGNAME, linux/input.h). 0, or −1 and errno.
int mynah_input_name(int descriptor, char *name, size_t capacity);

/// Has its events for this process alone (EVIOCGRAB), stamped with CLOCK_MONOTONIC (EVIOCSCLOCKID). 0, or −1 and errno.
int mynah_input_take(int descriptor);

/// Bits of its keys, 768 of them: those that are down (EVIOCGKEY), or those that it has (EVIOCGBIT). 0, or −1 and errno.
int mynah_input_keys(int descriptor, int only_down, unsigned char bits[96]);

/// Lets nobody else but root open this terminal until all have closed it (TIOCEXCL, ioctl_tty(2)). 0, or −1 and errno.
int mynah_tty_exclusive(int descriptor);

/// Takes that back (TIOCNXCL).
void mynah_tty_shared(int descriptor);

/// The process at the other end of a Unix socket, when it began to listen (SO_PEERCRED, unix(7)); 0 if not known.
int mynah_peer_process(int descriptor);

/// A pipe whose ends neither block nor outlive exec (pipe2(2)): reader, writer. 0, or −1 and errno.
int mynah_pipe(int ends[2]);

/// Accepts a connection that neither blocks nor outlives exec (accept4(2)). The descriptor, or −1 and errno.
int mynah_accept(int listener);

/// Holds back SIGHUP, SIGINT, SIGQUIT and SIGTERM from the calling thread, and makes a descriptor that becomes readable
/// when one of them comes (signalfd(2)). The descriptor, or −1 and errno.
int mynah_ending_signals_begin(void);

/// Lets those signals through to the calling thread again.
void mynah_ending_signals_end(void);

/// Takes a signal from the descriptor; 0 if none is there.
int mynah_read_signal(int descriptor);

/// Sets a watchdog's timer and starts it (WDIOC_SETTIMEOUT, WDIOC_GETTIMEOUT, Documentation/watchdog/watchdog-api.rst).
/// The seconds that it grants, or −1 and errno.
int mynah_watchdog_timeout(int descriptor, int seconds);

/// The highest real-time priority that RLIMIT_RTPRIO grants this process (getrlimit(2)).
long mynah_realtime_limit(void);

/// Bytes that RLIMIT_MEMLOCK lets this process lock; −1 for any number.
long mynah_memory_lock_limit(void);

/// The parts of a device's number (makedev(3)).
unsigned int mynah_major(unsigned long device);
unsigned int mynah_minor(unsigned long device);

/// Writes the numbers of a character device, `4:64`; an empty text if `path` is none.
void mynah_device_number(const char *path, char *text, size_t capacity);

/// Wakes the thread that waits on `word`, or makes its next wait return at once. Any thread.
void mynah_wakeup_signal(unsigned int *word);

/// Sleeps until a signal or until `nanoseconds` on CLOCK_MONOTONIC (the largest number: for ever), and takes the signal
/// back. One thread may wait on a `word`, which begins as 0. (futex(2): a mutex with a condition would cost the waking
/// and the woken thread two more calls, and often one more switch between them.)
void mynah_wakeup_wait(unsigned int *word, long long nanoseconds);

/// Sends a datagram to the socket of NOTIFY_SOCKET's form: a path, or `@` and an abstract name. 0, or −1 and errno.
int mynah_notify(int descriptor, const char *address, const void *bytes, size_t count);

// Links to networks (rtnetlink(7)).

enum mynah_link_kind { mynah_link_state = 1, mynah_link_address = 2, mynah_link_listed = 3 };

/// What the kernel tells of a link: it runs or not, it has got an address, or (`listed`) all that there were at the
/// start have been told. Loopback is left out.
struct mynah_link {
  enum mynah_link_kind kind;
  int index;
  int is_running;
  /// IPv4 in the first 4 bytes, or IPv6.
  unsigned char address[16];
};

/// A descriptor that is readable when links change; at the start it tells of all of them. −1 and errno.
int mynah_open_links(void);

/// What it tells next: at most `capacity` of one message. −errno (EAGAIN: nothing now; ENOBUFS: some of it was lost).
int mynah_read_links(int descriptor, struct mynah_link *links, int capacity);

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

// Programs that are started and listened to.

/// Starts a program without a shell (posix_spawn(3)), in a process group of its own, with no descriptor of ours but the
/// pipes that its output and its errors go into, no input, and every signal as it was at boot. `arguments` ends with
/// NULL; its first is looked for in PATH. Fills in the reading ends, which do not block. 0, or errno.
int mynah_spawn(char *const arguments[], pid_t *process, int *output, int *errors);

/// Ends a program and everything in its group: SIGTERM if it has not ended by itself within `grace_ms`, SIGKILL if it is
/// still there after another `patience_ms`. Reaps it. Its status as waitpid(2) has it, or −1 if it had been reaped.
int mynah_end_process(pid_t process, int grace_ms, int patience_ms);

/// Up to `milliseconds` for either descriptor (−1 for none): bit 0 and bit 1 set where there is something to be read or
/// its end, or −errno.
__attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))
int mynah_wait_for_two(int first, int second, int milliseconds);

/// read(2): bytes, 0 at the end, or −errno.
__attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))
long mynah_read(int descriptor, void *bytes, long capacity);

/// CLOCK_MONOTONIC in ns.
__attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))
int64_t mynah_now(void);

/// Sleeps for `nanoseconds`.
__attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))
void mynah_nap(int64_t nanoseconds);

/// Tells the gate's counter of instructions (Tests/Gate) that a step of a lane begins, at this time of the virtual clock
/// in nanoseconds. Without the counter: nothing, in six instructions.
void mynah_step_begins(long lane, long nanoseconds);

/// Tells it that the step is over.
void mynah_step_ends(long lane);

// A process of our own program that looks at what others have made.

/// Starts a program without a shell that reads and writes one socket as its input and its output, in a process group of
/// its own, with no other descriptor of ours but standard error and, as number 3, `file` (−1: none). `arguments` ends with
/// NULL; its first is a path. Fills in our end of the socket, which does not block. 0, or errno.
int mynah_spawn_server(char *const arguments[], int file, pid_t *process, int *socket);

/// send(2) that raises no signal: bytes, or −errno.
long mynah_send(int socket, const void *bytes, long count);

/// Ends a program and everything in its group that has not ended by itself within `grace_ms`, without waiting for a device
/// that holds it: fills in its status as waitpid(2) has it and gives 1, 2 if it was ended (−1: it had been reaped), or 0 if
/// it is to be called again.
int mynah_drop_process(pid_t process, int grace_ms, int *status);

/// Confines the calling process for the rest of its life: so much memory of its own and so much processor time
/// (setrlimit(2)), so far behind the others (0…19); then no network, no other process, no file that is not only read (seccomp(2)).
/// 0, or the errno with which the kernel refused the filter: the limits hold all the same.
int mynah_confine(long memory_bytes, int processor_seconds, int niceness);

// The clock of the wall, and the board's power.

/// Sets CLOCK_REALTIME to nanoseconds since 1970. 0, or errno.
int mynah_set_wall_clock(long long nanoseconds);

/// Sets a battery-backed clock (/dev/rtc0; rtc(4)) to UTC seconds since 1970. 0, or errno.
int mynah_set_hardware_clock(const char *device, long long seconds);

/// Whether the kernel has the wall clock kept right by somebody (adjtimex(2)): 1, 0, or -1 if it does not tell.
int mynah_clock_is_kept(void);

/// Asks systemd for its target of rebooting (1) or of switching off (0) by signals to process 1 (systemd(1)). 0, or errno.
int mynah_ask_for_power(int reboots);

// The report of a crash.

/// Has SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE and SIGABRT told in `descriptor` before they end the process: signal,
/// thread, return addresses, what was kept below. Call once, before there are threads.
void mynah_crash_arm(int descriptor);

/// Gives the calling thread a stack of its own for that, so that an overflow is told as well; of the first 16 threads.
void mynah_crash_thread(void);

/// Whether this signal is told so.
int mynah_crash_guards(int number);

/// Keeps the latest 200 events, and the latest 50 lines of the log, cut to 254 bytes each. One thread.
void mynah_crash_keep_event(const char *bytes, long length);
void mynah_crash_keep_line(const char *bytes, long length);

/// Stands in releases for what of Swift's library finds the name that Unicode has for a character, with half a megabyte of
/// names (deploy/lib/program.sh): there is none. Nothing here asks.
long mynah_scalar_without_name(void);

/// The linker's name for this very program, in hexadecimal digits: their number, 0 if it has none.
long mynah_build_id(char *text, long capacity);

/// Gives an nbd device (linux/nbd.h) the socket on which its requests are answered, read-only, and its size. 0, or −1 and errno.
int mynah_nbd_attach(int device, int socket, unsigned long long bytes);

/// Carries the device's requests to its socket; returns when the other end of that is closed. −1 and errno if it failed.
int mynah_nbd_run(int device);
