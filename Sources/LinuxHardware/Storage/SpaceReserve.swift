internal import CLinux
internal import Glibc
internal import Hardware

/// Room on the data partition that nobody else can take: the blocks of the file `reserve` in the data directory.
///
/// Ends of takes, their notes and the settings are written with it when the card is full, whoever has filled it: as much as
/// they need is given back to the file system, and taken again when there is room. Storage worker only.
final class SpaceReserve {
  static let fileName = "reserve"

  /// Bytes that it is to have.
  private let wanted: Int
  private let path: String
  private var descriptor: Int32 = -1
  /// Bytes that it has.
  private var held = 0
  /// The file system cannot allocate what is not written.
  private var needsWriting = false

  /// Taken at a time, so that a step is short: allocated, or written where it has to be.
  private static let allocationPiece = 16 << 20
  private static let writtenPiece = 1 << 20
  /// Given back at least, for a directory's block or a file system's own notes are more than the bytes that are written.
  private static let leastGift = 1 << 20

  /// - Parameters:
  ///   - root: the data directory.
  ///   - bytes: 0: none is kept; what is there is used.
  init(root: String, bytes: Int) {
    wanted = bytes
    path = "\(root)/\(Self.fileName)"
    var status = stat()
    if lstat(path, &status) == 0 { held = Self.held(status) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether ordinary writes have to leave anything at all.
  var isWanted: Bool { wanted > 0 }

  /// Bytes that ordinary writes have to leave free, for they are wanted and not held.
  var missing: Int { max(0, wanted - held) }

  /// Whether there is too little of it, or too much.
  var isToChange: Bool { wanted > 0 && held != wanted }

  /// Takes a piece of what is missing, as far as there is room.
  func refill() {
    // More than it is to have now: of a small card it was all.
    if wanted > 0, held > wanted, open(orCreate: false), ftruncate(descriptor, off_t(wanted)) == 0 { held = wanted }
    guard missing > 0, open(orCreate: true) else { return }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return }
    held = Self.held(status)
    // What has been punched or copied with holes is no reserve.
    if held < Int(status.st_size), ftruncate(descriptor, 0) == 0 { held = 0 }
    var space = statvfs()
    guard missing > 0, fstatvfs(descriptor, &space) == 0 else { return }
    let free = Int(space.f_bavail) * Int(space.f_frsize)
    let piece = min(missing, free, needsWriting ? Self.writtenPiece : Self.allocationPiece)
    guard piece > 0 else { return }
    if needsWriting { return write(piece) }
    switch mynah_allocate(descriptor, Int64(held), Int64(piece)) {
    case 0: held += piece
    case EOPNOTSUPP, ENOSYS: needsWriting = true
    default: _ = ftruncate(descriptor, off_t(held))
    }
  }

  private func write(_ count: Int) {
    let zeros = [UInt8](repeating: 0, count: count)
    let written = zeros.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, count, off_t(held)) }
    if written > 0, fdatasync(descriptor) == 0 { held += written } else { _ = ftruncate(descriptor, off_t(held)) }
  }

  /// Gives some of it back to the file system, for a write that found it full.
  ///
  /// - Returns: false if there is nothing left of it.
  func give(_ bytes: Int) -> Bool {
    guard held > 0, open(orCreate: false) else { return false }
    let left = max(0, held - max(bytes, Self.leastGift))
    guard ftruncate(descriptor, off_t(left)) == 0 else { return false }
    // A journal frees blocks with its next commit.
    fsync(descriptor)
    held = left
    return true
  }

  private func open(orCreate: Bool) -> Bool {
    guard descriptor < 0 else { return true }
    let opened = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (orCreate ? O_CREAT : 0), 0o600)
    guard opened >= 0 else { return false }
    // A disk of that name would be written over with zeros, and so would a file that has another name, too.
    var status = stat()
    guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
      close(opened)
      return false
    }
    descriptor = opened
    return true
  }

  private static func held(_ status: stat) -> Int {
    guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else { return 0 }
    return min(Int(status.st_size), Int(status.st_blocks) * 512)
  }
}
