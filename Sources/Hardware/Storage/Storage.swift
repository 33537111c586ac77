/// What went wrong with a file: what was being done, to which path, and the system's errno.
public struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// No space (ENOSPC, EDQUOT), or only the reserve is left.
    case full
    case notFound
    case alreadyExists
    /// Not allowed, or the file system is read-only (EACCES, EPERM, EROFS).
    case denied
    /// Simulated only: the medium does not answer before this time. Nothing was done; try again then.
    case stalled(until: Instant)
    /// Any other I/O error.
    case failed
  }

  public var kind: Kind
  public var operation: String
  public var path: String
  public var code: Int32

  public init(_ kind: Kind, operation: String, path: String, code: Int32 = 0) {
    self.kind = kind
    self.operation = operation
    self.path = path
    self.code = code
  }

  public var description: String {
    let causes = [kind.words, code == 0 ? nil : "errno \(code)"].compactMap { $0 }
    return "\(path): cannot \(operation)" + (causes.isEmpty ? "" : " (\(causes.joined(separator: ", ")))")
  }
}

extension StorageError.Kind {
  /// For people; `nil` where there is no more to say than the operation and the errno do.
  fileprivate var words: String? {
    switch self {
    case .full: "no space left"
    case .notFound: "not there"
    case .alreadyExists: "there already"
    case .denied: "not allowed"
    case .stalled: "the storage does not answer"
    case .failed: nil
    }
  }
}

/// One entry of a directory.
public struct StorageEntry: Hashable, Sendable {
  /// File name without its directory.
  public var name: String
  public var isDirectory: Bool
  /// An ordinary file: no directory, link, pipe or device.
  public var isRegular: Bool
  /// Bytes; 0 for directories.
  public var size: Int
  /// Last change of the contents, by the wall clock of that time.
  public var modified: WallTime
  /// Of a directory: which one it is of the file system's, whatever it is called; 0 where that is not known.
  public var inode: UInt64 = 0

  /// - Parameter isRegular: nil if all that is not a directory is an ordinary file.
  public init(name: String, isDirectory: Bool, isRegular: Bool? = nil, size: Int, modified: WallTime) {
    self.name = name
    self.isDirectory = isDirectory
    self.isRegular = isRegular ?? !isDirectory
    self.size = size
    self.modified = modified
  }
}

/// The data directory's file system.
///
/// Paths are relative to the data directory, with `/` between parts; `..` is refused. All calls block and belong on
/// the storage worker; the exception is start-up, before there are threads. In virtual time a medium that would
/// block throws `stalled(until:)` instead and does nothing: the caller's step returns that time and tries again.
public protocol Storage: AnyObject, Sendable {
  /// Absolute path of the data directory, for tools that open files by name (the decoder).
  var root: String { get }
  /// Creates a file that must not exist yet (O_CREAT|O_EXCL), open for reading and writing.
  func create(_ path: String) throws(StorageError) -> any StoredFile
  /// Opens an existing file, for reading and writing or for reading only.
  func open(_ path: String, writable: Bool) throws(StorageError) -> any StoredFile
  /// A file without a name that vanishes when it is closed or the power goes (O_TMPFILE).
  func scratch() throws(StorageError) -> any StoredFile
  /// The whole content of a file of at most `limit` bytes; larger is an error.
  func read(_ path: String, limit: Int) throws(StorageError) -> [UInt8]
  /// Replaces a file's content so that after any crash either the old or the new content is there, and durable:
  /// writes a temporary file, syncs it, renames it, syncs the directory. May use the reserve.
  func replace(_ path: String, with bytes: [UInt8]) throws(StorageError)
  /// The same; a secret file can be read by the device's own user alone, where the file system knows users.
  func replace(_ path: String, with bytes: [UInt8], isSecret: Bool) throws(StorageError)
  /// Entries of a directory, in name order; an absent directory is `notFound`.
  func list(_ directory: String) throws(StorageError) -> [StorageEntry]
  /// Size and times of one entry.
  func entry(_ path: String) throws(StorageError) -> StorageEntry
  /// Makes a directory and its parents; an existing one is fine.
  func makeDirectory(_ path: String) throws(StorageError)
  /// Renames without ever replacing an existing target (RENAME_NOREPLACE); durable on return.
  func rename(_ path: String, to target: String) throws(StorageError)
  /// Removes a file; durable on return.
  func remove(_ path: String) throws(StorageError)
  /// Makes a directory's entries durable.
  func syncDirectory(_ path: String) throws(StorageError)
  /// Bytes that may still be written, the reserve not counted, and the size of the file system.
  func space() throws(StorageError) -> (free: Int, total: Int)
  /// Takes a piece of what is missing of the reserve, where there is room for it; to be called now and then.
  func keepReserve() throws(StorageError)
  /// Whether files can be made in a directory that is there: it may be somebody else's, or on what is read-only.
  func takesFiles(in directory: String) -> Bool
  /// Throws if the data directory is not what and where it was at the start: removed, replaced, or without its lock file.
  func checkPlace() throws(StorageError)
}

extension Storage {
  /// For those who open a file by name.
  ///
  /// - Parameter path: relative to the data directory, of names as text.
  public func absolutePath(_ path: String) -> String { "\(root)/\(KernelName.composed(path))" }

  /// A storage that knows no users.
  public func replace(_ path: String, with bytes: [UInt8], isSecret: Bool) throws(StorageError) {
    try replace(path, with: bytes)
  }
  /// A storage whose reserve is a matter of counting.
  public func keepReserve() throws(StorageError) {}
  /// A storage that knows neither users nor what is read-only.
  public func takesFiles(in directory: String) -> Bool { true }
  /// A storage that has no place in a file system.
  public func checkPlace() throws(StorageError) {}
}

/// An open file of the data directory. One thread at a time.
public protocol StoredFile: AnyObject, Sendable {
  var path: String { get }
  /// Bytes now in the file.
  var size: Int { get }
  /// Whether writes may use the reserve that is kept for completing takes and for metadata. False at first.
  var usesReserve: Bool { get set }
  /// Writes all of `bytes` at `offset`, growing the file as needed.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError)
  /// Reads up to `target.count` bytes at `offset`; fewer only at the end of the file.
  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int
  /// Cuts or extends (with zeros) to `size`.
  func truncate(to size: Int) throws(StorageError)
  /// Makes contents and size durable (fdatasync).
  func sync() throws(StorageError)
  /// Has what was written before `end` on its way to the medium, and waits until all but the newest of it is there: a long
  /// file that is written in one go keeps its medium busy, and no sync of it takes long. Nothing is durable before `sync`.
  func pushOut(upTo end: Int) throws(StorageError)
  /// Has what is durable read from the medium next, and not from memory, where the system can (posix_fadvise).
  func forgetCached()
  /// Closes; further calls are errors of the caller.
  func close()
}

extension StoredFile {
  /// Storage without a reserve: nothing to allow.
  public var usesReserve: Bool {
    get { false }
    set {}
  }
  /// Storage whose memory is the medium.
  public func forgetCached() {}
  public func pushOut(upTo end: Int) throws(StorageError) {}
}
