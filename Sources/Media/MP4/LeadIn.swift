/// The pictures that a part of a joined clip needs to be decoded and does not show: from a keyframe to before its first.
/// They are seen in the order in which they are decoded.
///
/// An edit list hides them. Players that take only an edit list's first entry would show them, and all that is behind them
/// as much later than the sound; so each lasts a tick.
struct LeadIn {
  let count: Int
  /// Ticks by which what is behind them comes earlier than in the source.
  let saved: Int

  static let none = LeadIn(count: 0, saved: 0)

  /// A longer lead-in, of minutes, stays as it is.
  private static let most = 4096

  private init(count: Int, saved: Int) {
    (self.count, self.saved) = (count, saved)
  }

  /// `nil` if there are none, or the part does not begin with a picture.
  ///
  /// - Parameters:
  ///   - pictures: of the part.
  ///   - start: media time from which on it is shown.
  init?(_ pictures: ArraySlice<ClipReader.Sample>, before start: Int) {
    guard let begin = pictures.first?.time, let first = pictures.firstIndex(where: { $0.time >= start }),
      pictures[first].time == start
    else { return nil }
    count = first - pictures.startIndex
    saved = start - begin - count
    guard 1...Self.most ~= count, saved > 0 else { return nil }
  }
}
