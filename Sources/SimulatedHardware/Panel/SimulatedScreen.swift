internal import Glibc
public import Hardware
internal import Synchronization

/// A screen that keeps the last picture, and when it was shown. `open`, `surface`, `show` and `close` are one thread's,
/// everything else is any thread's.
public final class SimulatedScreen: PictureScreen, @unchecked Sendable {
  /// What was shown.
  public struct Shown: Hashable, Sendable {
    public var width: Int
    public var height: Int
    /// XRGB8888, line by line.
    public var pixels: [UInt32]
    public var at: Instant
  }

  private struct Core {
    var isPlugged: Bool
    var isOpen = false
    var shown: Shown?
    var count = 0
    var observer: (@Sendable (Shown) -> Void)?
  }

  private let clock: any DeviceClock
  private let width: Int
  private let height: Int
  private let millihertz: Int
  private let core: Mutex<Core>
  private let back: UnsafeMutablePointer<UInt32>

  /// - Parameters:
  ///   - width: 16…4096 pixels across; what is outside is clamped.
  ///   - height: 16…4096 pixels down.
  ///   - millihertz: vertical blanks in a thousand seconds. A picture is shown when it is handed over.
  public init(width: Int, height: Int, clock: any DeviceClock, isPlugged: Bool = true, millihertz: Int = 60_000) {
    self.width = min(4096, max(16, width))
    self.height = min(4096, max(16, height))
    self.clock = clock
    self.millihertz = millihertz
    core = Mutex(Core(isPlugged: isPlugged))
    back = .allocate(capacity: self.width * self.height)
    back.initialize(repeating: 0, count: self.width * self.height)
  }

  deinit { back.deallocate() }

  // MARK: PictureScreen

  public var isAttached: Bool { core.withLock { $0.isPlugged } }

  public func open() throws(DeviceError) -> ScreenMode {
    let isPlugged = core.withLock { core in
      core.isOpen = core.isPlugged
      core.shown = nil
      return core.isPlugged
    }
    guard isPlugged else { throw absent(.missing, "open") }
    return ScreenMode(connector: "simulated", width: width, height: height, millihertz: millihertz)
  }

  public var surface: ScreenSurface? {
    guard core.withLock({ $0.isOpen }) else { return nil }
    return ScreenSurface(pixels: UnsafeMutableRawPointer(back), width: width, height: height, bytesPerRow: width * 4)
  }

  public func show() throws(DeviceError) {
    let shown = Shown(
      width: width, height: height, pixels: Array(UnsafeBufferPointer(start: back, count: width * height)),
      at: clock.now)
    let (isOpen, observer) = core.withLock { core -> (Bool, (@Sendable (Shown) -> Void)?) in
      guard core.isPlugged, core.isOpen else { return (false, nil) }
      core.shown = shown
      core.count += 1
      return (true, core.observer)
    }
    guard isOpen else { throw absent(.lost, "show a picture") }
    observer?(shown)
  }

  public func close() {
    core.withLock {
      $0.isOpen = false
      $0.shown = nil
    }
  }

  // MARK: For tests and scripts

  /// What is on the screen; `nil` if nothing is.
  public var shown: Shown? { core.withLock { $0.shown } }
  /// Pictures shown since the start.
  public var count: Int { core.withLock { $0.count } }
  /// Whether it is open.
  public var isOpen: Bool { core.withLock { $0.isOpen } }

  /// Calls `observer` with every picture, from the thread that shows it.
  public func observe(_ observer: (@Sendable (Shown) -> Void)?) { core.withLock { $0.observer = observer } }

  public func unplug() {
    core.withLock {
      $0.isPlugged = false
      $0.isOpen = false
      $0.shown = nil
    }
  }

  public func replug() { core.withLock { $0.isPlugged = true } }

  private func absent(_ kind: DeviceError.Kind, _ operation: String) -> DeviceError {
    DeviceError(
      kind, device: "simulated screen", operation: operation, code: ENODEV, hint: "plug it in (fault screen replug)")
  }
}
