#pragma once

#include <errno.h>
#include <linux/videodev2.h>
#include <stdint.h>

/// Tells the Swift compiler that a function neither locks nor allocates, so that checked real-time code may call it.
#define MYNAH_REALTIME                                                                                                 \
  __attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation"))) static inline

// Video4Linux's ioctls, with which Swift cannot work: unions, macros with sizes. Plain ioctls and not libv4l2: that one
// emulates formats by decoding in the caller's thread, hides which format the camera really has, and is another shared
// library; everything asked of it here is one ioctl.

/// A buffer with a picture, as the device gave it.
struct mynah_picture {
  const void *bytes;
  /// Bytes of the picture.
  uint32_t count;
  /// Which buffer it is; to be given back.
  uint32_t index;
  /// The device's own number of the picture.
  uint32_t sequence;
  /// The device says that it is broken.
  int is_broken;
  /// When it was taken (CLOCK_MONOTONIC, ns), or −1 if the device does not say by that clock.
  int64_t time;
};

/// What a camera's loop asks of a device and of the clock. Tests put scripted functions in.
struct mynah_camera_port {
  /// Handed to every function below.
  void *device;
  /// Up to `milliseconds` for a picture: 1 ready (or an error to be had from `take`), 0 not yet, or −errno.
  int (*wait)(void *device, int milliseconds);
  /// 0, or −errno.
  int (*take)(void *device, struct mynah_picture *picture);
  /// Gives a buffer back. 0, or −errno.
  int (*give)(void *device, uint32_t index);
  /// Asks for a keyframe.
  void (*force_keyframe)(void *device);
  /// CLOCK_MONOTONIC in ns.
  int64_t (*now)(void *device);
  void (*sleep)(void *device, int64_t nanoseconds);
};

MYNAH_REALTIME int mynah_camera_wait(const struct mynah_camera_port *port, int milliseconds) {
  return port->wait(port->device, milliseconds);
}

MYNAH_REALTIME int mynah_camera_take(const struct mynah_camera_port *port, struct mynah_picture *picture) {
  return port->take(port->device, picture);
}

MYNAH_REALTIME int mynah_camera_give(const struct mynah_camera_port *port, uint32_t index) {
  return port->give(port->device, index);
}

MYNAH_REALTIME void mynah_camera_force_keyframe(const struct mynah_camera_port *port) {
  port->force_keyframe(port->device);
}

MYNAH_REALTIME int64_t mynah_camera_now(const struct mynah_camera_port *port) { return port->now(port->device); }

MYNAH_REALTIME void mynah_camera_sleep(const struct mynah_camera_port *port, int64_t nanoseconds) {
  port->sleep(port->device, nanoseconds);
}

/// Buffers that are mapped at most; a camera that is served once a picture needs four.
#define MYNAH_V4L2_BUFFERS 8

/// An open capture device.
struct mynah_v4l2 {
  int descriptor;
  uint32_t count;
  /// Whether the buffers' times are by CLOCK_MONOTONIC, and whether they are those of the exposure's begin.
  int is_monotonic;
  int is_start_of_exposure;
  void *memory[MYNAH_V4L2_BUFFERS];
  uint32_t lengths[MYNAH_V4L2_BUFFERS];
};

/// What a device says of itself (VIDIOC_QUERYCAP).
struct mynah_v4l2_card {
  char driver[32];
  char name[48];
  char bus[48];
  /// V4L2_CAP_*, of this node.
  uint32_t capabilities;
};

/// A size that a format has (VIDIOC_ENUM_FRAMESIZES): one, or a range with steps.
struct mynah_v4l2_sizes {
  int is_range;
  uint32_t width, height;
  uint32_t most_width, most_height;
  uint32_t step_width, step_height;
};

/// A format as set and granted (VIDIOC_S_FMT).
struct mynah_v4l2_shape {
  uint32_t code;
  uint32_t width, height;
  /// Bytes from one line to the next; 0 for compressed ones.
  uint32_t stride;
  /// Bytes of a picture at most.
  uint32_t bytes;
};

// Each returns 0 (or what it says) or −errno, and repeats what a signal interrupted.

/// Opens a device without blocking: the descriptor, or −errno.
int mynah_v4l2_open(const char *path);
int mynah_v4l2_card(int descriptor, struct mynah_v4l2_card *card);
/// Format `index`, as its four characters.
int mynah_v4l2_format(int descriptor, uint32_t index, uint32_t *code);
int mynah_v4l2_sizes(int descriptor, uint32_t code, uint32_t index, struct mynah_v4l2_sizes *sizes);
/// The shortest time between pictures of a size, in ns; 0 if the device does not say.
int64_t mynah_v4l2_shortest_interval(int descriptor, uint32_t code, uint32_t width, uint32_t height);
int mynah_v4l2_set_shape(int descriptor, struct mynah_v4l2_shape *shape);
/// Asks for a rate, and reads back the one granted, as numerator and denominator of the interval.
int mynah_v4l2_set_rate(int descriptor, uint32_t pictures, uint32_t *numerator, uint32_t *denominator);
int mynah_v4l2_has_control(int descriptor, uint32_t control);
int mynah_v4l2_set_control(int descriptor, uint32_t control, int32_t value);
/// Allocates, maps and queues `count` buffers.
int mynah_v4l2_map(struct mynah_v4l2 *device, uint32_t count);
int mynah_v4l2_start(struct mynah_v4l2 *device);
/// Stops, unmaps and closes.
void mynah_v4l2_close(struct mynah_v4l2 *device);
/// The port of a device, which must stay where it is.
struct mynah_camera_port mynah_v4l2_port(struct mynah_v4l2 *device);

/// Four characters as V4L2 keeps them.
static inline uint32_t mynah_v4l2_code(char a, char b, char c, char d) { return v4l2_fourcc(a, b, c, d); }

/// Whether a device captures in single planes, and streams.
static inline int mynah_v4l2_is_camera(const struct mynah_v4l2_card *card) {
  const uint32_t needed = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
  return (card->capabilities & needed) == needed;
}

// Controls, whose numbers are sums of macros.

static inline uint32_t mynah_v4l2_bitrate(void) { return V4L2_CID_MPEG_VIDEO_BITRATE; }
static inline uint32_t mynah_v4l2_gop_size(void) { return V4L2_CID_MPEG_VIDEO_GOP_SIZE; }
static inline uint32_t mynah_v4l2_i_period(void) { return V4L2_CID_MPEG_VIDEO_H264_I_PERIOD; }
static inline uint32_t mynah_v4l2_repeat_headers(void) { return V4L2_CID_MPEG_VIDEO_REPEAT_SEQ_HEADER; }
static inline uint32_t mynah_v4l2_force_keyframe(void) { return V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME; }
static inline uint32_t mynah_v4l2_exposure_mode(void) { return V4L2_CID_EXPOSURE_AUTO; }
static inline uint32_t mynah_v4l2_exposure(void) { return V4L2_CID_EXPOSURE_ABSOLUTE; }
static inline uint32_t mynah_v4l2_exposure_priority(void) { return V4L2_CID_EXPOSURE_AUTO_PRIORITY; }
static inline uint32_t mynah_v4l2_focus_mode(void) { return V4L2_CID_FOCUS_AUTO; }
static inline uint32_t mynah_v4l2_focus(void) { return V4L2_CID_FOCUS_ABSOLUTE; }
static inline uint32_t mynah_v4l2_power_line(void) { return V4L2_CID_POWER_LINE_FREQUENCY; }
