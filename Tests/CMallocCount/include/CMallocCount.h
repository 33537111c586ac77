#pragma once

/// Heap allocations that the calling thread has made since it began: every malloc, calloc, realloc, memalign,
/// posix_memalign, aligned_alloc, valloc. Linking this library in is what makes them counted.
long mynah_thread_allocations(void);

/// The same of all living threads of this name together (as prctl's PR_SET_NAME gave it, at most 15 bytes); −1 if
/// there is none. Compare two readings: a thread number that is used again keeps its predecessor's count.
long mynah_allocations_of_threads_named(const char *name);
