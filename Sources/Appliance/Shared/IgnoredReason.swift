public import Hardware

/// Why a press did nothing; kept for the log and shown by `panel.state`.
public enum IgnoredReason: Hashable, Sendable {
  case locked
  /// The key has no meaning in this mode.
  case noMeaning(mode: String)
  /// Something has to finish first: `saving`.
  case busy(String)
  /// A device that it needs is not there.
  case deviceMissing(Device)
  /// There is nothing to play, delete or mark.
  case nothingLoaded
  /// What is chosen in a list of sources does not play.
  case nothingPlays
  /// The list or value is already at its end.
  case atLimit
  /// The storage has no room for another take.
  case storageFull
  /// The storage takes no files.
  case storageRefuses
  /// The board has no such device at all: `camera`.
  case notOnBoard(Device)
  /// The clip is protected.
  case protected
  /// It is sealed to a key that the device has not.
  case sealed
  /// An automatic trigger that its setting switches off.
  case switchedOff(TriggerSource)
  /// A setting was not taken.
  case refused(SettingError)
}

extension IgnoredReason {
  /// The console's error code.
  public var code: String {
    switch self {
    case .locked: "locked"
    case .noMeaning, .atLimit: "bad-argument"
    case .busy: "busy"
    case .deviceMissing: "device-lost"
    case .nothingLoaded, .nothingPlays: "not-found"
    case .storageFull: "storage-full"
    case .storageRefuses: "denied"
    case .sealed: "sealed"
    case .notOnBoard: "unsupported"
    case .protected, .switchedOff: "denied"
    case .refused(let error): error.code
    }
  }
}
