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

  /// Lets a key go that is still held, before its time.
  ///
  /// - Returns: its release; `nil` if it is not held.
  mutating func letGo(of button: Button, at now: Instant) -> ButtonEdge? {
    guard let index = planned.firstIndex(where: { $0.button == button && !$0.isPressed }) else { return nil }
    return ButtonEdge(button, isPressed: false, at: min(now, planned.remove(at: index).at))
  }

  /// Takes the next edge that is due.
  mutating func next(at now: Instant) -> ButtonEdge? {
    guard let first = planned.first, first.at <= now else { return nil }
    return planned.removeFirst()
  }
}
