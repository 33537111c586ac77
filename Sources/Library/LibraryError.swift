public import Hardware

/// Why the library could not do something.
public enum LibraryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The medium failed or stalled; see `stalledUntil`.
  case storage(StorageError)
  /// There is no take with this id.
  case notFound(String)
  /// Nothing was deleted that could be brought back.
  case nothingDeleted
  /// It may be one of so many takes that are still being looked at after the start.
  case notLookedAtYet(String, of: Int)
  /// The take or clip is being recorded.
  case busy(String)
  /// The take or clip is locked against deletion.
  case protected(String)
  /// A name, tag, position or mark is not acceptable; the text says why and what would be.
  case badArgument(String)
  /// Work was ended before it was done; the text says what has come of it.
  case cancelled(String)
  /// What is wrong with the stick that files are copied to.
  case stick(StickError)
  /// The recording is sealed to a key that the device has not.
  case sealed(String)
  /// A file is there and cannot be understood.
  case unreadable(path: String, reason: String)

  /// The stable code of console errors.
  public var code: String {
    switch self {
    case .storage(let error):
      switch error.kind {
      case .full: "storage-full"
      case .notFound: "not-found"
      case .alreadyExists, .stalled: "busy"
      case .denied: "denied"
      case .failed: "device-lost"
      }
    case .notFound, .nothingDeleted: "not-found"
    case .notLookedAtYet, .busy, .protected: "busy"
    case .badArgument: "bad-argument"
    case .cancelled: "cancelled"
    case .stick(let error): error.code
    case .sealed: "sealed"
    case .unreadable: "unsupported"
    }
  }

  /// In virtual time, when the medium will answer again. Nothing is lost: make the same call again then, and it goes
  /// on where it was.
  public var stalledUntil: Instant? {
    if case .storage(let error) = self, case .stalled(let until) = error.kind { return until }
    return nil
  }

  public var description: String {
    switch self {
    case .storage(let error): error.description
    case .notFound(let what): "\(what) is not in the library"
    case .nothingDeleted: "There is nothing to bring back."
    case .notLookedAtYet(let what, let count):
      "\(what) is not in the library yet: \(count) takes are still being looked at; ask again"
    case .busy(let what): "\(what) is being recorded; stop first"
    case .protected(let what): "\(what) is protected; take the protection off first"
    case .badArgument(let why), .cancelled(let why): why
    case .stick(let error): error.description
    case .sealed(let what): "\(what) is sealed: only who has the key opens it, by mynah decrypt or age"
    case .unreadable(let path, let reason): "\(path): \(reason)"
    }
  }

  /// It will be no other the next time, unless somebody changes the file.
  var isAboutContent: Bool {
    if case .unreadable = self { return true }
    return storageKind == .notFound || storageKind == .denied
  }

  var storageKind: StorageError.Kind? {
    if case .storage(let error) = self { return error.kind }
    return nil
  }
}
