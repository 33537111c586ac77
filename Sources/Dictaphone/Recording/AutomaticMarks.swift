internal import Recording

/// Where marks are put by themselves, for lost sound and for what clips: not so many that nobody finds his own. Pure; frames
/// are those of the take.
struct AutomaticMarks {
  /// Whether lost sound, and whatever else happens to a take, is marked.
  let ofGaps: Bool
  private let ofOverloads: Bool
  private let sampleRate: Int
  /// No other is put before these.
  private var nextGap = 0
  private var nextOverload = 0

  /// They are this far apart at least.
  private static let secondsBetweenGaps = 1
  private static let secondsBetweenOverloads = 5
  /// What clips as the meter has it: so many samples in a row at full scale, of 16 bits.
  private static let clipRun = 3
  private static let fullScale: Float = 0.99996

  init(_ settings: RecordingSettings, sampleRate: Int) {
    (ofGaps, ofOverloads, self.sampleRate) = (settings.marksGaps, settings.marksOverloads, sampleRate)
  }

  /// Whether a gap is marked, at its first frame. Where another source begins is a mark already.
  mutating func takes(_ gap: CaptureGap) -> Bool {
    guard ofGaps, gap.reason != "source", gap.frame >= nextGap else { return false }
    nextGap = gap.frame + sampleRate * Self.secondsBetweenGaps
    return true
  }

  /// The first frame that clips in a chunk.
  ///
  /// - Parameters:
  ///   - samples: interleaved.
  ///   - position: frames of the take before the chunk.
  mutating func overload(in samples: UnsafePointer<Float>, frames: Int, channels: Int, at position: Int) -> Int? {
    guard ofOverloads else { return nil }
    let first = max(0, nextOverload - position)
    for channel in 0..<channels {
      var run = 0
      for frame in first..<max(first, frames) {
        run = abs(samples[frame * channels + channel]) >= Self.fullScale ? run + 1 : 0
        guard run == Self.clipRun else { continue }
        let place = position + frame + 1 - run
        nextOverload = place + sampleRate * Self.secondsBetweenOverloads
        return place
      }
    }
    return nil
  }
}
