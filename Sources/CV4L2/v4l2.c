#define _GNU_SOURCE
#include "CV4L2.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int ask(int descriptor, unsigned long request, void *argument) {
  int result;
  do result = ioctl(descriptor, request, argument);
  while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : 0;
}

int mynah_v4l2_open(const char *path) {
  int descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  return descriptor < 0 ? -errno : descriptor;
}

int mynah_v4l2_card(int descriptor, struct mynah_v4l2_card *card) {
  struct v4l2_capability found = {0};
  int result = ask(descriptor, VIDIOC_QUERYCAP, &found);
  if (result < 0) return result;
  snprintf(card->driver, sizeof card->driver, "%.16s", (const char *)found.driver);
  snprintf(card->name, sizeof card->name, "%.32s", (const char *)found.card);
  snprintf(card->bus, sizeof card->bus, "%.32s", (const char *)found.bus_info);
  // `capabilities` is of the whole device, which may have nodes of other kinds.
  card->capabilities = found.capabilities & V4L2_CAP_DEVICE_CAPS ? found.device_caps : found.capabilities;
  return 0;
}

int mynah_v4l2_format(int descriptor, uint32_t index, uint32_t *code) {
  struct v4l2_fmtdesc found = {.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  int result = ask(descriptor, VIDIOC_ENUM_FMT, &found);
  *code = found.pixelformat;
  return result;
}

int mynah_v4l2_sizes(int descriptor, uint32_t code, uint32_t index, struct mynah_v4l2_sizes *sizes) {
  struct v4l2_frmsizeenum found = {.index = index, .pixel_format = code};
  int result = ask(descriptor, VIDIOC_ENUM_FRAMESIZES, &found);
  if (result < 0) return result;
  memset(sizes, 0, sizeof *sizes);
  if (found.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
    sizes->width = found.discrete.width;
    sizes->height = found.discrete.height;
  } else {
    sizes->is_range = 1;
    sizes->width = found.stepwise.min_width;
    sizes->height = found.stepwise.min_height;
    sizes->most_width = found.stepwise.max_width;
    sizes->most_height = found.stepwise.max_height;
    sizes->step_width = found.stepwise.step_width;
    sizes->step_height = found.stepwise.step_height;
  }
  return 0;
}

static int64_t nanoseconds(struct v4l2_fract interval) {
  return interval.denominator == 0 ? 0 : (int64_t)interval.numerator * 1000000000 / interval.denominator;
}

int64_t mynah_v4l2_shortest_interval(int descriptor, uint32_t code, uint32_t width, uint32_t height) {
  int64_t shortest = 0;
  // No camera has as many; a broken driver could list them for ever.
  for (uint32_t index = 0; index < 256; index++) {
    struct v4l2_frmivalenum found = {.index = index, .pixel_format = code, .width = width, .height = height};
    if (ask(descriptor, VIDIOC_ENUM_FRAMEINTERVALS, &found) < 0) break;
    int64_t interval = nanoseconds(found.type == V4L2_FRMIVAL_TYPE_DISCRETE ? found.discrete : found.stepwise.min);
    if (interval > 0 && (shortest == 0 || interval < shortest)) shortest = interval;
    if (found.type != V4L2_FRMIVAL_TYPE_DISCRETE) break;
  }
  return shortest;
}

int mynah_v4l2_set_shape(int descriptor, struct mynah_v4l2_shape *shape) {
  struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  format.fmt.pix.pixelformat = shape->code;
  format.fmt.pix.width = shape->width;
  format.fmt.pix.height = shape->height;
  format.fmt.pix.field = V4L2_FIELD_NONE;
  int result = ask(descriptor, VIDIOC_S_FMT, &format);
  if (result < 0) return result;
  shape->code = format.fmt.pix.pixelformat;
  shape->width = format.fmt.pix.width;
  shape->height = format.fmt.pix.height;
  shape->stride = format.fmt.pix.bytesperline;
  shape->bytes = format.fmt.pix.sizeimage;
  return 0;
}

int mynah_v4l2_set_rate(int descriptor, uint32_t pictures, uint32_t *numerator, uint32_t *denominator) {
  struct v4l2_streamparm parameters = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  parameters.parm.capture.timeperframe.numerator = 1;
  parameters.parm.capture.timeperframe.denominator = pictures;
  int result = ask(descriptor, VIDIOC_S_PARM, &parameters);
  if (result < 0) {
    memset(&parameters, 0, sizeof parameters);
    parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    result = ask(descriptor, VIDIOC_G_PARM, &parameters);
  }
  *numerator = parameters.parm.capture.timeperframe.numerator;
  *denominator = parameters.parm.capture.timeperframe.denominator;
  return result;
}

int mynah_v4l2_has_control(int descriptor, uint32_t control) {
  struct v4l2_queryctrl found = {.id = control};
  int result = ask(descriptor, VIDIOC_QUERYCTRL, &found);
  if (result < 0) return 0;
  return (found.flags & V4L2_CTRL_FLAG_DISABLED) == 0;
}

int mynah_v4l2_set_control(int descriptor, uint32_t control, int32_t value) {
  struct v4l2_control setting = {.id = control, .value = value};
  return ask(descriptor, VIDIOC_S_CTRL, &setting);
}

int mynah_v4l2_map(struct mynah_v4l2 *device, uint32_t count) {
  struct v4l2_requestbuffers request = {
      .count = count > MYNAH_V4L2_BUFFERS ? MYNAH_V4L2_BUFFERS : count,
      .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
      .memory = V4L2_MEMORY_MMAP};
  int result = ask(device->descriptor, VIDIOC_REQBUFS, &request);
  if (result < 0) return result;
  if (request.count < 2) return -ENOMEM;
  uint32_t granted = request.count > MYNAH_V4L2_BUFFERS ? MYNAH_V4L2_BUFFERS : request.count;
  for (uint32_t index = 0; index < granted; index++) {
    struct v4l2_buffer buffer = {.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    result = ask(device->descriptor, VIDIOC_QUERYBUF, &buffer);
    if (result < 0) return result;
    void *memory = mmap(NULL, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, device->descriptor, buffer.m.offset);
    if (memory == MAP_FAILED) return -errno;
    device->memory[index] = memory;
    device->lengths[index] = buffer.length;
    device->count = index + 1;
    device->is_monotonic = (buffer.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    device->is_start_of_exposure = (buffer.flags & V4L2_BUF_FLAG_TSTAMP_SRC_MASK) == V4L2_BUF_FLAG_TSTAMP_SRC_SOE;
  }
  return 0;
}

static int give(void *context, uint32_t index) {
  struct mynah_v4l2 *device = context;
  struct v4l2_buffer buffer = {.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
  return ask(device->descriptor, VIDIOC_QBUF, &buffer);
}

int mynah_v4l2_start(struct mynah_v4l2 *device) {
  for (uint32_t index = 0; index < device->count; index++) {
    int result = give(device, index);
    if (result < 0) return result;
  }
  int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  return ask(device->descriptor, VIDIOC_STREAMON, &type);
}

void mynah_v4l2_close(struct mynah_v4l2 *device) {
  int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  ask(device->descriptor, VIDIOC_STREAMOFF, &type);
  for (uint32_t index = 0; index < device->count; index++) munmap(device->memory[index], device->lengths[index]);
  close(device->descriptor);
  device->count = 0;
  device->descriptor = -1;
}

static int wait_for(void *context, int milliseconds) {
  struct mynah_v4l2 *device = context;
  struct pollfd poll_for = {.fd = device->descriptor, .events = POLLIN};
  int result = poll(&poll_for, 1, milliseconds);
  // An error shows in `take`, with its reason.
  return result < 0 ? -errno : result > 0;
}

static int take(void *context, struct mynah_picture *picture) {
  struct mynah_v4l2 *device = context;
  struct v4l2_buffer buffer = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
  int result = ask(device->descriptor, VIDIOC_DQBUF, &buffer);
  if (result < 0) return result;
  if (buffer.index >= device->count) return -EPROTO;
  int is_monotonic = (buffer.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
  picture->bytes = device->memory[buffer.index];
  picture->count = buffer.bytesused < device->lengths[buffer.index] ? buffer.bytesused : device->lengths[buffer.index];
  picture->index = buffer.index;
  picture->sequence = buffer.sequence;
  picture->is_broken = (buffer.flags & V4L2_BUF_FLAG_ERROR) != 0;
  picture->time =
      is_monotonic ? (int64_t)buffer.timestamp.tv_sec * 1000000000 + (int64_t)buffer.timestamp.tv_usec * 1000 : -1;
  return 0;
}

static void force_keyframe(void *context) {
  struct mynah_v4l2 *device = context;
  mynah_v4l2_set_control(device->descriptor, V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME, 1);
}

static int64_t now(void *context) {
  (void)context;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void nap(void *context, int64_t length) {
  (void)context;
  struct timespec time = {.tv_sec = length / 1000000000, .tv_nsec = length % 1000000000};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

struct mynah_camera_port mynah_v4l2_port(struct mynah_v4l2 *device) {
  return (struct mynah_camera_port){.device = device,
                                    .wait = wait_for,
                                    .take = take,
                                    .give = give,
                                    .force_keyframe = force_keyframe,
                                    .now = now,
                                    .sleep = nap};
}
