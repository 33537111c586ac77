internal import Glibc
internal import Hardware

/// Stream sockets of the Unix domain, unix(7).
enum UnixSocket {
  /// Bytes of a path that the address has room for, its end not counted.
  static let longestPath = MemoryLayout<sockaddr_un>.size - (MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) - 1

  /// How often a directory that others have is tried, and the time between, µs.
  private static let lockAttempts = 5
  private static let lockPause: UInt32 = 10_000

  /// Connects; the descriptor blocks.
  static func connect(_ path: String) throws(DeviceError) -> Int32 {
    let address = try address(path)
    let descriptor = try make(path)
    let result = retrying { withAddress(address) { Glibc.connect(descriptor, $0, $1) } }
    if result == 0 { return descriptor }
    let code = errno
    close(descriptor)
    let (kind, hint): (DeviceError.Kind, String) =
      switch code {
      case ENOENT: (.missing, "start mynah, or give the path that it was started with")
      case ECONNREFUSED: (.missing, "nobody listens there any more; start mynah")
      case EACCES, EPERM: (.denied, "become a member of the socket's group, or root")
      case EAGAIN: (.busy, "too many are waiting for the console; try again")
      default: (.failed, "")
      }
    throw DeviceError(kind, device: path, operation: "connect", code: code, hint: hint)
  }

  /// Makes a socket at `path` that its owner and group (mode 0660) may connect to, and listens.
  ///
  /// A stale socket file, left by a process that was killed, is replaced; one that is in use and a
  /// file that is no socket are errors.
  ///
  /// - Returns: a descriptor that does not block, and the identity of the file.
  static func listen(_ path: String) throws(DeviceError) -> (descriptor: Int32, file: FileIdentity) {
    let address = try address(path)
    // Two that start at once must not take each other's new socket for a stale one. The directory serves as the
    // lock, so that no file is left behind.
    let directory = try lockDirectory(of: path)
    defer { close(directory) }
    let descriptor = try make(path)
    do throws(DeviceError) {
      // The kernel takes the file's mode from the socket's, so that it is never open to others, umask or not.
      fchmod(descriptor, 0o660)
      if withAddress(address, { bind(descriptor, $0, $1) }) != 0 {
        guard errno == EADDRINUSE else { throw failure("make the socket", path) }
        try removeStale(path)
        guard withAddress(address, { bind(descriptor, $0, $1) }) == 0 else { throw failure("make the socket", path) }
      }
      // The umask may have taken the group's rights away.
      guard chmod(path, 0o660) == 0, Glibc.listen(descriptor, 8) == 0,
        fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0, let file = FileIdentity(path)
      else { throw failure("listen", path) }
      return (descriptor, file)
    } catch {
      close(descriptor)
      throw error
    }
  }

  private static func removeStale(_ path: String) throws(DeviceError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw DeviceError(
        .unsupported, device: path, operation: "make the socket", code: EADDRINUSE,
        hint: "it exists and is no socket; remove it or choose another path")
    }
    let probe = try make(path)
    defer { close(probe) }
    // The backlog of a listener may be full: that must not block.
    _ = fcntl(probe, F_SETFL, O_NONBLOCK)
    let address = try address(path)
    guard withAddress(address, { Glibc.connect(probe, $0, $1) }) != 0, errno == ECONNREFUSED else {
      throw DeviceError(
        .busy, device: path, operation: "make the socket", code: EADDRINUSE,
        hint: "another mynah listens there; stop it or choose another path")
    }
    unlink(path)
  }

  private static func lockDirectory(of path: String) throws(DeviceError) -> Int32 {
    let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open the directory of the socket", path) }
    // Whoever makes a socket has it for an instant. Who has it longer has a data directory there, perhaps this program
    // itself, and makes no other socket.
    for _ in 0..<lockAttempts {
      if retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { break }
      usleep(lockPause)
    }
    return descriptor
  }

  private static func make(_ path: String) throws(DeviceError) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw failure("make a socket", path) }
    return descriptor
  }

  private static func failure(_ operation: String, _ path: String) -> DeviceError {
    let code = errno
    let (kind, hint): (DeviceError.Kind, String) =
      switch code {
      case ENOENT, ENOTDIR: (.missing, "make its directory first")
      case EACCES, EPERM, EROFS: (.denied, "choose a directory that mynah may write to, such as /run/mynah")
      case EADDRINUSE: (.busy, "another mynah listens there; stop it or choose another path")
      default: (.failed, "")
      }
    return DeviceError(kind, device: path, operation: operation, code: code, hint: hint)
  }

  private static func address(_ path: String) throws(DeviceError) -> sockaddr_un {
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count <= longestPath, !bytes.contains(0) else {
      throw DeviceError(
        .unsupported, device: path, operation: "use as a socket path", code: ENAMETOOLONG,
        hint: "give a path of 1 to \(longestPath) bytes, not \(bytes.count)")
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
  }

  private static func withAddress(
    _ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}

/// Which file a path leads to, whatever its name becomes.
struct FileIdentity: Equatable {
  private let device: UInt64
  private let inode: UInt64

  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

/// Repeats a system call that a signal interrupted.
func retrying(_ call: () -> Int32) -> Int32 {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}
