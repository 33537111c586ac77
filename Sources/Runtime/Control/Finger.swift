internal import Hardware

/// A finger that scripts, consoles and the terminal move: presses a key now and lets it go later. Control lane only.
struct Finger {
  private var planned: [ButtonEdge] = []

  /// When the next edge is due.
  var nextDeadline: Instant? { planned.first?.at }

  /// Plans a press at `instant` for `length`.
  mutating func press(_ button: Button, at instant: Instant, for length: Duration) {
    planned.append(ButtonEdge(button, isPressed: true, at: instant))
    planned.append(ButtonEdge(button, isPressed: false, at: instant + length))
    planned.sort { $0.at < $1.at }
  }

  /// Takes the next edge that is due.
  mutating func next(at now: Instant) -> ButtonEdge? {
    guard let first = planned.first, first.at <= now else { return nil }
    return planned.removeFirst()
  }
}
