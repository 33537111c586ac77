#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/aes.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/mathematics.h>
#include <libavutil/md5.h>
#include <libavutil/opt.h>

// Macros that Swift cannot import.

/// No more packets or frames.
static inline int ffmpeg_error_eof(void) { return AVERROR_EOF; }
/// What is there is none of the container's.
static inline int ffmpeg_error_invalid_data(void) { return AVERROR_INVALIDDATA; }
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

// A bound on the pictures that a decoder has at a time. A few hundred bytes can ask for sixteen of any size, and
// libavutil only bounds one of them.

/// What is behind a decoder's `opaque`: bytes of pictures now, and at most; pictures for which there was no room.
struct ffmpeg_room {
  int64_t held, most, refused;
};

/// A picture has gone: nobody refers to it any more. On whichever thread was the last.
static inline void ffmpeg_picture_gone(void *opaque, uint8_t *size) {
  AVBufferRef *room = (AVBufferRef *)opaque;
  __atomic_fetch_sub(&((struct ffmpeg_room *)room->data)->held, *(int64_t *)size, __ATOMIC_RELAXED);
  av_free(size);
  av_buffer_unref(&room);
}

static inline int ffmpeg_get_picture(AVCodecContext *codec, AVFrame *frame, int flags) {
  struct ffmpeg_room *room = (struct ffmpeg_room *)((AVBufferRef *)codec->opaque)->data;
  int width = frame->width, height = frame->height;
  avcodec_align_dimensions(codec, &width, &height);
  int64_t bytes = av_image_get_buffer_size((enum AVPixelFormat)frame->format, width, height, 32);
  if (bytes < 0) return (int)bytes;
  if (__atomic_load_n(&room->held, __ATOMIC_RELAXED) + bytes > room->most) {
    room->refused++;
    return AVERROR(ENOSPC);
  }
  int status = avcodec_default_get_buffer2(codec, frame, flags);
  if (status < 0) return status;
  int64_t *size = (int64_t *)av_malloc(sizeof *size);
  AVBufferRef *owner = size ? av_buffer_ref((AVBufferRef *)codec->opaque) : NULL;
  frame->opaque_ref = owner ? av_buffer_create((uint8_t *)size, sizeof *size, ffmpeg_picture_gone, owner, 0) : NULL;
  if (!frame->opaque_ref) {
    av_buffer_unref(&owner);
    av_free(size);
    av_frame_unref(frame);
    return AVERROR(ENOMEM);
  }
  *size = bytes;
  __atomic_fetch_add(&room->held, bytes, __ATOMIC_RELAXED);
  return 0;
}

/// Bounds a decoder of pictures, before it is opened. Pictures may outlive it.
///
/// - Returns: what the caller frees by `av_buffer_unref` after the decoder; NULL if there is no memory.
static inline AVBufferRef *ffmpeg_bound_pictures(AVCodecContext *codec, int64_t most) {
  AVBufferRef *buffer = av_buffer_allocz(sizeof(struct ffmpeg_room));
  if (!buffer) return NULL;
  ((struct ffmpeg_room *)buffer->data)->most = most;
  codec->opaque = buffer;
  codec->get_buffer2 = ffmpeg_get_picture;
  return buffer;
}

/// Pictures that a bounded decoder had no room for. On the decoder's thread.
static inline int64_t ffmpeg_refused_pictures(const AVBufferRef *room) {
  return ((const struct ffmpeg_room *)room->data)->refused;
}
