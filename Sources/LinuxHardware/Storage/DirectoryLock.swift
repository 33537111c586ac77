internal import Glibc
public import Hardware

/// Takes a data directory for this process: two recorders in one directory would give out the same session numbers.
///
/// An advisory lock (flock(2)) on the file `lock` in it, with the process id inside for people. The kernel drops it when
/// the process ends, however it ends; the file stays, because removing it would let two processes lock two files.
public final class DirectoryLock: Sendable {
  /// The lock file's name in the directory.
  public static let fileName = "lock"

  private let descriptor: Int32

  /// Takes the directory, which must exist. Never waits.
  ///
  /// - Throws: `busy`, naming the process that has it; `denied`, `missing`, `unsupported` (a file system without locks)
  ///   or `failed`.
  public init(directory: String) throws(DeviceError) {
    let path = "\(directory)/\(Self.fileName)"
    let opened = retrying { open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644) }
    guard opened >= 0 else { throw Self.unusable(directory, "open the lock file of the data directory", errno) }
    guard retrying({ flock(opened, LOCK_EX | LOCK_NB) }) == 0 else {
      let code = errno
      defer { close(opened) }
      guard code == EWOULDBLOCK else { throw Self.unusable(directory, "lock the data directory", code) }
      let holder = Self.holder(opened).map { "process \($0)" } ?? "another process"
      throw DeviceError(
        .busy, device: directory, operation: "lock the data directory", code: code,
        hint: "\(holder) works in it; stop that one, or choose another directory with --data")
    }
    descriptor = opened
    // For people only: a card that is full keeps nobody from recording.
    ftruncate(descriptor, 0)
    _ = Array("\(getpid())\n".utf8).withUnsafeBytes { pwrite(opened, $0.baseAddress, $0.count, 0) }
  }

  deinit { close(descriptor) }

  /// The process that works in a data directory now; `nil` if none does, or the directory is not there.
  ///
  /// Takes no lock, not even for a moment: an appliance that is just starting must get it. The kernel's own list tells
  /// who holds a lock on the file (proc(5), /proc/locks), and the process that is named in it must be among them.
  public static func process(in directory: String) -> Int? {
    let path = "\(directory)/\(fileName)"
    let opened = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard opened >= 0 else { return nil }
    defer { close(opened) }
    var status = stat()
    guard fstat(opened, &status) == 0, let holder = holder(opened) else { return nil }
    let isHeld = ProcText.read("/proc/locks").split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      guard fields.count > 5, fields[1] == "FLOCK", Int(fields[4]) == holder else { return false }
      return fields[5].split(separator: ":").last.flatMap { UInt64($0) } == UInt64(status.st_ino)
    }
    return isHeld ? holder : nil
  }

  private static func holder(_ descriptor: Int32) -> Int? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int(String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self))
  }

  static func unusable(_ directory: String, _ operation: String, _ code: Int32) -> DeviceError {
    let (kind, hint): (DeviceError.Kind, String) =
      switch code {
      case ENOENT, ENOTDIR: (.missing, "make its parent directory, or choose another one with --data")
      case EACCES, EPERM, EROFS: (.denied, "make it writable, or choose another one with --data")
      case ENOLCK, EOPNOTSUPP, ENOSYS: (.unsupported, "its file system has no locks; choose another with --data")
      case ENOSPC, EDQUOT: (.failed, "no space is left; remove something")
      default: (.failed, "choose another directory with --data")
      }
    return DeviceError(kind, device: directory, operation: operation, code: code, hint: hint)
  }
}
