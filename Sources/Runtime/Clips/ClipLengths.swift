internal import Hardware

/// When open clips end, and how long the clip is that the screens show: of those that are open the one that was begun last,
/// and once none is any more, the one that ended last. A value.
struct ClipLengths {
  /// Triggers are those that it has had.
  private var open: [(number: Int, start: Instant, ends: Instant, triggers: Int)] = []
  private var last = (seconds: 0.0, triggers: 1)

  mutating func begin(_ number: Int, at start: Instant, ends: Instant) { open.append((number, start, ends, 1)) }

  /// When it ends, as far as is known; `nil`: it is not open.
  func end(of number: Int) -> Instant? { open.first { $0.number == number }?.ends }

  /// A trigger has become part of it, which makes no clip shorter.
  mutating func join(_ number: Int, ends: Instant) {
    for index in open.indices where open[index].number == number {
      open[index].triggers += 1
      open[index].ends = max(open[index].ends, ends)
    }
  }

  /// Its last picture is in, or nothing comes of it.
  mutating func end(_ number: Int, now: Instant) {
    for clip in open where clip.number == number { last = (Self.seconds(since: clip.start, now), clip.triggers) }
    open.removeAll { $0.number == number }
  }

  func shown(_ now: Instant) -> (seconds: Double, triggers: Int) {
    guard let clip = open.last else { return last }
    return (Self.seconds(since: clip.start, now), clip.triggers)
  }

  private static func seconds(since start: Instant, _ now: Instant) -> Double { max(0, (now - start).inSeconds) }
}
