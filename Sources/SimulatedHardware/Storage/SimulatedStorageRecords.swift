internal import Glibc
internal import Hardware
internal import Synchronization

/// What a simulated storage knows of its files: which handles are open, what is not durable yet.
extension SimulatedStorage {
  /// Runs one call on a file under the lock, with its record.
  func perform<Result>(
    _ identity: Int, _ operation: String, path: String, changes: Bool,
    _ body: (inout Core, inout Record) throws(StorageError) -> Result
  ) throws(StorageError) -> Result where Result: Sendable {
    try core.withLock { core throws(StorageError) in
      try check(&core, operation, path, changes: changes)
      guard var record = core.records[identity] else {
        throw StorageError(.failed, operation: operation, path: path, code: EBADF)
      }
      defer { core.records[identity] = record }
      return try body(&core, &record)
    }
  }

  func close(_ identity: Int, _ file: any StoredFile) {
    core.withLock { core in
      guard var record = core.records[identity] else { return file.close() }
      record.handles -= 1
      // A handle with unsynced changes stays open for the case that they have to be taken back; of a file without a
      // name there is nothing to be taken back.
      if record.changes.isEmpty || record.file !== file || record.path == nil { file.close() }
      let isDone = record.handles <= 0 && (record.path == nil || record.changes.isEmpty && record.isEntryDurable)
      core.records[identity] = isDone ? nil : record
      if isDone, let path = record.path { core.identities[path] = nil }
    }
  }

  func handle(
    _ core: inout Core, _ file: any StoredFile, _ path: String?, isEntryDurable: Bool
  ) -> SimulatedFile {
    let identity: Int
    if let path, let known = core.identities[path], core.records[known] != nil {
      identity = known
    } else {
      identity = core.nextIdentity
      core.nextIdentity += 1
      core.records[identity] = Record(path: path, isEntryDurable: isEntryDurable, file: file)
      if let path { core.identities[path] = identity }
    }
    core.records[identity]?.handles += 1
    return SimulatedFile(storage: self, identity: identity, inner: file)
  }

  func forget(_ core: inout Core, _ path: String) {
    guard let identity = core.identities.removeValue(forKey: path) else { return }
    core.records[identity]?.path = nil
    core.records[identity]?.changes.clear()
  }

  func makeEntriesDurable(_ core: inout Core, in directory: String) {
    for (identity, record) in core.records {
      guard let path = record.path, MemoryStorage.parent(of: path) == directory else { continue }
      core.records[identity]?.isEntryDurable = true
    }
  }

  func check(
    _ core: inout Core, _ operation: String, _ path: String, changes: Bool
  ) throws(StorageError) {
    if core.isCut { throw StorageError(.failed, operation: operation, path: path, code: EIO) }
    guard changes else { return }
    let now = clock.now
    let turn = now.nanoseconds % 2_000_000_000
    let slow = turn < core.slowness.nanoseconds ? now + .nanoseconds(core.slowness.nanoseconds - turn) : now
    let until = max(core.stalledUntil, slow)
    if now < until {
      throw StorageError(.stalled(until: until), operation: operation, path: path, code: EAGAIN)
    }
  }
}
