internal import Glibc
public import Hardware
internal import Synchronization

/// A stick in a simulated socket: any storage as its files, which can be full, read-only, and pulled out at any byte. Any
/// thread.
///
/// Pulled out, it keeps what was synced, and of what was not any part, as a real one does.
public final class SimulatedStick: RemovableStorage, Sendable {
  private struct Core {
    var condition = StickState.Condition.absent
    /// What it becomes, and when.
    var next: (condition: StickState.Condition, at: Instant)?
    var files: StickFiles?
    var rules = StickRules()
    var pulls: UInt64 = 0
    var update = ""
  }

  private let inner: any Storage
  private let clock: any DeviceClock
  private let core = Mutex(Core())

  private static let label = "STICK"
  /// How long a system needs to mount a stick, and to let go of it.
  private static let mountTime = Duration.milliseconds(300)
  private static let releaseTime = Duration.milliseconds(200)

  /// - Parameter inner: what is on the stick.
  public init(holding inner: any Storage, clock: any DeviceClock) {
    self.inner = inner
    self.clock = clock
  }

  // MARK: What people do to it

  public func plugIn() {
    core.withLock { core in
      guard core.condition == .absent else { return }
      (core.condition, core.next, core.files) = (.plugged, nil, nil)
    }
  }

  /// The system finds this update on it when it is plugged in.
  public func carry(update name: String) { core.withLock { $0.update = name } }

  public func pullOut() {
    let (files, seed) = core.withLock { core -> (StickFiles?, UInt64) in
      defer { (core.condition, core.next, core.files, core.rules.pulledAfter) = (.absent, nil, nil, nil) }
      core.pulls += 1
      return (core.files, core.pulls)
    }
    files?.pull(seed: seed)
  }

  /// It is pulled out as soon as so many more bytes have been written.
  public func pullOut(afterBytes bytes: Int) { change { $0.pulledAfter = bytes } }

  /// It takes nothing more, or again what fits.
  public func setFull(_ isFull: Bool) { change { $0.isFull = isFull } }

  /// Its switch forbids writing.
  public func setReadOnly(_ isReadOnly: Bool) { change { $0.isReadOnly = isReadOnly } }

  private func change(_ body: (inout StickRules) -> Void) {
    core.withLock { core in
      body(&core.rules)
      core.files?.set(core.rules)
    }
  }

  // MARK: RemovableStorage

  public func look() -> StickState {
    let space = try? inner.space()
    return core.withLock { core in
      if let next = core.next, clock.now >= next.at {
        (core.condition, core.next) = (next.condition, nil)
        if next.condition == .safe { core.files = nil }
      }
      guard core.condition != .absent else { return .absent }
      var state = StickState(core.condition, label: Self.label, bytes: space?.total ?? 0)
      if core.condition == .plugged { state.update = core.update }
      return state
    }
  }

  public func mount() throws(DeviceError) { try change(to: .mounted, "mount it", after: Self.mountTime) }

  public func release() throws(DeviceError) { try change(to: .safe, "let go of it", after: Self.releaseTime) }

  public func files() throws(DeviceError) -> any Storage {
    try core.withLock { core throws(DeviceError) in
      guard core.condition == .mounted else { throw Self.missing("open its files") }
      if let files = core.files { return files }
      let files = StickFiles(SimulatedStorage(wrapping: inner, clock: clock), core.rules) { [weak self] in
        self?.pullOut()
      }
      core.files = files
      return files
    }
  }

  private func change(
    to condition: StickState.Condition, _ operation: String, after time: Duration
  ) throws(DeviceError) {
    try core.withLock { core throws(DeviceError) in
      guard core.condition != .absent else { throw Self.missing(operation) }
      if core.condition != condition { core.next = (condition, clock.now + time) }
    }
  }

  private static func missing(_ operation: String) -> DeviceError {
    DeviceError(.missing, device: "stick", operation: operation, code: ENODEV, hint: "put a stick in")
  }
}
