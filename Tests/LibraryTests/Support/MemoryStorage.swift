import Hardware

/// A file system in memory that can stop at any call: killed, without power, stalled, full, read-only.
///
/// Contents survive a kill as they are; a power cut takes back what was not synced.
final class MemoryStorage: Storage, @unchecked Sendable {
  final class Node {
    var bytes: [UInt8] = []
    /// What a power cut leaves of the content.
    var durable: [UInt8] = []
    /// Whether the name itself survives a power cut.
    var isNameDurable = false
    var modified = WallTime(nanosecondsSince1970: 0)
  }

  enum Disaster {
    /// From this call on every call fails, as after kill -9.
    case kill
    /// The call stalls once and does nothing; the same call succeeds when it is made again.
    case stall
  }

  /// Directories without a final slash; the root is "".
  var directories: Set<String> = [""]
  var nodes: [String: Node] = [:]
  /// Calls made, counting only those that change something or all of them (`countsReads`).
  var calls = 0
  var countsReads = false
  /// What happens at which call.
  var disaster: (Disaster, at: Int)?
  /// Fails with this from now on, for what changes anything.
  var failure: StorageError.Kind?
  /// Paths for which `failure` holds; empty for all.
  var failingSuffix = ""
  /// What ends so cannot be looked at.
  var invisibleSuffix: String?
  var free = 1 << 30
  var total = 1 << 32
  /// Files that are links or pipes.
  var special: Set<String> = []
  private(set) var isDead = false
  /// Every name that was replaced although it existed, or written over, for tests of "nothing is overwritten".
  var log: [String] = []
  private var time: Int64 = 1_795_000_000_000_000_000

  var root: String { "/memory" }

  /// The storage as the next start finds it. After a power cut what was not synced is gone.
  func reboot(powerCut: Bool = false) -> MemoryStorage {
    let next = MemoryStorage()
    next.directories = directories
    next.time = time + 1_000_000_000
    for (path, node) in nodes where !powerCut || node.isNameDurable {
      let copy = Node()
      copy.bytes = powerCut ? node.durable : node.bytes
      copy.durable = copy.bytes
      copy.isNameDurable = true
      copy.modified = node.modified
      next.nodes[path] = copy
    }
    return next
  }

  /// Puts a file there as another computer would.
  func plant(_ path: String, _ bytes: [UInt8]) {
    let node = Node()
    node.bytes = bytes
    node.durable = bytes
    node.isNameDurable = true
    node.modified = tick()
    nodes[path] = node
  }

  func names(in directory: String) -> [String] {
    nodes.keys.filter { Self.parent($0) == directory }.map { Self.name($0) }.sorted()
  }

  func tick() -> WallTime {
    time += 1_000_000
    return WallTime(nanosecondsSince1970: time)
  }

  func gate(_ operation: String, _ path: String, changes: Bool) throws(StorageError) {
    func fail(_ kind: StorageError.Kind) -> StorageError { StorageError(kind, operation: operation, path: path) }
    if isDead { throw fail(.failed) }
    if changes || countsReads {
      calls += 1
      if let disaster, calls == disaster.at {
        switch disaster.0 {
        case .kill:
          isDead = true
          throw fail(.failed)
        case .stall:
          self.disaster = nil
          throw fail(.stalled(until: Instant(nanoseconds: 10)))
        }
      }
    }
    if changes {
      if let failure, failingSuffix.isEmpty || path.hasSuffix(failingSuffix) { throw fail(failure) }
      log.append("\(operation) \(path)")
    }
  }

  func node(_ path: String, _ operation: String) throws(StorageError) -> Node {
    guard let node = nodes[path] else { throw StorageError(.notFound, operation: operation, path: path) }
    return node
  }

  func create(_ path: String) throws(StorageError) -> any StoredFile {
    try gate("create", path, changes: true)
    guard nodes[path] == nil else { throw StorageError(.alreadyExists, operation: "create", path: path) }
    guard directories.contains(Self.parent(path)) else {
      throw StorageError(.notFound, operation: "create", path: path)
    }
    let node = Node()
    node.modified = tick()
    nodes[path] = node
    return MemoryFile(path, node, self)
  }

  func open(_ path: String, writable: Bool) throws(StorageError) -> any StoredFile {
    try gate("open", path, changes: false)
    return MemoryFile(path, try node(path, "open"), self)
  }

  func scratch() throws(StorageError) -> any StoredFile { MemoryFile("", Node(), self) }

  func read(_ path: String, limit: Int) throws(StorageError) -> [UInt8] {
    try gate("read", path, changes: false)
    let bytes = try node(path, "read").bytes
    guard bytes.count <= limit else { throw StorageError(.failed, operation: "read", path: path, code: 27) }
    return bytes
  }

  func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) {
    try gate("replace", path, changes: true)
    guard directories.contains(Self.parent(path)) else {
      throw StorageError(.notFound, operation: "replace", path: path)
    }
    let node = Node()
    node.bytes = bytes
    node.durable = bytes
    node.modified = tick()
    nodes[path] = node
    settle(Self.parent(path))
  }

  func list(_ directory: String) throws(StorageError) -> [StorageEntry] {
    try gate("list", directory, changes: false)
    guard directories.contains(directory) else {
      throw StorageError(.notFound, operation: "list", path: directory)
    }
    var entries: [StorageEntry] = []
    for (path, node) in nodes where Self.parent(path) == directory {
      entries.append(
        StorageEntry(
          name: Self.name(path), isDirectory: false, isRegular: !special.contains(path), size: node.bytes.count,
          modified: node.modified))
    }
    return entries.sorted { $0.name < $1.name }
  }

  func entry(_ path: String) throws(StorageError) -> StorageEntry {
    try gate("entry", path, changes: false)
    if let invisibleSuffix, path.hasSuffix(invisibleSuffix) {
      throw StorageError(.failed, operation: "entry", path: path, code: 5)
    }
    let node = try node(path, "entry")
    return StorageEntry(
      name: Self.name(path), isDirectory: false, isRegular: !special.contains(path), size: node.bytes.count,
      modified: node.modified)
  }

  func makeDirectory(_ path: String) throws(StorageError) {
    if directories.contains(path) { return try gate("makeDirectory", path, changes: false) }
    try gate("makeDirectory", path, changes: true)
    directories.insert(path)
  }

  func rename(_ path: String, to target: String) throws(StorageError) {
    try gate("rename", path, changes: true)
    let node = try node(path, "rename")
    guard nodes[target] == nil else { throw StorageError(.alreadyExists, operation: "rename", path: target) }
    nodes[path] = nil
    nodes[target] = node
    settle(Self.parent(path))
    settle(Self.parent(target))
  }

  func remove(_ path: String) throws(StorageError) {
    try gate("remove", path, changes: true)
    _ = try node(path, "remove")
    nodes[path] = nil
  }

  func syncDirectory(_ path: String) throws(StorageError) {
    try gate("syncDirectory", path, changes: true)
    settle(path)
  }

  func space() throws(StorageError) -> (free: Int, total: Int) {
    try gate("space", "", changes: false)
    return (free, total)
  }

  private func settle(_ directory: String) {
    for (path, node) in nodes where !node.isNameDurable && Self.parent(path) == directory {
      node.isNameDurable = true
    }
  }

  private static func parent(_ path: String) -> String { path.pathParts.folder ?? "" }

  private static func name(_ path: String) -> String { path.pathParts.name }
}

/// An open file of `MemoryStorage`.
final class MemoryFile: StoredFile, @unchecked Sendable {
  let path: String
  private let node: MemoryStorage.Node
  private let storage: MemoryStorage

  init(_ path: String, _ node: MemoryStorage.Node, _ storage: MemoryStorage) {
    self.path = path
    self.node = node
    self.storage = storage
  }

  var size: Int { node.bytes.count }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    try storage.gate("write", path, changes: true)
    let missing = offset + bytes.count - node.bytes.count
    if missing > 0 { node.bytes.append(contentsOf: [UInt8](repeating: 0, count: missing)) }
    node.bytes.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    node.modified = storage.tick()
  }

  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    try storage.gate("read", path, changes: false)
    let count = max(0, min(target.count, node.bytes.count - offset))
    if count > 0 { target.copyBytes(from: node.bytes[offset..<offset + count]) }
    return count
  }

  func truncate(to size: Int) throws(StorageError) {
    try storage.gate("truncate", path, changes: true)
    if size < node.bytes.count {
      node.bytes.removeLast(node.bytes.count - size)
    } else {
      node.bytes.append(contentsOf: [UInt8](repeating: 0, count: size - node.bytes.count))
    }
    node.modified = storage.tick()
  }

  func sync() throws(StorageError) {
    try storage.gate("sync", path, changes: true)
    node.durable = node.bytes
  }

  func close() {}
}
