public import Hardware

/// A storage that is looked at and not changed: whatever would change anything is `denied`.
public final class ReadOnlyStorage: Storage {
  private let storage: any Storage

  public init(_ storage: any Storage) { self.storage = storage }

  public var root: String { storage.root }

  public func open(_ path: String, writable: Bool) throws(StorageError) -> any StoredFile {
    if writable { throw Self.denied("open for writing", path) }
    return try storage.open(path, writable: false)
  }

  public func read(_ path: String, limit: Int) throws(StorageError) -> [UInt8] {
    try storage.read(path, limit: limit)
  }

  public func list(_ directory: String) throws(StorageError) -> [StorageEntry] { try storage.list(directory) }
  public func entry(_ path: String) throws(StorageError) -> StorageEntry { try storage.entry(path) }
  public func space() throws(StorageError) -> (free: Int, total: Int) { try storage.space() }
  public func scratch() throws(StorageError) -> any StoredFile { try storage.scratch() }

  public func create(_ path: String) throws(StorageError) -> any StoredFile { throw Self.denied("create", path) }

  public func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) { throw Self.denied("replace", path) }

  /// Nobody misses a directory who only looks.
  public func makeDirectory(_ path: String) throws(StorageError) {}

  public func rename(_ path: String, to target: String) throws(StorageError) { throw Self.denied("rename", path) }
  public func remove(_ path: String) throws(StorageError) { throw Self.denied("remove", path) }
  public func syncDirectory(_ path: String) throws(StorageError) {}

  private static func denied(_ operation: String, _ path: String) -> StorageError {
    StorageError(.denied, operation: "\(operation), for it is only looked at", path: path)
  }
}
