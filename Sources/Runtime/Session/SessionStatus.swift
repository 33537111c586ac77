internal import Hardware
internal import Sound

/// Requested, granted and delivered formats of microphone and speaker, and by which strategy.
struct SessionStatus: Hashable, Sendable {
  var strategy = SessionStrategy.baseline
  /// What `forced-rate` runs the hardware at, Hz.
  var rate = 8000
  var capture = SessionState()
  var playback = SessionState()
  /// Told by who asks; their coming and going is no change of the session.
  var clients: [PCMClientRow] = []

  /// What is told of it in the log, a line a device that has changed.
  ///
  /// - Parameter before: what was told last.
  func lines(after before: SessionStatus) -> [(text: String, isWarning: Bool)] {
    let session = AudioSessions.session(strategy, forcedRate: rate)
    let isOther = strategy != before.strategy || rate != before.rate
    let all = [("microphone", capture, before.capture), ("speaker", playback, before.playback)]
    return (isOther ? [("\(strategy.rawValue): \(session.description)", false)] : [])
      + all.filter { $0.1 != $0.2 && $0.1.granted != nil }.map {
        (session.logState(of: $0.0, $0.1), $0.1.isOtherRate || $0.1.fallback != nil)
      }
  }
}

/// How often the parts of a `SessionStatus` have changed.
struct SessionChanges: Equatable {
  let plan: SessionPlan
  let capture: Int
  let playback: Int
}
