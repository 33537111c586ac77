import Hardware

/// What can happen to the dictaphone: what a key or a word asks for, and what recorder and player report.
enum DictaphoneEvent: Hashable, Sendable {
  case record
  case pause
  case resume
  /// Ends what is going on: a take, or the playing of one.
  case stop
  /// T-MARK, in the take that is being recorded or played.
  case mark(title: String?)
  /// The input level by so many dB.
  case level(by: Int)
  /// To the next (+1) or the previous (−1) microphone that is there.
  case source(by: Int)
  /// Goes on with the take in the player.
  case play
  /// Plays a take from where it was left.
  case open(TakeReference)
  case playSelected
  case seek(by: Double)
  /// Back (−1) or forward (+1) by 10 s or, by setting, to a mark.
  case skip(Int)
  /// To the mark that is highlighted in their list.
  case goToMark
  /// Moves it by tenths of a second.
  case moveMark(by: Int)
  case removeMark
  case restoreMark
  /// Steps back (−1) or forward (+1) as long as the key is held.
  case scrub(Int)
  /// A, then B, then neither.
  case loop
  /// What lies behind the list.
  case browse(BrowseKey)
  case askDelete
  case confirmDelete
  case cancelDelete
  case recorder(RecorderReport)
  case player(PlayerReport)
}

extension DictaphoneState {
  /// Short name for the guide; `nil`: nothing to speak of.
  func meaning(of event: DictaphoneEvent) -> String? {
    switch event {
    case .record: activity == .saving ? "record the next take" : "record"
    case .pause: "pause"
    case .resume: "go on"
    case .stop: recording.take == nil ? "stop" : "stop and save"
    case .mark: "mark"
    case .level(let step): "input level \(step < 0 ? "-" : "+")\(abs(step)) dB"
    case .source: "source"
    case .play, .open, .playSelected: "play"
    case .seek(let seconds): seconds < 0 ? "back 10 s" : "forward 10 s"
    case .skip(let direction): direction < 0 ? "back 10 s, mark" : "forward 10 s, mark"
    case .goToMark: "go to it"
    case .moveMark(let steps): steps < 0 ? "0.1 s earlier" : "0.1 s later"
    case .removeMark: "delete mark"
    case .restoreMark: "bring it back"
    case .scrub(let direction): direction < 0 ? "scrub back" : "scrub forward"
    case .loop: "repeat A-B"
    case .browse(let key): key.text
    case .askDelete: "delete"
    case .confirmDelete: "yes, delete"
    case .cancelDelete: "keep"
    case .recorder, .player: nil
    }
  }
}
