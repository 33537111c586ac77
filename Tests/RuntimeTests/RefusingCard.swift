import Hardware
import SimulatedHardware
import Synchronization
import TestSupport

/// A card that refuses some changes of files, for some time: what is asked for is refused with the error, or done.
final class RefusingCard: PassThroughStorage {
  /// What is asked of a file: `create`, `write`, `truncate`, `sync`, `replace`, `look`.
  typealias Refusal = @Sendable (_ operation: String, _ path: String, _ now: Instant) -> StorageError.Kind?

  let inner: any Storage
  private let clock: VirtualClock
  private let refusal: Refusal
  private let count = Mutex(0)

  init(_ inner: any Storage, _ clock: VirtualClock, _ refusal: @escaping Refusal) {
    (self.inner, self.clock, self.refusal) = (inner, clock, refusal)
  }

  /// How often it has refused.
  var refused: Int { count.withLock { $0 } }

  fileprivate func check(_ operation: String, _ path: String) throws(StorageError) {
    guard let kind = refusal(operation, path, clock.now) else { return }
    count.withLock { $0 += 1 }
    throw StorageError(kind, operation: operation, path: path, code: kind == .full ? 28 : 5)
  }

  func create(_ path: String) throws(StorageError) -> any StoredFile {
    try check("create", path)
    return RefusingFile(try inner.create(path), self)
  }
  func open(_ path: String, writable: Bool) throws(StorageError) -> any StoredFile {
    RefusingFile(try inner.open(path, writable: writable), self)
  }
  func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) {
    try check("replace", path)
    try inner.replace(path, with: bytes)
  }
  func entry(_ path: String) throws(StorageError) -> StorageEntry {
    try check("look", path)
    return try inner.entry(path)
  }
}

private final class RefusingFile: PassThroughFile {
  let inner: any StoredFile
  private let card: RefusingCard

  init(_ inner: any StoredFile, _ card: RefusingCard) { (self.inner, self.card) = (inner, card) }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    try card.check("write", path)
    try inner.write(bytes, at: offset)
  }
  func truncate(to size: Int) throws(StorageError) {
    try card.check("truncate", path)
    try inner.truncate(to: size)
  }
  func sync() throws(StorageError) {
    try card.check("sync", path)
    try inner.sync()
  }
}
