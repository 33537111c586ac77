public import Hardware
internal import Synchronization

/// A board's system that sets the simulated wall clock, and notes what was to be done with the power.
public final class SimulatedBoardSystem: BoardSystem, Sendable {
  private let clock: any SimulatorClock
  private let state = Mutex(State())

  private struct State {
    var refusal: DeviceError?
    var isDeaf = false
    var changes: [PowerChange] = []
    var update = UpdateReport.silent
    var sources: [UpdateSource] = []
  }

  public init(clock: any SimulatorClock) { self.clock = clock }

  public var isClockKept: Bool? { false }

  /// What was asked for so far, in order. Any thread.
  public var changes: [PowerChange] { state.withLock { $0.changes } }

  /// Which updates were asked for so far, in order. Any thread.
  public var sources: [UpdateSource] { state.withLock { $0.sources } }

  /// What is told of updates from now on. Any thread.
  public func tell(_ update: UpdateReport) { state.withLock { $0.update = update } }

  /// From now on everything is refused with this error; nil: nothing is. Any thread.
  public func refuse(_ error: DeviceError?) { state.withLock { $0.refusal = error } }

  /// From now on wishes are taken and nothing comes of them. Any thread.
  public func goDeaf() { state.withLock { $0.isDeaf = true } }

  public func setClock(_ time: WallTime) throws(DeviceError) {
    guard try takes() else { return }
    clock.jumpWall(by: .nanoseconds(time.nanosecondsSince1970 &- clock.wallNow.nanosecondsSince1970))
  }

  public func check(_ change: PowerChange) throws(DeviceError) { _ = try takes() }

  public func power(_ change: PowerChange) throws(DeviceError) {
    guard try takes() else { return }
    state.withLock { $0.changes.append(change) }
  }

  public var update: UpdateReport? { state.withLock { $0.update } }

  public func install(_ source: UpdateSource) throws(DeviceError) {
    guard try takes() else { return }
    state.withLock {
      $0.sources.append(source)
      $0.update = UpdateReport(.checking, text: source.line)
    }
  }

  public func confirmUpdate() throws(DeviceError) {
    guard try takes() else { return }
    state.withLock { $0.update = UpdateReport(.good, text: $0.update.text) }
  }

  private func takes() throws(DeviceError) -> Bool {
    let (refusal, isDeaf) = state.withLock { ($0.refusal, $0.isDeaf) }
    if let refusal { throw refusal }
    return !isDeaf
  }
}
