internal import Hardware

extension MediaPlaylist {
  /// Where a segment that comes next in this list is in another variant's: its number there, and how much later that list
  /// begins; by the wall clock, where both have it, else by their edges; `nil` where their numbers are in step.
  ///
  /// - Parameter age: how long ago this list had something new.
  func place(of next: Int, in other: MediaPlaylist, age: Duration) -> (sequence: Int, ahead: Duration)? {
    guard isSliding, other.isSliding, other.count > 0 else { return nil }
    var (old, new) = (self, other)
    let segment = old.segment(next)
    let time = segment?.time ?? old.duration
    let date = segment?.date ?? old.segment(next - 1).flatMap { before in before.date.map { $0 + before.duration } }
    if let date, let found = new.place(atDate: date) { return (found.sequence, time - found.time) }
    // So many have come since, rather one too many: what is had twice is cut by its time stamps, what is left out is lost.
    let grown = min((max(0, age.inSeconds / max(1, old.targetDuration.inSeconds)) + 0.24).rounded(), 1e6)
    let isAhead = new.mediaSequence > old.endSequence + old.count + Int(grown)
    guard isAhead || old.mediaSequence > new.endSequence + new.count else { return nil }
    let usual = new.duration / Double(new.count)
    let same = new.duration - usual * min(grown, Double(new.count)) - (old.duration - time)
    // Lengths are rounded.
    let wanted = max(.zero, same + .milliseconds(50))
    guard wanted < new.duration else { return (new.endSequence, time - same) }
    return new.segment(at: wanted).map { ($0.sequence, time - same) }
  }

  /// The segment in which a time of the wall clock lies, or the one that is still to come, and that time in the list.
  mutating func place(atDate date: WallTime) -> (sequence: Int, time: Duration)? {
    // Half a frame of rounding must not lead to the segment before.
    let rounding = Duration.milliseconds(1)
    var time = Duration.zero
    // Dates may jump from one segment to the next: it is as far from each that is met as that one's own date says.
    for _ in 0..<8 {
      guard let segment = self.segment(at: max(.zero, time)), let own = segment.date else { return nil }
      let offset = Duration.nanoseconds(date.nanosecondsSince1970 &- own.nanosecondsSince1970)
      time = segment.time + offset
      if offset >= Duration.zero - rounding, offset < segment.duration - rounding { return (segment.sequence, time) }
      let isAtEnd = offset >= .zero ? segment.sequence == endSequence - 1 : segment.sequence == mediaSequence
      if isAtEnd { return offset >= .zero && offset < segment.duration * 2 ? (endSequence, time) : nil }
      time += rounding
    }
    return nil
  }
}

extension WallTime {
  static func + (left: WallTime, right: Duration) -> WallTime {
    WallTime(nanosecondsSince1970: left.nanosecondsSince1970 &+ right.nanoseconds)
  }
}
