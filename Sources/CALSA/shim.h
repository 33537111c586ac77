#pragma once

#include <alsa/asoundlib.h>
#include <errno.h>
#include <stdint.h>
#include <time.h>

/// Tells the Swift compiler that a function neither locks nor allocates, so that checked real-time code may call it.
/// For calls into libasound this is a claim of ours; the allocation ceilings of the real-time tests hold it up.
#define MYNAH_REALTIME                                                                                                 \
  __attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation"))) static inline

/// What a real-time loop asks of a PCM and of the clock. Tests put scripted functions in.
struct mynah_pcm_port {
  /// Handed to every function below.
  snd_pcm_t *pcm;
  /// Up to `milliseconds` for a period: 1 ready, 0 not yet, or −errno.
  int (*wait)(snd_pcm_t *pcm, int milliseconds);
  /// Frames moved, or −errno.
  snd_pcm_sframes_t (*read)(snd_pcm_t *pcm, void *frames, snd_pcm_uframes_t count);
  snd_pcm_sframes_t (*write)(snd_pcm_t *pcm, const void *frames, snd_pcm_uframes_t count);
  /// When the device last looked (CLOCK_MONOTONIC, ns; 0 if it does not say), and the frames that were then between
  /// the converter and the program.
  int (*position)(snd_pcm_t *pcm, int64_t *nanoseconds, snd_pcm_sframes_t *delay);
  int (*prepare)(snd_pcm_t *pcm);
  int (*start)(snd_pcm_t *pcm);
  int (*resume)(snd_pcm_t *pcm);
  /// CLOCK_MONOTONIC in ns.
  int64_t (*now)(snd_pcm_t *pcm);
  void (*sleep)(snd_pcm_t *pcm, int64_t nanoseconds);
};

MYNAH_REALTIME int mynah_pcm_wait(const struct mynah_pcm_port *port, int milliseconds) {
  return port->wait(port->pcm, milliseconds);
}

MYNAH_REALTIME long mynah_pcm_read(const struct mynah_pcm_port *port, void *frames, long count) {
  return port->read(port->pcm, frames, (snd_pcm_uframes_t)count);
}

MYNAH_REALTIME long mynah_pcm_write(const struct mynah_pcm_port *port, const void *frames, long count) {
  return port->write(port->pcm, frames, (snd_pcm_uframes_t)count);
}

MYNAH_REALTIME int mynah_pcm_position(const struct mynah_pcm_port *port, int64_t *nanoseconds, long *delay) {
  return port->position(port->pcm, nanoseconds, delay);
}

MYNAH_REALTIME int mynah_pcm_prepare(const struct mynah_pcm_port *port) { return port->prepare(port->pcm); }
MYNAH_REALTIME int mynah_pcm_start(const struct mynah_pcm_port *port) { return port->start(port->pcm); }
MYNAH_REALTIME int mynah_pcm_resume(const struct mynah_pcm_port *port) { return port->resume(port->pcm); }
MYNAH_REALTIME int64_t mynah_pcm_now(const struct mynah_pcm_port *port) { return port->now(port->pcm); }

MYNAH_REALTIME void mynah_pcm_sleep(const struct mynah_pcm_port *port, int64_t nanoseconds) {
  port->sleep(port->pcm, nanoseconds);
}

// The functions of a real device.

static inline int mynah_alsa_position(snd_pcm_t *pcm, int64_t *nanoseconds, snd_pcm_sframes_t *delay) {
  // On the stack: the status must not be allocated once a period.
  snd_pcm_status_t *status;
  snd_pcm_status_alloca(&status);
  int result = snd_pcm_status(pcm, status);
  if (result < 0) return result;
  snd_htimestamp_t stamp;
  snd_pcm_status_get_htstamp(status, &stamp);
  *nanoseconds = (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec;
  *delay = snd_pcm_status_get_delay(status);
  return 0;
}

static inline int64_t mynah_alsa_now(snd_pcm_t *pcm) {
  (void)pcm;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline void mynah_alsa_sleep(snd_pcm_t *pcm, int64_t nanoseconds) {
  (void)pcm;
  struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

/// The port of an open PCM.
static inline struct mynah_pcm_port mynah_alsa_port(snd_pcm_t *pcm) {
  return (struct mynah_pcm_port){.pcm = pcm,
                                 .wait = snd_pcm_wait,
                                 .read = snd_pcm_readi,
                                 .write = snd_pcm_writei,
                                 .position = mynah_alsa_position,
                                 .prepare = snd_pcm_prepare,
                                 .start = snd_pcm_start,
                                 .resume = snd_pcm_resume,
                                 .now = mynah_alsa_now,
                                 .sleep = mynah_alsa_sleep};
}

/// A control of a card's first PCM that is a whole number: read, or written where `writes`. 0 or more, or −errno.
static inline int mynah_alsa_control(snd_ctl_t *control, const char *name, long *value, int writes) {
  snd_ctl_elem_value_t *element;
  snd_ctl_elem_value_alloca(&element);
  snd_ctl_elem_value_set_interface(element, SND_CTL_ELEM_IFACE_PCM);
  snd_ctl_elem_value_set_name(element, name);
  snd_ctl_elem_value_set_integer(element, 0, *value);
  int result = writes ? snd_ctl_elem_write(control, element) : snd_ctl_elem_read(control, element);
  *value = snd_ctl_elem_value_get_integer(element, 0);
  return result;
}

/// Up to `milliseconds` (−1: any time) until one of a card's controls changes: 0 or more, or −errno.
static inline int mynah_alsa_await_change(snd_ctl_t *control, int milliseconds) {
  snd_ctl_event_t *event;
  snd_ctl_event_alloca(&event);
  int result = snd_ctl_wait(control, milliseconds);
  while (result > 0) result = snd_ctl_read(control, event);
  return result == -EAGAIN ? 0 : result;
}

static inline void mynah_alsa_ignore(const char *file, int line, const char *function, int error, const char *format,
                                     ...) {
  (void)file, (void)line, (void)function, (void)error, (void)format;
}

/// Keeps libasound from writing to standard error, where it would tear the terminal panel. Errors are returned anyway.
static inline void mynah_alsa_be_quiet(void) { snd_lib_error_set_handler(mynah_alsa_ignore); }
