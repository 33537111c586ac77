public import Hardware

/// The appliance's brain: what has happened goes in, what is to be done comes out. No I/O, no clock, no threads.
///
/// One owner (the control loop) calls it; equal states and events give equal effects, so a run can be replayed.
public struct Machine: Sendable {
  public private(set) var state: State

  public init(state: State = State()) { self.state = state }

  /// Takes an event that is handled at `now`.
  ///
  /// - Returns: what to do, in order. What a mode has to tell comes last, and a change of mode after that, once.
  public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
    let before = state
    var dispatch = Dispatch(state, at: now)
    dispatch.handle(event)
    state = dispatch.state
    var effects = dispatch.effects
    for mode in Mode.allCases {
      if let news = state.modes[mode].news(since: before, now: state) { effects.append(.announce(news)) }
    }
    if state.modeName != before.modeName {
      effects.append(.announce(.modeChanged(from: before.modeName, to: state.modeName)))
    }
    return effects
  }
}
