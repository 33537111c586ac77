public import Hardware

/// How long is long.
public struct GestureTiming: Hashable, Sendable {
  /// A key that has been down this long is held, no longer tapped.
  public var long: Duration = .milliseconds(600)
  /// Time between repeats after that.
  public var repeatEvery: Duration = .milliseconds(200)
  /// The hold that unlocks.
  public var veryLong: Duration = .seconds(2)

  public init() {}
}

/// Makes gestures of debounced edges. Pure: it knows no clock but the edges' own and the times it is told.
///
/// A key's sequence is `press`, then either `short` and `release`, or `long`, `repeat`…, `veryLong` among them, and
/// `release`. A hold that is over by the time of its release edge is recognised before it, however late the caller
/// comes: a script's hold of exactly 2 s is a very long one.
public struct GestureRecogniser: Sendable {
  /// More repeats than this are not made up for a caller who comes late.
  private static let mostRepeatsAtOnce = 16

  private struct Hold {
    var pressedAt: Instant
    var chord: [Button]
    var isLong = false
    var isVeryLong = false
    var nextRepeat = Instant.distantFuture
  }

  private let timing: GestureTiming
  private var holds: [Hold?]

  public init(timing: GestureTiming = GestureTiming()) {
    self.timing = timing
    holds = Array(repeating: nil, count: Button.allCases.count)
  }

  /// The keys that are down, in `Button.allCases` order.
  public var pressed: [Button] { Button.allCases.filter { holds[$0.ordinal] != nil } }

  /// When `advance` wants to be called; `nil` while no key is down.
  public var nextDeadline: Instant? {
    var earliest: Instant?
    for hold in holds {
      guard let hold else { continue }
      let due = next(of: hold).at
      earliest = min(earliest ?? due, due)
    }
    return earliest
  }

  /// Takes a debounced edge. What other keys' holds come to before it comes first.
  public mutating func accept(_ edge: ButtonEdge) -> [Gesture] {
    var gestures = advance(to: edge.at)
    let index = edge.button.ordinal
    if let hold = holds[index] {
      // A press of a key that is down means that its release was lost: it was no tap, but it is over.
      if !edge.isPressed, !hold.isLong { gestures.append(gesture(.short, index, hold)) }
      gestures.append(gesture(.release, index, hold))
      holds[index] = nil
    }
    if edge.isPressed {
      let hold = Hold(pressedAt: edge.at, chord: pressed)
      holds[index] = hold
      gestures.append(gesture(.press, index, hold))
    }
    return gestures
  }

  /// Recognises every hold that is due, in the order of time.
  public mutating func advance(to now: Instant) -> [Gesture] {
    var gestures: [Gesture] = []
    var repeats = 0
    while let index = earliest(notAfter: now), var hold = holds[index] {
      let due = next(of: hold)
      switch due.kind {
      case .long:
        hold.isLong = true
        hold.nextRepeat = due.at + timing.repeatEvery
      case .veryLong:
        hold.isVeryLong = true
      default:
        repeats += 1
        hold.nextRepeat = (repeats < Self.mostRepeatsAtOnce ? due.at : now) + timing.repeatEvery
      }
      holds[index] = hold
      gestures.append(gesture(due.kind, index, hold))
      // Times that wrap around must not keep the caller here.
      if repeats >= Self.mostRepeatsAtOnce * 2 { break }
    }
    return gestures
  }

  /// Ends every hold without its being a tap: the keys went away (unplugged, driver restarted).
  public mutating func releaseAll() -> [Gesture] {
    var gestures: [Gesture] = []
    for index in holds.indices {
      guard let hold = holds[index] else { continue }
      gestures.append(gesture(.release, index, hold))
      holds[index] = nil
    }
    return gestures
  }

  private func earliest(notAfter now: Instant) -> Int? {
    var found: (index: Int, at: Instant)?
    for index in holds.indices {
      guard let hold = holds[index] else { continue }
      let due = next(of: hold).at
      if due <= now, due < found?.at ?? .distantFuture { found = (index, due) }
    }
    return found?.index
  }

  private func next(of hold: Hold) -> (kind: GestureKind, at: Instant) {
    guard hold.isLong else { return (.long, hold.pressedAt + timing.long) }
    let veryLong = hold.pressedAt + timing.veryLong
    return hold.isVeryLong || hold.nextRepeat <= veryLong ? (.repeat, hold.nextRepeat) : (.veryLong, veryLong)
  }

  private func gesture(_ kind: GestureKind, _ index: Int, _ hold: Hold) -> Gesture {
    Gesture(kind, Button.allCases[index], pressedAt: hold.pressedAt, chord: hold.chord)
  }
}
