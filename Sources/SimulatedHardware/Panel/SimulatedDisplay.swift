internal import Glibc
public import Hardware
internal import Synchronization

/// A display that keeps the last frame. Any thread.
public final class SimulatedDisplay: Display, Sendable {
  private struct Core {
    var isPlugged = true
    var isOpen = false
    /// What was sent, and how it is shown.
    var frame: Frame
    var look = DisplayLook()
    var framesShown = 0
    var observer: (@Sendable (Frame) -> Void)?

    /// What somebody sees who looks at it.
    var seen: Frame {
      guard isOpen, look.isInverted else { return frame }
      var seen = frame
      for index in seen.pages.indices { seen.pages[index] = ~seen.pages[index] }
      return seen
    }
  }

  private let width: Int
  private let height: Int
  private let core: Mutex<Core>

  /// - Parameters:
  ///   - width: pixels across.
  ///   - height: pixels down, a multiple of eight.
  public init(width: Int = 128, height: Int = 64) {
    self.width = width
    self.height = height
    core = Mutex(Core(frame: Frame(width: width, height: height)))
  }

  public func open() throws(DeviceError) {
    let dark = Frame(width: width, height: height)
    let isPlugged = core.withLock { core in
      guard core.isPlugged else { return false }
      core.isOpen = true
      core.frame = dark
      return true
    }
    guard isPlugged else { throw absent(.missing, "open") }
  }

  public func show(_ frame: Frame) throws(DeviceError) {
    guard frame.width == width, frame.height == height else {
      throw DeviceError(
        .unsupported, device: "simulated display", operation: "show \(frame.width)x\(frame.height) pixels",
        hint: "draw \(width)x\(height)")
    }
    let (isOpen, seen, observer) = core.withLock { core -> (Bool, Frame, (@Sendable (Frame) -> Void)?) in
      guard core.isPlugged, core.isOpen else { return (false, frame, nil) }
      core.frame = frame
      core.framesShown += 1
      return (true, core.seen, core.observer)
    }
    guard isOpen else { throw absent(.lost, "show a frame") }
    observer?(seen)
  }

  public func look(_ look: DisplayLook) throws(DeviceError) {
    let (observer, seen) = core.withLock { core in
      core.look = look
      return (core.isOpen ? core.observer : nil, core.seen)
    }
    observer?(seen)
  }

  public func close() {
    goDark { $0.isOpen = false }
  }

  /// What is on the display; dark while it is closed or unplugged.
  public var frame: Frame { core.withLock { $0.seen } }

  /// How bright it is, and whether it is inverted.
  public var look: DisplayLook { core.withLock { $0.look } }

  /// Frames shown since the start.
  public var framesShown: Int { core.withLock { $0.framesShown } }

  /// Whether it is there.
  public var isPlugged: Bool { core.withLock { $0.isPlugged } }

  /// Calls `observer` with every frame shown, and a dark one when it is closed, unplugged or plugged in again; from the
  /// thread that does it.
  public func observe(_ observer: (@Sendable (Frame) -> Void)?) { core.withLock { $0.observer = observer } }

  /// Takes the display away; it goes dark, and has to be opened again after `replug`.
  public func unplug() {
    goDark {
      $0.isPlugged = false
      $0.isOpen = false
    }
  }

  public func replug() { goDark { $0.isPlugged = true } }

  private func goDark(_ change: (inout Core) -> Void) {
    let dark = Frame(width: width, height: height)
    let observer = core.withLock { core in
      change(&core)
      core.frame = dark
      return core.observer
    }
    observer?(dark)
  }

  private func absent(_ kind: DeviceError.Kind, _ operation: String) -> DeviceError {
    DeviceError(
      kind, device: "simulated display", operation: operation, code: ENODEV, hint: "plug it in (fault replug)")
  }
}
