internal import Appliance
internal import Hardware
internal import Panel

/// The picture of a device that stands armed: nothing in it moves but the meters. The display's own lane draws it anew with
/// every level that the media lane has, and the lane that decides sleeps meanwhile. A plain value.
struct StandingPicture: Sendable {
  let state: State
  /// What is shown beside the state. Only what `follow` changes is not as the control lane has seen it.
  private(set) var readings: Readings
  private let status: @Sendable () -> MediaStatus

  /// - Parameter status: what the media lane tells; from any thread.
  init(_ state: State, _ readings: Readings, status: @escaping @Sendable () -> MediaStatus) {
    (self.state, self.readings, self.status) = (state, readings, status)
  }

  /// Whether pictures of this state may stand: armed, on the main screen, and nobody at the keys.
  static func fits(_ state: State, _ pace: MeterPace) -> Bool {
    pace == .calm && state.mode == .dictaphone && state.activity == .idle && state.screen == .main
  }

  /// Takes up the newest levels.
  ///
  /// - Returns: when the oldest sound in them was at the microphone; `nil`: they look as before.
  mutating func follow() -> Instant? {
    let before = readings
    let now = status()
    ReadingsGatherer.fillMeters(&readings, state: state, status: now)
    return readings == before ? nil : now.levelsFrom
  }

  /// Whether it would be another picture with the same levels.
  func differs(from other: StandingPicture) -> Bool {
    var same = other.readings
    same.levels = readings.levels
    same.preRecordSeconds = readings.preRecordSeconds
    return state != other.state || readings != same
  }

  func frame(at now: Instant) -> Frame { Screens.render(state, readings, at: now) }
}
