#include "CGPIO.h"

#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <stdio.h>
#include <stdlib.h>

/// Edges that one call takes: as many as the kernel keeps for a line.
enum { EDGES_AT_ONCE = 16 };

/// Reading must not block, even if the edge that poll saw was taken by somebody else.
static void do_not_block(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  if (flags >= 0) fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

static int nothing_or_failure(void) { return errno == EAGAIN || errno == EINTR ? 0 : -1; }

// Version 1 defines GPIOD_BIT for its flags; version 2 has neither flags nor that macro, nor a version macro.
#ifdef GPIOD_BIT

struct mynah_gpio_line {
  struct gpiod_chip *chip;
  struct gpiod_line *line;
};

int mynah_gpio_library_version(void) { return 1; }

static int bias_flag(mynah_gpio_bias bias) {
  switch (bias) {
  case MYNAH_GPIO_BIAS_DISABLED:
    return GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
  case MYNAH_GPIO_BIAS_PULL_UP:
    return GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
  case MYNAH_GPIO_BIAS_PULL_DOWN:
    return GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
  default:
    return 0;
  }
}

static mynah_gpio_line *request(const char *path, unsigned int offset, const struct gpiod_line_request_config *config,
                                int value) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return NULL;
  struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
  mynah_gpio_line *made = line ? malloc(sizeof *made) : NULL;
  if (!made || gpiod_line_request(line, config, value) != 0) {
    int code = errno;
    free(made);
    gpiod_chip_close(chip);
    errno = code;
    return NULL;
  }
  made->chip = chip;
  made->line = line;
  return made;
}

mynah_gpio_line *mynah_gpio_request_input(const char *chip, unsigned int offset, bool active_low, mynah_gpio_bias bias,
                                          const char *consumer) {
  struct gpiod_line_request_config config = {
      .consumer = consumer,
      .request_type = GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES,
      .flags = bias_flag(bias) | (active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0),
  };
  mynah_gpio_line *made = request(chip, offset, &config, 0);
  if (made) do_not_block(gpiod_line_event_get_fd(made->line));
  return made;
}

mynah_gpio_line *mynah_gpio_request_output(const char *chip, unsigned int offset, bool active_low, bool is_active,
                                           const char *consumer) {
  struct gpiod_line_request_config config = {
      .consumer = consumer,
      .request_type = GPIOD_LINE_REQUEST_DIRECTION_OUTPUT,
      .flags = active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0,
  };
  return request(chip, offset, &config, is_active);
}

void mynah_gpio_release(mynah_gpio_line *line) {
  gpiod_line_release(line->line);
  gpiod_chip_close(line->chip);
  free(line);
}

int mynah_gpio_descriptor(const mynah_gpio_line *line) { return gpiod_line_event_get_fd(line->line); }

int mynah_gpio_level(mynah_gpio_line *line) { return gpiod_line_get_value(line->line); }

int mynah_gpio_read_edges(mynah_gpio_line *line, mynah_gpio_edge *edges, size_t capacity) {
  struct gpiod_line_event events[EDGES_AT_ONCE];
  unsigned int most = capacity < EDGES_AT_ONCE ? (unsigned int)capacity : EDGES_AT_ONCE;
  int count = gpiod_line_event_read_multiple(line->line, events, most);
  if (count < 0) return nothing_or_failure();
  for (int index = 0; index < count; index++) {
    // The kernel reports the logical level: rising is becoming active, with active-low lines too.
    edges[index].is_active = events[index].event_type == GPIOD_LINE_EVENT_RISING_EDGE;
    edges[index].nanoseconds = (int64_t)events[index].ts.tv_sec * 1000000000 + events[index].ts.tv_nsec;
  }
  return count;
}

int mynah_gpio_set(mynah_gpio_line *line, bool is_active) { return gpiod_line_set_value(line->line, is_active); }

int mynah_gpio_holder(const char *path, unsigned int offset, char *name, size_t capacity) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return -1;
  struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
  const char *consumer = line ? gpiod_line_consumer(line) : NULL;
  snprintf(name, capacity, "%s", consumer ? consumer : "");
  gpiod_chip_close(chip);
  return line ? 0 : -1;
}

int mynah_gpio_look(const char *path, unsigned int offset, mynah_gpio_info *info) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return -1;
  struct gpiod_line *line = offset < gpiod_chip_num_lines(chip) ? gpiod_chip_get_line(chip, offset) : NULL;
  if (line) {
    const char *name = gpiod_line_name(line), *consumer = gpiod_line_consumer(line);
    snprintf(info->name, sizeof info->name, "%s", name ? name : "");
    snprintf(info->consumer, sizeof info->consumer, "%s", consumer ? consumer : "");
    info->is_used = gpiod_line_is_used(line);
    info->is_output = gpiod_line_direction(line) == GPIOD_LINE_DIRECTION_OUTPUT;
  }
  gpiod_chip_close(chip);
  if (!line) errno = ENOENT;
  return line ? 0 : -1;
}

int mynah_gpio_chip(const char *path, char *label, size_t capacity) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return -1;
  int lines = (int)gpiod_chip_num_lines(chip);
  snprintf(label, capacity, "%s", gpiod_chip_label(chip));
  gpiod_chip_close(chip);
  return lines;
}

#else

struct mynah_gpio_line {
  struct gpiod_line_request *request;
  struct gpiod_edge_event_buffer *events;
  unsigned int offset;
};

int mynah_gpio_library_version(void) { return 2; }

static enum gpiod_line_bias bias_of(mynah_gpio_bias bias) {
  switch (bias) {
  case MYNAH_GPIO_BIAS_DISABLED:
    return GPIOD_LINE_BIAS_DISABLED;
  case MYNAH_GPIO_BIAS_PULL_UP:
    return GPIOD_LINE_BIAS_PULL_UP;
  case MYNAH_GPIO_BIAS_PULL_DOWN:
    return GPIOD_LINE_BIAS_PULL_DOWN;
  default:
    return GPIOD_LINE_BIAS_AS_IS;
  }
}

/// A request holds its line without the chip, which is closed again.
static struct gpiod_line_request *request(const char *path, unsigned int offset, struct gpiod_line_settings *settings,
                                          const char *consumer) {
  struct gpiod_line_request *made = NULL;
  struct gpiod_chip *chip = gpiod_chip_open(path);
  struct gpiod_line_config *lines = chip ? gpiod_line_config_new() : NULL;
  struct gpiod_request_config *config = lines ? gpiod_request_config_new() : NULL;
  if (config && gpiod_line_config_add_line_settings(lines, &offset, 1, settings) == 0) {
    gpiod_request_config_set_consumer(config, consumer);
    made = gpiod_chip_request_lines(chip, config, lines);
  }
  int code = errno;
  if (config) gpiod_request_config_free(config);
  if (lines) gpiod_line_config_free(lines);
  if (chip) gpiod_chip_close(chip);
  errno = code;
  return made;
}

static mynah_gpio_line *wrap(struct gpiod_line_request *request, unsigned int offset, bool has_events) {
  if (!request) return NULL;
  mynah_gpio_line *made = calloc(1, sizeof *made);
  struct gpiod_edge_event_buffer *events =
      made && has_events ? gpiod_edge_event_buffer_new(EDGES_AT_ONCE) : NULL;
  if (!made || (has_events && !events)) {
    free(made);
    gpiod_line_request_release(request);
    errno = ENOMEM;
    return NULL;
  }
  made->request = request;
  made->events = events;
  made->offset = offset;
  return made;
}

mynah_gpio_line *mynah_gpio_request_input(const char *chip, unsigned int offset, bool active_low, mynah_gpio_bias bias,
                                          const char *consumer) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  if (!settings) return NULL;
  gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
  gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
  gpiod_line_settings_set_bias(settings, bias_of(bias));
  gpiod_line_settings_set_active_low(settings, active_low);
  gpiod_line_settings_set_event_clock(settings, GPIOD_LINE_CLOCK_MONOTONIC);
  mynah_gpio_line *made = wrap(request(chip, offset, settings, consumer), offset, true);
  int code = errno;
  gpiod_line_settings_free(settings);
  if (made) do_not_block(gpiod_line_request_get_fd(made->request));
  errno = code;
  return made;
}

mynah_gpio_line *mynah_gpio_request_output(const char *chip, unsigned int offset, bool active_low, bool is_active,
                                           const char *consumer) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  if (!settings) return NULL;
  gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
  gpiod_line_settings_set_active_low(settings, active_low);
  gpiod_line_settings_set_output_value(settings, is_active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
  mynah_gpio_line *made = wrap(request(chip, offset, settings, consumer), offset, false);
  int code = errno;
  gpiod_line_settings_free(settings);
  errno = code;
  return made;
}

void mynah_gpio_release(mynah_gpio_line *line) {
  if (line->events) gpiod_edge_event_buffer_free(line->events);
  gpiod_line_request_release(line->request);
  free(line);
}

int mynah_gpio_descriptor(const mynah_gpio_line *line) { return gpiod_line_request_get_fd(line->request); }

int mynah_gpio_level(mynah_gpio_line *line) {
  switch (gpiod_line_request_get_value(line->request, line->offset)) {
  case GPIOD_LINE_VALUE_ACTIVE:
    return 1;
  case GPIOD_LINE_VALUE_INACTIVE:
    return 0;
  default:
    return -1;
  }
}

int mynah_gpio_read_edges(mynah_gpio_line *line, mynah_gpio_edge *edges, size_t capacity) {
  size_t most = capacity < EDGES_AT_ONCE ? capacity : EDGES_AT_ONCE;
  int count = gpiod_line_request_read_edge_events(line->request, line->events, most);
  if (count < 0) return nothing_or_failure();
  for (int index = 0; index < count; index++) {
    struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(line->events, (unsigned long)index);
    edges[index].is_active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
    edges[index].nanoseconds = (int64_t)gpiod_edge_event_get_timestamp_ns(event);
  }
  return count;
}

int mynah_gpio_set(mynah_gpio_line *line, bool is_active) {
  return gpiod_line_request_set_value(line->request, line->offset,
                                      is_active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
}

int mynah_gpio_holder(const char *path, unsigned int offset, char *name, size_t capacity) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return -1;
  struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, offset);
  const char *consumer = info ? gpiod_line_info_get_consumer(info) : NULL;
  snprintf(name, capacity, "%s", consumer ? consumer : "");
  if (info) gpiod_line_info_free(info);
  gpiod_chip_close(chip);
  return info ? 0 : -1;
}

int mynah_gpio_look(const char *path, unsigned int offset, mynah_gpio_info *info) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return -1;
  struct gpiod_line_info *line = gpiod_chip_get_line_info(chip, offset);
  int code = errno == EINVAL ? ENOENT : errno;
  if (line) {
    const char *name = gpiod_line_info_get_name(line), *consumer = gpiod_line_info_get_consumer(line);
    snprintf(info->name, sizeof info->name, "%s", name ? name : "");
    snprintf(info->consumer, sizeof info->consumer, "%s", consumer ? consumer : "");
    info->is_used = gpiod_line_info_is_used(line);
    info->is_output = gpiod_line_info_get_direction(line) == GPIOD_LINE_DIRECTION_OUTPUT;
    gpiod_line_info_free(line);
  }
  gpiod_chip_close(chip);
  if (!line) errno = code;
  return line ? 0 : -1;
}

int mynah_gpio_chip(const char *path, char *label, size_t capacity) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return -1;
  struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
  int lines = info ? (int)gpiod_chip_info_get_num_lines(info) : -1;
  snprintf(label, capacity, "%s", info ? gpiod_chip_info_get_label(info) : "");
  if (info) gpiod_chip_info_free(info);
  gpiod_chip_close(chip);
  return lines;
}

#endif
