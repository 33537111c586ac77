public import Hardware
internal import Synchronization

/// A service manager that remembers what it was told, and when.
public final class SimulatedServiceManager: ServiceManager, Sendable {
  /// One thing that was told, in the words of sd_notify(3): `READY=1`, `STATUS=armed`.
  public struct Message: Hashable, Sendable {
    public var at: Instant
    public var text: String
  }

  private let clock: any DeviceClock
  private let told = Mutex<[Message]>([])

  public init(clock: any DeviceClock) { self.clock = clock }

  public func tellReady() { note("READY=1") }
  public func tell(status: String) { note("STATUS=\(status)") }
  public func tellStopping() { note("STOPPING=1") }

  /// Everything so far, in order. Any thread.
  public var messages: [Message] { told.withLock { $0 } }

  private func note(_ text: String) {
    let message = Message(at: clock.now, text: text)
    told.withLock { $0.append(message) }
  }
}
