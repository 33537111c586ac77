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
  /// Goes on with the take in the player.
  case play
  /// Plays a take from where it was left.
  case open(TakeReference)
  case playSelected
  case seek(by: Double)
  /// Steps back (−1) or forward (+1) as long as the key is held.
  case scrub(Int)
  /// A, then B, then neither.
  case loop
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
    case .play, .open, .playSelected: "play"
    case .seek(let seconds): seconds < 0 ? "back 10 s" : "forward 10 s"
    case .scrub(let direction): direction < 0 ? "scrub back" : "scrub forward"
    case .loop: "repeat A-B"
    case .askDelete: "delete"
    case .confirmDelete: "yes, delete"
    case .cancelDelete: "keep"
    case .recorder, .player: nil
    }
  }
}
