internal import CLinux
internal import Glibc
public import Hardware

/// The data directory on an ordinary Linux file system.
///
/// A reserve of space is kept from ordinary writes, so that a full card still takes the end of a take and its
/// metadata.
public final class FileStorage: Storage, @unchecked Sendable {
  public let root: String
  private let reserveBytes: Int

  /// Creates the data directory if it is not there.
  ///
  /// - Parameters:
  ///   - root: absolute or relative path of the data directory.
  ///   - reserveBytes: what ordinary writes leave free.
  public init(root: String, reserveBytes: Int) throws(StorageError) {
    self.root = root.hasSuffix("/") && root.count > 1 ? String(root.dropLast()) : root
    self.reserveBytes = reserveBytes
    try Self.makeDirectories(self.root)
  }

  // MARK: Files

  public func create(_ path: String) throws(StorageError) -> any StoredFile {
    let full = try absolute(path)
    let descriptor = try POSIX.check("create", path) { Glibc.open(full, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644) }
    return PlainFile(descriptor: descriptor, path: path, reserveBytes: reserveBytes)
  }

  public func open(_ path: String, writable: Bool) throws(StorageError) -> any StoredFile {
    let full = try absolute(path)
    let descriptor = try POSIX.check("open", path) {
      // A link could lead out of the data directory, to a file that is not the device's to read or to mend.
      Glibc.open(full, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      Glibc.close(descriptor)
      throw StorageError(.failed, operation: "open (not an ordinary file)", path: path)
    }
    return PlainFile(descriptor: descriptor, path: path, reserveBytes: reserveBytes)
  }

  public func scratch() throws(StorageError) -> any StoredFile {
    let descriptor = Glibc.open(root, O_RDWR | O_CLOEXEC | mynah_o_tmpfile, 0o600)
    if descriptor >= 0 { return PlainFile(descriptor: descriptor, path: "(scratch)", reserveBytes: reserveBytes) }
    // FAT and some network file systems have no unnamed files: make one and take its name away.
    let name = "\(root)/.scratch-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    let named = try POSIX.check("create", name) { Glibc.open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    unlink(name)
    return PlainFile(descriptor: named, path: "(scratch)", reserveBytes: reserveBytes)
  }

  public func read(_ path: String, limit: Int) throws(StorageError) -> [UInt8] {
    let file = try open(path, writable: false)
    defer { file.close() }
    let size = file.size
    guard size <= limit else {
      throw StorageError(.failed, operation: "read (\(size) bytes, more than \(limit))", path: path)
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    defer { buffer.deallocate() }
    let count = try file.read(into: buffer, at: 0)
    return Array(buffer[..<count])
  }

  public func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) {
    let full = try absolute(path)
    let temporary = full + ".tmp"
    unlink(temporary)
    let descriptor = try POSIX.check("create", path) {
      Glibc.open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    }
    let file = PlainFile(descriptor: descriptor, path: path, reserveBytes: 0)
    file.usesReserve = true
    do throws(StorageError) {
      defer { file.close() }
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
      defer { copy.deallocate() }
      copy.copyBytes(from: bytes)
      try file.write(UnsafeRawBufferPointer(rebasing: copy[..<bytes.count]), at: 0)
      try file.sync()
      try POSIX.check("replace", path) { Glibc.rename(temporary, full) }
    } catch {
      unlink(temporary)
      throw error
    }
    try syncDirectory(parent(of: path))
  }

  // MARK: Directories

  public func list(_ directory: String) throws(StorageError) -> [StorageEntry] {
    let full = try absolute(directory)
    guard let stream = opendir(full) else { throw POSIX.error("list", directory) }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        // An end and a failure differ by errno only (readdir(3)).
        if errno != 0 { throw POSIX.error("list", directory) }
        break
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    var entries: [StorageEntry] = []
    for name in names.sorted() {
      // A file may go away between the listing and the question; then it is not in the list.
      if let found = try? entry(directory.isEmpty ? name : "\(directory)/\(name)") { entries.append(found) }
    }
    return entries
  }

  public func entry(_ path: String) throws(StorageError) -> StorageEntry {
    let full = try absolute(path)
    var status = stat()
    try POSIX.check("look at", path) { lstat(full, &status) }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    return StorageEntry(
      name: Self.parts(of: path).last ?? "", isDirectory: isDirectory, isRegular: status.st_mode & S_IFMT == S_IFREG,
      size: isDirectory ? 0 : Int(status.st_size), modified: WallTime(nanosecondsSince1970: modified))
  }

  public func makeDirectory(_ path: String) throws(StorageError) { try Self.makeDirectories(try absolute(path)) }

  public func rename(_ path: String, to target: String) throws(StorageError) {
    let from = try absolute(path)
    let to = try absolute(target)
    if mynah_rename_noreplace(from, to) != 0 {
      if errno == EEXIST { throw POSIX.error("rename to", target) }
      // File systems without the flag (some FUSE ones): look first. The data directory has one writer, see `DirectoryLock`.
      guard errno == EINVAL || errno == ENOSYS || errno == ENOTSUP else { throw POSIX.error("rename", path) }
      var status = stat()
      guard lstat(to, &status) != 0 else { throw StorageError(.alreadyExists, operation: "rename to", path: target) }
      try POSIX.check("rename", path) { Glibc.rename(from, to) }
    }
    try syncDirectory(parent(of: target))
    if parent(of: path) != parent(of: target) { try syncDirectory(parent(of: path)) }
  }

  public func remove(_ path: String) throws(StorageError) {
    let full = try absolute(path)
    try POSIX.check("remove", path) { unlink(full) }
    try syncDirectory(parent(of: path))
  }

  public func syncDirectory(_ path: String) throws(StorageError) {
    let full = try absolute(path)
    let descriptor = try POSIX.check("open", path) { Glibc.open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    defer { Glibc.close(descriptor) }
    // Some file systems cannot sync a directory and say EINVAL; there is nothing more to be done on them.
    if fsync(descriptor) != 0, errno != EINVAL { throw POSIX.error("sync", path) }
  }

  public func space() throws(StorageError) -> (free: Int, total: Int) {
    var status = statvfs()
    try POSIX.check("look at the space of", root) { statvfs(root, &status) }
    let unit = Int(status.f_frsize)
    return (max(0, Int(status.f_bavail) * unit - reserveBytes), Int(status.f_blocks) * unit)
  }

  // MARK: Paths

  /// The path below the root; a path that would leave it is refused.
  private func absolute(_ path: String) throws(StorageError) -> String {
    if path.isEmpty || path == "." { return root }
    let isInside =
      path.utf8.first != UInt8(ascii: "/") && !path.utf8.contains(0) && !Self.parts(of: path).contains("..")
    guard isInside else { throw StorageError(.denied, operation: "leave the data directory by", path: path) }
    return "\(root)/\(path)"
  }

  /// The parts as the kernel sees them, byte by byte: to Swift a slash and a combining accent after it are one
  /// character, and no separator.
  private static func parts(of path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  }

  private func parent(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? ""
  }

  private static func makeDirectories(_ path: String) throws(StorageError) {
    var built = path.utf8.first == UInt8(ascii: "/") ? "" : "."
    for part in parts(of: path) {
      built += "/\(part)"
      if mkdir(built, 0o755) != 0, errno != EEXIST { throw POSIX.error("make the directory", path) }
    }
    var status = stat()
    try POSIX.check("make the directory", path) { stat(path, &status) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw StorageError(
        .alreadyExists, operation: "make the directory (a file has its name)", path: path, code: EEXIST)
    }
  }
}
