internal import Hardware

/// What proves that the appliance does its work: counters that only grow.
struct Progress: Hashable {
  /// Turns of the control loop.
  var control: Int
  /// Frames that came from the microphone through its thread and the media worker, or tries to get it back; `nil`
  /// where there is none to listen to.
  var audio: Int?
}

/// When a watchdog is fed: only if both the control loop and the audio thread have got on since it was fed last.
///
/// Pure; the caller looks at counters and clock.
struct FeedingRule {
  /// While the appliance ends, the microphone is closed and the storage completes what is open: that may take as long
  /// as a slow card takes, and not for ever.
  static let endingTime = Duration.seconds(60)

  /// How often to look: at least twice in the time that the watchdog grants.
  let interval: Duration
  private var fed: Progress?
  private var endingSince: Instant?

  /// - Parameter period: the time within which the watchdog must be fed.
  init(period: Duration) { interval = max(.milliseconds(10), min(.seconds(5), period / 4)) }

  /// From now on the audio is not asked about, for a while.
  mutating func beginEnding(at now: Instant) { endingSince = endingSince ?? now }

  /// Whether to feed now. The first call says yes: nothing has had the time to stop.
  mutating func mayFeed(_ progress: Progress, at now: Instant) -> Bool {
    let isEnding = endingSince.map { now - $0 < Self.endingTime } ?? false
    guard let last = fed else {
      fed = progress
      return true
    }
    guard progress.control != last.control else { return false }
    if let audio = progress.audio, audio == last.audio, !isEnding { return false }
    fed = progress
    return true
  }
}
