internal import Hardware

/// What can happen to clip capture: what a key, a word or an input asks for, and what recorder and player report.
enum ClipsEvent: Hashable, Sendable {
  /// Keeps what is in the ring, and what follows.
  case trigger(TriggerSource)
  /// Clips without end, each going on where the one before it ended, until the post-roll is ended.
  case continuous
  /// A picture every so many milliseconds, until the post-roll is ended.
  case timeLapse(milliseconds: Int)
  case endPostRoll
  case snapshot
  /// The next longer window that the board has room for, then the shortest again.
  case stepWindow
  case play
  /// Plays the clip that was saved last.
  case playLast
  case open(TakeReference)
  case playSelected
  case pause
  case stop
  case seek(by: Double)
  case openReceipt
  case closeReceipt
  case toggleProtection
  case askDelete
  case confirmDelete
  case cancelDelete
  case recorder(ClipReport)
  case player(PlayerReport)
}
