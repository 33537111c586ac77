/// The keys of the front panel. The raw value is the name in board files, scripts and console calls.
public enum Button: String, CaseIterable, Hashable, Sendable {
  case rec = "REC"
  case stop = "STOP"
  case up = "UP"
  case down = "DOWN"
  case left = "LEFT"
  case right = "RIGHT"
  case centre = "CENTRE"
  case lock = "LOCK"
  /// Optional: sets a mark.
  case mark = "MARK"
}

/// One change of one key, stamped by the kernel (or the script) and not yet debounced.
public struct ButtonEdge: Hashable, Sendable {
  public var button: Button
  public var isPressed: Bool
  public var at: Instant

  public init(_ button: Button, isPressed: Bool, at: Instant) {
    self.button = button
    self.isPressed = isPressed
    self.at = at
  }
}

/// A source of key edges: GPIO lines, a keyboard, a script.
public protocol Buttons: AnyObject {
  /// Starts to deliver edges to `sink`, from a thread of the driver's. The sink returns at once.
  ///
  /// Lines that cannot be requested are left out and named in the error; the others work.
  func start(_ sink: @escaping @Sendable (ButtonEdge) -> Void) throws(DeviceError)

  /// Who is told from the driver's thread, once `start` has returned, that keys have gone (the error) or are back (`nil`).
  /// To be said before `start`.
  func report(to listener: @escaping @Sendable (DeviceError?) -> Void)

  /// Stops; after it returns the sink is not called again.
  func stop()
}

extension Buttons {
  /// Keys that are soldered in have nothing to report.
  public func report(to listener: @escaping @Sendable (DeviceError?) -> Void) {}
}
