#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One face for the two libraries called libgpiod: version 1 (Debian 12) and version 2 (Debian 13, Raspberry Pi OS),
/// which share almost no function. Every call sets errno when it fails. Nothing here is thread-safe: one line belongs to
/// one thread at a time.

/// One requested line of one chip.
typedef struct mynah_gpio_line mynah_gpio_line;

/// The resistor of an input line.
typedef enum {
  MYNAH_GPIO_BIAS_AS_IS = 0,
  MYNAH_GPIO_BIAS_DISABLED = 1,
  MYNAH_GPIO_BIAS_PULL_UP = 2,
  MYNAH_GPIO_BIAS_PULL_DOWN = 3,
} mynah_gpio_bias;

/// One change of a line. The level is the logical one: an active-low line is active while its pin is low.
typedef struct {
  bool is_active;
  /// The kernel's time stamp, ns. CLOCK_MONOTONIC with version 2; with version 1 whatever the kernel uses, which is
  /// CLOCK_MONOTONIC from Linux 5.7 on and CLOCK_REALTIME before.
  int64_t nanoseconds;
} mynah_gpio_edge;

/// The major version of the library that this was compiled against.
int mynah_gpio_library_version(void);

/// Requests a line as an input that reports both edges. NULL on failure.
mynah_gpio_line *mynah_gpio_request_input(const char *chip, unsigned int offset, bool active_low, mynah_gpio_bias bias,
                                          const char *consumer);

/// Requests a line as an output, at this logical level from the first moment on. NULL on failure.
mynah_gpio_line *mynah_gpio_request_output(const char *chip, unsigned int offset, bool active_low, bool is_active,
                                           const char *consumer);

/// Gives a line back.
void mynah_gpio_release(mynah_gpio_line *line);

/// Becomes readable when there are edges. Only for inputs; it does not block.
int mynah_gpio_descriptor(const mynah_gpio_line *line);

/// The logical level now: 1 active, 0 inactive, −1 on failure.
int mynah_gpio_level(mynah_gpio_line *line);

/// Takes edges that wait, oldest first; at most `capacity` (and 16). The count, 0 if there are none, −1 on failure.
int mynah_gpio_read_edges(mynah_gpio_line *line, mynah_gpio_edge *edges, size_t capacity);

/// Sets the logical level of an output. 0, or −1.
int mynah_gpio_set(mynah_gpio_line *line, bool is_active);

/// Writes the name of who holds a line (another program, a kernel driver); an empty text if nobody does or it cannot be
/// learnt. 0, or −1.
int mynah_gpio_holder(const char *chip, unsigned int offset, char *name, size_t capacity);

/// What the kernel knows of a line without its being requested.
typedef struct {
  /// The line's name by the device tree, `GPIO17`; may be empty.
  char name[32];
  /// Who holds it (another program, a kernel driver); may be empty although it is used.
  char consumer[32];
  bool is_used;
  bool is_output;
} mynah_gpio_info;

/// Looks at a line and leaves it as it is. 0, or −1; ENOENT if the chip has no such line.
int mynah_gpio_look(const char *chip, unsigned int offset, mynah_gpio_info *info);

/// Writes a chip's label (`pinctrl-bcm2711`). The number of its lines, or −1.
int mynah_gpio_chip(const char *path, char *label, size_t capacity);
