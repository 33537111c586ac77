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
