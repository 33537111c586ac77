public import Hardware
public import JSON

/// The stable code of a failure: programs decide by it, texts may change.
public enum FailureCode: String, Hashable, Sendable, CaseIterable {
  /// The device is locked and this does not work while it is.
  case locked
  /// Something has to finish first, or the state does not allow it.
  case busy
  /// No such take, setting, device.
  case notFound = "not-found"
  case storageFull = "storage-full"
  /// Not allowed.
  case denied
  /// A parameter is missing, unknown, of the wrong kind or out of range.
  case badArgument = "bad-argument"
  /// This firmware or this hardware cannot do it.
  case unsupported
  /// The device that it needs has gone.
  case deviceLost = "device-lost"
  /// Somebody has ended it before it was done.
  case cancelled
  /// A fault of the firmware itself, or an I/O error.
  case `internal`
}

/// Why a command was not done: what happened, to what, and what to do about it.
public struct CommandFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public var code: FailureCode
  /// One sentence without a full stop.
  public var message: String

  public init(_ code: FailureCode, _ message: String) {
    self.code = code
    self.message = message
  }

  /// A device's error under the code that programs expect for it.
  public init(_ error: DeviceError) {
    let code: FailureCode =
      switch error.kind {
      case .missing: .notFound
      case .lost: .deviceLost
      case .busy: .busy
      case .denied: .denied
      case .unsupported: .unsupported
      case .failed: .internal
      }
    self.init(code, error.description)
  }

  /// A storage error under the code that programs expect for it.
  public init(_ error: StorageError) {
    let code: FailureCode =
      switch error.kind {
      case .full: .storageFull
      case .notFound: .notFound
      case .denied: .denied
      case .alreadyExists, .stalled: .busy
      case .failed: .internal
      }
    self.init(code, error.description)
  }

  public var description: String { "\(code.rawValue): \(message)" }
}

/// A call before the table has looked at it.
public struct CommandRequest: Hashable, Sendable {
  public var method: String
  public var parameters: JSONValue

  public init(_ method: String, _ parameters: JSONValue = [:]) {
    self.method = method
    self.parameters = parameters
  }
}
