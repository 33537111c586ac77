internal import Glibc
internal import Hardware
internal import Synchronization

/// One handle of a `SimulatedStorage`.
final class SimulatedFile: StoredFile {
  private let storage: SimulatedStorage
  private let identity: Int
  private let inner: any StoredFile
  private let mayUseReserve = Atomic<Bool>(false)

  init(storage: SimulatedStorage, identity: Int, inner: any StoredFile) {
    self.storage = storage
    self.identity = identity
    self.inner = inner
  }

  var path: String { inner.path }
  var size: Int { inner.size }
  /// A simulated full card keeps its reserve, as a real one does.
  var usesReserve: Bool {
    get { mayUseReserve.load(ordering: .relaxed) }
    set {
      mayUseReserve.store(newValue, ordering: .relaxed)
      inner.usesReserve = newValue
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    let content = [UInt8](bytes)
    let inner = inner
    try storage.perform(identity, "write", path: path, changes: true) { core, record throws(StorageError) in
      let growth = max(0, offset + content.count - inner.size)
      let free = core.isFull && !usesReserve ? 0 : core.freeLimit ?? .max
      // As a real medium: what fits is written, then the error comes.
      let fitting = growth <= free ? content.count : max(0, min(content.count, inner.size + free - offset))
      if fitting > 0 {
        let part = fitting == content.count ? content : Array(content.prefix(fitting))
        let sizeBefore = inner.size
        try record.changes.noteWrite(of: part, at: offset, in: inner)
        record.file = inner
        do throws(StorageError) { try inner.put(part, at: offset) } catch {
          if inner.size == sizeBefore { record.changes.dropLast() }
          throw error
        }
        if let limit = core.freeLimit { core.freeLimit = max(0, limit - max(0, inner.size - sizeBefore)) }
      }
      if fitting < content.count { throw StorageError(.full, operation: "write", path: inner.path, code: ENOSPC) }
    }
  }

  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    try storage.perform(identity, "read", path: path, changes: false) { _, _ throws(StorageError) in () }
    return try inner.read(into: target, at: offset)
  }

  func truncate(to size: Int) throws(StorageError) {
    let inner = inner
    try storage.perform(identity, "truncate", path: path, changes: true) { core, record throws(StorageError) in
      let growth = size - inner.size
      if growth > 0, growth > (core.isFull && !usesReserve ? 0 : core.freeLimit ?? .max) {
        throw StorageError(.full, operation: "truncate", path: inner.path, code: ENOSPC)
      }
      try record.changes.noteResize(to: size, of: inner)
      record.file = inner
      do throws(StorageError) { try inner.truncate(to: size) } catch {
        record.changes.dropLast()
        throw error
      }
      if let limit = core.freeLimit { core.freeLimit = max(0, limit - growth) }
    }
  }

  func sync() throws(StorageError) {
    let inner = inner
    try storage.perform(identity, "sync", path: path, changes: true) { _, record throws(StorageError) in
      try inner.sync()
      record.changes.clear()
      // Lets go of a closed handle that was kept for its changes.
      record.file = inner
    }
  }

  func forgetCached() { inner.forgetCached() }

  func close() { storage.close(identity, inner) }
}
