internal import CFFmpeg
internal import CSwresample
internal import Hardware

/// Converts decoded frames to interleaved `Float` at another rate and channel count, by libswresample.
final class Resampler {
  /// What goes in.
  struct Source: Equatable {
    var sampleRate: Int
    var channels: Int
    /// `AVSampleFormat`.
    var sampleFormat: Int32
    /// Which channels they are, by their bits; 0: the usual ones of so many.
    var layout: UInt64

    init(_ frame: AVFrame) {
      let given = frame.ch_layout
      (sampleRate, channels, sampleFormat) = (Int(frame.sample_rate), Int(given.nb_channels), frame.format)
      // FFmpeg's usual three are two and a bass, of which nothing is heard in stereo.
      layout = given.order == AV_CHANNEL_ORDER_NATIVE ? given.u.mask : channels == 3 ? 7 : 0
    }
  }

  let source: Source
  private let outputRate: Int
  private let outputChannels: Int
  private var context: OpaquePointer?
  private let planes: UnsafeMutablePointer<UnsafePointer<UInt8>?>
  private static let silentFrames = 1024
  private let silence: UnsafeMutablePointer<UInt8>

  /// Converted samples; valid from `first`, `count` frames.
  private(set) var samples: UnsafeMutablePointer<Float>
  private var capacity: Int
  var first = 0
  var count = 0

  init(source: Source, outputRate: Int, outputChannels: Int, subject: String) throws(MediaError) {
    self.source = source
    self.outputRate = outputRate
    self.outputChannels = outputChannels
    planes = .allocate(capacity: 8)
    planes.initialize(repeating: nil, count: 8)
    // Large enough for 8 interleaved channels of 64 bits.
    silence = .allocate(capacity: Self.silentFrames * 64)
    silence.initialize(repeating: source.sampleFormat == AV_SAMPLE_FMT_U8.rawValue ? 0x80 : 0, count: 65_536)
    capacity = 4096
    samples = .allocate(capacity: capacity * outputChannels)
    try configure(subject)
  }

  deinit {
    swr_free(&context)
    planes.deallocate()
    silence.deallocate()
    samples.deallocate()
  }

  private func configure(_ subject: String) throws(MediaError) {
    var status = open(source.layout)
    // Some cannot be mixed, such as one side without the other.
    if status < 0, source.layout != 0 { status = open(0) }
    guard status >= 0 else { throw Libav.error(status, subject: subject, operation: "convert the rate") }
  }

  private func open(_ layout: UInt64) -> Int32 {
    var input = AVChannelLayout()
    var output = AVChannelLayout()
    if layout == 0 || av_channel_layout_from_mask(&input, layout) < 0 {
      av_channel_layout_default(&input, Int32(source.channels))
    }
    if outputChannels == source.channels {
      output = input
    } else {
      av_channel_layout_default(&output, Int32(outputChannels))
    }
    swr_free(&context)
    var status = swr_alloc_set_opts2(
      &context, &output, AV_SAMPLE_FMT_FLT, Int32(outputRate), &input,
      AVSampleFormat(rawValue: source.sampleFormat), Int32(source.sampleRate), 0, nil)
    if status >= 0 {
      // A mono voice stays as loud in stereo, and both sides of a stereo take count the same in mono.
      let matrix: [Double]? =
        switch (source.channels, outputChannels) {
        case (1, 2): [1, 1]
        case (2, 1): [0.5, 0.5]
        default: nil
        }
      if let matrix { status = swr_set_matrix(context, matrix, Int32(source.channels)) }
    }
    if status >= 0, source.sampleRate != outputRate { status = sharpen() }
    return status >= 0 ? swr_init(context) : status
  }

  /// Gives it the filter of sound sessions.
  private func sharpen() -> Int32 {
    for (name, value) in RateKernel.steep.options(isUp: outputRate > source.sampleRate) {
      let status = mynah_resampler_option(context, name, value)
      guard status >= 0 else { return status }
    }
    return 0
  }

  /// Forgets all history.
  func reset(subject: String) throws(MediaError) {
    first = 0
    count = 0
    swr_close(context)
    let status = swr_init(context)
    guard status >= 0 else { throw Libav.error(status, subject: subject, operation: "convert the rate") }
  }

  /// Converts the frames of a decoded frame from `offset` on; the result is in `samples`.
  func convert(_ frame: UnsafeMutablePointer<AVFrame>, offset: Int, subject: String) throws(MediaError) {
    let content = frame.pointee
    let format = AVSampleFormat(rawValue: content.format)
    let width = Int(av_get_bytes_per_sample(format))
    let isPlanar = av_sample_fmt_is_planar(format) != 0
    let stride = isPlanar ? width : width * source.channels
    for plane in 0..<(isPlanar ? source.channels : 1) {
      planes[plane] = content.extended_data[plane].map { UnsafePointer($0 + offset * stride) }
    }
    try run(frames: Int(content.nb_samples) - offset, subject: subject)
  }

  /// Converts up to 1024 frames of silence.
  ///
  /// - Returns: how many.
  func convertSilence(frames: Int, subject: String) throws(MediaError) -> Int {
    for plane in 0..<8 { planes[plane] = UnsafePointer(silence) }
    let count = min(frames, Self.silentFrames)
    try run(frames: count, subject: subject)
    return count
  }

  /// Brings out what the filter still holds.
  func drain(subject: String) throws(MediaError) { try run(frames: nil, subject: subject) }

  private func run(frames: Int?, subject: String) throws(MediaError) {
    let room = Int(max(0, swr_get_out_samples(context, Int32(frames ?? 0)))) + 64
    if room > capacity {
      samples.deallocate()
      capacity = room
      samples = .allocate(capacity: capacity * outputChannels)
    }
    var target: UnsafeMutablePointer<UInt8>? = UnsafeMutableRawPointer(samples).assumingMemoryBound(to: UInt8.self)
    let made = swr_convert(context, &target, Int32(capacity), frames == nil ? nil : planes, Int32(frames ?? 0))
    guard made >= 0 else { throw Libav.error(made, subject: subject, operation: "convert the rate") }
    first = 0
    count = Int(made)
  }
}
