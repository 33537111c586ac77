internal import CFFmpeg
public import Hardware

/// Opus (RFC 6716) by libopus, in packets of 20 ms. Same rules as `AACEncoder`.
public final class OpusEncoder {
  /// What it is fed.
  public let format: PCMFormat
  /// Frames that a decoder puts out before the first one fed.
  public let primingFrames: Int

  private let feed: SoundCodecFeed

  /// The one sample rate of it: that of its decoders.
  public static let sampleRate = 48_000
  /// Kbit/s that make sense.
  public static let bitrates = 24...256
  /// The largest packet of one frame (RFC 6716, 3.2.1).
  public static let largestPacket = 1276
  /// Packets in front of a place that a decoder has to see, half a second: RFC 7845, 4.6, asks for 80 ms, but what energies
  /// are predicted from takes longer to settle.
  public static let leadPackets = 25

  /// - Parameters:
  ///   - format: 1 or 2 channels at 48 kHz.
  ///   - bitrateKbps: 24…256 in total.
  public init(format: PCMFormat, bitrateKbps: Int) throws(MediaError) {
    guard format.sampleRate == Self.sampleRate else {
      throw MediaError(
        .unsupported, subject: "Opus", operation: "encode",
        reason: "\(format.sampleRate) Hz is no rate of Opus; use 48000, or record another format")
    }
    feed = try SoundCodecFeed(
      "Opus", AV_CODEC_ID_OPUS, format: format, samples: AV_SAMPLE_FMT_FLT, frameSize: SoundCodec.opus.packetFrames
    ) { context in
      let range = Self.bitrates
      context.pointee.bit_rate = Int64(min(max(bitrateKbps, range.lowerBound), range.upperBound) * 1000)
    }
    self.format = format
    primingFrames = Int(feed.context.pointee.initial_padding)
  }

  /// Encodes `frames` frames of interleaved samples; rules and parameters as `AACEncoder.encode`.
  public func encode(
    _ interleaved: UnsafePointer<Float>, frames: Int, emit: (UnsafeRawBufferPointer) -> Void
  ) throws(MediaError) {
    let channels = format.channels
    try feed.encode(frames: frames) { planes, filled, taken, count in
      guard let plane = planes[0] else { return }
      let target = UnsafeMutableRawPointer(plane).assumingMemoryBound(to: Float.self) + filled * channels
      for index in 0..<count * channels {
        let sample = interleaved[taken * channels + index]
        target[index] = SoundCodecFeed.bounded(sample)
      }
    } emit: { packet, _ in
      emit(packet)
    }
  }

  /// Encodes what is left, so that the packets cover every frame fed. Nothing can be fed after it.
  public func finish(emit: (UnsafeRawBufferPointer) -> Void) throws(MediaError) {
    try feed.finish { packet, _ in emit(packet) }
  }
}
