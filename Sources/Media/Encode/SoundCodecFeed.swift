internal import CFFmpeg
internal import Hardware

/// A sound encoder of libavcodec, fed frames of one size and a shorter one in the end. One thread.
final class SoundCodecFeed {
  /// Frames of a packet.
  let frameSize: Int
  var context: UnsafeMutablePointer<AVCodecContext> { codec.pointer }

  private let subject: String
  private let id: AVCodecID
  private var codec: LibavCodec
  private let frame: LibavFrame
  private let packet: LibavPacket
  private var successor: Successor?
  /// An encoder that is to go on in this one's place, and hears the same meanwhile.
  private struct Successor {
    let codec: LibavCodec
    let packet: LibavPacket
    /// Whether it may, after this packet of one and that of the other.
    let agrees: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    /// Frames that it was sent.
    var sent = 0
  }

  /// Frames that an encoder hears before it may go on for another: what overlaps, and some to judge sound by.
  private static let warmUp = 6
  /// Frames waiting in `frame`.
  private var filled = 0
  private var fed: Int64 = 0
  private var isFinished = false

  /// - Parameter set: sets what is special to the encoder, before it is opened.
  init(
    _ subject: String, _ id: AVCodecID, format: PCMFormat, samples: AVSampleFormat, frameSize: Int,
    set: (UnsafeMutablePointer<AVCodecContext>) -> Void
  ) throws(MediaError) {
    func unsupported(_ reason: String) -> MediaError {
      MediaError(.unsupported, subject: subject, operation: "encode", reason: reason)
    }
    guard (1...2).contains(format.channels) else { throw unsupported("\(format.channels) channels; use 1 or 2") }
    _ = Libav.isReady
    guard let frame = LibavFrame(), let packet = LibavPacket() else { throw Libav.outOfMemory(subject, "encode") }
    let codec = try Self.open(subject, id, format: format, samples: samples, set: set)
    let context = codec.pointer
    frame.pointer.pointee.nb_samples = Int32(frameSize)
    frame.pointer.pointee.format = samples.rawValue
    frame.pointer.pointee.sample_rate = Int32(format.sampleRate)
    var status = av_channel_layout_copy(&frame.pointer.pointee.ch_layout, &context.pointee.ch_layout)
    if status >= 0 { status = av_frame_get_buffer(frame.pointer, 0) }
    guard status >= 0 else { throw Libav.error(status, subject: subject, operation: "start the encoder") }
    self.subject = subject
    self.id = id
    self.codec = codec
    self.frame = frame
    self.packet = packet
    self.frameSize = frameSize
  }

  private static func open(
    _ subject: String, _ id: AVCodecID, format: PCMFormat, samples: AVSampleFormat,
    set: (UnsafeMutablePointer<AVCodecContext>) -> Void
  ) throws(MediaError) -> LibavCodec {
    guard let encoder = avcodec_find_encoder(id) else {
      throw MediaError(
        .unsupported, subject: subject, operation: "encode",
        reason: "this libavcodec has no \(subject) encoder; install one that has, or record WAV")
    }
    guard let codec = LibavCodec(encoder) else { throw Libav.outOfMemory(subject, "encode") }
    let context = codec.pointer
    context.pointee.sample_fmt = samples
    context.pointee.sample_rate = Int32(format.sampleRate)
    context.pointee.time_base = AVRational(num: 1, den: Int32(format.sampleRate))
    // The configuration goes into the container, not before every packet.
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    av_channel_layout_default(&context.pointee.ch_layout, Int32(format.channels))
    set(context)
    let status = avcodec_open2(context, encoder, nil)
    guard status >= 0 else { throw Libav.error(status, subject: subject, operation: "start the encoder") }
    return codec
  }

  /// Has an encoder of the same sound with other settings go on with one of the next packets: the first after one that both
  /// agree in. It hears what the present one hears from now on, so that its packets are of the same frames.
  ///
  /// - Parameter agrees: whether the other may go on, after this packet of the present one and that of its own.
  func prepareSuccessor(
    set: (UnsafeMutablePointer<AVCodecContext>) -> Void,
    agrees: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) throws(MediaError) {
    let present = context.pointee
    let format = PCMFormat(sampleRate: Int(present.sample_rate), channels: Int(present.ch_layout.nb_channels))
    let next = try Self.open(subject, id, format: format, samples: present.sample_fmt, set: set)
    guard let packet = LibavPacket() else { throw Libav.outOfMemory(subject, "encode") }
    let padding = next.pointer.pointee.initial_padding
    guard Self.configuration(next.pointer) == configuration, padding == present.initial_padding else {
      throw MediaError(
        .unsupported, subject: subject, operation: "change the encoder", reason: "it would be another stream")
    }
    successor = Successor(codec: next, packet: packet, agrees: agrees)
  }

  /// What encoders are given: they refuse a whole frame for one value that is not finite.
  @inline(__always)
  static func bounded(_ sample: Float) -> Float {
    sample.magnitude <= 4 ? sample : sample > 0 ? 4 : sample < 0 ? -4 : 0
  }

  /// The encoder's extradata.
  var configuration: [UInt8] { Self.configuration(context) }

  private static func configuration(_ context: UnsafeMutablePointer<AVCodecContext>) -> [UInt8] {
    Array(UnsafeBufferPointer(start: context.pointee.extradata, count: Int(context.pointee.extradata_size)))
  }

  /// Encodes `frames` frames.
  ///
  /// - Parameters:
  ///   - place: puts `count` of the caller's frames, from `taken` on, into the planes behind `filled` frames.
  ///   - emit: called with each packet that became whole and its frames; the bytes are only valid during the call.
  func encode(
    frames: Int,
    place: (_ planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, _ filled: Int, _ taken: Int, _ count: Int) ->
      Void, emit: (UnsafeRawBufferPointer, Int) -> Void
  ) throws(MediaError) {
    guard !isFinished, let planes = frame.pointer.pointee.extended_data else {
      throw MediaError(
        .failed, subject: subject, operation: "encode", reason: "the encoder was finished; make a new one")
    }
    var taken = 0
    while taken < frames {
      if filled == 0 {
        let status = av_frame_make_writable(frame.pointer)
        guard status >= 0 else { throw Libav.error(status, subject: subject, operation: "encode") }
      }
      let count = min(frames - taken, frameSize - filled)
      place(planes, filled, taken, count)
      filled += count
      taken += count
      if filled == frameSize { try send(emit) }
    }
  }

  /// Encodes what is left, so that the packets cover every frame fed. Nothing can be fed after it.
  func finish(emit: (UnsafeRawBufferPointer, Int) -> Void) throws(MediaError) {
    guard !isFinished else { return }
    isFinished = true
    // What has not gone on by now has nothing to go on with.
    successor = nil
    if filled > 0 {
      // The encoder takes one short frame, at the end, and pads it itself where it must.
      frame.pointer.pointee.nb_samples = Int32(filled)
      try send(emit)
    }
    let status = avcodec_send_frame(context, nil)
    guard status >= 0 || status == ffmpeg_error_eof() else {
      throw Libav.error(status, subject: subject, operation: "finish encoding")
    }
    try receive(emit)
  }

  private func send(_ emit: (UnsafeRawBufferPointer, Int) -> Void) throws(MediaError) {
    frame.pointer.pointee.pts = fed
    fed += Int64(filled)
    filled = 0
    let status = avcodec_send_frame(context, frame.pointer)
    guard status >= 0 else { throw Libav.error(status, subject: subject, operation: "encode") }
    guard successor != nil else { return try receive(emit) }
    var last: [UInt8] = []
    try receive { packet, frames in
      last = Array(packet)
      emit(packet, frames)
    }
    follow(last)
  }

  /// Has the successor hear the frame that was sent, and go on if it may: `last` is the present one's packet of this frame.
  private func follow(_ last: [UInt8]) {
    guard var next = successor else { return }
    guard avcodec_send_frame(next.codec.pointer, frame.pointer) >= 0 else {
      // It cannot; the present one can.
      successor = nil
      return
    }
    next.sent += 1
    successor = next
    // Of its first frame there is no packet, nor of the present one's.
    guard avcodec_receive_packet(next.codec.pointer, next.packet.pointer) >= 0 else { return }
    let found = next.packet.pointer.pointee
    let own = UnsafeRawBufferPointer(start: found.data, count: Int(found.size))
    let mayGoOn = next.sent > Self.warmUp && last.withUnsafeBytes { next.agrees($0, own) }
    av_packet_unref(next.packet.pointer)
    guard mayGoOn else { return }
    codec = next.codec
    successor = nil
  }

  private func receive(_ emit: (UnsafeRawBufferPointer, Int) -> Void) throws(MediaError) {
    while true {
      let status = avcodec_receive_packet(context, packet.pointer)
      if status == ffmpeg_error_again() || status == ffmpeg_error_eof() { return }
      guard status >= 0 else { throw Libav.error(status, subject: subject, operation: "encode") }
      let found = packet.pointer.pointee
      // FLAC ends with a packet that has nothing in it.
      if found.size > 0 { emit(UnsafeRawBufferPointer(start: found.data, count: Int(found.size)), Int(found.duration)) }
      av_packet_unref(packet.pointer)
    }
  }
}
