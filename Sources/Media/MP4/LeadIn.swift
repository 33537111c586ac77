/// The pictures that a part of a joined clip needs to be decoded and does not show: from a keyframe to before its first.
///
/// An edit list hides them. Players that take only an edit list's first entry would show them, and all that is behind them
/// as much later than the sound; so each lasts a tick.
struct LeadIn {
  /// From each one's time to when it would be seen; that, too, a tick apart, in the order of the source.
  let delays: [UInt32]
  /// Ticks by which what is behind them comes earlier than in the source.
  let saved: Int

  static let none = LeadIn(delays: [], saved: 0)

  /// Pictures that are put in order at once. A longer lead-in stays as it is.
  private static let most = 4096

  private init(delays: [UInt32], saved: Int) {
    (self.delays, self.saved) = (delays, saved)
  }

  /// `nil` if there are none, or they cannot be as short.
  ///
  /// - Parameters:
  ///   - pictures: of the part, in the order of decoding.
  ///   - start: media time from which on it is shown.
  init?(_ pictures: ArraySlice<ClipReader.Sample>, before start: Int) {
    // Those behind the first that is shown keep their times: libavformat counts from it on.
    guard let first = pictures.firstIndex(where: { $0.seen >= start }), let begin = pictures.first?.time,
      1...Self.most ~= first - pictures.startIndex
    else { return nil }
    let hidden = pictures[..<first]
    let saved = pictures[first].time - begin - hidden.count
    var turns = [Int](repeating: 0, count: hidden.count)
    for (turn, index) in hidden.indices.sorted(by: { hidden[$0].seen < hidden[$1].seen }).enumerated() {
      turns[index - hidden.startIndex] = turn
    }
    // None is seen before its own time, nor any where the first one that is shown is.
    let depth = turns.enumerated().map { place, turn in place - turn }.max() ?? 0
    guard saved > 0, depth <= start - pictures[first].time else { return nil }
    delays = turns.enumerated().map { place, turn in UInt32(clamping: turn + depth - place) }
    self.saved = saved
  }
}
