internal import Appliance
internal import Hardware
internal import Panel
internal import Sound

/// What moves in a picture while nothing happens.
struct MeterReadings: Equatable {
  private var levels: [Panel.LevelReading] = []
  private var preRecordSeconds = 0.0

  /// None.
  init() {}

  /// What the media lane tells, as far as this state shows it.
  init(_ status: MediaStatus, _ state: State) {
    let isPlayer = state.activity == .playing || state.activity == .playbackPaused
    levels = (isPlayer ? status.playerLevels : status.levels).map {
      Panel.LevelReading(rmsDB: $0.rmsDB, peakDB: $0.peakDB, holdDB: $0.holdDB, clipCount: $0.clips)
    }
    preRecordSeconds = min(status.heldSeconds, Double(state.settings.preRecordSeconds))
  }

  func fill(_ readings: inout Readings) {
    (readings.levels, readings.preRecordSeconds) = (levels, preRecordSeconds)
  }
}

/// The picture of a device that stands armed: nothing in it moves but the meters. The display's own lane draws it anew with
/// every level that the media lane has, and the lane that decides sleeps meanwhile. Never changed; any thread.
final class StandingPicture: Sendable {
  private let state: State
  /// What is shown beside the state, without the meters.
  private let readings: Readings
  private let media: MediaWorker

  init(_ state: State, _ readings: Readings, media: MediaWorker) {
    var still = readings
    MeterReadings().fill(&still)
    (self.state, self.readings, self.media) = (state, still, media)
  }

  /// Whether pictures of this state may stand: armed, on the main screen, and nobody at the keys.
  static func fits(_ state: State, _ pace: MeterPace) -> Bool {
    pace == .calm && state.mode == .dictaphone && state.activity == .idle && state.screen == .main
  }

  /// Whether it is of another state than this.
  func isOther(than state: State) -> Bool { self.state != state }

  /// Whether it would be another picture with the same levels.
  func differs(from other: StandingPicture) -> Bool { readings != other.readings || state != other.state }

  /// The newest levels, and when the oldest sound in them was at the microphone.
  func meters() -> (meters: MeterReadings, from: Instant) {
    let status = media.status
    return (MeterReadings(status, state), status.levelsFrom)
  }

  func frame(_ meters: MeterReadings, at now: Instant) -> Frame {
    var shown = readings
    meters.fill(&shown)
    return Screens.render(state, shown, at: now)
  }
}
