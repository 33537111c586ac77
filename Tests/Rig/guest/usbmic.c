/*
 * A USB microphone (Audio Class 1.0, one rate, stereo, 16 bits) made of a file and the kernel's USB/IP host controller.
 *
 *   usbmic FILE [HERTZ]   plays FILE (raw S16_LE stereo) round and round into whoever records; 48000, or less in thousands
 *
 * The controller gets one end of a socket pair instead of a network connection, and speaks USB/IP on it
 * (Documentation/usb/usbip_protocol.rst). Isochronous packets are paced by CLOCK_MONOTONIC, one a millisecond. To
 * unplug it, end the process or write its port to the controller's `detach`; to plug it in again, start it again.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CMD_SUBMIT = 1, CMD_UNLINK = 2, RET_SUBMIT = 3, RET_UNLINK = 4 };
enum { DEVICE_ID = 0x10001, SPEED_FULL = 2, MOST_PACKET_BYTES = 48 * 4, MOST_PACKETS = 1024 };

/* All fields are big endian on the wire. */
struct header {
  uint32_t command, sequence, device, direction, endpoint;
  union {
    struct {
      uint32_t flags, length, start_frame, packets, interval;
      uint8_t setup[8];
    } submit;
    struct {
      uint32_t status, length, start_frame, packets, errors;
      uint8_t padding[8];
    } result;
    struct {
      uint32_t sequence;
      uint8_t padding[24];
    } unlink;
  };
} __attribute__((packed));

struct packet {
  uint32_t offset, length, actual, status;
};

/* USB 2.0, table 9-8. */
static const uint8_t device_descriptor[18] = {18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x6b, 0x1d, 0x01, 0x01, 0, 1, 1, 2, 3, 1};

static unsigned packet_bytes = MOST_PACKET_BYTES; /* a millisecond */
enum { RATE_AT = 81, PACKET_AT = 88 };            /* in the configuration: three bytes, two bytes */

/* USB 2.0, tables 9-10 to 9-13; Audio 1.0, tables 4-1 to 4-21; Audio Data Formats 1.0, table 2-1. */
static uint8_t configuration[] = {
    9, 2, 0, 0, 2, 1, 0, 0x80, 50,                               /* two interfaces */
    9, 4, 0, 0, 0, 1, 1, 0, 0,                                   /* audio control */
    9, 0x24, 1, 0, 1, 30, 0, 1, 1,                               /* its header: one streaming interface */
    12, 0x24, 2, 1, 0x01, 0x02, 0, 2, 3, 0, 0, 0,                /* input terminal 1: microphone, left and right */
    9, 0x24, 3, 2, 0x01, 0x01, 0, 1, 0,                          /* output terminal 2: USB, from 1 */
    9, 4, 1, 0, 0, 1, 2, 0, 0,                                   /* audio streaming, at rest */
    9, 4, 1, 1, 1, 1, 2, 0, 0,                                   /* audio streaming */
    7, 0x24, 1, 2, 1, 1, 0,                                      /* of terminal 2, PCM */
    11, 0x24, 2, 1, 2, 2, 16, 1, 0x80, 0xbb, 0x00,               /* type I: 2 channels, 2 bytes, 16 bits, 48000 Hz */
    9, 5, 0x81, 5, MOST_PACKET_BYTES, 0, 1, 0, 0,                   /* isochronous in, asynchronous, every ms */
    7, 0x25, 1, 0, 0, 0, 0,
};

static const char *const strings[] = {"", "Mynah rig", "Rig USB microphone", "0001"};

static int line; /* our end of the socket pair */
static const uint8_t *sound;
static size_t sound_bytes, sound_at;
static int64_t next_packets; /* when the next isochronous request is due; 0: nothing has run yet */

static int64_t now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void take(void *target, size_t count)
{
  for (char *at = target; count > 0;) {
    ssize_t got = read(line, at, count);
    if (got <= 0) {
      fprintf(stderr, "usbmic: unplugged\n");
      exit(0);
    }
    at += got;
    count -= (size_t)got;
  }
}

static void give(const void *source, size_t count)
{
  for (const char *at = source; count > 0;) {
    ssize_t put = write(line, at, count);
    if (put <= 0)
      exit(0);
    at += put;
    count -= (size_t)put;
  }
}

static int string_descriptor(unsigned index, uint8_t *target)
{
  if (index == 0) {
    memcpy(target, (uint8_t[]){4, 3, 0x09, 0x04}, 4);
    return 4;
  }
  if (index >= sizeof strings / sizeof *strings)
    return -EPIPE;
  size_t length = strlen(strings[index]);
  target[0] = (uint8_t)(2 + 2 * length);
  target[1] = 3;
  for (size_t i = 0; i < length; i++) {
    target[2 + 2 * i] = (uint8_t)strings[index][i];
    target[3 + 2 * i] = 0;
  }
  return target[0];
}

/* Answers a control request; returns the bytes put into `data`, or a negative errno. */
static int control(const uint8_t *setup, uint8_t *data)
{
  unsigned type = setup[0], request = setup[1], value = setup[2] | setup[3] << 8, length = setup[6] | setup[7] << 8;
  if (type == 0x80 && request == 6) { /* GET_DESCRIPTOR */
    switch (value >> 8) {
    case 1:
      memcpy(data, device_descriptor, sizeof device_descriptor);
      return sizeof device_descriptor;
    case 2:
      memcpy(data, configuration, sizeof configuration);
      return sizeof configuration;
    case 3:
      return string_descriptor(value & 0xff, data);
    default:
      return -EPIPE;
    }
  }
  if (type == 0x00 && (request == 5 || request == 9)) /* SET_ADDRESS, SET_CONFIGURATION */
    return 0;
  if (type == 0x01 && request == 11) { /* SET_INTERFACE */
    next_packets = 0;
    return 0;
  }
  if (type == 0x80 && request == 0) { /* GET_STATUS */
    data[0] = data[1] = 0;
    return 2;
  }
  if (type == 0xa2 && request == 0x81) { /* GET_CUR of the sampling frequency */
    memcpy(data, configuration + RATE_AT, 3);
    return 3;
  }
  if ((type & 0xe0) == 0x20) /* class requests that set */
    return (int)length;
  return -EPIPE;
}

static void answer_control(const struct header *asked, struct header *answer, uint8_t *data)
{
  int direction = (int)ntohl(asked->direction);
  int limit = asked->submit.setup[6] | asked->submit.setup[7] << 8;
  int count = control(asked->submit.setup, data);
  answer->result.status = htonl((uint32_t)(count < 0 ? count : 0));
  if (count < 0)
    count = 0;
  if (direction && count > limit)
    count = limit;
  answer->result.length = htonl((uint32_t)count);
  give(answer, sizeof *answer);
  if (direction && count > 0)
    give(data, (size_t)count);
}

static void answer_packets(const struct header *asked, struct header *answer, uint8_t *data, unsigned packets)
{
  static struct packet list[MOST_PACKETS];
  take(list, packets * sizeof *list);
  if (next_packets == 0)
    next_packets = now();
  size_t total = 0;
  for (unsigned i = 0; i < packets; i++) {
    for (size_t done = 0; done < packet_bytes; done++) {
      data[total + done] = sound[sound_at];
      sound_at = (sound_at + 1) % sound_bytes;
    }
    list[i].actual = htonl(packet_bytes);
    list[i].status = 0;
    total += packet_bytes;
  }
  next_packets += packets * 1000000ll;
  int64_t early = next_packets - now();
  if (early > 0) {
    struct timespec pause = {early / 1000000000, early % 1000000000};
    nanosleep(&pause, NULL);
  } else if (early < -100000000) {
    /* A guest that stood still: go on from here. What was missed in one burst would overrun the recorder's buffer. */
    next_packets = now();
  }
  answer->result.length = htonl((uint32_t)total);
  answer->result.packets = htonl(packets);
  answer->result.start_frame = asked->submit.start_frame;
  give(answer, sizeof *answer);
  give(data, total);
  give(list, packets * sizeof *list);
}

static void serve(void)
{
  static uint8_t data[MOST_PACKETS * MOST_PACKET_BYTES];
  for (;;) {
    struct header asked, answer;
    take(&asked, sizeof asked);
    memset(&answer, 0, sizeof answer);
    answer.sequence = asked.sequence;
    if (ntohl(asked.command) == CMD_UNLINK) {
      /* Requests are answered in order, so that the unlinked one is answered already. */
      answer.command = htonl(RET_UNLINK);
      give(&answer, sizeof answer);
      continue;
    }
    answer.command = htonl(RET_SUBMIT);
    uint32_t length = ntohl(asked.submit.length), packets = ntohl(asked.submit.packets);
    if (packets > MOST_PACKETS)
      packets = 0;
    if (!ntohl(asked.direction) && length > 0)
      take(data, length < sizeof data ? length : sizeof data);
    if (ntohl(asked.endpoint) == 0)
      answer_control(&asked, &answer, data);
    else if (packets > 0)
      answer_packets(&asked, &answer, data, packets);
    else {
      answer.result.status = htonl((uint32_t)-EPIPE);
      give(&answer, sizeof answer);
    }
  }
}

int main(int count, char **words)
{
  struct stat about;
  int file = count == 2 || count == 3 ? open(words[1], O_RDONLY) : -1;
  unsigned rate = count == 3 ? (unsigned)strtoul(words[2], NULL, 10) : 48000;
  if (file < 0 || fstat(file, &about) != 0 || about.st_size < MOST_PACKET_BYTES || rate < 1000 || rate > 48000 ||
      rate % 1000 != 0) {
    fprintf(stderr, "usage: usbmic FILE [HERTZ]\n");
    return 64;
  }
  packet_bytes = rate / 1000 * 4;
  memcpy(configuration + RATE_AT, (uint8_t[]){rate & 0xff, rate >> 8 & 0xff, rate >> 16}, 3);
  memcpy(configuration + PACKET_AT, (uint8_t[]){packet_bytes & 0xff, packet_bytes >> 8}, 2);
  sound_bytes = (size_t)about.st_size / 4 * 4;
  sound = mmap(NULL, sound_bytes, PROT_READ, MAP_PRIVATE, file, 0);
  configuration[2] = sizeof configuration;
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
    return 1;
  line = pair[1];
  int attach = open("/sys/devices/platform/vhci_hcd.0/attach", O_WRONLY);
  char text[64];
  int length = snprintf(text, sizeof text, "0 %d %d %d", pair[0], DEVICE_ID, SPEED_FULL);
  if (attach < 0 || write(attach, text, (size_t)length) != length) {
    perror("usbmic: attach");
    return 69;
  }
  close(attach);
  close(pair[0]);
  /* A converter does not wait for other programs. */
  struct sched_param urgent = {.sched_priority = 60};
  sched_setscheduler(0, SCHED_FIFO, &urgent);
  serve();
}
