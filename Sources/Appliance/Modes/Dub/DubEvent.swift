/// What can happen to dubbed playback: what a key or a word asks for, and what the dub player reports.
enum DubEvent: Hashable, Sendable {
  /// Plays the highlighted source.
  case start
  /// Plays a source by what the console calls it.
  case startNamed(String)
  /// Plays what stands before (−1) or after (+1) it in the list.
  case startNeighbour(Int)
  case stop
  case pause
  case resume
  case seek(by: Double)
  /// Steps back (−1) or forward (+1) as long as the key is held.
  case scrub(Int)
  /// From no picture to a small to a large one, and round.
  case stepPicture
  /// Dub or original.
  case enable(Bool)
  /// Ends the playing and starts a take.
  case record
  /// What can be played.
  case sources([DubSource])
  case player(DubReport, run: Int)
}
