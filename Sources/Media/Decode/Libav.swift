internal import CFFmpeg

/// The parts of libav that Swift needs a lifetime for, and its errors as text.
enum Libav {
  /// Turns the library's own chatter off, once, and bounds what a file can have it allocate at a time; what matters comes
  /// back as error codes.
  static let isReady: Void = {
    av_log_set_level(AV_LOG_QUIET)
    av_max_alloc(largestBlock)
  }()

  /// The index of sixteen hours of another recorder's AAC, a picture of 4096 × 4096.
  private static let largestBlock = 64 << 20

  /// What an error code means.
  static func text(_ code: Int32) -> String {
    var bytes = [CChar](repeating: 0, count: 128)
    av_strerror(code, &bytes, bytes.count)
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A typed error from an error code.
  static func error(_ code: Int32, subject: String, operation: String) -> MediaError {
    let kind: MediaError.Kind
    switch code {
    case ffmpeg_error_missing(): kind = .notFound
    case ffmpeg_error_denied(): kind = .denied
    case ffmpeg_error_no_decoder(): kind = .unsupported
    case ffmpeg_error_memory(): kind = .failed
    default: kind = .damaged
    }
    return MediaError(kind, subject: subject, operation: operation, reason: text(code))
  }

  static func outOfMemory(_ subject: String, _ operation: String) -> MediaError {
    MediaError(.failed, subject: subject, operation: operation, reason: "out of memory; close other work")
  }
}

/// An `AVFrame`, freed with its owner.
final class LibavFrame {
  let pointer: UnsafeMutablePointer<AVFrame>

  init?() {
    guard let frame = av_frame_alloc() else { return nil }
    pointer = frame
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = pointer
    av_frame_free(&frame)
  }
}

/// An `AVPacket`, freed with its owner.
final class LibavPacket {
  let pointer: UnsafeMutablePointer<AVPacket>

  init?() {
    guard let packet = av_packet_alloc() else { return nil }
    pointer = packet
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = pointer
    av_packet_free(&packet)
  }
}

/// An `AVCodecContext`, freed with its owner. Single-threaded.
final class LibavCodec {
  let pointer: UnsafeMutablePointer<AVCodecContext>
  private var bound: UnsafeMutablePointer<AVBufferRef>?

  /// - Parameter room: bytes; a decoder that wants more for all the pictures that it and others refer to gives an error
  ///   for the one at hand.
  init?(_ codec: UnsafePointer<AVCodec>, room: Int? = nil) {
    guard let context = avcodec_alloc_context3(codec) else { return nil }
    context.pointee.thread_count = 1
    pointer = context
    guard let room else { return }
    bound = ffmpeg_bound_pictures(context, Int64(room))
    guard bound != nil else { return nil }
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = pointer
    avcodec_free_context(&context)
    av_buffer_unref(&bound)
  }

  /// Pictures that were more than it may have.
  var refusedPictures: Int { bound.map { Int(ffmpeg_refused_pictures($0)) } ?? 0 }
}

extension LibavCodec {
  /// Feeds one access unit to a decoder.
  ///
  /// - Parameter time: handed through to the picture.
  /// - Returns: false if it cannot be decoded.
  func feed(
    _ bytes: UnsafeRawBufferPointer, time: Int64 = ffmpeg_no_timestamp(), by packet: LibavPacket, subject: String
  ) throws(MediaError) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    // Decoders read a little over the end: libavcodec's own buffers have that room.
    guard av_new_packet(packet.pointer, Int32(bytes.count)) >= 0, let data = packet.pointer.pointee.data else {
      throw Libav.outOfMemory(subject, "decode")
    }
    UnsafeMutableRawPointer(data).copyMemory(from: base, byteCount: bytes.count)
    packet.pointer.pointee.pts = time
    let status = avcodec_send_packet(pointer, packet.pointer)
    av_packet_unref(packet.pointer)
    return status >= 0 || status == ffmpeg_error_again()
  }
}
