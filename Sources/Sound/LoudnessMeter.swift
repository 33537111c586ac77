internal import CEBUR128
public import Hardware

/// Integrated loudness (LUFS, EBU R 128 / ITU-R BS.1770) and true peak (dBTP) of a take, by libebur128.
///
/// Memory is bounded (histogram mode, steps of 0.1 LU), so a take may last for days. The over-sampling filter of the
/// true peak costs most and is only run where it could find a new maximum: its output is at most `gain` times the
/// largest sample within its reach, `gain` being the largest sum of coefficient magnitudes over its phases. So the
/// result is exactly that of running it over everything. `add` neither locks nor, in practice, allocates, but
/// belongs on a worker; one thread at a time.
public final class LoudnessMeter {
  /// Frames that are decided together: so few that most lie between the peaks.
  private static let sliceFrames = 64
  /// The filter reaches back 25 frames at most; these are given to it before a slice.
  private static let reachFrames = 32

  private let channels: Int
  private let loudness: UnsafeMutablePointer<ebur128_state>?
  private let truePeak: UnsafeMutablePointer<ebur128_state>?
  /// Bound of the interpolator: 49 taps of sinc under a Hann window, 4 phases below 96 kHz, 2 below 192 kHz. The sums
  /// are 1.8642 and 2.3068.
  private let gain: Float
  private var maximum: Float = 0
  /// The last frames before the next slice, and the largest sample among them.
  private let reach: UnsafeMutablePointer<Float>
  private var reachPeak: Float = 0
  /// Whether the filter has seen everything up to the next slice.
  private var isFilterCurrent = true

  /// - Parameter format: 8000…192000 Hz, 1 or 2 channels.
  public init(format: PCMFormat) {
    channels = format.channels == 1 ? 1 : 2
    let rate = UInt(max(8000, format.sampleRate))
    gain = rate < 96_000 ? 1.87 : rate < 192_000 ? 2.31 : 1
    let integrated = Int32(EBUR128_MODE_I.rawValue) | Int32(EBUR128_MODE_HISTOGRAM.rawValue)
    // Both are nil only if memory is exhausted; the readings are nil then.
    loudness = ebur128_init(UInt32(channels), rate, integrated)
    truePeak = ebur128_init(UInt32(channels), rate, Int32(EBUR128_MODE_TRUE_PEAK.rawValue))
    reach = .allocate(capacity: Self.reachFrames * channels)
    reach.initialize(repeating: 0, count: Self.reachFrames * channels)
  }

  deinit {
    var states = (loudness, truePeak)
    if loudness != nil { ebur128_destroy(&states.0) }
    if truePeak != nil { ebur128_destroy(&states.1) }
    reach.deallocate()
  }

  /// Takes in interleaved frames.
  public func add(_ interleaved: UnsafePointer<Float>, frames: Int) {
    guard let loudness, let truePeak, frames > 0 else { return }
    _ = ebur128_add_frames_float(loudness, interleaved, frames)
    var done = 0
    while done < frames {
      let count = min(Self.sliceFrames, frames - done)
      look(at: interleaved + done * channels, count, with: truePeak)
      done += count
    }
  }

  /// Gated loudness since the start, in LUFS; `nil` while nothing has been louder than −70 LUFS.
  public var integratedLUFS: Double? {
    guard let loudness else { return nil }
    var value = 0.0
    guard ebur128_loudness_global(loudness, &value) == Int32(EBUR128_SUCCESS.rawValue), value.isFinite else {
      return nil
    }
    return value
  }

  /// Highest true peak of any channel since the start, in dBTP; `nil` while there was only silence.
  public var truePeakDBTP: Double? { maximum > 0 ? Decibels.ofAmplitude(Double(maximum)) : nil }

  private func look(
    at samples: UnsafePointer<Float>, _ frames: Int, with truePeak: UnsafeMutablePointer<ebur128_state>
  ) {
    var peak: Float = 0
    for index in 0..<(frames * channels) {
      let value = samples[index] < 0 ? -samples[index] : samples[index]
      peak = value > peak ? value : peak
    }
    if max(peak, reachPeak) * gain > maximum {
      if !isFilterCurrent {
        // Brings the filter's memory up to date; what it says about frames after its gap is not asked for.
        _ = ebur128_add_frames_float(truePeak, reach, Self.reachFrames)
      }
      _ = ebur128_add_frames_float(truePeak, samples, frames)
      for channel in 0..<UInt32(channels) {
        var value = 0.0
        if ebur128_prev_true_peak(truePeak, channel, &value) == Int32(EBUR128_SUCCESS.rawValue) {
          maximum = max(maximum, Float(value))
        }
      }
      isFilterCurrent = true
    } else {
      isFilterCurrent = false
    }
    keepReach(samples, frames)
  }

  private func keepReach(_ samples: UnsafePointer<Float>, _ frames: Int) {
    let kept = max(0, Self.reachFrames - frames)
    let size = Self.reachFrames * channels
    if kept > 0 { reach.update(from: reach + (size - kept * channels), count: kept * channels) }
    let taken = Self.reachFrames - kept
    (reach + kept * channels).update(from: samples + (frames - taken) * channels, count: taken * channels)
    reachPeak = 0
    for index in 0..<size { reachPeak = max(reachPeak, abs(reach[index])) }
  }
}
