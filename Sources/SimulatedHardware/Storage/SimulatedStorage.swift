internal import Glibc
public import Hardware
internal import Synchronization

/// Any `Storage` with faults: a full or stalled medium, an artificial amount of free space, and a power cut that
/// takes back everything that was not synced.
///
/// What is durable follows the contract of `Storage` to the letter: contents after `sync`, a created file's entry
/// after `syncDirectory` of its directory (or a rename of it), `replace`, `rename`, `remove` and `makeDirectory` on
/// return. Any thread; calls are serialised by a lock.
public final class SimulatedStorage: Storage, Sendable {
  /// `replace` of files up to this size works on a full medium: it is what the reserve is for.
  public static let reservedReplacement = 1 << 20

  struct Record {
    /// `nil` once the file is removed or replaced.
    var path: String?
    var isEntryDurable: Bool
    var changes = UnsyncedChanges()
    /// The handle that made the changes; kept until they are durable.
    var file: any StoredFile
    var handles = 0
  }

  struct Core {
    var isFull = false
    var freeLimit: Int?
    var stalledUntil = Instant.zero
    /// Of every two seconds it does not answer for so long.
    var slowness = Duration.zero
    var isCut = false
    var records: [Int: Record] = [:]
    var identities: [String: Int] = [:]
    var nextIdentity = 0
  }

  let inner: any Storage
  let clock: any DeviceClock
  let core = Mutex(Core())

  public init(wrapping inner: any Storage, clock: any DeviceClock) {
    self.inner = inner
    self.clock = clock
  }

  public var root: String { inner.root }

  // MARK: Faults

  /// A full medium refuses new files and growth (`full`), but small replacements go to the reserve.
  public func setFull(_ isFull: Bool) { core.withLock { $0.isFull = isFull } }

  /// Lets files grow by `bytes` more in all and then be full; `nil`: as the wrapped storage says.
  public func limitFreeSpace(to bytes: Int?) { core.withLock { $0.freeLimit = bytes } }

  /// For `length` every call that would change something throws `stalled(until:)`; reading still works, from the
  /// page cache as it were.
  public func stall(_ length: Duration, at now: Instant) {
    core.withLock { $0.stalledUntil = max($0.stalledUntil, now + length) }
  }

  /// Of every two seconds the medium does not answer for `length`, as a worn card does; zero heals it.
  public func slow(by length: Duration) { core.withLock { $0.slowness = min(length, .milliseconds(1990)) } }

  /// Cuts the power: unsynced changes are gone (or some of them, see `PowerCutOutcome`), and every call from now on
  /// throws `failed`. The wrapped storage holds what the next start will find.
  ///
  /// Where it cannot take a change back it throws what the wrapped storage said; the cut has happened all the same.
  public func cutPower(_ outcome: PowerCutOutcome = .nothingKept) throws(StorageError) {
    try core.withLock { core throws(StorageError) in
      guard !core.isCut else { return }
      core.isCut = true
      var random = SeededGenerator(seed: 0)
      if case .someKept(let seed) = outcome { random = SeededGenerator(seed: seed) }
      var problem: StorageError?
      // In a fixed order, so that a seed means the same in every run.
      for identity in core.records.keys.sorted() {
        guard var record = core.records[identity], let path = record.path else { continue }
        let keepsEntry = outcome != .nothingKept && random.next() % 2 == 0
        let fileOutcome = outcome == .nothingKept ? outcome : .someKept(seed: random.next())
        do throws(StorageError) {
          if !record.isEntryDurable, !keepsEntry {
            try inner.remove(path)
          } else if !record.changes.isEmpty {
            try record.changes.rollBack(record.file, fileOutcome)
          }
        } catch { problem = problem ?? error }
      }
      core.records = [:]
      if let problem { throw problem }
    }
  }

  // MARK: Storage

  public func create(_ path: String) throws(StorageError) -> any StoredFile {
    try core.withLock { core throws(StorageError) in
      try check(&core, "create", path, changes: true)
      if core.isFull || core.freeLimit == 0 {
        throw StorageError(.full, operation: "create", path: path, code: ENOSPC)
      }
      let file = try inner.create(path)
      core.identities[path] = nil
      return handle(&core, file, path, isEntryDurable: false)
    }
  }

  public func open(_ path: String, writable: Bool) throws(StorageError) -> any StoredFile {
    try core.withLock { core throws(StorageError) in
      try check(&core, "open", path, changes: false)
      let file = try inner.open(path, writable: writable)
      return handle(&core, file, path, isEntryDurable: true)
    }
  }

  public func scratch() throws(StorageError) -> any StoredFile {
    try core.withLock { core throws(StorageError) in
      try check(&core, "make a scratch file", "", changes: true)
      return handle(&core, try inner.scratch(), nil, isEntryDurable: true)
    }
  }

  public func read(_ path: String, limit: Int) throws(StorageError) -> [UInt8] {
    try core.withLock { core throws(StorageError) in
      try check(&core, "read", path, changes: false)
      return try inner.read(path, limit: limit)
    }
  }

  public func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) {
    try replace(path, with: bytes, isSecret: false)
  }

  public func replace(_ path: String, with bytes: [UInt8], isSecret: Bool) throws(StorageError) {
    try core.withLock { core throws(StorageError) in
      try check(&core, "replace", path, changes: true)
      if core.isFull || core.freeLimit == 0, bytes.count > Self.reservedReplacement {
        throw StorageError(.full, operation: "replace", path: path, code: ENOSPC)
      }
      try inner.replace(path, with: bytes, isSecret: isSecret)
      forget(&core, path)
      makeEntriesDurable(&core, in: MemoryStorage.parent(of: path))
    }
  }

  public func list(_ directory: String) throws(StorageError) -> [StorageEntry] {
    try core.withLock { core throws(StorageError) in
      try check(&core, "list", directory, changes: false)
      return try inner.list(directory)
    }
  }

  public func entry(_ path: String) throws(StorageError) -> StorageEntry {
    try core.withLock { core throws(StorageError) in
      try check(&core, "examine", path, changes: false)
      return try inner.entry(path)
    }
  }

  public func makeDirectory(_ path: String) throws(StorageError) {
    try core.withLock { core throws(StorageError) in
      try check(&core, "make the directory", path, changes: true)
      try inner.makeDirectory(path)
    }
  }

  public func rename(_ path: String, to target: String) throws(StorageError) {
    try core.withLock { core throws(StorageError) in
      try check(&core, "rename", path, changes: true)
      try inner.rename(path, to: target)
      for (known, identity) in core.identities where known == path || known.hasPrefix(path + "/") {
        let moved = target + known.dropFirst(path.count)
        core.identities[known] = nil
        core.identities[moved] = identity
        core.records[identity]?.path = moved
      }
      makeEntriesDurable(&core, in: MemoryStorage.parent(of: path))
      makeEntriesDurable(&core, in: MemoryStorage.parent(of: target))
    }
  }

  public func remove(_ path: String) throws(StorageError) {
    try core.withLock { core throws(StorageError) in
      try check(&core, "remove", path, changes: true)
      let size = core.freeLimit == nil ? 0 : try inner.entry(path).size
      try inner.remove(path)
      if let limit = core.freeLimit { core.freeLimit = limit + size }
      forget(&core, path)
      makeEntriesDurable(&core, in: MemoryStorage.parent(of: path))
    }
  }

  public func syncDirectory(_ path: String) throws(StorageError) {
    try core.withLock { core throws(StorageError) in
      try check(&core, "sync", path, changes: true)
      try inner.syncDirectory(path)
      makeEntriesDurable(&core, in: path)
    }
  }

  public func space() throws(StorageError) -> (free: Int, total: Int) {
    try core.withLock { core throws(StorageError) in
      try check(&core, "ask for the space", "", changes: false)
      let space = try inner.space()
      return (core.isFull ? 0 : min(space.free, core.freeLimit ?? .max), space.total)
    }
  }

  public func keepReserve() throws(StorageError) {
    try core.withLock { core throws(StorageError) in
      if !core.isCut, !core.isFull { try inner.keepReserve() }
    }
  }

  public func takesFiles(in directory: String) -> Bool { inner.takesFiles(in: directory) }
  public func checkPlace() throws(StorageError) { try inner.checkPlace() }
}
