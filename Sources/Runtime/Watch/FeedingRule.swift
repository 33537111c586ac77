internal import Hardware

/// What proves that the appliance does its work: counters that only grow.
struct Progress: Hashable {
  /// Turns of the control loop.
  var control: Int
  /// What the microphone's real-time thread has handled, and tries to get the microphone back; `nil` where there is none
  /// to listen to.
  var audio: Int?
  /// Turns of the media worker, which takes the sound over; `nil` where it has nothing to listen to.
  var media: Int? = nil
}

/// When a watchdog is fed: only if both the control loop and the audio thread have got on since it was fed last.
///
/// The media worker reads files for the player, and a card may keep it waiting for as long as ten seconds: it is given
/// more time than the threads that wait for nobody.
///
/// Pure; the caller looks at counters and clock.
struct FeedingRule {
  /// While the appliance ends, the microphone is closed and the storage completes what is open: that may take as long
  /// as a slow card takes, and not for ever.
  static let endingTime = Duration.seconds(60)
  /// How long the media worker may stand still.
  static let mediaTime = Duration.seconds(30)

  /// How often to look: at least twice in the time that the watchdog grants.
  let interval: Duration
  private var fed: Progress?
  private var endingSince: Instant?
  private var media: (turns: Int?, since: Instant)?

  /// - Parameter period: the time within which the watchdog must be fed.
  init(period: Duration) { interval = max(.milliseconds(10), min(.seconds(5), period / 4)) }

  /// From now on the audio is not asked about, for a while.
  mutating func beginEnding(at now: Instant) { endingSince = endingSince ?? now }

  /// Whether to feed now. The first call says yes: nothing has had the time to stop.
  mutating func mayFeed(_ progress: Progress, at now: Instant) -> Bool {
    let isEnding = endingSince.map { now - $0 < Self.endingTime } ?? false
    if media == nil || media?.turns != progress.media || progress.media == nil { media = (progress.media, now) }
    guard let last = fed else {
      fed = progress
      return true
    }
    guard progress.control != last.control else { return false }
    if let audio = progress.audio, audio == last.audio, !isEnding { return false }
    if let media, now - media.since >= Self.mediaTime, !isEnding { return false }
    fed = progress
    return true
  }
}
