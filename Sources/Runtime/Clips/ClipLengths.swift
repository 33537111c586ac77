internal import Hardware

/// How long the clip is that the screens show: of those that are open the one that was begun last, and once none is any
/// more, the one that ended last. A value.
struct ClipLengths {
  /// Triggers are those that it has had.
  private var open: [(number: Int, start: Instant, triggers: Int)] = []
  private var last = (seconds: 0.0, triggers: 1)

  mutating func begin(_ number: Int, at start: Instant) { open.append((number, start, 1)) }

  /// A trigger has become part of it.
  mutating func join(_ number: Int) {
    for index in open.indices where open[index].number == number { open[index].triggers += 1 }
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
