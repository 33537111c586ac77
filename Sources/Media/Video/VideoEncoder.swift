internal import CFFmpeg
public import Hardware

/// Raw pictures of a camera's to H.264 (or JPEG, where nothing better is built in), by libavcodec.
///
/// Pictures come out in the order in which they go in (no B-pictures), with closed groups, a keyframe at the latest after
/// `keyframeInterval` pictures, parameter sets in front of each keyframe, and a rate that never passes the bit rate by
/// more than a second's worth, so that a window of the ring has a size that can be planned. x264 puts out each picture at
/// once; a hardware encoder may keep a few. Owned by one thread at a time, not for real-time threads.
public final class VideoEncoder {
  /// Which one was chosen.
  public let kind: VideoEncoderKind
  /// libavcodec's name of it.
  public var name: String { kind.rawValue }
  /// What it is fed.
  public let input: VideoFormat
  /// What comes out: the input's with another codec.
  public let output: VideoFormat

  /// Most pictures from one keyframe to the next.
  public let keyframeInterval: Int

  private let codec: LibavCodec
  private let bitrate: Int
  private let frame: LibavFrame
  private let packet: LibavPacket
  private var fed: Int64 = 0
  /// Times of the pictures within, by number.
  private var times = [Int64](repeating: 0, count: 64)
  private var stream = H264Stream()
  private var isFinished = false

  /// Chooses the first encoder of `kinds` that this machine has.
  ///
  /// - Parameters:
  ///   - input: NV12 or YUYV, even sizes of 16…4096.
  ///   - bitrate: bits a second, 50,000…50,000,000. For JPEG it is only a wish.
  ///   - keyframeInterval: most pictures from one keyframe to the next, 1…600.
  ///   - threads: of x264. One gives the same bytes on every machine and is enough for 1280 × 720 at 30 pictures a second
  ///     on a core of 1.5 GHz; more cut each picture into slices.
  ///   - kinds: which may be tried, best first.
  public init(
    _ input: VideoFormat, bitrate: Int, keyframeInterval: Int, threads: Int = 1,
    kinds: [VideoEncoderKind] = VideoEncoderKind.allCases
  ) throws(MediaError) {
    func unsupported(_ reason: String) -> MediaError {
      MediaError(.unsupported, subject: "video", operation: "encode", reason: reason)
    }
    guard input.codec.isRaw else { throw unsupported("\(input.codec.rawValue) is encoded already") }
    guard (16...4096).contains(input.width), (16...4096).contains(input.height), input.width % 2 == 0,
      input.height % 2 == 0
    else { throw unsupported("\(input.width) × \(input.height) pixels; use even sizes of 16 to 4096") }
    guard (1...240).contains(input.framesPerSecond) else {
      throw unsupported("\(input.framesPerSecond) pictures a second; use 1 to 240")
    }
    _ = Libav.isReady
    var refusals: [String] = []
    for kind in kinds {
      guard let encoder = avcodec_find_encoder_by_name(kind.rawValue) else {
        refusals.append("\(kind.rawValue) is not built in")
        continue
      }
      guard let codec = LibavCodec(encoder), let frame = LibavFrame(), let packet = LibavPacket() else {
        throw Libav.outOfMemory(kind.rawValue, "encode")
      }
      let pixels = Self.pixelFormat(of: encoder)
      Self.configure(
        codec.pointer, kind, input, pixels: pixels, bitrate: min(50_000_000, max(50_000, bitrate)),
        keyframeInterval: min(600, max(1, keyframeInterval)), threads: min(16, max(1, threads)))
      var status = avcodec_open2(codec.pointer, encoder, nil)
      guard status >= 0 else {
        refusals.append("\(kind.rawValue): \(Libav.text(status))")
        continue
      }
      frame.pointer.pointee.format = pixels.rawValue
      frame.pointer.pointee.width = Int32(input.width)
      frame.pointer.pointee.height = Int32(input.height)
      frame.pointer.pointee.quality = codec.pointer.pointee.global_quality
      status = av_frame_get_buffer(frame.pointer, 0)
      guard status >= 0 else { throw Libav.error(status, subject: kind.rawValue, operation: "start the encoder") }
      self.kind = kind
      self.input = input
      var output = input
      output.codec = kind == .jpeg ? .mjpeg : .h264
      self.output = output
      self.bitrate = min(50_000_000, max(50_000, bitrate))
      self.keyframeInterval = min(600, max(1, keyframeInterval))
      self.codec = codec
      self.frame = frame
      self.packet = packet
      return
    }
    throw unsupported(
      "no encoder could be started (\(refusals.joined(separator: "; "))); install libavcodec with libx264")
  }

  /// Encoders that are built in, best first; whether the hardware is there shows when one is made.
  public static var builtIn: [VideoEncoderKind] {
    VideoEncoderKind.allCases.filter { avcodec_find_encoder_by_name($0.rawValue) != nil }
  }

  /// Encodes a picture.
  ///
  /// - Parameters:
  ///   - picture: `input.largestFrameBytes` bytes; fewer are refused.
  ///   - time: any number, increasing; comes back with the encoded picture.
  ///   - forcesKeyframe: makes it a keyframe.
  ///   - emit: called with each picture that came out.
  public func encode(
    _ picture: UnsafeRawBufferPointer, time: Int64, forcesKeyframe: Bool = false, emit: (EncodedPicture) -> Void
  ) throws(MediaError) {
    guard !isFinished, let base = picture.baseAddress, picture.count >= input.largestFrameBytes else {
      throw MediaError(
        .failed, subject: name, operation: "encode",
        reason: isFinished
          ? "the encoder was finished; make a new one"
          : "a picture has \(picture.count) bytes, not \(input.largestFrameBytes); reopen the camera")
    }
    // The encoder may still hold the last picture; then this allocates.
    var status = av_frame_make_writable(frame.pointer)
    guard status >= 0 else { throw Libav.error(status, subject: name, operation: "encode") }
    FrameFilling.fill(frame.pointer, from: base, format: input)
    frame.pointer.pointee.pts = fed
    frame.pointer.pointee.pict_type = forcesKeyframe ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
    times[Int(fed % 64)] = time
    fed += 1
    status = avcodec_send_frame(codec.pointer, frame.pointer)
    if status == ffmpeg_error_again() {
      // Full of pictures that nobody took yet.
      try receive(emit)
      status = avcodec_send_frame(codec.pointer, frame.pointer)
    }
    guard status >= 0 else { throw Libav.error(status, subject: name, operation: "encode") }
    try receive(emit)
  }

  /// Has the pictures from the next one on half the bits, or all again. x264 follows at once, without new parameter sets;
  /// other encoders keep the rate that they began with.
  public func spare(_ isSpared: Bool) {
    let rate = Int64(isSpared ? bitrate / 2 : bitrate)
    codec.pointer.pointee.bit_rate = rate
    if kind == .x264 { codec.pointer.pointee.rc_max_rate = rate }
  }

  /// Puts out what is left. Nothing can be fed after it.
  public func finish(emit: (EncodedPicture) -> Void) throws(MediaError) {
    guard !isFinished else { return }
    isFinished = true
    let status = avcodec_send_frame(codec.pointer, nil)
    guard status >= 0 || status == ffmpeg_error_eof() else {
      throw Libav.error(status, subject: name, operation: "finish encoding")
    }
    try receive(emit)
  }

  private func receive(_ emit: (EncodedPicture) -> Void) throws(MediaError) {
    while true {
      let status = avcodec_receive_packet(codec.pointer, packet.pointer)
      if status == ffmpeg_error_again() || status == ffmpeg_error_eof() { return }
      guard status >= 0 else { throw Libav.error(status, subject: name, operation: "encode") }
      let content = packet.pointer.pointee
      let bytes = UnsafeRawBufferPointer(start: content.data, count: Int(content.size))
      let time = times[Int(((content.pts % 64) + 64) % 64)]
      if output.codec == .h264 {
        stream.add(bytes) { whole, place in
          emit(EncodedPicture(bytes: whole, isKeyframe: place.isKeyframe, time: time))
        }
      } else {
        emit(EncodedPicture(bytes: bytes, isKeyframe: true, time: time))
      }
      av_packet_unref(packet.pointer)
    }
  }

  /// NV12 where the encoder takes it, since cameras and hardware do; else planes.
  private static func pixelFormat(of encoder: UnsafePointer<AVCodec>) -> AVPixelFormat {
    guard var format = encoder.pointee.pix_fmts else { return AV_PIX_FMT_YUV420P }
    while format.pointee != AV_PIX_FMT_NONE {
      if format.pointee == AV_PIX_FMT_NV12 { return AV_PIX_FMT_NV12 }
      format += 1
    }
    return encoder.pointee.id == AV_CODEC_ID_MJPEG ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_YUV420P
  }

  private static func configure(
    _ context: UnsafeMutablePointer<AVCodecContext>, _ kind: VideoEncoderKind, _ input: VideoFormat,
    pixels: AVPixelFormat, bitrate: Int, keyframeInterval: Int, threads: Int
  ) {
    context.pointee.width = Int32(input.width)
    context.pointee.height = Int32(input.height)
    context.pointee.pix_fmt = pixels
    context.pointee.time_base = AVRational(num: 1, den: Int32(input.framesPerSecond))
    context.pointee.framerate = AVRational(num: Int32(input.framesPerSecond), den: 1)
    context.pointee.gop_size = Int32(keyframeInterval)
    context.pointee.max_b_frames = 0
    context.pointee.bit_rate = Int64(bitrate)
    let options = context.pointee.priv_data
    switch kind {
    case .x264:
      context.pointee.rc_max_rate = Int64(bitrate)
      context.pointee.rc_buffer_size = Int32(bitrate)
      context.pointee.flags |= Int32(bitPattern: AV_CODEC_FLAG_CLOSED_GOP)
      context.pointee.thread_count = Int32(threads)
      av_opt_set(options, "preset", "ultrafast", 0)
      av_opt_set(options, "tune", "zerolatency", 0)
      av_opt_set(options, "forced-idr", "1", 0)
      // Keyframes come by the rhythm and by request; a change of scene would only make the size harder to plan.
      av_opt_set(options, "x264-params", "scenecut=0:repeat-headers=1", 0)
    case .openH264:
      context.pointee.rc_max_rate = Int64(bitrate)
      av_opt_set(options, "allow_skip_frames", "0", 0)
    case .jpeg:
      // At some six bits for each of ours the steps of quantisation are bearable.
      context.pointee.flags |= AV_CODEC_FLAG_QSCALE
      context.pointee.global_quality = FF_QP2LAMBDA * 6
    case .v4l2:
      break
    }
  }
}
