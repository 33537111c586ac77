internal import CFFmpeg
public import Hardware

/// H.264 byte streams and JPEG images to pictures, by libavcodec, for previews, thumbnails, snapshots and tests.
///
/// Owned by one thread at a time, not for real-time threads.
public final class VideoDecoder {
  private let codec: LibavCodec
  private let frame: LibavFrame
  private let packet: LibavPacket
  private let name: String
  /// Pictures that could not be decoded.
  public private(set) var damaged = 0

  /// - Parameters:
  ///   - coding: H.264 or JPEG.
  ///   - room: bytes of pictures that it may have at a time. One that finds none cannot be decoded.
  ///   - depth: pictures that may come before another one and be seen behind it, as far as is known. Where nobody says, it is
  ///     learned from pictures that are lost by it.
  public init(_ coding: VideoCodec, room: Int, depth: Int = 0) throws(MediaError) {
    _ = Libav.isReady
    name = coding.rawValue
    guard !coding.isRaw, let decoder = avcodec_find_decoder(coding == .h264 ? AV_CODEC_ID_H264 : AV_CODEC_ID_MJPEG)
    else {
      throw MediaError(
        .unsupported, subject: coding.rawValue, operation: "decode",
        reason: coding.isRaw ? "it is not encoded" : "this libavcodec has no decoder for it; install one that has")
    }
    guard let codec = LibavCodec(decoder, room: room), let frame = LibavFrame(),
      let packet = LibavPacket()
    else {
      throw Libav.outOfMemory(name, "decode")
    }
    codec.pointer.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY
    codec.pointer.pointee.has_b_frames = Int32(min(16, max(0, depth)))
    // libavcodec takes what is decoded before an open group's first picture is out for damaged, and would leave it out.
    if depth > 0 { codec.pointer.pointee.flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT }
    // A picture with a hole in it is better than none, and what is damaged shows.
    codec.pointer.pointee.err_recognition = 0
    let status = avcodec_open2(codec.pointer, decoder, nil)
    guard status >= 0 else { throw Libav.error(status, subject: name, operation: "start the decoder") }
    self.codec = codec
    self.frame = frame
    self.packet = packet
  }

  /// Decodes one access unit or image.
  ///
  /// - Parameter emit: called with each picture that became ready: mostly this one, with streams that reorder an
  ///   earlier one.
  public func decode(_ bytes: UnsafeRawBufferPointer, emit: (Picture) -> Void) throws(MediaError) {
    guard !bytes.isEmpty, bytes.count < 1 << 28 else { return }
    if try !codec.feed(bytes, by: packet, subject: name) { damaged += 1 }
    try receive(emit)
  }

  /// Puts out what is left; afterwards a new stream can begin.
  public func finish(emit: (Picture) -> Void) throws(MediaError) {
    avcodec_send_packet(codec.pointer, nil)
    try receive(emit)
    avcodec_flush_buffers(codec.pointer)
  }

  /// The picture of a keyframe or an image, alone; `nil` if it cannot be decoded.
  public static func picture(of bytes: UnsafeRawBufferPointer, _ coding: VideoCodec, room: Int) throws(MediaError)
    -> Picture?
  {
    let decoder = try VideoDecoder(coding, room: room)
    var found: Picture?
    try decoder.decode(bytes) { found = found ?? $0 }
    try decoder.finish { found = found ?? $0 }
    return found
  }

  private func receive(_ emit: (Picture) -> Void) throws(MediaError) {
    while true {
      let status = avcodec_receive_frame(codec.pointer, frame.pointer)
      if status == ffmpeg_error_again() || status == ffmpeg_error_eof() { return }
      guard status >= 0 else {
        guard status != ffmpeg_error_memory() else { throw Libav.outOfMemory(name, "decode") }
        damaged += 1
        return
      }
      if let picture = FrameFilling.picture(frame.pointer.pointee) { emit(picture) } else { damaged += 1 }
    }
  }
}
