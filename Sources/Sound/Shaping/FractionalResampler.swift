/// Plays sound a little or much faster or slower, and as much higher or lower: what two clocks differ by, or a pitch that
/// somebody wants.
///
/// Output frame n lies at input frame Σ step; a change of the step changes the speed, never the phase, so that it cannot
/// be heard. While the step has always been 1, sound passes bit by bit. One worker thread.
public final class FractionalResampler {
  public static let range = -1000.0...1000.0
  /// Steps that its filters are made for.
  public static let steps = 0.25...2.0
  /// Frames that must be known after a place before it can be interpolated, at steps near 1.
  public static var latency: Int { SincTable.shortest / 2 }
  /// Frames before a place that are kept for the widest filter.
  private static let past = SincTable.taps(step: steps.upperBound) / 2
  /// The way back to whole frames goes so much faster: less than a cent.
  private static let haste = 1.0005

  /// Of the step that was read with last.
  private var table = SincTable.shared
  private let channels: Int
  private let isPrompt: Bool
  /// Input that is still needed, interleaved. It begins `past` frames before the input's first.
  private var input: [Float]
  /// Where the next output frame lies, in frames of `input` after its first `past`.
  private var position = 0.0
  /// Frames of the input's end that are there only for the filter.
  private var padding = 0

  /// - Parameters:
  ///   - channels: 1 or 2, interleaved.
  ///   - isPrompt: at a step of 1 it finds its way back to whole frames, and then holds nothing back.
  public init(channels: Int = 2, isPrompt: Bool = false) {
    self.channels = channels
    self.isPrompt = isPrompt
    input = Array(repeating: 0, count: channels * Self.past)
    input.reserveCapacity(16_384)
  }

  /// Frames that were written and do not come out yet.
  public var held: Double { Double(input.count / channels - Self.past - padding) - position }

  /// Appends interleaved frames.
  public func write(_ samples: UnsafePointer<Float>, frames: Int) {
    input.append(contentsOf: UnsafeBufferPointer(start: samples, count: channels * frames))
  }

  /// Nothing follows: what is held comes out.
  public func finish() {
    guard padding == 0 else { return }
    padding = Self.past + 1
    input.append(contentsOf: repeatElement(0, count: channels * padding))
  }

  /// Fills `target` with up to `frames` frames, each `1 + ppm·10⁻⁶` input frames after the one before it.
  ///
  /// - Parameter ppm: within `range`.
  /// - Returns: how many there were.
  public func read(into target: UnsafeMutablePointer<Float>, frames: Int, ppm: Double) -> Int {
    read(into: target, frames: frames, step: 1 + max(Self.range.lowerBound, min(Self.range.upperBound, ppm)) * 1e-6)
  }

  /// Fills `target` with up to `frames` frames, each `step` input frames after the one before it. What is too high to be
  /// told at the new speed is filtered out.
  ///
  /// - Parameter step: within `steps`.
  /// - Returns: how many there were.
  public func read(into target: UnsafeMutablePointer<Float>, frames: Int, step: Double) -> Int {
    let step = max(Self.steps.lowerBound, min(Self.steps.upperBound, step))
    let written = input.count / channels - Self.past
    let isWide = step > 1 + Self.range.upperBound * 1e-6
    if table.step != (isWide ? step : 1) { table = isWide ? SincTable(step: step) : .shared }
    let table = table
    let reach = table.taps / 2
    var made = 0
    input.withUnsafeBufferPointer { input in
      guard let start = input.baseAddress else { return }
      while made < frames {
        let whole = Int(position)
        let fraction = position - Double(whole)
        let place = start + channels * (whole + Self.past)
        if step == 1, fraction == 0 {
          // It stays on whole frames.
          let known = written - (isPrompt ? padding : max(padding, reach))
          let count = max(0, min(frames - made, known - whole))
          (target + channels * made).update(from: place, count: channels * count)
          position += Double(count)
          made += count
          break
        }
        guard whole + reach + 1 <= written, whole < written - padding else { break }
        let window = place - channels * (reach - 1)
        if channels == 1 {
          target[made] = table.value(window, fraction: fraction)
        } else {
          (target[2 * made], target[2 * made + 1]) = table.stereo(window, fraction: fraction)
        }
        // Once a whole frame is within reach, all that follow are.
        let isReturning = isPrompt && step == 1 && fraction > 0
        position =
          isReturning && position + Self.haste >= Double(whole + 2)
          ? Double(whole + 2) : position + (isReturning ? Self.haste : step)
        made += 1
      }
    }
    let done = max(0, min(Int(position), written))
    input.removeFirst(channels * done)
    position -= Double(done)
    return made
  }

  /// Forgets everything, for sound that does not continue.
  public func reset() {
    input.removeAll(keepingCapacity: true)
    input.append(contentsOf: repeatElement(0, count: channels * Self.past))
    position = 0
    padding = 0
  }
}

/// Resamples a whole voice in one call.
public enum RateConverter {
  /// One channel at `rate` (8000…48000 Hz), at 48 kHz. Nothing above half of `rate` is added, nothing is delayed.
  public static func to48k(_ mono: [Float], rate: Int) -> [Float] {
    guard rate != 48_000, !mono.isEmpty else { return mono }
    let padding = [Float](repeating: 0, count: SincTable.shortest)
    let padded = padding + mono + padding
    let count = Int((Double(mono.count) * 48_000 / Double(rate)).rounded())
    let step = Double(rate) / 48_000
    let table = SincTable.shared
    return [Float](unsafeUninitializedCapacity: count) { output, made in
      padded.withUnsafeBufferPointer { input in
        guard let start = input.baseAddress else { return }
        for index in 0..<count {
          let position = Double(index) * step + Double(SincTable.shortest / 2 + 1)
          let whole = Int(position)
          output[index] = table.value(start + whole, fraction: position - Double(whole))
        }
      }
      made = count
    }
  }
}
