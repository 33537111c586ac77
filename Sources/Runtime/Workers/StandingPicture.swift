internal import Appliance
internal import Hardware
internal import Panel
internal import Sound

/// The picture of a device that stands armed: nothing in it moves but the meters. The display's own lane draws it anew with
/// every level that the media lane has, and the lane that decides sleeps meanwhile. Never changed; any thread.
final class StandingPicture: Sendable {
  /// What moves in it.
  struct Meters: Equatable {
    var levels: [Panel.LevelReading]
    var preRecordSeconds: Double
  }

  private let state: State
  /// What is shown beside the state.
  private let readings: Readings
  private let status: @Sendable () -> MediaStatus

  /// - Parameter status: what the media lane tells; from any thread.
  init(_ state: State, _ readings: Readings, status: @escaping @Sendable () -> MediaStatus) {
    (self.state, self.readings, self.status) = (state, readings, status)
  }

  /// Whether pictures of this state may stand: armed, on the main screen, and nobody at the keys.
  static func fits(_ state: State, _ pace: MeterPace) -> Bool {
    pace == .calm && state.mode == .dictaphone && state.activity == .idle && state.screen == .main
  }

  /// Whether it is of another state than this.
  func isOther(than state: State) -> Bool { self.state != state }

  /// Whether it would be another picture with the same levels.
  func differs(from other: StandingPicture) -> Bool {
    var same = other.readings
    (same.levels, same.preRecordSeconds) = (readings.levels, readings.preRecordSeconds)
    return readings != same || state != other.state
  }

  /// The newest levels, and when the oldest sound in them was at the microphone.
  func meters() -> (meters: Meters, from: Instant) {
    let now = status()
    return (Meters(now, state), now.levelsFrom)
  }

  func frame(_ meters: Meters, at now: Instant) -> Frame {
    var shown = readings
    (shown.levels, shown.preRecordSeconds) = (meters.levels, meters.preRecordSeconds)
    return Screens.render(state, shown, at: now)
  }
}

extension StandingPicture.Meters {
  init(_ status: MediaStatus, _ state: State) {
    let isPlayer = state.activity == .playing || state.activity == .playbackPaused
    levels = (isPlayer ? status.playerLevels : status.levels).map {
      Panel.LevelReading(rmsDB: $0.rmsDB, peakDB: $0.peakDB, holdDB: $0.holdDB, clipCount: $0.clips)
    }
    preRecordSeconds = min(status.heldSeconds, Double(state.settings.preRecordSeconds))
  }
}
