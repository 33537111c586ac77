internal import Glibc
internal import Hardware
internal import Synchronization

/// What a simulated stick refuses.
struct StickRules: Sendable {
  var isFull = false
  var isReadOnly = false
  /// Bytes that may still be written before it is pulled out.
  var pulledAfter: Int?
}

/// The files of a simulated stick: those of a storage, as long as it is in its socket. Any thread.
final class StickFiles: Storage, Sendable {
  private let inner: SimulatedStorage
  private let onPull: @Sendable () -> Void
  private let rules: Mutex<StickRules>
  private let isGone = Atomic<Bool>(false)

  /// - Parameter onPull: the bytes have been written after which it is pulled out.
  init(_ inner: SimulatedStorage, _ rules: StickRules, onPull: @escaping @Sendable () -> Void) {
    self.inner = inner
    self.onPull = onPull
    self.rules = Mutex(rules)
    inner.setFull(rules.isFull)
  }

  var root: String { inner.root }

  func set(_ new: StickRules) {
    rules.withLock { $0 = new }
    inner.setFull(new.isFull)
  }

  /// It is gone; of what was not synced a part stays that the seed decides.
  func pull(seed: UInt64) {
    isGone.store(true, ordering: .relaxed)
    // What cannot be taken back stays: it is on the stick, then.
    try? inner.cutPower(.someKept(seed: seed))
  }

  func create(_ path: String) throws(StorageError) -> any StoredFile {
    StickFile(try changing("create", path) { () throws(StorageError) in try inner.create(path) }, self)
  }

  func open(_ path: String, writable: Bool) throws(StorageError) -> any StoredFile {
    try check("open", path, changes: writable)
    return StickFile(try inner.open(path, writable: writable), self)
  }

  func scratch() throws(StorageError) -> any StoredFile {
    StickFile(try changing("make a scratch file", "") { () throws(StorageError) in try inner.scratch() }, self)
  }

  func read(_ path: String, limit: Int) throws(StorageError) -> [UInt8] {
    try check("read", path, changes: false)
    return try inner.read(path, limit: limit)
  }

  func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) {
    try changing("replace", path) { () throws(StorageError) in try inner.replace(path, with: bytes) }
  }

  func list(_ directory: String) throws(StorageError) -> [StorageEntry] {
    try check("list", directory, changes: false)
    return try inner.list(directory)
  }

  func entry(_ path: String) throws(StorageError) -> StorageEntry {
    try check("look at", path, changes: false)
    return try inner.entry(path)
  }

  func makeDirectory(_ path: String) throws(StorageError) {
    // One that is there needs no writing.
    if let there = try? entry(path), there.isDirectory { return }
    try changing("make the directory", path) { () throws(StorageError) in try inner.makeDirectory(path) }
  }

  func rename(_ path: String, to target: String) throws(StorageError) {
    try changing("rename", path) { () throws(StorageError) in try inner.rename(path, to: target) }
  }

  func remove(_ path: String) throws(StorageError) {
    try changing("remove", path) { () throws(StorageError) in try inner.remove(path) }
  }

  func syncDirectory(_ path: String) throws(StorageError) {
    try check("sync", path, changes: false)
    try inner.syncDirectory(path)
  }

  func space() throws(StorageError) -> (free: Int, total: Int) {
    try check("look at the space of", "", changes: false)
    return try inner.space()
  }

  func checkPlace() throws(StorageError) { try check("find", root, changes: false) }

  /// How many of so many bytes are written before it is pulled out.
  fileprivate func admit(_ bytes: Int) -> Int {
    rules.withLock { rules in
      guard let left = rules.pulledAfter else { return bytes }
      rules.pulledAfter = max(0, left - bytes)
      return min(left, bytes)
    }
  }

  fileprivate func pullNow() { onPull() }

  fileprivate func check(_ operation: String, _ path: String, changes: Bool) throws(StorageError) {
    if isGone.load(ordering: .relaxed) {
      throw StorageError(.failed, operation: operation, path: path, code: EIO)
    }
    if changes, rules.withLock({ $0.isReadOnly }) {
      throw StorageError(.denied, operation: operation, path: path, code: EROFS)
    }
  }

  private func changing<Result>(
    _ operation: String, _ path: String, _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try check(operation, path, changes: true)
    return try body()
  }
}

/// An open file of a simulated stick.
private final class StickFile: StoredFile {
  private let inner: any StoredFile
  private let stick: StickFiles

  init(_ inner: any StoredFile, _ stick: StickFiles) {
    self.inner = inner
    self.stick = stick
  }

  var path: String { inner.path }
  var size: Int { inner.size }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    try stick.check("write", path, changes: true)
    let admitted = stick.admit(bytes.count)
    try inner.write(UnsafeRawBufferPointer(rebasing: bytes[..<admitted]), at: offset)
    guard admitted < bytes.count else { return }
    stick.pullNow()
    try stick.check("write", path, changes: true)
  }

  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    try stick.check("read", path, changes: false)
    return try inner.read(into: target, at: offset)
  }

  func truncate(to size: Int) throws(StorageError) {
    try stick.check("cut", path, changes: true)
    try inner.truncate(to: size)
  }

  func sync() throws(StorageError) {
    try stick.check("sync", path, changes: true)
    try inner.sync()
  }

  func pushOut(upTo end: Int) throws(StorageError) {
    try stick.check("write", path, changes: true)
    try inner.pushOut(upTo: end)
  }

  func forgetCached() { inner.forgetCached() }
  func close() { inner.close() }
}
