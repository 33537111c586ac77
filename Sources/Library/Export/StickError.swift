internal import Hardware

/// Why files could not be copied to a stick: what happened, to what, what to do.
public enum StickError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A file has so many bytes, and so many are free.
  case full(file: String, bytes: Int, free: Int)
  case readOnly
  /// It does not answer any more: pulled out, as a rule.
  case lost
  /// A file is longer than the stick's file system takes; 4 GiB on FAT32.
  case tooLong(file: String)
  /// What is read back is not what was written.
  case unfaithful(file: String)
  /// A file or a link stands where the folder is to be, or all names that a file could have are taken.
  case blocked(String)

  /// The stable code of console errors.
  public var code: String {
    switch self {
    case .full: "storage-full"
    case .readOnly, .blocked: "denied"
    case .lost, .unfaithful: "device-lost"
    case .tooLong: "unsupported"
    }
  }

  public var description: String {
    switch self {
    case .full(let file, let bytes, let free):
      "the stick is full: \(file) has \(bytes) bytes and \(free) are free; make room on it or take another one"
    case .readOnly: "the stick cannot be written to; take off its write protection or take another one"
    case .lost: "the stick has gone before all was copied; put it in and copy again: what is on it is not copied twice"
    case .tooLong(let file): "\(file) is longer than the stick's file system takes; format the stick as exFAT"
    case .unfaithful(let file): "\(file) was written to the stick and reads differently; take another stick"
    case .blocked(let name): "\(name) on the stick is in the way; rename it on a computer"
    }
  }

  /// What a failure of the stick's files means; nil for a stall, after which the same call is made again.
  ///
  /// - Parameters:
  ///   - file: what was being copied.
  ///   - bytes: how long that is.
  init?(_ error: StorageError, file: String, bytes: Int) {
    switch error.kind {
    case .stalled: return nil
    case .full: self = .full(file: file, bytes: bytes, free: 0)
    case .denied: self = .readOnly
    case .alreadyExists: self = .blocked(file)
    case .failed where error.code == Self.fileTooLarge: self = .tooLong(file: file)
    case .failed, .notFound: self = .lost
    }
  }

  /// EFBIG.
  private static let fileTooLarge: Int32 = 27
}
