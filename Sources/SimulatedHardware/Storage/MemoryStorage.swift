internal import Glibc
public import Hardware
internal import Synchronization

/// A file system in memory, for tests and for runs that leave nothing behind. Any thread.
///
/// Nothing of it can be opened by path: `root` names no directory.
public final class MemoryStorage: Storage, Sendable {
  final class Node: Sendable {
    struct Core {
      var bytes: [UInt8] = []
      var modified: WallTime
    }

    let core: Mutex<Core>

    init(modified: WallTime) { core = Mutex(Core(modified: modified)) }
  }

  private struct Tree {
    var files: [String: Node] = [:]
    var directories: Set<String> = [""]

    func exists(_ path: String) -> Bool { files[path] != nil || directories.contains(path) }
  }

  public let root = "/nonexistent/memory"
  private let capacity: Int
  private let clock: any DeviceClock
  private let tree = Mutex(Tree())

  /// - Parameters:
  ///   - capacity: bytes that `space` starts from; it is not enforced.
  ///   - clock: stamps changes.
  public init(capacity: Int = 1 << 36, clock: any DeviceClock) {
    self.capacity = capacity
    self.clock = clock
  }

  public func create(_ path: String) throws(StorageError) -> any StoredFile {
    let path = try checked(path, "create")
    let node = Node(modified: clock.wallNow)
    try change("create", path) { tree in
      if tree.exists(path) { return .alreadyExists }
      guard tree.directories.contains(Self.parent(of: path)) else { return .notFound }
      tree.files[path] = node
      return nil
    }
    return MemoryFile(path: path, node: node, clock: clock, isWritable: true)
  }

  public func open(_ path: String, writable: Bool) throws(StorageError) -> any StoredFile {
    let path = try checked(path, "open")
    guard let node = tree.withLock({ $0.files[path] }) else {
      throw StorageError(.notFound, operation: "open", path: path, code: ENOENT)
    }
    return MemoryFile(path: path, node: node, clock: clock, isWritable: writable)
  }

  public func scratch() throws(StorageError) -> any StoredFile {
    MemoryFile(path: "", node: Node(modified: clock.wallNow), clock: clock, isWritable: true)
  }

  public func read(_ path: String, limit: Int) throws(StorageError) -> [UInt8] {
    let path = try checked(path, "read")
    guard let node = tree.withLock({ $0.files[path] }) else {
      throw StorageError(.notFound, operation: "read", path: path, code: ENOENT)
    }
    let bytes = node.core.withLock { $0.bytes }
    guard bytes.count <= limit else { throw StorageError(.failed, operation: "read", path: path, code: EFBIG) }
    return bytes
  }

  public func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) {
    let path = try checked(path, "replace")
    let node = Node(modified: clock.wallNow)
    node.core.withLock { $0.bytes = bytes }
    try change("replace", path) { tree in
      guard tree.directories.contains(Self.parent(of: path)) else { return .notFound }
      if tree.directories.contains(path) { return .failed }
      tree.files[path] = node
      return nil
    }
  }

  public func list(_ directory: String) throws(StorageError) -> [StorageEntry] {
    let directory = try checked(directory, "list", allowsRoot: true)
    let found: (directories: [String], files: [(String, Node)])? = tree.withLock { tree in
      guard tree.directories.contains(directory) else { return nil }
      return (
        tree.directories.filter { !$0.isEmpty && Self.parent(of: $0) == directory },
        tree.files.filter { Self.parent(of: $0.key) == directory }.map { ($0.key, $0.value) }
      )
    }
    guard let found else { throw StorageError(.notFound, operation: "list", path: directory, code: ENOENT) }
    let directories = found.directories.map {
      StorageEntry(name: Self.name(of: $0), isDirectory: true, size: 0, modified: clock.wallNow)
    }
    return (directories + found.files.map { entry(of: $0.1, named: Self.name(of: $0.0)) }).sorted { $0.name < $1.name }
  }

  public func entry(_ path: String) throws(StorageError) -> StorageEntry {
    let path = try checked(path, "examine", allowsRoot: true)
    let (node, isDirectory) = tree.withLock { ($0.files[path], $0.directories.contains(path)) }
    if let node { return entry(of: node, named: Self.name(of: path)) }
    guard isDirectory else { throw StorageError(.notFound, operation: "examine", path: path, code: ENOENT) }
    return StorageEntry(name: Self.name(of: path), isDirectory: true, size: 0, modified: clock.wallNow)
  }

  public func makeDirectory(_ path: String) throws(StorageError) {
    let path = try checked(path, "make the directory", allowsRoot: true)
    try change("make the directory", path) { tree in
      var partial = ""
      for part in path.split(separator: "/") {
        partial += (partial.isEmpty ? "" : "/") + part
        if tree.files[partial] != nil { return .failed }
        tree.directories.insert(partial)
      }
      return nil
    }
  }

  public func rename(_ path: String, to target: String) throws(StorageError) {
    let path = try checked(path, "rename")
    let target = try checked(target, "rename to")
    try change("rename to \(target)", path) { tree in
      if tree.exists(target) { return .alreadyExists }
      guard tree.directories.contains(Self.parent(of: target)) else { return .notFound }
      if let node = tree.files.removeValue(forKey: path) {
        tree.files[target] = node
        return nil
      }
      guard tree.directories.contains(path), !target.hasPrefix(path + "/") else { return .notFound }
      let moved: (String) -> String = {
        $0 == path || $0.hasPrefix(path + "/") ? target + $0.dropFirst(path.count) : $0
      }
      tree.directories = Set(tree.directories.map(moved))
      tree.files = [String: Node](tree.files.map { (moved($0.key), $0.value) }) { first, _ in first }
      return nil
    }
  }

  public func remove(_ path: String) throws(StorageError) {
    let path = try checked(path, "remove")
    try change("remove", path) { $0.files.removeValue(forKey: path) == nil ? .notFound : nil }
  }

  public func syncDirectory(_ path: String) throws(StorageError) {
    let path = try checked(path, "sync", allowsRoot: true)
    try change("sync", path) { $0.directories.contains(path) ? nil : .notFound }
  }

  public func space() throws(StorageError) -> (free: Int, total: Int) {
    let used = tree.withLock { $0.files.values.reduce(0) { $0 + $1.core.withLock { $0.bytes.count } } }
    return (max(0, capacity - used), capacity)
  }

  private func change(
    _ operation: String, _ path: String, _ body: (inout Tree) -> StorageError.Kind?
  ) throws(StorageError) {
    guard let problem = tree.withLock({ body(&$0) }) else { return }
    let code: Int32 =
      switch problem {
      case .alreadyExists: EEXIST
      case .notFound: ENOENT
      default: ENOTDIR
      }
    throw StorageError(problem, operation: operation, path: path, code: code)
  }

  private func entry(of node: Node, named name: String) -> StorageEntry {
    node.core.withLock { StorageEntry(name: name, isDirectory: false, size: $0.bytes.count, modified: $0.modified) }
  }

  private func checked(
    _ path: String, _ operation: String, allowsRoot: Bool = false
  ) throws(StorageError) -> String {
    let parts = path.split(separator: "/").filter { $0 != "." }
    guard !path.hasPrefix("/"), !parts.contains(".."), !path.utf8.contains(0), allowsRoot || !parts.isEmpty else {
      throw StorageError(.denied, operation: operation, path: path, code: EINVAL)
    }
    return parts.joined(separator: "/")
  }

  static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  static func name(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }
}
