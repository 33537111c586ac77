#pragma once

#include <stdint.h>

// Kernel mode setting by the ioctls of /dev/dri/cardN, which Swift cannot call: structures with pointers in them, macros
// with sizes. Plain ioctls and not libdrm: a dozen of them is all that two dumb buffers and a page flip need, and a static
// program has one library less. Their structures are written down in drm.c, because Debian has their header in libdrm-dev
// only; they are part of the kernel's stable interface, and their sizes are part of the ioctls' numbers.
//
// Functions return 0 or more, or −errno. One thread at a time for a descriptor.

/// A connector with a screen, and what drives it.
struct mynah_drm_output {
  /// `HDMI-A-1`, as in /sys/class/drm/card0-HDMI-A-1.
  char name[32];
  uint32_t connector;
  uint32_t crtc;
  uint32_t width;
  uint32_t height;
  uint32_t millihertz;
  /// The kernel's drm_mode_modeinfo.
  uint8_t mode[68];
};

/// Memory that can be shown: XRGB8888.
struct mynah_drm_buffer {
  uint32_t handle;
  uint32_t framebuffer;
  uint32_t bytes_per_row;
  uint64_t size;
  void *pixels;
};

/// What a CRTC showed before.
struct mynah_drm_saved {
  uint8_t bytes[104];
  int is_set;
};

/// Opens a card without blocking on its events. Whoever is first becomes its master.
int mynah_drm_open(const char *path);
/// The driver's name, `vc4`; what it does not tell stays empty.
int mynah_drm_driver(int descriptor, char *name, uint32_t capacity);
/// Finds the first connector with a screen on it, a way to drive it, and its preferred mode; if that has more than
/// `most_lines` lines, the largest mode that does not. Asks screens for their modes, which takes up to some 100 ms.
/// −ENODEV: no screen; −EOPNOTSUPP: the card drives none (a GPU alone).
int mynah_drm_find(int descriptor, uint32_t most_lines, struct mynah_drm_output *output);
/// Whether the connector still has a screen: 1 or 0. Does not ask it.
int mynah_drm_connected(int descriptor, uint32_t connector);

/// Makes a dark buffer.
int mynah_drm_make(int descriptor, uint32_t width, uint32_t height, struct mynah_drm_buffer *buffer);
void mynah_drm_free(int descriptor, struct mynah_drm_buffer *buffer);

/// What `set` replaces, for `restore`.
void mynah_drm_save(int descriptor, uint32_t crtc, struct mynah_drm_saved *saved);
void mynah_drm_restore(int descriptor, const struct mynah_drm_output *output, struct mynah_drm_saved *saved);
/// Sets the mode, and shows a buffer. −EACCES: another program is the card's master.
int mynah_drm_set(int descriptor, const struct mynah_drm_output *output, uint32_t framebuffer);
/// Shows another buffer from the next vertical blank on, and has an event sent then. −EBUSY: the last one waits still.
int mynah_drm_flip(int descriptor, uint32_t crtc, uint32_t framebuffer);
/// Reads what has happened. 1: a flip is done, `time` is that of its vertical blank (CLOCK_MONOTONIC, ns); 0: not yet.
int mynah_drm_event(int descriptor, int64_t *time);
/// Lets another program become master.
void mynah_drm_drop(int descriptor);
