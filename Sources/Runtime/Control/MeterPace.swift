internal import Appliance
internal import Hardware

/// How often the microphone's sound is looked at, and its levels are shown.
enum MeterPace: Sendable {
  /// As often as its periods come, some 30 times a second: a take is open, something plays, or somebody is at the keys.
  case lively
  /// At least 20 times a second: the device stands armed, and nobody has touched it for a while.
  case calm
  /// Nobody looks at the levels, nor waits for the sound: it only fills its history.
  case resting

  /// Least time between two looks; the ring behind the driver holds two seconds.
  var interval: Duration {
    switch self {
    case .lively: .zero
    case .calm: .milliseconds(48)
    case .resting: .milliseconds(250)
    }
  }
}

/// Whether somebody is at the keys: decides the pace. A plain value.
struct Attention {
  /// So long after the last press the meters stay lively.
  static let span = Duration.seconds(5)

  /// The end of that; not known before the first look, from which the meters are lively as after a press.
  private var until: Instant?

  /// A key went down or up, by a hand or from a console.
  mutating func touch(at now: Instant) { until = now + Self.span }

  /// The pace now, and when it is another one if nothing happens.
  mutating func pace(_ state: State, at now: Instant) -> (pace: MeterPace, next: Instant?) {
    if (state.mode == .dub || state.mode == .feed) && state.activity == .idle { return (.resting, nil) }
    let lively = until ?? now + Self.span
    until = lively
    if state.activity != .idle || state.hasOpenWork { return (.lively, nil) }
    return now < lively ? (.lively, lively) : (.calm, nil)
  }
}
