internal import Hardware

/// Keeps stereo below a ceiling without clipping: it knows a peak before it comes out, and is down in time.
///
/// The gain that a frame needs is taken from its true peak (interpolated fourfold, ITU-R BS.1770-4 Annex 2); the least
/// of the look-ahead is held and smoothed by an average as long as the look-ahead, so that it is reached exactly when the
/// peak comes out, and never by a step. Sound that needs nothing passes bit by bit, `latency` frames later. One worker
/// thread; does not allocate after `init`.
public final class PeakLimiter {
  /// −1 dBFS.
  public static let ceiling: Float = 0.891_250_9
  /// What is aimed at: the interpolation misses up to 0.2 dB of a peak.
  private static let target: Float = 0.871
  /// 5 ms at 48 kHz.
  private static let lookAhead = 240
  /// The least gain is sought among this many frames: a true peak lies between two of them, and both must be down.
  private static let window = lookAhead + 2
  /// Frames by which sound comes out later than it went in.
  public static var latency: Int { lookAhead + TruePeak.delay }
  /// The gain returns with this time constant: 100 ms at 48 kHz.
  private static let release: Float = 1 / 4800

  private var peak = TruePeak()
  /// Sound on its way, interleaved; a ring of `latency` frames.
  private var delayed: [Float]
  private var place = 0
  /// Candidates for the least gain of the look-ahead: (frame, gain), gains rising; a ring.
  private var candidateFrames: [Int]
  private var candidateGains: [Float]
  private var firstCandidate = 0
  private var candidates = 0
  /// The held gains of the last `lookAhead` frames, and how many of them are below 1.
  private var held: [Float]
  private var heldPlace = 0
  private var heldSum: Double
  private var reduced = 0
  private var lastHeld: Float = 1
  private var frame = 0

  public init() {
    delayed = Array(repeating: 0, count: 2 * Self.latency)
    candidateFrames = Array(repeating: 0, count: Self.window + 1)
    candidateGains = Array(repeating: 1, count: Self.window + 1)
    held = Array(repeating: 1, count: Self.lookAhead)
    heldSum = Double(Self.lookAhead)
  }

  /// The gain of the frame that came out last; 1: untouched.
  public private(set) var gain: Float = 1

  /// Limits interleaved stereo in place; what comes out is what went in `latency` frames before.
  public func process(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    guard !passes(samples, frames: frames) else { return }
    for index in 0..<frames {
      let left = samples[2 * index]
      let right = samples[2 * index + 1]
      // What is not a number would stay in every sum for ever.
      let safe = (left.isFinite ? left : 0, right.isFinite ? right : 0)
      hold(least(of: needed(peak.add(safe.0, safe.1))))
      gain = reduced == 0 ? 1 : Float(heldSum / Double(Self.lookAhead))
      let out = (delayed[place], delayed[place + 1])
      delayed[place] = safe.0
      delayed[place + 1] = safe.1
      place = place + 2 == delayed.count ? 0 : place + 2
      samples[2 * index] = bounded(out.0 * gain)
      samples[2 * index + 1] = bounded(out.1 * gain)
      frame += 1
    }
  }

  /// Only delays sound that is too quiet to need anything, when nothing is left of a reduction.
  ///
  /// - Returns: false if it is not so quiet; nothing has been done then.
  private func passes(_ samples: UnsafeMutablePointer<Float>, frames: Int) -> Bool {
    guard reduced == 0, lastHeld == 1, peak.isQuiet, frames > 0, candidates == 0 || candidateGains[firstCandidate] == 1
    else { return false }
    var loud: Int32 = 0
    // What is not a number is not quiet.
    for index in 0..<(2 * frames) { loud &+= abs(samples[index]) <= TruePeak.quietest ? 0 : 1 }
    guard loud == 0 else { return false }
    for index in max(0, frames - TruePeak.taps)..<frames { peak.note(samples[2 * index], samples[2 * index + 1]) }
    delayed.withUnsafeMutableBufferPointer { delayed in
      var index = 0
      while index < 2 * frames {
        let count = min(2 * frames - index, delayed.count - place)
        for step in 0..<count {
          let out = delayed[place + step]
          delayed[place + step] = samples[index + step]
          samples[index + step] = out
        }
        index += count
        place = place + count == delayed.count ? 0 : place + count
      }
    }
    frame += frames
    // Every gain of the look-ahead is 1: the last stands for all.
    (firstCandidate, candidates) = (0, 1)
    (candidateFrames[0], candidateGains[0]) = (frame - 1, 1)
    gain = 1
    return true
  }

  private func needed(_ peak: Float) -> Float { peak > Self.target ? Self.target / peak : 1 }

  /// Rounding of the average's sum must not reach the device.
  private func bounded(_ value: Float) -> Float { max(-Self.ceiling, min(Self.ceiling, value)) }

  /// The least of the last `lookAhead` gains, by a queue that only keeps what can still be the least.
  private func least(of gain: Float) -> Float {
    let size = candidateGains.count
    while candidates > 0, candidateGains[(firstCandidate + candidates - 1) % size] >= gain { candidates -= 1 }
    let slot = (firstCandidate + candidates) % size
    candidateFrames[slot] = frame
    candidateGains[slot] = gain
    candidates += 1
    while candidateFrames[firstCandidate] <= frame - Self.window {
      firstCandidate = (firstCandidate + 1) % size
      candidates -= 1
    }
    return candidateGains[firstCandidate]
  }

  /// Lets the gain fall at once and return slowly; the average over the look-ahead makes the fall a ramp.
  private func hold(_ least: Float) {
    var next = min(least, lastHeld + (1 - lastHeld) * Self.release)
    // Nearer to 1 a step is smaller than what a Float can tell: the gain would never arrive.
    if next > 0.999, least == 1 { next = 1 }
    lastHeld = next
    let old = held[heldPlace]
    held[heldPlace] = next
    heldPlace = heldPlace + 1 == held.count ? 0 : heldPlace + 1
    heldSum += Double(next) - Double(old)
    reduced += (next < 1 ? 1 : 0) - (old < 1 ? 1 : 0)
    // Nothing is left of the sum's rounding once all is as it was.
    if reduced == 0 { heldSum = Double(Self.lookAhead) }
  }
}

/// The true peak of stereo, frame by frame: the largest of the samples and of three values interpolated between them.
struct TruePeak {
  static let taps = 24
  /// Frames by which a peak is told after the sample at its left came in.
  static let delay = taps / 2
  /// The interpolator, phase after phase: sinc under a Hann window.
  private static let kernel: [Float] = (1...3).flatMap { phase in
    (0..<taps).map { tap in
      let x = Double(tap - taps / 2 + 1) - Double(phase) / 4
      let window = 0.5 + 0.5 * SineMath.cosine(2 * x / Double(taps + 1))
      return Float(SineMath.sinc(x) * window)
    }
  }
  /// No peak of samples up to this is near the ceiling: the largest sum of coefficient magnitudes of a phase, by which an
  /// interpolated value may be larger than the largest sample, is 2.
  static let quietest: Float = 0.4

  private let kernel = Self.kernel
  private var history = [Float](repeating: 0, count: 4 * taps)
  private var place = 0
  /// Frames since a sample was large enough to hide a peak.
  private var quiet = taps

  /// Whether nothing that a peak can hide between has come in lately.
  var isQuiet: Bool { quiet == Self.taps }

  /// Takes in a frame.
  mutating func note(_ left: Float, _ right: Float) {
    let taps = Self.taps
    // Everything is written twice, so that the last `taps` frames always lie in one piece.
    history[2 * place] = left
    history[2 * place + 1] = right
    history[2 * (place + taps)] = left
    history[2 * (place + taps) + 1] = right
    place = place + 1 == taps ? 0 : place + 1
    quiet = max(abs(left), abs(right)) > Self.quietest ? 0 : min(taps, quiet + 1)
  }

  /// - Returns: the true peak between the frame `delay` ago and the one after it.
  mutating func add(_ left: Float, _ right: Float) -> Float {
    note(left, right)
    let taps = Self.taps
    let middle = 2 * (place + taps - Self.delay - 1)
    var peak = max(abs(history[middle]), abs(history[middle + 1]), abs(history[middle + 2]), abs(history[middle + 3]))
    guard quiet < taps else { return peak }
    let start = place
    history.withUnsafeBufferPointer { history in
      kernel.withUnsafeBufferPointer { kernel in
        for phase in 0..<3 {
          var left: Float = 0
          var right: Float = 0
          for tap in 0..<taps {
            let weight = kernel[phase * taps + tap]
            left += weight * history[2 * (start + tap)]
            right += weight * history[2 * (start + tap) + 1]
          }
          peak = max(peak, abs(left), abs(right))
        }
      }
    }
    return peak
  }
}
