internal import CLinux
internal import Glibc
internal import Hardware

/// An open file of `FileStorage`.
final class PlainFile: StoredFile, @unchecked Sendable {
  let path: String
  private(set) var size: Int
  var usesReserve = false
  /// −1 once it is closed, so that a second `close` cannot close another file.
  private var descriptor: Int32
  private let reserve: SpaceReserve
  /// Growth that is known to leave the reserve alone, so that not every write asks for the free space.
  private var grantedGrowth = 0

  /// By `pushOut`: what lies before these places is on the medium, or on its way there.
  private var arrived = 0
  private var started = 0

  /// How much growth one look at the free space grants.
  private static let growthGrant = 1 << 20

  init(descriptor: Int32, path: String, reserve: SpaceReserve) {
    self.descriptor = descriptor
    self.path = path
    self.reserve = reserve
    var status = stat()
    size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    try reserveGrowth(to: offset + bytes.count)
    var done = 0
    // A full file system takes a part: who completes the file has to know that it is there.
    defer { if done > 0 { size = max(size, offset + done) } }
    while done < bytes.count {
      let count = pwrite(descriptor, base + done, bytes.count - done, offset + done)
      if count < 0 {
        if errno == EINTR || isRelieved(bytes.count - done) { continue }
        throw POSIX.error("write", path)
      }
      guard count > 0 else { throw StorageError(.failed, operation: "write", path: path, code: EIO) }
      done += count
    }
  }

  /// Whether the errno is that of a full file system, and some of the reserve has been given back to it.
  private func isRelieved(_ bytes: Int) -> Bool {
    let code = errno
    defer { errno = code }
    return usesReserve && (code == ENOSPC || code == EDQUOT) && reserve.give(bytes)
  }

  /// Refuses growth that would use up the reserve.
  private func reserveGrowth(to end: Int) throws(StorageError) {
    let growth = end - size
    guard growth > 0, !usesReserve, reserve.isWanted else { return }
    if growth > grantedGrowth {
      var status = statvfs()
      // Where nobody says how much there is, the write itself tells whether it fits.
      guard fstatvfs(descriptor, &status) == 0 else { return }
      // What a file system keeps for root does not count as free: nobody is told of it.
      let spare = Int(status.f_bavail) * Int(status.f_frsize) - reserve.missing
      guard spare >= growth else { throw StorageError(.full, operation: "write", path: path, code: ENOSPC) }
      grantedGrowth = min(spare, growth + Self.growthGrant)
    }
    grantedGrowth -= growth
  }

  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    guard let base = target.baseAddress else { return 0 }
    var done = 0
    while done < target.count {
      let count = pread(descriptor, base + done, target.count - done, offset + done)
      if count < 0 {
        if errno == EINTR { continue }
        throw POSIX.error("read", path)
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  func truncate(to size: Int) throws(StorageError) {
    try POSIX.check("cut", path) { ftruncate(descriptor, size) }
    self.size = size
  }

  func sync() throws(StorageError) {
    try POSIX.check("sync", path) {
      while fdatasync(descriptor) != 0 { if !isRelieved(0) { return -1 } }
      return 0
    }
  }

  func pushOut(upTo end: Int) throws(StorageError) {
    guard end > started else { return }
    // Some file systems have none of this; theirs is the sync at the end.
    try POSIX.check("write", path) {
      let result = mynah_push_out(descriptor, Int64(arrived), Int64(started - arrived), Int64(end - started))
      return result < 0 && (errno == EIO || errno == ENOSPC || errno == ENODEV || errno == EROFS) ? -1 : 0
    }
    (arrived, started) = (started, end)
  }

  func forgetCached() { posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }

  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  deinit { close() }
}

/// Turns results of system calls into typed errors.
enum POSIX {
  /// The current errno as an error of this operation on this path.
  static func error(_ operation: String, _ path: String) -> StorageError {
    let code = errno
    let kind: StorageError.Kind =
      switch code {
      // A file that may not grow any more, by a limit or on FAT, is a card that takes no more.
      case ENOSPC, EDQUOT, EFBIG: .full
      case ENOENT, ENOTDIR: .notFound
      case EEXIST, ENOTEMPTY: .alreadyExists
      case EACCES, EPERM, EROFS: .denied
      default: .failed
      }
    return StorageError(kind, operation: operation, path: path, code: code)
  }

  /// Repeats a call that a signal interrupted, and throws if it fails.
  @discardableResult
  static func check(_ operation: String, _ path: String, _ call: () -> Int32) throws(StorageError) -> Int32 {
    while true {
      let result = call()
      if result >= 0 { return result }
      if errno != EINTR { throw error(operation, path) }
    }
  }
}
