public import Hardware

/// From raw edges to gestures: debouncer and recogniser in a row. Owned and called by the control loop.
public struct KeyInput: Sendable {
  private var debouncer: Debouncer
  private var recogniser: GestureRecogniser

  public init(debouncer: Debouncer = Debouncer(), timing: GestureTiming = GestureTiming()) {
    self.debouncer = debouncer
    recogniser = GestureRecogniser(timing: timing)
  }

  /// The keys that are down, in `Button.allCases` order.
  public var pressed: [Button] { recogniser.pressed }

  /// When `advance` wants to be called at the latest; `nil` while nothing is pending.
  public var nextDeadline: Instant? {
    switch (debouncer.nextDeadline, recogniser.nextDeadline) {
    case (let settles?, let due?): min(settles, due)
    case (let settles, let due): settles ?? due
    }
  }

  /// Takes an edge as the driver delivers it, with the kernel's time.
  public mutating func accept(_ edge: ButtonEdge) -> [Gesture] {
    settle(edge).flatMap { feel($0) }
  }

  /// What a driver's edge lets be believed, without the contact's bouncing: `feel` takes it.
  public mutating func settle(_ edge: ButtonEdge) -> [ButtonEdge] { debouncer.accept(edge) }

  /// What has settled since, for `feel`.
  public mutating func settle(upTo now: Instant) -> [ButtonEdge] { debouncer.advance(to: now) }

  /// Takes an edge that comes of no contact: it does not bounce, and a key that is held so can still be pressed by hand.
  public mutating func feel(_ edge: ButtonEdge) -> [Gesture] { recogniser.accept(edge) }

  /// Does what is due at `now`. Call it after all edges up to `now` have been given to `accept`.
  public mutating func advance(to now: Instant) -> [Gesture] {
    settle(upTo: now).flatMap { feel($0) } + recogniser.advance(to: now)
  }

  /// The keys went away: ends every hold without its being a tap, and forgets what the contacts said.
  public mutating func releaseAll() -> [Gesture] {
    debouncer.forget()
    return recogniser.releaseAll()
  }
}
