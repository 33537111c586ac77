internal import CFFmpeg
public import Hardware

/// AAC-LC by libavcodec's own encoder, one thread.
///
/// Owned by one thread at a time, the media worker's; it does not touch the disk. The library allocates a little
/// for every access unit, so this is not for real-time threads.
public final class AACEncoder {
  /// What it is fed.
  public let format: PCMFormat
  /// Frames in one access unit.
  public let frameSize = 1024
  /// Frames that a decoder puts out before the first one fed.
  public let primingFrames: Int
  /// The AudioSpecificConfig (ISO 14496-3, 1.6.2.1) that a decoder needs.
  public let configuration: [UInt8]

  private let codec: LibavCodec
  private let frame: LibavFrame
  private let packet: LibavPacket
  /// Frames waiting in `frame`.
  private var filled = 0
  private var fed: Int64 = 0
  private var isFinished = false

  private static let sampleRates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
  ]

  /// Whether AAC has this sample rate.
  public static func takes(sampleRate: Int) -> Bool { sampleRates.contains(sampleRate) }

  /// - Parameters:
  ///   - format: 1 or 2 channels; one of the twelve rates of AAC from 8000 to 96,000.
  ///   - bitrateKbps: 8…512 in total. More than AAC allows at the rate (6144 bits a channel and access unit) is cut.
  public init(format: PCMFormat, bitrateKbps: Int) throws(MediaError) {
    func unsupported(_ reason: String) -> MediaError {
      MediaError(.unsupported, subject: "AAC", operation: "encode", reason: reason)
    }
    guard Self.takes(sampleRate: format.sampleRate) else {
      throw unsupported("\(format.sampleRate) Hz is no rate of AAC; use 44100 or 48000, or record WAV")
    }
    guard (1...2).contains(format.channels) else {
      throw unsupported("\(format.channels) channels; use 1 or 2")
    }
    guard (8...512).contains(bitrateKbps) else {
      throw unsupported("\(bitrateKbps) kbit/s; use 8 to 512")
    }
    _ = Libav.isReady
    guard let encoder = avcodec_find_encoder(AV_CODEC_ID_AAC) else {
      throw unsupported("this libavcodec has no AAC encoder; install one that has, or record WAV")
    }
    guard let codec = LibavCodec(encoder), let frame = LibavFrame(), let packet = LibavPacket() else {
      throw Libav.outOfMemory("AAC", "encode")
    }
    let most = 6144 * format.channels * format.sampleRate / 1024
    let context = codec.pointer
    context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
    context.pointee.sample_rate = Int32(format.sampleRate)
    context.pointee.bit_rate = Int64(min(bitrateKbps * 1000, most))
    context.pointee.time_base = AVRational(num: 1, den: Int32(format.sampleRate))
    // The configuration goes into the container, not before every access unit.
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    // Twoloop, the library's own choice, costs two to three times as much, a third of a small board's core, and listeners'
    // models hear no more in it (Tests/Benchmarks, "Sound of AAC"). Intensity stereo would give up where sounds come from
    // to save bits that the rates in use have; temporal noise shaping costs more than it is heard to bring.
    av_opt_set(context.pointee.priv_data, "aac_coder", "fast", 0)
    av_opt_set(context.pointee.priv_data, "aac_is", "0", 0)
    av_opt_set(context.pointee.priv_data, "aac_tns", "0", 0)
    av_channel_layout_default(&context.pointee.ch_layout, Int32(format.channels))
    var status = avcodec_open2(context, encoder, nil)
    guard status >= 0 else { throw Libav.error(status, subject: "AAC", operation: "start the encoder") }

    frame.pointer.pointee.nb_samples = 1024
    frame.pointer.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
    frame.pointer.pointee.sample_rate = Int32(format.sampleRate)
    status = av_channel_layout_copy(&frame.pointer.pointee.ch_layout, &context.pointee.ch_layout)
    if status >= 0 { status = av_frame_get_buffer(frame.pointer, 0) }
    guard status >= 0 else { throw Libav.error(status, subject: "AAC", operation: "start the encoder") }

    self.format = format
    self.codec = codec
    self.frame = frame
    self.packet = packet
    primingFrames = Int(context.pointee.initial_padding)
    configuration = Array(
      UnsafeBufferPointer(start: context.pointee.extradata, count: Int(context.pointee.extradata_size)))
  }

  /// Encodes `frames` frames of interleaved samples.
  ///
  /// - Parameters:
  ///   - interleaved: samples in −1…1; louder is cut at 4, what is not a number becomes silence.
  ///   - emit: called with each access unit that became whole; the bytes are only valid during the call.
  public func encode(
    _ interleaved: UnsafePointer<Float>, frames: Int, emit: (UnsafeRawBufferPointer) -> Void
  ) throws(MediaError) {
    guard !isFinished else {
      throw MediaError(.failed, subject: "AAC", operation: "encode", reason: "the encoder was finished; make a new one")
    }
    var taken = 0
    while taken < frames {
      if filled == 0 {
        let status = av_frame_make_writable(frame.pointer)
        guard status >= 0 else { throw Libav.error(status, subject: "AAC", operation: "encode") }
      }
      let count = min(frames - taken, frameSize - filled)
      separate(interleaved + taken * format.channels, count: count)
      filled += count
      taken += count
      if filled == frameSize { try send(emit) }
    }
  }

  /// Encodes what is left, so that the access units cover every frame fed. Nothing can be fed after it.
  public func finish(emit: (UnsafeRawBufferPointer) -> Void) throws(MediaError) {
    guard !isFinished else { return }
    isFinished = true
    if filled > 0 {
      // The encoder takes one short frame, at the end, and pads it itself.
      frame.pointer.pointee.nb_samples = Int32(filled)
      try send(emit)
    }
    let status = avcodec_send_frame(codec.pointer, nil)
    guard status >= 0 || status == ffmpeg_error_eof() else {
      throw Libav.error(status, subject: "AAC", operation: "finish encoding")
    }
    try receive(emit)
  }

  /// Puts `count` interleaved frames behind those that wait in the planes.
  private func separate(_ interleaved: UnsafePointer<Float>, count: Int) {
    let channels = format.channels
    for channel in 0..<channels {
      guard let plane = frame.pointer.pointee.extended_data[channel] else { continue }
      let target = UnsafeMutableRawPointer(plane).assumingMemoryBound(to: Float.self) + filled
      for index in 0..<count {
        let sample = interleaved[index * channels + channel]
        // The encoder refuses a whole frame for one value that is not finite.
        target[index] = sample.magnitude <= 4 ? sample : sample > 0 ? 4 : sample < 0 ? -4 : 0
      }
    }
  }

  private func send(_ emit: (UnsafeRawBufferPointer) -> Void) throws(MediaError) {
    frame.pointer.pointee.pts = fed
    fed += Int64(filled)
    filled = 0
    let status = avcodec_send_frame(codec.pointer, frame.pointer)
    guard status >= 0 else { throw Libav.error(status, subject: "AAC", operation: "encode") }
    try receive(emit)
  }

  private func receive(_ emit: (UnsafeRawBufferPointer) -> Void) throws(MediaError) {
    while true {
      let status = avcodec_receive_packet(codec.pointer, packet.pointer)
      if status == ffmpeg_error_again() || status == ffmpeg_error_eof() { return }
      guard status >= 0 else { throw Libav.error(status, subject: "AAC", operation: "encode") }
      emit(UnsafeRawBufferPointer(start: packet.pointer.pointee.data, count: Int(packet.pointer.pointee.size)))
      av_packet_unref(packet.pointer)
    }
  }
}
