internal import CLinux
internal import Glibc
public import Hardware

/// Takes a data directory for this process: two recorders in one directory would give out the same session numbers.
///
/// An advisory lock (flock(2)) on the file `lock` in it, with the process id inside for people, and on the directory
/// itself, so that nobody gets it by removing the file. The kernel drops both when the process ends, however it ends; the
/// file stays. Where something else bears the file's name, a link, a directory or another user's file, the directory's lock
/// is enough.
public final class DirectoryLock: Sendable {
  /// The lock file's name in the directory.
  public static let fileName = "lock"

  /// −1: something else bears its name.
  private let descriptor: Int32
  /// −1 on a file system that locks no directories.
  private let place: Int32

  /// Takes the directory, which must exist. Never waits.
  ///
  /// - Throws: `busy`, naming the process that has it; `denied`, `missing`, `unsupported` (a file system without locks)
  ///   or `failed`.
  public init(directory: String) throws(DeviceError) {
    let (opened, refusal) = Self.open(directory, O_RDWR | O_CREAT)
    guard opened >= 0 || refusal == EEXIST else {
      throw Self.unusable(directory, "open the lock file of the data directory", refusal)
    }
    let place = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    let locked = retrying({ flock(opened >= 0 ? opened : place, LOCK_EX | LOCK_NB) })
    let code = locked == 0 ? 0 : errno
    // Any other refusal is of a file system that locks no directories.
    let isTaken = place >= 0 && retrying({ flock(place, LOCK_EX | LOCK_NB) }) != 0 && errno == EWOULDBLOCK
    guard code == 0, !isTaken else {
      let process = Self.holder(opened) ?? Self.holder(place)
      if opened >= 0 { close(opened) }
      if place >= 0 { close(place) }
      guard isTaken || code == EWOULDBLOCK else { throw Self.unusable(directory, "lock the data directory", code) }
      throw DeviceError(
        .busy, device: directory, operation: "lock the data directory", code: EWOULDBLOCK,
        hint: "\(process.map { "process \($0)" } ?? "another process") works in it; stop that one, or choose another "
          + "directory with --data")
    }
    descriptor = opened
    self.place = place
    // Only people read it: if the card is full, recording goes on without.
    guard opened >= 0 else { return }
    ftruncate(descriptor, 0)
    _ = Array("\(getpid())\n".utf8).withUnsafeBytes { pwrite(opened, $0.baseAddress, $0.count, 0) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if place >= 0 { close(place) }
  }

  /// The process that works in a data directory now; `nil` if none does, or the directory is not there.
  ///
  /// Takes no lock, not even for a moment: an appliance that is just starting must get it.
  public static func process(in directory: String) -> Int? {
    var opened = open(directory, O_RDONLY).descriptor
    if opened < 0 { opened = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard opened >= 0 else { return nil }
    defer { close(opened) }
    return holder(opened)
  }

  /// Opens the lock file. Who opened a pipe of that name would wait for its other end.
  ///
  /// - Returns: −1, and why: `EEXIST` where something else bears its name, or a file that is another user's or has other
  ///   names, too.
  private static func open(_ directory: String, _ flags: Int32) -> (descriptor: Int32, refusal: Int32) {
    let path = "\(directory)/\(fileName)"
    let opened = retrying { Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o644) }
    let code = errno
    var status = stat()
    guard opened >= 0 else {
      let isThere = lstat(path, &status) == 0
      let isOther = status.st_mode & S_IFMT != S_IFREG || code != EROFS && access(directory, W_OK) == 0
      return (-1, isThere && isOther ? EEXIST : code)
    }
    if fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 { return (opened, 0) }
    close(opened)
    return (-1, EEXIST)
  }

  /// Who holds the lock, by the kernel's own list (proc(5), /proc/locks): `FLOCK ADVISORY WRITE 812 08:02:131 0 EOF`.
  ///
  /// The file's own note of the process settles which of two files with one inode number is meant where the device's
  /// number is not what the list has (as on overlays); on a full card there may be no such note.
  private static func holder(_ descriptor: Int32) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    let noted = Int(String(decoding: bytes[..<max(0, count)].prefix { $0 != 10 }, as: UTF8.self))
    let device = "\(hexadecimal(mynah_major(status.st_dev))):\(hexadecimal(mynah_minor(status.st_dev)))"
    for line in ProcText.read("/proc/locks").split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 5, fields[1] == "FLOCK", let process = Int(fields[4]),
        let file = fields[5].split(separator: ":").last, UInt64(file) == UInt64(status.st_ino)
      else { continue }
      if process == noted || fields[5].hasPrefix(device + ":") { return process }
    }
    return nil
  }

  /// At least two digits, as the kernel prints device numbers.
  private static func hexadecimal(_ number: UInt32) -> String {
    let digits = String(number, radix: 16)
    return digits.count < 2 ? "0" + digits : digits
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
