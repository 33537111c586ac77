public import Hardware

/// A storage that hands on to another one whatever it says nothing of itself.
public protocol PassThroughStorage: Storage {
  var inner: any Storage { get }
}

extension PassThroughStorage {
  public var root: String { inner.root }
  public func create(_ path: String) throws(StorageError) -> any StoredFile { try inner.create(path) }
  public func open(_ path: String, writable: Bool) throws(StorageError) -> any StoredFile {
    try inner.open(path, writable: writable)
  }
  public func scratch() throws(StorageError) -> any StoredFile { try inner.scratch() }
  public func read(_ path: String, limit: Int) throws(StorageError) -> [UInt8] { try inner.read(path, limit: limit) }
  public func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) {
    try inner.replace(path, with: bytes)
  }
  public func list(_ directory: String) throws(StorageError) -> [StorageEntry] { try inner.list(directory) }
  public func entry(_ path: String) throws(StorageError) -> StorageEntry { try inner.entry(path) }
  public func makeDirectory(_ path: String) throws(StorageError) { try inner.makeDirectory(path) }
  public func rename(_ path: String, to target: String) throws(StorageError) { try inner.rename(path, to: target) }
  public func remove(_ path: String) throws(StorageError) { try inner.remove(path) }
  public func syncDirectory(_ path: String) throws(StorageError) { try inner.syncDirectory(path) }
  public func space() throws(StorageError) -> (free: Int, total: Int) { try inner.space() }
}

/// The same of a file.
public protocol PassThroughFile: StoredFile {
  var inner: any StoredFile { get }
}

extension PassThroughFile {
  public var path: String { inner.path }
  public var size: Int { inner.size }
  public var usesReserve: Bool {
    get { inner.usesReserve }
    set { inner.usesReserve = newValue }
  }
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    try inner.write(bytes, at: offset)
  }
  public func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    try inner.read(into: target, at: offset)
  }
  public func truncate(to size: Int) throws(StorageError) { try inner.truncate(to: size) }
  public func sync() throws(StorageError) { try inner.sync() }
  public func close() { inner.close() }
}
