public import Hardware

/// Sound of one rate and number of channels as somebody else has it, and as much faster or slower as two crystals differ
/// by: `RateFilter` between the rates, `FractionalResampler` on the side of the higher one. One worker thread.
public final class RateFitting {
  private static let block = 512

  private let from: Int
  private let to: Int
  private var filter: RateFilter?
  private let clocks: FractionalResampler
  private let inputs: Int
  private let channels: Int
  private var mapped: [Float]
  private var between: [Float]

  /// `nil`: there is no filter between the rates.
  public init?(from: PCMFormat, to: PCMFormat) {
    (self.from, self.to, inputs, channels) = (from.sampleRate, to.sampleRate, from.channels, to.channels)
    clocks = FractionalResampler(channels: to.channels)
    mapped = Array(repeating: 0, count: Self.block * to.channels)
    between = mapped
    filter =
      from.sampleRate == to.sampleRate
      ? nil
      : RateFilter(from: from.sampleRate, to: to.sampleRate, channels: to.channels, frames: 2 * Self.block)
    if from.sampleRate != to.sampleRate, filter == nil { return nil }
  }

  /// Frames of the input that are not in the output yet.
  public var held: Double {
    guard let filtered = filter?.held else { return clocks.held }
    return from < to ? filtered + clocks.held * Double(from) / Double(to) : filtered + clocks.held
  }

  /// Takes in interleaved frames.
  ///
  /// - Parameters:
  ///   - ppm: how much faster than nominal they are used up, −1000…1000.
  ///   - emit: gets what comes out, interleaved, some frames at a time.
  public func fit(
    _ samples: UnsafePointer<Float>, frames: Int, ppm: Double, emit: (UnsafePointer<Float>, Int) -> Void
  ) {
    var done = 0
    while done < frames {
      let count = min(Self.block, frames - done)
      mapped.withUnsafeMutableBufferPointer { mapped in
        guard let base = mapped.baseAddress else { return }
        map(samples + done * inputs, into: base, frames: count)
        if from < to {
          convert(base, count) { clocks.write($0, frames: $1) }
        } else {
          clocks.write(base, frames: count)
        }
      }
      drain(ppm: ppm, emit)
      done += count
    }
  }

  private func drain(ppm: Double, _ emit: (UnsafePointer<Float>, Int) -> Void) {
    mapped.withUnsafeMutableBufferPointer { mapped in
      guard let base = mapped.baseAddress else { return }
      while true {
        let count = clocks.read(into: base, frames: Self.block, ppm: ppm)
        guard count > 0 else { return }
        if from > to { convert(base, count, emit) } else { emit(base, count) }
      }
    }
  }

  /// Through the filter, or, where there is none, as it is.
  private func convert(_ samples: UnsafePointer<Float>, _ frames: Int, _ emit: (UnsafePointer<Float>, Int) -> Void) {
    guard filter != nil else { return emit(samples, frames) }
    filter?.write(samples, frames: frames)
    between.withUnsafeMutableBufferPointer { between in
      guard let base = between.baseAddress else { return }
      while let count = filter?.read(into: base, frames: Self.block), count > 0 { emit(base, count) }
    }
  }

  private func map(_ source: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, frames: Int) {
    for frame in 0..<frames {
      switch (inputs, channels) {
      case (2, 1): target[frame] = (source[2 * frame] + source[2 * frame + 1]) / 2
      case (1, 2): (target[2 * frame], target[2 * frame + 1]) = (source[frame], source[frame])
      default: for channel in 0..<channels { target[frame * channels + channel] = source[frame * channels + channel] }
      }
    }
  }
}
