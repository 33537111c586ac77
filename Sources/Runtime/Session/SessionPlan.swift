internal import Appliance
internal import Board
internal import Hardware
internal import Sound

/// How the rate of microphone and speaker is settled: by the settings, or by the board file where they leave it.
struct SessionPlan: Hashable, Sendable {
  let strategy: SessionStrategy
  /// What `forced-rate` runs the hardware at, Hz.
  let rate: Int
  /// Whether the microphone is heard on the speaker.
  let talksBack: Bool

  init(_ settings: Settings, board: BoardDescription) {
    strategy = settings.sessionStrategy.strategy(board: board.sessionStrategy)
    rate = settings.sessionRate == 0 ? board.sessionRate : settings.sessionRate
    talksBack = settings.talksBack
  }

  var session: any AudioSession { AudioSessions.session(strategy, forcedRate: rate) }
}
