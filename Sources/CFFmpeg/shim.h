#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/aes.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/log.h>
#include <libavutil/mathematics.h>
#include <libavutil/md5.h>
#include <libavutil/opt.h>

// Macros that Swift cannot import.

/// No more packets or frames.
static inline int ffmpeg_error_eof(void) { return AVERROR_EOF; }
/// The codec wants more input before it has output, or the other way round.
static inline int ffmpeg_error_again(void) { return AVERROR(EAGAIN); }
/// An allocation failed.
static inline int ffmpeg_error_memory(void) { return AVERROR(ENOMEM); }
/// The file does not exist.
static inline int ffmpeg_error_missing(void) { return AVERROR(ENOENT); }
/// The caller may not open the file.
static inline int ffmpeg_error_denied(void) { return AVERROR(EACCES); }
/// The codec cannot do what was asked.
static inline int ffmpeg_error_invalid_argument(void) { return AVERROR(EINVAL); }
/// The demuxer or decoder is not built in.
static inline int ffmpeg_error_no_decoder(void) { return AVERROR_DECODER_NOT_FOUND; }
/// A timestamp that is not known.
static inline int64_t ffmpeg_no_timestamp(void) { return AV_NOPTS_VALUE; }
