internal import CFFmpeg

/// Turns the time stamps of a stream into places in frames: 0 is the first audible one.
///
/// Time bases coarser than a frame round, some time stamps waver, and damaged ones jump. None of it makes a gap; what lies
/// between does. What is not taken for one adds up: a place is held against the first frame's time stamp, not the last one's.
struct FramePlaces {
  let timeBase: AVRational
  let frameBase: AVRational
  /// The time stamp of the first audible frame.
  var origin: Int64
  /// Where the next frame begins if nothing is missing; `nil` where that is not known.
  var expected: Int?
  /// Frames by which time stamps may be late though nothing is missing.
  private let wavering: Int

  /// A gap longer than this is a damaged time stamp, not silence.
  private static let longestGapSeconds = 60

  init(timeBase: AVRational, sampleRate: Int, origin: Int64, expected: Int?, wavering: Int = 0) {
    self.timeBase = timeBase
    self.origin = origin
    self.expected = expected
    self.wavering = wavering
    frameBase = AVRational(num: 1, den: Int32(sampleRate))
  }

  /// Where what has this time stamp begins; it is `frames` long.
  mutating func place(_ timestamp: Int64, frames: Int) -> Int {
    let place = begin(timestamp)
    expected = min(place + frames, FrameDecoder.mostFrames)
    return place
  }

  private mutating func begin(_ timestamp: Int64) -> Int {
    guard timestamp != ffmpeg_no_timestamp() else { return expected ?? 0 }
    let (distance, overflow) = timestamp.subtractingReportingOverflow(origin)
    guard !overflow else { return expected ?? 0 }
    let most = FrameDecoder.mostFrames
    let place = min(max(-most, Int(av_rescale_q(distance, timeBase, frameBase))), most)
    guard let expected else { return place }
    let rate = Int(frameBase.den)
    let tick = Int(timeBase.num) * rate / max(1, Int(timeBase.den)) + 1
    guard place > expected + max(tick, wavering) else { return expected }
    guard place - expected <= Self.longestGapSeconds * rate else {
      origin &+= av_rescale_q(Int64(place - expected), frameBase, timeBase)
      return expected
    }
    return place
  }
}
