public import Hardware
internal import Synchronization

/// Keys that a script, a terminal or a console presses.
///
/// Edges that are due are delivered at once, later ones by `step`, each stamped with its exact time. Any thread.
public final class SimulatedButtons: Buttons, Stepper, Sendable {
  private struct Core {
    var sink: (@Sendable (ButtonEdge) -> Void)?
    /// In the order of their times.
    var pending: [ButtonEdge] = []
    var wake: @Sendable () -> Void = {}
  }

  /// How long a short press lasts when nothing else is said.
  public static let shortPress = Duration.milliseconds(100)

  private let clock: any DeviceClock
  private let core = Mutex(Core())

  public init(clock: any DeviceClock) { self.clock = clock }

  public func start(_ sink: @escaping @Sendable (ButtonEdge) -> Void) throws(DeviceError) {
    core.withLock { $0.sink = sink }
  }

  public func stop() { core.withLock { $0.sink = nil } }

  /// Presses a key at a time and lets it go `length` later.
  public func press(_ button: Button, at instant: Instant, for length: Duration = SimulatedButtons.shortPress) {
    push(ButtonEdge(button, isPressed: true, at: instant))
    push(ButtonEdge(button, isPressed: false, at: instant + max(.zero, length)))
  }

  /// Presses a key now.
  public func press(_ button: Button, for length: Duration = SimulatedButtons.shortPress) {
    press(button, at: clock.now, for: length)
  }

  /// Delivers one edge at its time: at once if that has come, else by `step`.
  public func push(_ edge: ButtonEdge) {
    let wake = core.withLock { core in
      let place = core.pending.firstIndex { $0.at > edge.at } ?? core.pending.endIndex
      core.pending.insert(edge, at: place)
      return core.wake
    }
    deliver(until: clock.now)
    wake()
  }

  public func attach(wake: @escaping @Sendable () -> Void) { core.withLock { $0.wake = wake } }

  public func step(now: Instant) -> Instant? {
    deliver(until: now)
    return core.withLock { $0.pending.first?.at }
  }

  private func deliver(until now: Instant) {
    while true {
      // The sink is called without the lock: it may press another key.
      let due: (ButtonEdge, (@Sendable (ButtonEdge) -> Void)?)? = core.withLock { core in
        guard let edge = core.pending.first, edge.at <= now else { return nil }
        core.pending.removeFirst()
        return (edge, core.sink)
      }
      guard let (edge, sink) = due else { return }
      sink?(edge)
    }
  }
}
