#define _GNU_SOURCE
#include "CDRM.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

// The kernel's structures: include/uapi/drm/drm.h and drm_mode.h.

struct mode {
  uint32_t clock;
  uint16_t hdisplay, hsync_start, hsync_end, htotal, hskew;
  uint16_t vdisplay, vsync_start, vsync_end, vtotal, vscan;
  uint32_t vrefresh, flags, type;
  char name[32];
};

struct version {
  int major, minor, patch;
  size_t name_length;
  char *name;
  size_t date_length;
  char *date;
  size_t description_length;
  char *description;
};

struct resources {
  uint64_t framebuffers, crtcs, connectors, encoders;
  uint32_t framebuffer_count, crtc_count, connector_count, encoder_count;
  uint32_t min_width, max_width, min_height, max_height;
};

struct crtc {
  uint64_t connectors;
  uint32_t connector_count, crtc, framebuffer, x, y, gamma_size, has_mode;
  struct mode mode;
};

struct encoder {
  uint32_t encoder, type, crtc, possible_crtcs, possible_clones;
};

struct connector {
  uint64_t encoders, modes, properties, property_values;
  uint32_t mode_count, property_count, encoder_count;
  uint32_t encoder, connector, type, type_number;
  uint32_t connection, millimetres_across, millimetres_down, subpixel, pad;
};

struct framebuffer {
  uint32_t framebuffer, width, height, pitch, bits, depth, handle;
};

struct flip {
  uint32_t crtc, framebuffer, flags, reserved;
  uint64_t user;
};

struct create {
  uint32_t height, width, bits, flags, handle, pitch;
  uint64_t size;
};

struct map {
  uint32_t handle, pad;
  uint64_t offset;
};

struct event {
  uint32_t type, length;
  uint64_t user;
  uint32_t seconds, microseconds, sequence, crtc;
};

_Static_assert(sizeof(struct mode) == 68, "drm_mode_modeinfo");
_Static_assert(sizeof(struct resources) == 64, "drm_mode_card_res");
_Static_assert(sizeof(struct crtc) == 104, "drm_mode_crtc");
_Static_assert(sizeof(struct encoder) == 20, "drm_mode_get_encoder");
_Static_assert(sizeof(struct connector) == 80, "drm_mode_get_connector");
_Static_assert(sizeof(struct framebuffer) == 28, "drm_mode_fb_cmd");
_Static_assert(sizeof(struct flip) == 24, "drm_mode_crtc_page_flip");
_Static_assert(sizeof(struct create) == 32, "drm_mode_create_dumb");
_Static_assert(sizeof(struct event) == 32, "drm_event_vblank");

#define DRM_VERSION _IOWR('d', 0x00, struct version)
#define DRM_DROP_MASTER _IO('d', 0x1f)
#define DRM_GET_RESOURCES _IOWR('d', 0xa0, struct resources)
#define DRM_GET_CRTC _IOWR('d', 0xa1, struct crtc)
#define DRM_SET_CRTC _IOWR('d', 0xa2, struct crtc)
#define DRM_GET_ENCODER _IOWR('d', 0xa6, struct encoder)
#define DRM_GET_CONNECTOR _IOWR('d', 0xa7, struct connector)
#define DRM_ADD_FB _IOWR('d', 0xae, struct framebuffer)
#define DRM_REMOVE_FB _IOWR('d', 0xaf, unsigned int)
#define DRM_PAGE_FLIP _IOWR('d', 0xb0, struct flip)
#define DRM_CREATE_DUMB _IOWR('d', 0xb2, struct create)
#define DRM_MAP_DUMB _IOWR('d', 0xb3, struct map)
#define DRM_DESTROY_DUMB _IOWR('d', 0xb4, uint32_t)

enum { CONNECTED = 1, FLIP_COMPLETE = 2, FLIP_EVENT = 1, PREFERRED = 1 << 3, INTERLACED = 1 << 4, DOUBLED = 1 << 5 };
enum { MOST = 32, MOST_MODES = 256 };

static int ask(int descriptor, unsigned long request, void *argument) {
  int result;
  do result = ioctl(descriptor, request, argument);
  while (result < 0 && (errno == EINTR || errno == EAGAIN));
  return result < 0 ? -errno : 0;
}

int mynah_drm_open(const char *path) {
  int descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  return descriptor < 0 ? -errno : descriptor;
}

int mynah_drm_driver(int descriptor, char *name, uint32_t capacity) {
  if (capacity == 0) return -EINVAL;
  memset(name, 0, capacity);
  struct version version = {.name_length = capacity - 1, .name = name};
  return ask(descriptor, DRM_VERSION, &version);
}

static const char *type_name(uint32_t type) {
  static const char *const names[] = {
      "Unknown", "VGA", "DVI-I", "DVI-D", "DVI-A", "Composite", "SVIDEO", "LVDS", "Component", "DIN", "DP",
      "HDMI-A", "HDMI-B", "TV", "eDP", "Virtual", "DSI", "DPI", "Writeback", "SPI", "USB",
  };
  return type < sizeof names / sizeof *names ? names[type] : "Unknown";
}

static uint32_t millihertz(const struct mode *mode) {
  uint64_t pixels = (uint64_t)mode->htotal * mode->vtotal;
  if (pixels == 0) return mode->vrefresh ? mode->vrefresh * 1000 : 60000;
  uint64_t rate = ((uint64_t)mode->clock * 1000000 + pixels / 2) / pixels;
  if (mode->flags & INTERLACED) rate *= 2;
  if (mode->flags & DOUBLED) rate /= 2;
  if (mode->vscan > 1) rate /= mode->vscan;
  return rate > 0 && rate < 1000000 ? (uint32_t)rate : 60000;
}

/// The preferred mode; one with fewer lines if that has too many, and better one with a picture at a time than two halves.
static const struct mode *choose(const struct mode *modes, uint32_t count, uint32_t most_lines) {
  const struct mode *best = NULL;
  for (uint32_t i = 0; i < count; i++) {
    const struct mode *mode = &modes[i];
    if (mode->hdisplay == 0 || mode->vdisplay == 0) continue;
    if ((mode->type & PREFERRED) && mode->vdisplay <= most_lines) return mode;
    if (best == NULL) {
      best = mode;
      continue;
    }
    int fits = mode->vdisplay <= most_lines, best_fits = best->vdisplay <= most_lines;
    if (fits != best_fits) {
      if (fits) best = mode;
      continue;
    }
    int whole = !(mode->flags & INTERLACED), best_whole = !(best->flags & INTERLACED);
    if (whole != best_whole) {
      if (whole) best = mode;
      continue;
    }
    uint32_t area = (uint32_t)mode->hdisplay * mode->vdisplay, best_area = (uint32_t)best->hdisplay * best->vdisplay;
    // As large as it can be; if all are too large, the smallest.
    if (fits ? area > best_area : area < best_area) best = mode;
  }
  return best;
}

static int find_crtc(int descriptor, const struct connector *connector, const uint32_t *encoders, const uint32_t *crtcs,
                     uint32_t crtc_count) {
  // The one that drives it already, if any: nothing flickers then.
  struct encoder encoder = {.encoder = connector->encoder};
  if (connector->encoder != 0 && ask(descriptor, DRM_GET_ENCODER, &encoder) == 0 && encoder.crtc != 0) {
    return (int)encoder.crtc;
  }
  for (uint32_t i = 0; i < connector->encoder_count && i < MOST; i++) {
    struct encoder candidate = {.encoder = encoders[i]};
    if (ask(descriptor, DRM_GET_ENCODER, &candidate) < 0) continue;
    for (uint32_t bit = 0; bit < crtc_count; bit++) {
      if (candidate.possible_crtcs & 1u << bit) return (int)crtcs[bit];
    }
  }
  return -ENODEV;
}

static int examine(int descriptor, uint32_t id, uint32_t most_lines, const uint32_t *crtcs, uint32_t crtc_count,
                   struct mynah_drm_output *output, struct mode *modes) {
  // Asked without room for modes, the kernel looks at the screen anew.
  struct connector probe = {.connector = id};
  int result = ask(descriptor, DRM_GET_CONNECTOR, &probe);
  if (result < 0) return result;
  if (probe.connection != CONNECTED || probe.mode_count == 0) return -ENODEV;
  uint32_t encoders[MOST] = {0};
  struct connector found = {
      .connector = id,
      .modes = (uintptr_t)modes,
      .mode_count = probe.mode_count < MOST_MODES ? probe.mode_count : MOST_MODES,
      .encoders = (uintptr_t)encoders,
      .encoder_count = probe.encoder_count < MOST ? probe.encoder_count : MOST,
  };
  uint32_t room = found.mode_count;
  result = ask(descriptor, DRM_GET_CONNECTOR, &found);
  if (result < 0) return result;
  // Nothing is copied if it has become more meanwhile.
  if (found.mode_count > room && room < MOST_MODES) return -EAGAIN;
  const struct mode *mode = choose(modes, found.mode_count < room ? found.mode_count : room, most_lines);
  if (mode == NULL) return -ENODEV;
  int crtc = find_crtc(descriptor, &found, encoders, crtcs, crtc_count);
  if (crtc < 0) return crtc;
  snprintf(output->name, sizeof output->name, "%s-%u", type_name(found.type), found.type_number);
  output->connector = id;
  output->crtc = (uint32_t)crtc;
  output->width = mode->hdisplay;
  output->height = mode->vdisplay;
  output->millihertz = millihertz(mode);
  memcpy(output->mode, mode, sizeof *mode);
  return 0;
}

int mynah_drm_find(int descriptor, uint32_t most_lines, struct mynah_drm_output *output) {
  uint32_t crtcs[MOST] = {0}, connectors[MOST] = {0};
  struct resources found = {0};
  int result = ask(descriptor, DRM_GET_RESOURCES, &found);
  if (result < 0) return result;
  if (found.crtc_count == 0 || found.connector_count == 0) return -EOPNOTSUPP;
  struct resources all = {
      .crtcs = (uintptr_t)crtcs,
      .crtc_count = found.crtc_count < MOST ? found.crtc_count : MOST,
      .connectors = (uintptr_t)connectors,
      .connector_count = found.connector_count < MOST ? found.connector_count : MOST,
  };
  uint32_t crtc_count = all.crtc_count, connector_count = all.connector_count;
  result = ask(descriptor, DRM_GET_RESOURCES, &all);
  if (result < 0) return result;
  struct mode *modes = calloc(MOST_MODES, sizeof *modes);
  if (modes == NULL) return -ENOMEM;
  result = -ENODEV;
  for (uint32_t i = 0; i < connector_count && connectors[i] != 0; i++) {
    result = examine(descriptor, connectors[i], most_lines, crtcs, crtc_count, output, modes);
    if (result == 0) break;
  }
  free(modes);
  return result;
}

int mynah_drm_connected(int descriptor, uint32_t connector) {
  // With room for a mode the kernel tells what it knows, and does not ask the screen.
  struct mode mode;
  struct connector found = {.connector = connector, .modes = (uintptr_t)&mode, .mode_count = 1};
  int result = ask(descriptor, DRM_GET_CONNECTOR, &found);
  return result < 0 ? result : found.connection == CONNECTED;
}

int mynah_drm_make(int descriptor, uint32_t width, uint32_t height, struct mynah_drm_buffer *buffer) {
  memset(buffer, 0, sizeof *buffer);
  struct create create = {.width = width, .height = height, .bits = 32};
  int result = ask(descriptor, DRM_CREATE_DUMB, &create);
  if (result < 0) return result;
  buffer->handle = create.handle;
  buffer->bytes_per_row = create.pitch;
  buffer->size = create.size;
  struct framebuffer framebuffer = {
      .width = width, .height = height, .pitch = create.pitch, .bits = 32, .depth = 24, .handle = create.handle};
  result = ask(descriptor, DRM_ADD_FB, &framebuffer);
  if (result == 0) {
    buffer->framebuffer = framebuffer.framebuffer;
    struct map map = {.handle = create.handle};
    result = ask(descriptor, DRM_MAP_DUMB, &map);
    if (result == 0) {
      void *pixels = mmap(NULL, create.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, (off_t)map.offset);
      if (pixels == MAP_FAILED) result = -errno;
      else buffer->pixels = pixels;
    }
  }
  if (result < 0) {
    mynah_drm_free(descriptor, buffer);
    return result;
  }
  memset(buffer->pixels, 0, create.size);
  return 0;
}

void mynah_drm_free(int descriptor, struct mynah_drm_buffer *buffer) {
  if (buffer->pixels != NULL) munmap(buffer->pixels, buffer->size);
  if (buffer->framebuffer != 0) {
    unsigned int framebuffer = buffer->framebuffer;
    ask(descriptor, DRM_REMOVE_FB, &framebuffer);
  }
  if (buffer->handle != 0) {
    uint32_t handle = buffer->handle;
    ask(descriptor, DRM_DESTROY_DUMB, &handle);
  }
  memset(buffer, 0, sizeof *buffer);
}

void mynah_drm_save(int descriptor, uint32_t crtc, struct mynah_drm_saved *saved) {
  struct crtc found = {.crtc = crtc};
  memset(saved, 0, sizeof *saved);
  if (ask(descriptor, DRM_GET_CRTC, &found) < 0) return;
  memcpy(saved->bytes, &found, sizeof found);
  saved->is_set = 1;
}

void mynah_drm_restore(int descriptor, const struct mynah_drm_output *output, struct mynah_drm_saved *saved) {
  if (!saved->is_set) return;
  struct crtc crtc;
  memcpy(&crtc, saved->bytes, sizeof crtc);
  uint32_t connector = output->connector;
  if (crtc.has_mode && crtc.framebuffer != 0) {
    crtc.connectors = (uintptr_t)&connector;
    crtc.connector_count = 1;
  } else {
    crtc.connectors = 0;
    crtc.connector_count = 0;
    crtc.has_mode = 0;
    crtc.framebuffer = 0;
  }
  ask(descriptor, DRM_SET_CRTC, &crtc);
  saved->is_set = 0;
}

int mynah_drm_set(int descriptor, const struct mynah_drm_output *output, uint32_t framebuffer) {
  uint32_t connector = output->connector;
  struct crtc crtc = {
      .connectors = (uintptr_t)&connector,
      .connector_count = 1,
      .crtc = output->crtc,
      .framebuffer = framebuffer,
      .has_mode = 1,
  };
  memcpy(&crtc.mode, output->mode, sizeof crtc.mode);
  return ask(descriptor, DRM_SET_CRTC, &crtc);
}

int mynah_drm_flip(int descriptor, uint32_t crtc, uint32_t framebuffer) {
  struct flip flip = {.crtc = crtc, .framebuffer = framebuffer, .flags = FLIP_EVENT};
  return ask(descriptor, DRM_PAGE_FLIP, &flip);
}

int mynah_drm_event(int descriptor, int64_t *time) {
  // Events come whole; nobody asks for any but those of flips.
  _Alignas(8) uint8_t bytes[1024];
  ssize_t count = read(descriptor, bytes, sizeof bytes);
  if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
  int is_done = 0;
  for (size_t place = 0; place + 8 <= (size_t)count;) {
    struct event event = {0};
    size_t rest = (size_t)count - place;
    memcpy(&event, bytes + place, rest < sizeof event ? rest : sizeof event);
    if (event.length < 8 || event.length > rest) break;
    if (event.type == FLIP_COMPLETE && event.length >= sizeof event) {
      is_done = 1;
      *time = (int64_t)event.seconds * 1000000000 + (int64_t)event.microseconds * 1000;
    }
    place += event.length;
  }
  return is_done;
}

void mynah_drm_drop(int descriptor) { ask(descriptor, DRM_DROP_MASTER, NULL); }
