import Glibc
import Hardware
import TestSupport

/// Where inputs lie while libraries read them by name: in memory, one folder a process.
enum FuzzFolder {
  static let path: String = {
    let path = "/dev/shm/mynah-fuzz-\(getpid())"
    mkdir(path, 0o700)
    atexit { FuzzFolder.clear() }
    return path
  }()

  /// Writes an input, and removes it afterwards.
  static func with<Result>(_ bytes: [UInt8], named name: String, _ body: (String) -> Result) -> Result {
    let file = "\(path)/\(name)"
    let descriptor = open(file, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      close(descriptor)
    }
    defer { unlink(file) }
    return body(file)
  }

  private static func clear() { rmdir("/dev/shm/mynah-fuzz-\(getpid())") }
}

/// A data directory in memory, that another computer has filled.
final class FuzzStorage: Storage, @unchecked Sendable {
  private(set) var files: [String: MemoryFile] = [:]
  private var directories: Set<String> = [""]
  let root = "/dev/null"

  func plant(_ path: String, _ bytes: [UInt8]) {
    files[path] = MemoryFile(bytes, path: path)
    directories.insert(Self.parent(path))
  }

  func create(_ path: String) throws(StorageError) -> any StoredFile {
    guard files[path] == nil else { throw StorageError(.alreadyExists, operation: "create", path: path) }
    let file = MemoryFile(path: path)
    files[path] = file
    return file
  }

  func open(_ path: String, writable: Bool) throws(StorageError) -> any StoredFile { try file(path) }
  func scratch() throws(StorageError) -> any StoredFile { MemoryFile() }

  func read(_ path: String, limit: Int) throws(StorageError) -> [UInt8] {
    let bytes = try file(path).bytes
    guard bytes.count <= limit else { throw StorageError(.failed, operation: "read", path: path, code: 27) }
    return bytes
  }

  func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) { plant(path, bytes) }

  func list(_ directory: String) throws(StorageError) -> [StorageEntry] {
    guard directories.contains(directory) else { throw StorageError(.notFound, operation: "list", path: directory) }
    return files.keys.filter { Self.parent($0) == directory }.sorted().compactMap { try? entry($0) }
  }

  func entry(_ path: String) throws(StorageError) -> StorageEntry {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return StorageEntry(
      name: name, isDirectory: false, size: try file(path).size, modified: WallTime(nanosecondsSince1970: 0))
  }

  func makeDirectory(_ path: String) throws(StorageError) { directories.insert(path) }

  func rename(_ path: String, to target: String) throws(StorageError) {
    let file = try file(path)
    guard files[target] == nil else { throw StorageError(.alreadyExists, operation: "rename", path: target) }
    files[path] = nil
    files[target] = MemoryFile(file.bytes, path: target)
  }

  func remove(_ path: String) throws(StorageError) {
    _ = try file(path)
    files[path] = nil
  }

  func syncDirectory(_ path: String) throws(StorageError) {}
  func space() throws(StorageError) -> (free: Int, total: Int) { (1 << 30, 1 << 32) }

  private func file(_ path: String) throws(StorageError) -> MemoryFile {
    guard let file = files[path] else { throw StorageError(.notFound, operation: "open", path: path) }
    return file
  }

  private static func parent(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }
}

/// A clock that stands still.
final class FuzzClock: DeviceClock {
  let now = Instant.zero
  let wallNow = WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000)
}
