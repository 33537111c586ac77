import Dictaphone
import Hardware
import Recording
import Testing

/// What a take has to consist of, worked out from the orders alone.
struct TakeModel {
  /// Frames of the source, as ranges in order.
  private(set) var ranges: [Range<Int>] = []
  private var start: Int?
  /// End of the last range.
  private var end = 0
  private(set) var marks: [Int] = []
  /// Frames of the source that the microphone lost.
  var lost: [Range<Int>] = []

  mutating func start(at frame: Int) { start = frame }

  mutating func pause(at frame: Int) {
    guard let begin = start else { return }
    // A range has room for its fade.
    end = max(frame, begin + Bench.fade)
    ranges.append(begin..<end)
    start = nil
  }

  mutating func resume(at frame: Int) { if start == nil { start = max(frame, end) } }

  mutating func mark(at frame: Int) {
    let before = ranges.reduce(0) { $0 + $1.count }
    // In a pause at the joint; but a short range ends later than ordered.
    marks.append(start.map { before + max(0, frame - $0) } ?? before - max(0, end - frame))
  }

  mutating func stop(at frame: Int) {
    if let begin = start { ranges.append(begin..<max(frame, begin)) }
    endsPaused = start == nil
    start = nil
  }

  /// Whether the take was stopped in a pause: its end is faded out, too.
  private var endsPaused = false

  var isRunning: Bool { start != nil }

  var frames: Int { ranges.reduce(0) { $0 + $1.count } }

  /// Where the take has silence for what the microphone lost.
  var gaps: [CaptureGap] {
    var gaps: [CaptureGap] = []
    var position = 0
    for range in ranges {
      for piece in lost {
        let part = piece.clamped(to: range)
        guard !part.isEmpty else { continue }
        gaps.append(
          CaptureGap(frame: position + part.lowerBound - range.lowerBound, frames: part.count, reason: "overrun"))
      }
      position += range.count
    }
    return gaps
  }

  /// The first thing that is wrong with a take, or `nil`.
  ///
  /// Outside the gaps that were told, every sample is its source's, but for 5 ms at either side of a joint.
  func complaint(about samples: [Int], gaps: [CaptureGap]) -> String? {
    guard samples.count == frames else { return "\(samples.count) frames instead of \(frames): \(ranges)" }
    var isMissing = [Bool](repeating: false, count: frames)
    for gap in gaps {
      guard gap.frame >= 0, gap.frames > 0, gap.frame + gap.frames <= frames else { return "\(gap) is not in the take" }
      for frame in gap.frame..<(gap.frame + gap.frames) { isMissing[frame] = true }
    }
    var position = 0
    for (index, range) in ranges.enumerated() {
      var wasLost = [Bool](repeating: false, count: range.count)
      for piece in lost { for frame in piece.clamped(to: range) { wasLost[frame - range.lowerBound] = true } }
      for frame in range {
        let sample = samples[position]
        let fades =
          index > 0 && frame < range.lowerBound + Bench.fade
          || (endsPaused || index < ranges.count - 1) && frame >= range.upperBound - Bench.fade
        if isMissing[position] || wasLost[frame - range.lowerBound] {
          if sample != 0 { return "frame \(position) is \(sample), not silence" }
          if !isMissing[position] { return "frame \(position) was lost and is in no gap" }
        } else if fades {
          if sample < 0 || sample > frame + 1 { return "frame \(position) is \(sample), louder than \(frame + 1)" }
        } else if sample != frame + 1 {
          return "frame \(position) is \(sample), not \(frame + 1)"
        }
        position += 1
      }
    }
    return nil
  }
}
