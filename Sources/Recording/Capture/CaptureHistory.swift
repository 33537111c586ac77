internal import Hardware
internal import Sound

/// The unbroken run of frames that a microphone's blocks make: the last seconds of them, when each was at the converter,
/// and what is missing between them. Media lane only.
///
/// Frames are counted from the first opening and never restart. Lost sound is there as exact silence and in `gaps`.
final class CaptureHistory {
  /// The frames themselves.
  private(set) var ring: PreRecordRing
  private var timeline: CaptureTimeline
  /// The first frame of this opening: the timeline starts afresh with every one, and counts from there.
  private(set) var firstOfOpening = 0
  /// The first block of another source has not come yet; it may begin before the last one of the source before ended.
  private var isJoining = false
  /// Frames of silence before the next block that are there already.
  private var bridged = 0
  /// Gaps among the frames held, oldest first.
  private(set) var gaps: [CaptureGap] = []
  /// Where another source begins, among the frames held, oldest first.
  private(set) var changes: [(frame: Int, source: String, name: String)] = []
  /// Grows whenever the frames before and after do not follow one another in time: at every opening.
  private(set) var generation = 0

  /// Slack beyond the seconds that are wanted: what a late media worker or a full pipe may use up.
  static let slackSeconds = 3

  init(format: PCMFormat, seconds: Int) {
    ring = PreRecordRing(format: format, capacity: Self.capacity(format, seconds))
    timeline = CaptureTimeline(format: format)
  }

  private static func capacity(_ format: PCMFormat, _ seconds: Int) -> Int {
    (seconds + slackSeconds) * format.sampleRate
  }

  /// Bytes of one that is wanted to hold so many seconds, for the budget.
  static func byteCount(_ format: PCMFormat, seconds: Int) -> Int {
    PreRecordRing.byteCount(format: format, capacity: capacity(format, seconds))
  }

  // MARK: Frames and instants

  /// How far the microphone's clock is off, in parts per million.
  var driftPPM: Double { timeline.driftPPM }

  /// Whether nothing has come since the opening, so that nobody knows which instant its first frame is of.
  var isUntimed: Bool { timeline.frame(at: .zero) == nil }

  /// The frame that was (or will be) at the converter at `instant`; before the first sound, the next one to come.
  func frame(at instant: Instant) -> Int {
    timeline.frame(at: instant).map { max(0, firstOfOpening + $0) } ?? ring.endFrame
  }

  /// When a frame of this opening was (or will be) at the converter; `nil` before the first sound.
  func instant(ofFrame frame: Int) -> Instant? { timeline.instant(ofFrame: frame - firstOfOpening) }

  // MARK: Its life

  /// Is empty from here on, in a format, and goes on counting where it ended.
  func begin(_ format: PCMFormat, seconds: Int) {
    let end = ring.endFrame
    let capacity = Self.capacity(format, seconds)
    generation += 1
    if ring.format != format || ring.capacity != capacity { ring = PreRecordRing(format: format, capacity: capacity) }
    ring.restart(at: end)
    timeline = CaptureTimeline(format: format)
    firstOfOpening = end
    (isJoining, bridged) = (false, 0)
    gaps = []
    changes = []
  }

  /// Holds so many seconds from here on, and keeps what fits.
  ///
  /// - Returns: whether it has not done so before.
  func hold(seconds: Int) -> Bool {
    let capacity = Self.capacity(ring.format, seconds)
    guard ring.capacity != capacity else { return false }
    ring = ring.resized(capacity: capacity)
    return true
  }

  /// Another source goes on from here.
  func join(_ source: String, name: String) {
    timeline.changeSource()
    isJoining = true
    changes.append((ring.endFrame, source, name))
  }

  // MARK: Receiving

  /// Frames at a block's beginning that the source before has told already; they are to be left out.
  func overlap(of block: CaptureBlock) -> Int {
    guard isJoining, block.kind == .sound, block.frames > 0 else { return 0 }
    let overlap = min(timeline.overlap(of: block), Int(block.frames))
    isJoining = overlap == Int(block.frames)
    return overlap
  }

  /// Puts the first of the silence before a block, where all of it at once would push out what nobody has taken yet: who
  /// takes sound is somewhat behind what has come, and goes on in the silence.
  ///
  /// - Returns: whether it has; the block comes after a step.
  func bridge(to block: CaptureBlock) -> Bool {
    let half = ring.capacity / 2
    guard bridged == 0, timeline.missing(before: block) > half else { return false }
    bridged = half
    pushSilence(half, isJoining ? "source" : "overrun")
    return true
  }

  /// Counts a block, and puts silence in the place of what is missing before it; its sound is what is pushed next.
  func add(_ block: CaptureBlock) {
    let placement = timeline.add(block)
    guard placement.gapFrames > 0 else { return }
    pushSilence(max(0, placement.gapFrames - bridged), placement.cause == .lost ? "source" : "overrun")
    bridged = 0
  }

  private func pushSilence(_ frames: Int, _ reason: String) {
    if let last = gaps.last, last.frame + last.frames == ring.endFrame, last.reason == reason {
      gaps[gaps.count - 1].frames += frames
    } else {
      gaps.append(CaptureGap(frame: ring.endFrame, frames: frames, reason: reason))
    }
    ring.pushSilence(frames: frames)
  }

  /// Forgets gaps and changes among frames that are not held any more.
  func forgetPast() {
    let oldest = ring.firstFrame
    gaps.removeAll { $0.frame + $0.frames < oldest }
    if !changes.isEmpty { changes.removeAll { $0.frame < oldest } }
  }
}
