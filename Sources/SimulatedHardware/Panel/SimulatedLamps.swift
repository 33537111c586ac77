public import Hardware
internal import Synchronization

/// Lamps that remember: what is lit, and when it changed. Any thread.
public final class SimulatedLamps: Lamps, Sendable {
  /// One change of a lamp.
  public struct Change: Hashable, Sendable {
    public var at: Instant
    public var lamp: Lamp
    public var isLit: Bool
  }

  private struct Core {
    var lit: Set<Lamp> = []
    var history: [Change] = []
    var observer: (@Sendable (Change) -> Void)?
  }

  /// Changes that are remembered; older ones are forgotten.
  public static let historyLimit = 4096

  private let clock: any DeviceClock
  private let core = Mutex(Core())

  public init(clock: any DeviceClock) { self.clock = clock }

  public func set(_ lamp: Lamp, isLit: Bool) throws(DeviceError) {
    let change = Change(at: clock.now, lamp: lamp, isLit: isLit)
    let observer: (@Sendable (Change) -> Void)? = core.withLock { core in
      guard core.lit.contains(lamp) != isLit else { return nil }
      if isLit { core.lit.insert(lamp) } else { core.lit.remove(lamp) }
      if core.history.count >= 2 * Self.historyLimit { core.history.removeFirst(Self.historyLimit) }
      core.history.append(change)
      return core.observer
    }
    observer?(change)
  }

  /// Whether a lamp is lit now.
  public func isLit(_ lamp: Lamp) -> Bool { core.withLock { $0.lit.contains(lamp) } }

  /// The latest changes, oldest first; at least the last `historyLimit`.
  public var history: [Change] { core.withLock { $0.history } }

  /// Calls `observer` at every change, from the thread that made it.
  public func observe(_ observer: (@Sendable (Change) -> Void)?) { core.withLock { $0.observer = observer } }
}
