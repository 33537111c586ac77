/// What went wrong with a device: what happened, to what, and what to do about it.
public struct DeviceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The class of failure; decides whether the appliance retries and which code the console reports.
  public enum Kind: String, Hashable, Sendable {
    /// No such device: not plugged in, or a wrong name in the board file. Retried.
    case missing
    /// It was there and went away while in use. Retried until it returns.
    case lost
    /// Another process has it open. Retried.
    case busy
    /// The process may not open it. Not retried: it needs a person.
    case denied
    /// It cannot do what was asked (rate, format, size). Not retried.
    case unsupported
    /// It answered with an error. Retried.
    case failed
  }

  public var kind: Kind
  /// The device as the board file names it: `hw:1,0`, `/dev/i2c-1@0x3c`.
  public var device: String
  /// What was being done: `open`, `set the rate to 48000`.
  public var operation: String
  /// The system's `errno`, or 0 where there was none.
  public var code: Int32
  /// What the user can do about it, as an imperative clause.
  public var hint: String

  public init(_ kind: Kind, device: String, operation: String, code: Int32 = 0, hint: String = "") {
    self.kind = kind
    self.device = device
    self.operation = operation
    self.code = code
    self.hint = hint
  }

  public var description: String {
    let cause = code == 0 ? "\(kind)" : "\(kind), errno \(code)"
    return "\(device): cannot \(operation) (\(cause))" + (hint.isEmpty ? "" : ": \(hint)")
  }
}
