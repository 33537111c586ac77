internal import CFFmpeg

/// H.264 of a stream to pictures with their times, for screens: pictures stay in the decoder's own memory and are put
/// in order, and what a small screen does not show need not be decoded.
///
/// Owned by one thread; a call takes as long as a picture. Any bytes are answered.
public final class ProgrammePictureDecoder {
  /// How much is decoded.
  public enum Economy: Hashable, Sendable {
    /// Every picture, as it should be.
    case none
    /// Without the deblocking filter, and without pictures that no other refers to: they are not given out. What is
    /// seen of it in 128 × 64 dots is nothing; it saves a third and more of the time.
    case small
  }

  private let codec: LibavCodec
  private let packet: LibavPacket
  /// Access units that could not be decoded.
  public private(set) var damaged = 0
  /// Bytes of pictures that it may have, those included that it has given out.
  public let room: Int
  /// Access units that found no room.
  public var refused: Int { codec.refusedPictures }
  /// Whether pictures refer to more than there is memory for; one alone may still be decoded.
  public var lacksRoom: Bool { refused > 0 }
  /// Pixels of the last picture.
  public private(set) var pixels = 0

  /// - Parameter room: bytes of pictures that it may have at a time, those included that it has given out and somebody
  ///   still holds.
  public init(room: Int) throws(MediaError) {
    _ = Libav.isReady
    guard let decoder = avcodec_find_decoder(AV_CODEC_ID_H264) else {
      throw MediaError(
        .unsupported, subject: "h264", operation: "decode",
        reason: "this libavcodec has no decoder for it; install one that has")
    }
    guard let codec = LibavCodec(decoder, room: room), let packet = LibavPacket() else {
      throw Libav.outOfMemory("h264", "decode")
    }
    // A picture with a hole in it is better than none.
    codec.pointer.pointee.err_recognition = 0
    let status = avcodec_open2(codec.pointer, decoder, nil)
    guard status >= 0 else { throw Libav.error(status, subject: "h264", operation: "start the decoder") }
    self.codec = codec
    self.packet = packet
    self.room = room
  }

  /// Takes effect with the next picture.
  public var economy = Economy.none {
    didSet {
      codec.pointer.pointee.skip_loop_filter = economy == .none ? AVDISCARD_DEFAULT : AVDISCARD_ALL
      codec.pointer.pointee.skip_frame = economy == .none ? AVDISCARD_DEFAULT : AVDISCARD_NONREF
    }
  }

  /// Decodes one access unit.
  ///
  /// - Parameters:
  ///   - bytes: Annex B.
  ///   - time: handed through to the picture.
  ///   - emit: called with each picture that became ready, in the order in which they are shown.
  public func decode(_ bytes: [UInt8], time: Int, emit: (DecodedPicture) -> Void) throws(MediaError) {
    guard !bytes.isEmpty, bytes.count < 1 << 26 else { return }
    let before = refused
    let isTaken = try bytes.withUnsafeBufferPointer { bytes throws(MediaError) in
      try codec.feed(UnsafeRawBufferPointer(bytes), time: Int64(time), by: packet, subject: "h264")
    }
    if !isTaken, refused == before { damaged += 1 }
    try receive(emit)
  }

  /// Gives out what is held; the next access unit must be a keyframe.
  public func finish(emit: (DecodedPicture) -> Void) throws(MediaError) {
    avcodec_send_packet(codec.pointer, nil)
    try receive(emit)
    flush()
  }

  /// Forgets what is held; the next access unit must be a keyframe.
  public func flush() { avcodec_flush_buffers(codec.pointer) }

  private func receive(_ emit: (DecodedPicture) -> Void) throws(MediaError) {
    let before = refused
    while true {
      guard let frame = LibavFrame() else { throw Libav.outOfMemory("h264", "decode") }
      let status = avcodec_receive_frame(codec.pointer, frame.pointer)
      if status == ffmpeg_error_again() || status == ffmpeg_error_eof() { return }
      guard status >= 0 else {
        guard status != ffmpeg_error_memory() else { throw Libav.outOfMemory("h264", "decode") }
        if refused == before { damaged += 1 }
        return
      }
      guard let picture = DecodedPicture(frame) else {
        damaged += 1
        continue
      }
      pixels = picture.width * picture.height
      emit(picture)
    }
  }
}
