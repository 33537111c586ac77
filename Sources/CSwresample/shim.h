#pragma once

#include <libswresample/swresample.h>

/// Sets an option of a context that is not initialised yet. libavutil/opt.h is not included: its types are CFFmpeg's.
///
/// @return 0, or a negative error.
static inline int mynah_resampler_option(struct SwrContext *context, const char *name, double value) {
  extern int av_opt_set_double(void *object, const char *name, double value, int flags);
  return av_opt_set_double(context, name, value, 0);
}

/// Converts interleaved float samples, for checked real-time code: once a context has had pieces of this length, libswresample
/// neither allocates nor locks. That is a claim of ours; `RealtimeCodeTests` counts.
///
/// @return frames that were written to `output`, or a negative error.
__attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation"))) static inline int
mynah_resample_float(struct SwrContext *context, float *output, int room, const float *input, int frames) {
  uint8_t *target = (uint8_t *)output;
  const uint8_t *source = (const uint8_t *)input;
  return swr_convert(context, &target, room, &source, frames);
}
