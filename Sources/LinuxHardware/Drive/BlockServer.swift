internal import CLinux
internal import Glibc
public import Hardware
internal import Threads

/// Answers for a block device of the kernel's (nbd) whose bytes are made up here. It can only be read.
///
/// The kernel's side speaks the nbd protocol's first part (NetworkBlockDevice, doc/proto.md) over a pair of sockets of this
/// process; nothing listens.
public final class BlockServer {
  private let device: Int32
  private let ours: Int32
  private let theirs: Int32
  private let size: Int

  private static let requestMagic: UInt32 = 0x2560_9513
  private static let replyMagic: UInt32 = 0x6744_6698
  private static let requestBytes = 28
  private static let read: UInt16 = 0
  private static let disconnect: UInt16 = 2
  private static let flush: UInt16 = 3
  /// The kernel asks for no more at once.
  private static let longest = 32 << 20

  /// - Parameters:
  ///   - path: of the device, `/dev/nbd0`.
  ///   - size: in bytes, a multiple of 512.
  public init(device path: String, size: Int) throws(DeviceError) {
    self.size = size
    device = open(path, O_RDWR | O_CLOEXEC)
    guard device >= 0 else { throw Self.error(path, "open it", errno) }
    var pair: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
      let code = errno
      close(device)
      throw Self.error(path, "make its socket", code)
    }
    (ours, theirs) = (pair[0], pair[1])
    guard mynah_nbd_attach(device, theirs, UInt64(size)) == 0 else {
      let code = errno
      for descriptor in [device, ours, theirs] { close(descriptor) }
      throw Self.error(path, "give it a socket", code)
    }
  }

  /// Answers until the device is let go of, by the kernel or by the end of this process.
  ///
  /// - Parameters:
  ///   - change: ends it as well, as soon as the request that is being answered is done.
  ///   - answer: bytes from an offset; nil: they cannot be read now.
  public func run(until change: WatchedAttribute?, _ answer: (_ offset: Int, _ count: Int) -> [UInt8]?) {
    let (device, theirs) = (device, theirs)
    let kernel = WorkerThread(name: "drive") {
      _ = mynah_nbd_run(device)
      // Ends the loop below as well.
      shutdown(theirs, Int32(SHUT_RDWR))
    }
    while change?.isUnchanged(untilInput: ours) ?? true, let request = receive(Self.requestBytes),
      serve(request, answer)
    {}
    shutdown(ours, Int32(SHUT_RDWR))
    kernel.join()
    for descriptor in [device, ours, theirs] { close(descriptor) }
  }

  /// - Returns: whether there is more to come.
  private func serve(_ request: [UInt8], _ answer: (Int, Int) -> [UInt8]?) -> Bool {
    func number<Number: FixedWidthInteger>(_ place: Int, _: Number.Type) -> Number {
      request[place..<place + Number.bitWidth / 8].reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }
    let kind = number(6, UInt16.self)
    let (offset, count) = (number(16, UInt64.self), Int(number(24, UInt32.self)))
    guard number(0, UInt32.self) == Self.requestMagic, kind != Self.disconnect else { return false }
    var (code, bytes): (Int32, [UInt8]) = (EPERM, [])
    switch kind {
    case Self.flush: code = 0
    case Self.read:
      code = EIO
      if count <= Self.longest, offset <= UInt64(size), count <= size - Int(offset),
        let found = answer(Int(offset), count), found.count == count
      {
        (code, bytes) = (0, found)
      }
    default: break
    }
    var reply: [UInt8] = []
    for word in [Self.replyMagic, UInt32(code)] {
      for shift in [24, 16, 8, 0] { reply.append(UInt8(truncatingIfNeeded: word >> UInt32(shift))) }
    }
    return send(reply + request[8..<16]) && send(bytes)
  }

  private func receive(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes { all in
        let rest = UnsafeMutableRawBufferPointer(rebasing: all[done...])
        return recv(ours, rest.baseAddress, rest.count, 0)
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
      done += got
    }
    return bytes
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    var done = 0
    while done < bytes.count {
      let sent = bytes.withUnsafeBytes { all in
        let rest = UnsafeRawBufferPointer(rebasing: all[done...])
        return Glibc.send(ours, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      if sent < 0, errno == EINTR { continue }
      guard sent > 0 else { return false }
      done += sent
    }
    return true
  }

  private static func error(_ device: String, _ operation: String, _ code: Int32) -> DeviceError {
    DeviceError(
      code == EACCES || code == EPERM ? .denied : .failed, device: device, operation: operation, code: code,
      hint: "the module nbd has to be loaded, and this to run as root: mynah-drive.service does both")
  }
}
