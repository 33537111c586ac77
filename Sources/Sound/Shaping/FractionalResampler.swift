/// Plays stereo a little faster or slower, by up to ±1000 ppm: what two clocks differ by, and as much to make up for it.
///
/// Output frame n lies at input frame Σ(1 + ppm·10⁻⁶); a change of the ratio changes the speed, never the phase, so that
/// it cannot be heard. While the ratio has always been 1, sound passes bit by bit. One worker thread.
public final class FractionalResampler {
  public static let range = -1000.0...1000.0
  /// Frames that must be known after a place before it can be interpolated.
  public static var latency: Int { SincTable.taps / 2 }

  private let table = SincTable.shared
  /// Input that is still needed, interleaved. It begins `taps / 2 − 1` frames before the input's first.
  private var input: [Float]
  /// Where the next output frame lies, in frames of `input` after its first full window.
  private var position = 0.0

  public init() {
    input = Array(repeating: 0, count: 2 * (SincTable.taps / 2 - 1))
    input.reserveCapacity(16_384)
  }

  /// Frames that were written and do not come out yet.
  public var held: Double { Double(input.count / 2 - (SincTable.taps / 2 - 1)) - position }

  /// Appends interleaved frames.
  public func write(_ samples: UnsafePointer<Float>, frames: Int) {
    input.append(contentsOf: UnsafeBufferPointer(start: samples, count: 2 * frames))
  }

  /// Fills `target` with up to `frames` frames, each `1 + ppm·10⁻⁶` input frames after the one before it.
  ///
  /// - Parameter ppm: within `range`.
  /// - Returns: how many there were.
  public func read(into target: UnsafeMutablePointer<Float>, frames: Int, ppm: Double) -> Int {
    let step = 1 + max(Self.range.lowerBound, min(Self.range.upperBound, ppm)) * 1e-6
    let windows = input.count / 2 - SincTable.taps + 1
    var made = 0
    input.withUnsafeBufferPointer { input in
      guard let start = input.baseAddress else { return }
      while made < frames {
        let whole = Int(position)
        guard whole < windows else { break }
        let fraction = position - Double(whole)
        (target[2 * made], target[2 * made + 1]) = table.stereo(start + 2 * whole, fraction: fraction)
        position += step
        made += 1
      }
    }
    let done = min(Int(position), max(0, input.count / 2 - SincTable.taps / 2 + 1))
    input.removeFirst(2 * done)
    position -= Double(done)
    return made
  }

  /// Forgets everything, for sound that does not continue.
  public func reset() {
    input = Array(repeating: 0, count: 2 * (SincTable.taps / 2 - 1))
    position = 0
  }
}

/// Resamples a whole voice in one call.
public enum RateConverter {
  /// One channel at `rate` (8000…48000 Hz), at 48 kHz. Nothing above half of `rate` is added, nothing is delayed.
  public static func to48k(_ mono: [Float], rate: Int) -> [Float] {
    guard rate != 48_000, !mono.isEmpty else { return mono }
    let padding = [Float](repeating: 0, count: SincTable.taps)
    let padded = padding + mono + padding
    let count = Int((Double(mono.count) * 48_000 / Double(rate)).rounded())
    let step = Double(rate) / 48_000
    let table = SincTable.shared
    return [Float](unsafeUninitializedCapacity: count) { output, made in
      padded.withUnsafeBufferPointer { input in
        guard let start = input.baseAddress else { return }
        for index in 0..<count {
          let position = Double(index) * step + Double(SincTable.taps / 2 + 1)
          let whole = Int(position)
          output[index] = table.value(start + whole, fraction: position - Double(whole))
        }
      }
      made = count
    }
  }
}
