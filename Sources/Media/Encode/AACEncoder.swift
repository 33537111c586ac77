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
  public var frameSize: Int { feed.frameSize }
  /// Frames that a decoder puts out before the first one fed.
  public let primingFrames: Int
  /// The AudioSpecificConfig (ISO 14496-3, 1.6.2.1) that a decoder needs.
  public let configuration: [UInt8]

  private let feed: SoundCodecFeed

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
    guard (8...512).contains(bitrateKbps) else {
      throw unsupported("\(bitrateKbps) kbit/s; use 8 to 512")
    }
    let most = 6144 * format.channels * format.sampleRate / 1024
    feed = try SoundCodecFeed(
      "AAC", AV_CODEC_ID_AAC, format: format, samples: AV_SAMPLE_FMT_FLTP, frameSize: SoundCodec.aac.packetFrames
    ) { context in
      context.pointee.bit_rate = Int64(min(bitrateKbps * 1000, most))
      // Twoloop, the library's own choice, costs two to three times as much, a third of a small board's core, and
      // listeners' models hear no more in it (Tests/Benchmarks, "Sound of AAC"). Intensity stereo would give up where
      // sounds come from to save bits that the rates in use have; temporal noise shaping costs more than it is heard to bring.
      av_opt_set(context.pointee.priv_data, "aac_coder", "fast", 0)
      av_opt_set(context.pointee.priv_data, "aac_is", "0", 0)
      av_opt_set(context.pointee.priv_data, "aac_tns", "0", 0)
    }
    self.format = format
    primingFrames = Int(feed.context.pointee.initial_padding)
    configuration = feed.configuration
  }

  /// Encodes `frames` frames of interleaved samples.
  ///
  /// - Parameters:
  ///   - interleaved: samples in −1…1; louder is cut at 4, what is not a number becomes silence.
  ///   - emit: called with each access unit that became whole; the bytes are only valid during the call.
  public func encode(
    _ interleaved: UnsafePointer<Float>, frames: Int, emit: (UnsafeRawBufferPointer) -> Void
  ) throws(MediaError) {
    let channels = format.channels
    try feed.encode(frames: frames) { planes, filled, taken, count in
      for channel in 0..<channels {
        guard let plane = planes[channel] else { continue }
        let target = UnsafeMutableRawPointer(plane).assumingMemoryBound(to: Float.self) + filled
        for index in 0..<count {
          let sample = interleaved[(taken + index) * channels + channel]
          target[index] = SoundCodecFeed.bounded(sample)
        }
      }
    } emit: { packet, _ in
      emit(packet)
    }
  }

  /// Encodes what is left, so that the access units cover every frame fed. Nothing can be fed after it.
  public func finish(emit: (UnsafeRawBufferPointer) -> Void) throws(MediaError) {
    try feed.finish { packet, _ in emit(packet) }
  }
}
