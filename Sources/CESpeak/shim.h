#ifndef MYNAH_CESPEAK_SHIM_H
#define MYNAH_CESPEAK_SHIM_H

#include <espeak-ng/speak_lib.h>
#include <stddef.h>

// The folder espeak-ng-data as an ustar archive (names begin with "espeak-ng-data/") packed by gzip, where a static build
// has linked it in; NULL elsewhere.
extern const unsigned char mynah_speech_data_start[] __attribute__((weak));
extern const unsigned char mynah_speech_data_end[] __attribute__((weak));

static inline const unsigned char *mynah_speech_data(size_t *size) {
  if (!mynah_speech_data_start || !mynah_speech_data_end) {
    *size = 0;
    return NULL;
  }
  *size = (size_t)(mynah_speech_data_end - mynah_speech_data_start);
  return mynah_speech_data_start;
}

#endif
