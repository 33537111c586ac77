internal import CLinux
internal import Glibc
public import Hardware

/// The data directory on an ordinary Linux file system.
///
/// A reserve of space is kept from ordinary writes, and from other processes, so that a full card still takes the end of a
/// take and its metadata.
public final class FileStorage: Storage, @unchecked Sendable {
  public let root: String
  private let reserve: SpaceReserve
  /// The root as it was at first: device and inode.
  private let place: (dev_t, ino_t)
  private let isFAT: Bool
  /// The lock file was there when it was looked for. Storage worker only.
  private var wasLocked = false
  /// The kernel takes no writes: it makes a file system read-only after an error. Storage worker only.
  private var isReadOnly = false

  /// Creates the data directory if it is not there.
  ///
  /// Of a card that takes are recorded on the reserve is at most one part in so many: a small one is for takes, too.
  public static let usualShare = 8

  /// - Parameters:
  ///   - root: absolute or relative path of the data directory.
  ///   - reserveBytes: what ordinary writes leave free.
  ///   - share: no more than one part in so many of the file system is kept for that.
  public init(root: String, reserveBytes: Int, share: Int = 1) throws(StorageError) {
    self.root = root.hasSuffix("/") && root.count > 1 ? String(root.dropLast()) : root
    try Self.makeDirectories(self.root)
    let total = (try? Self.space(self.root).total) ?? 0
    reserve = SpaceReserve(root: self.root, bytes: total > 0 ? min(reserveBytes, total / share) : reserveBytes)
    var status = stat()
    try POSIX.check("look at", root) { stat(root, &status) }
    place = (status.st_dev, status.st_ino)
    isFAT = mynah_is_fat(self.root) != 0
  }

  // MARK: Files

  public func create(_ path: String) throws(StorageError) -> any StoredFile {
    let descriptor: Int32
    do throws(StorageError) {
      descriptor = try inPlace(path, "create") { openat($0, $1, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644) }
    } catch { throw noteRefusal(error) }
    return PlainFile(descriptor: descriptor, path: path, reserve: reserve)
  }

  public func open(_ path: String, writable: Bool) throws(StorageError) -> any StoredFile {
    let descriptor: Int32
    do throws(StorageError) {
      descriptor = try inPlace(path, "open") {
        openat($0, $1, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
      }
    } catch { throw Self.orAbsent(error) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      Glibc.close(descriptor)
      throw StorageError(.failed, operation: "open (not an ordinary file)", path: path)
    }
    return PlainFile(descriptor: descriptor, path: path, reserve: reserve)
  }

  public func scratch() throws(StorageError) -> any StoredFile {
    let descriptor = Glibc.open(root, O_RDWR | O_CLOEXEC | mynah_o_tmpfile, 0o600)
    if descriptor >= 0 { return PlainFile(descriptor: descriptor, path: "(scratch)", reserve: reserve) }
    // FAT and some network file systems have no unnamed files: make one and take its name away.
    let name = "\(root)/.scratch-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    let named = try POSIX.check("create", name) { Glibc.open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    unlink(name)
    return PlainFile(descriptor: named, path: "(scratch)", reserve: reserve)
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
    try replace(path, with: bytes, isSecret: false)
  }

  public func replace(_ path: String, with bytes: [UInt8], isSecret: Bool) throws(StorageError) {
    let (directory, name) = try parent(of: path, "replace")
    defer { Glibc.close(directory) }
    let (target, temporary) = (KernelName.bytes(name), KernelName.bytes(name + ".tmp"))
    unlinkat(directory, temporary, 0)
    let descriptor: Int32
    do throws(StorageError) {
      descriptor = try withReserve { () throws(StorageError) in
        try POSIX.check("create", path) {
          openat(directory, temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, isSecret ? 0o600 : 0o644)
        }
      }
    } catch { throw noteRefusal(error) }
    let file = PlainFile(descriptor: descriptor, path: path, reserve: reserve)
    file.usesReserve = true
    do throws(StorageError) {
      defer { file.close() }
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
      defer { copy.deallocate() }
      copy.copyBytes(from: bytes)
      try file.write(UnsafeRawBufferPointer(rebasing: copy[..<bytes.count]), at: 0)
      try file.sync()
      try withReserve { () throws(StorageError) in
        _ = try POSIX.check("replace", path) { renameat(directory, temporary, directory, target) }
      }
    } catch {
      unlinkat(directory, temporary, 0)
      throw error
    }
    try settle(target, in: directory, path)
    try Self.sync(directory, path)
  }

  /// A file has got a name: it is to be whole under it before the name is on the medium.
  private func settle(_ name: [CChar], in directory: Int32, _ path: String) throws(StorageError) {
    guard isFAT else { return }
    _ = try POSIX.check("sync", path) { mynah_settle_name(directory, name) }
  }

  /// Repeats what finds the file system full, as long as there is some of the reserve to be given back.
  private func withReserve<Value>(_ work: () throws(StorageError) -> Value) throws(StorageError) -> Value {
    while true {
      do throws(StorageError) { return try work() } catch {
        guard error.kind == .full, reserve.give(0) else { throw error }
      }
    }
  }

  public func keepReserve() {
    guard reserve.isToChange else { return }
    var status = stat()
    guard stat(root, &status) == 0, isRoot(status) else { return }
    reserve.refill()
  }

  // MARK: Directories

  public func list(_ directory: String) throws(StorageError) -> [StorageEntry] {
    let descriptor = try open(directory: Self.parts(of: directory), "list", directory)
    guard let stream = fdopendir(descriptor) else {
      defer { Glibc.close(descriptor) }
      throw POSIX.error("list", directory)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        // An end and a failure differ by errno only (readdir(3)).
        if errno != 0 { throw POSIX.error("list", directory) }
        break
      }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        KernelName.text(UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self).prefix { $0 != 0 }))
      }
      if name != "." && name != ".." { names.append(name) }
    }
    // A file may go away between the listing and the question; then it is not in the list.
    return names.sorted().compactMap { Self.entry($0, in: descriptor) }
  }

  public func entry(_ path: String) throws(StorageError) -> StorageEntry {
    let (directory, name) = try parent(of: path, "look at")
    defer { Glibc.close(directory) }
    guard let entry = Self.entry(name, in: directory) else { throw Self.orAbsent(POSIX.error("look at", path)) }
    return entry
  }

  /// A name that is too long for the file system is no file's: beside a name of 255 bytes there can be no `.json`.
  private static func orAbsent(_ error: StorageError) -> StorageError {
    guard error.code == ENAMETOOLONG else { return error }
    return StorageError(.notFound, operation: error.operation, path: error.path, code: error.code)
  }

  /// Seconds since 1970: the year 2255.
  private static let latest: Int64 = 9_000_000_000

  private static func entry(_ name: String, in directory: Int32) -> StorageEntry? {
    var status = stat()
    guard fstatat(directory, KernelName.bytes(name), &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    // A file system may know later years than nanoseconds reach.
    let seconds = max(-Self.latest, min(Self.latest, Int64(status.st_mtim.tv_sec)))
    let modified = seconds * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    var entry = StorageEntry(
      name: name, isDirectory: isDirectory, isRegular: status.st_mode & S_IFMT == S_IFREG,
      size: isDirectory ? 0 : Int(status.st_size), modified: WallTime(nanosecondsSince1970: modified))
    if entry.isDirectory { entry.inode = UInt64(status.st_ino) }
    return entry
  }

  public func makeDirectory(_ path: String) throws(StorageError) {
    let parts = try Self.parts(of: path)
    for count in parts.indices {
      let built = parts[...count].joined(separator: "/")
      let (directory, name) = try parent(of: built, "make the directory")
      defer { Glibc.close(directory) }
      let result = mkdirat(directory, KernelName.bytes(name), 0o755)
      if result != 0, errno != EEXIST { throw POSIX.error("make the directory", path) }
    }
    let descriptor: Int32
    do throws(StorageError) { descriptor = try open(directory: parts, "make the directory", path) } catch {
      guard error.kind == .denied || error.code == ENOTDIR else { throw error }
      throw StorageError(
        .alreadyExists, operation: "make the directory (a file or a link has its name)", path: path, code: EEXIST)
    }
    Glibc.close(descriptor)
  }

  public func rename(_ path: String, to target: String) throws(StorageError) {
    let (directory, name) = try parent(of: path, "rename")
    defer { Glibc.close(directory) }
    let (newDirectory, newName) = try parent(of: target, "rename to")
    defer { Glibc.close(newDirectory) }
    let (old, new) = (KernelName.bytes(name), KernelName.bytes(newName))
    while mynah_rename_noreplace(directory, old, newDirectory, new) != 0 {
      if errno == ENOSPC, reserve.give(0) { continue }
      if errno == EEXIST { throw POSIX.error("rename to", target) }
      // File systems without the flag (some FUSE ones): look first. The data directory has one writer, see `DirectoryLock`.
      guard errno == EINVAL || errno == ENOSYS || errno == ENOTSUP else { throw POSIX.error("rename", path) }
      guard Self.entry(newName, in: newDirectory) == nil else {
        throw StorageError(.alreadyExists, operation: "rename to", path: target)
      }
      try POSIX.check("rename", path) { renameat(directory, old, newDirectory, new) }
      break
    }
    try settle(new, in: newDirectory, target)
    try Self.sync(newDirectory, target)
    try Self.sync(directory, path)
  }

  public func remove(_ path: String) throws(StorageError) {
    let (directory, name) = try parent(of: path, "remove")
    defer { Glibc.close(directory) }
    try POSIX.check("remove", path) { unlinkat(directory, KernelName.bytes(name), 0) }
    try Self.sync(directory, path)
  }

  public func syncDirectory(_ path: String) throws(StorageError) {
    let descriptor = try open(directory: Self.parts(of: path), "sync", path)
    defer { Glibc.close(descriptor) }
    try Self.sync(descriptor, path)
  }

  private static func sync(_ directory: Int32, _ path: String) throws(StorageError) {
    // Some file systems cannot sync a directory and say EINVAL; there is nothing more to be done on them.
    if fsync(directory) != 0, errno != EINVAL { throw POSIX.error("sync the directory of", path) }
  }

  public func space() throws(StorageError) -> (free: Int, total: Int) {
    let space = try Self.space(root)
    // Since Linux 6.15 that of ext4 is not in the flags: what failed by it is tried again.
    isReadOnly = space.isReadOnly || isReadOnly && !takesFiles
    return (isReadOnly ? 0 : max(0, space.free - reserve.missing), space.total)
  }

  private var takesFiles: Bool {
    guard let file = try? scratch() else { return false }
    file.close()
    return true
  }

  public func takesFiles(in directory: String) -> Bool {
    if isReadOnly { return false }
    // What is not there yet is made.
    guard let opened = try? open(directory: Self.parts(of: directory), "look at", directory) else { return true }
    defer { Glibc.close(opened) }
    return faccessat(opened, ".", W_OK | X_OK, AT_EACCESS) == 0
  }

  private func noteRefusal(_ error: StorageError) -> StorageError {
    if error.code == EROFS { isReadOnly = true }
    return error
  }

  private static func space(_ root: String) throws(StorageError) -> (free: Int, total: Int, isReadOnly: Bool) {
    var status = statvfs()
    try POSIX.check("look at the space of", root) { statvfs(root, &status) }
    let unit = Int(status.f_frsize)
    return (Int(status.f_bavail) * unit, Int(status.f_blocks) * unit, status.f_flag & UInt(ST_RDONLY) != 0)
  }

  /// Whether a directory is the root as it was at first. Another card may have come into its place: what is on that is not
  /// the device's to read or to change before the next start.
  private func isRoot(_ status: stat) -> Bool { (status.st_dev, status.st_ino) == place }

  public func checkPlace() throws(StorageError) {
    var status = stat()
    try POSIX.check("find the data directory, which has been removed or renamed; put it back, or restart", root) {
      stat(root, &status)
    }
    guard isRoot(status) else {
      throw StorageError(
        .notFound, operation: "find the data directory (another one is in its place); put it back, or restart",
        path: root)
    }
    let lock = "\(root)/\(DirectoryLock.fileName)"
    let isLocked = lstat(lock, &status) == 0
    wasLocked = wasLocked || isLocked
    guard isLocked || !wasLocked else {
      throw StorageError(
        .notFound,
        operation: "find the lock file of the data directory; it is held all the same, and comes back with a "
          + "restart", path: lock)
    }
    guard !isReadOnly else {
      throw StorageError(
        .denied,
        operation: "write to the card, which is read-only now, as Linux makes it after an error (dmesg tells); what "
          + "is on it can be played and copied; put in another card", path: "\(root)/.")
    }
  }

  // MARK: Paths

  /// A system call on the last part of a path, in its directory.
  private func inPlace(
    _ path: String, _ operation: String, _ call: (Int32, [CChar]) -> Int32
  ) throws(StorageError) -> Int32 {
    let (directory, name) = try parent(of: path, operation)
    defer { Glibc.close(directory) }
    return try POSIX.check(operation, path) { call(directory, KernelName.bytes(name)) }
  }

  /// The directory of a path, to be closed by the caller, and the path's last part. One that would leave the root is
  /// refused.
  private func parent(of path: String, _ operation: String) throws(StorageError) -> (Int32, name: String) {
    var parts = try Self.parts(of: path)
    guard let name = parts.popLast() else { throw Self.outside(path) }
    return (try open(directory: parts, operation, path), name)
  }

  private static func outside(_ path: String) -> StorageError {
    StorageError(.denied, operation: "leave the data directory by", path: path)
  }

  /// Opens a directory part by part. Below the root no link is followed: it could lead out of the data directory, to files
  /// that are not the device's to read or to mend.
  private func open(directory parts: [String], _ operation: String, _ path: String) throws(StorageError) -> Int32 {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    var directory = try POSIX.check(operation, path) { Glibc.open(root, flags) }
    var status = stat()
    guard fstat(directory, &status) == 0, isRoot(status) else {
      Glibc.close(directory)
      throw StorageError(
        .failed, operation: "\(operation): another one is in the place of the data directory", path: path)
    }
    for part in parts {
      let next = openat(directory, KernelName.bytes(part), flags | O_NOFOLLOW)
      guard next >= 0 else {
        let code = errno
        defer { Glibc.close(directory) }
        var status = stat()
        let isThere = fstatat(directory, KernelName.bytes(part), &status, AT_SYMLINK_NOFOLLOW) == 0
        if isThere, status.st_mode & S_IFMT == S_IFLNK {
          throw StorageError(.denied, operation: "\(operation): \(part) is a link", path: path, code: code)
        }
        errno = code
        throw POSIX.error(operation, path)
      }
      Glibc.close(directory)
      directory = next
    }
    return directory
  }

  /// The parts as the kernel sees them, byte by byte: to Swift a slash and a combining accent after it are one
  /// character, and no separator.
  ///
  /// - Throws: `denied` for a path that would leave the root.
  private static func parts(of path: String) throws(StorageError) -> [String] {
    let parts = split(path)
    guard path.utf8.first != UInt8(ascii: "/"), !path.utf8.contains(0), !parts.contains("..") else {
      throw outside(path)
    }
    return parts
  }

  private static func split(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
  }

  private static func makeDirectories(_ path: String) throws(StorageError) {
    var built = path.utf8.first == UInt8(ascii: "/") ? "" : "."
    for part in split(path) {
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
