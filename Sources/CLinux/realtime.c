#define _GNU_SOURCE
#include "CLinux.h"

#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <sys/prctl.h>

// What the starting thread hands to the new one; the new one reads nothing of it after `is_ready`.
struct birth {
  char name[16];
  int priority;
  size_t prefault_bytes;
  void (*body)(void *);
  void *context;
  int refusal;
  sem_t is_ready;
};

__attribute__((noinline)) static void prefault_stack(size_t bytes) {
  volatile char touched[bytes];
  for (size_t index = 0; index < bytes; index += 1024) touched[index] = 0;
  (void)touched[0];
}

static void *live(void *raw) {
  struct birth *birth = raw;
  prctl(PR_SET_NAME, birth->name, 0, 0, 0);
  struct sched_param parameter = {.sched_priority = birth->priority};
  birth->refusal = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter);
  mynah_crash_thread();
  prefault_stack(birth->prefault_bytes);
  void (*body)(void *) = birth->body;
  void *context = birth->context;
  sem_post(&birth->is_ready);
  body(context);
  return NULL;
}

int mynah_start_realtime_thread(pthread_t *thread, const char *name, int priority, size_t stack_bytes,
                                void (*body)(void *), void *context, int *refusal) {
  // The last 16 KiB stay untouched: thread-local data and the frames below live there already.
  struct birth birth = {
      .priority = priority, .prefault_bytes = stack_bytes - 16 * 1024, .body = body, .context = context};
  strncpy(birth.name, name, sizeof birth.name - 1);
  sem_init(&birth.is_ready, 0, 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  int result = pthread_create(thread, &attributes, live, &birth);
  pthread_attr_destroy(&attributes);
  if (result == 0)
    while (sem_wait(&birth.is_ready) != 0) continue;
  *refusal = birth.refusal;
  sem_destroy(&birth.is_ready);
  return result;
}
