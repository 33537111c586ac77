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

  /// What it looks for quantisers with, or is about to.
  public private(set) var coder: AACCoder

  private let feed: SoundCodecFeed
  private let bitrate: Int64

  private static let sampleRates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
  ]

  /// Whether AAC has this sample rate.
  public static func takes(sampleRate: Int) -> Bool { sampleRates.contains(sampleRate) }

  /// - Parameters:
  ///   - format: 1 or 2 channels; one of the twelve rates of AAC from 8000 to 96,000.
  ///   - bitrateKbps: 8…512 in total. More than AAC allows at the rate (6144 bits a channel and access unit) is cut.
  public init(format: PCMFormat, bitrateKbps: Int, coder: AACCoder = .fast) throws(MediaError) {
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
    bitrate = Int64(min(bitrateKbps * 1000, most))
    feed = try SoundCodecFeed(
      "AAC", AV_CODEC_ID_AAC, format: format, samples: AV_SAMPLE_FMT_FLTP, frameSize: SoundCodec.aac.packetFrames
    ) { [bitrate] in Self.set($0, coder, bitrate) }
    self.coder = coder
    self.format = format
    primingFrames = Int(feed.context.pointee.initial_padding)
    configuration = feed.configuration
  }

  private static func set(_ context: UnsafeMutablePointer<AVCodecContext>, _ coder: AACCoder, _ bitrate: Int64) {
    context.pointee.bit_rate = bitrate
    for option in coder.options { av_opt_set(context.pointee.priv_data, option.name, option.value, 0) }
    if let cutoff = coder.cutoff { context.pointee.cutoff = min(cutoff, context.pointee.sample_rate / 2) }
  }

  /// Goes on with another coder from one of the next access units on, without a seam: the stream, its configuration and
  /// which frames a unit decodes to stay as they are. Until then both are at work, for some units.
  public func use(_ new: AACCoder) throws(MediaError) {
    guard new != coder else { return }
    try feed.prepareSuccessor { [bitrate] in
      Self.set($0, new, bitrate)
    } agrees: { first, second in
      guard let window = AACWindow(first) else { return false }
      return window == AACWindow(second)
    }
    coder = new
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
