internal import CLinux
internal import Dictaphone
internal import Glibc
internal import Hardware
internal import Media
internal import Synchronization

/// The player's way to the process that decodes a file which the device has not made; the process ends with it. Media
/// lane only.
final class DecodingProcess: SoundLink {
  let waits: Bool
  private let path: String
  private let process: pid_t
  private let socket: Int32
  private let patience: Int64
  private let tellNotBegun: () -> Void
  /// Something has come from it.
  private var isHeard = false
  private(set) var hasNotBegun = false
  /// When it was asked last, or was heard of.
  private var since = mynah_now()
  private var block = [UInt8](repeating: 0, count: 1 << 15)

  /// Processes that were told to end, and are held by a device.
  private static let ending = Mutex<[pid_t]>([])

  /// - Parameters:
  ///   - program: what is started, and its arguments, to which the name of the file is added.
  ///   - patience: how long an answer may take.
  ///   - tellNotBegun: told that none could be started where the system does not say so at once.
  /// - Returns: nil if no process can be started.
  init?(
    _ program: [String], file: PlayerFile, waits: Bool, patience: Duration,
    tellNotBegun: @escaping () -> Void = {}
  ) throws(MediaError) {
    self.tellNotBegun = tellNotBegun
    let descriptor = try Self.open(file.path)
    defer { close(descriptor) }
    var (process, socket): (pid_t, Int32) = (0, -1)
    guard Confined.start(program + [file.id], file: descriptor, &process, &socket) == 0 else { return nil }
    (path, self.waits, self.process, self.socket) = (file.path, waits, process, socket)
    self.patience = Int64(patience.inSeconds * 1e9)
  }

  deinit {
    close(socket)
    Self.end(process)
  }

  private static func open(_ path: String) throws(MediaError) -> Int32 {
    let descriptor = Glibc.open(KernelName.path(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    let code = errno
    var status = stat()
    if descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return descriptor }
    if descriptor >= 0 { close(descriptor) }
    throw MediaError(
      descriptor >= 0 ? .unsupported : code == ENOENT ? .notFound : .denied, subject: path, operation: "open",
      reason: descriptor >= 0
        ? "a pipe or a device is no file that can be played" : String(cString: strerror(code)))
  }

  /// Ends a process, and those of before that a device has let go of, without waiting for any.
  private static func end(_ process: pid_t) {
    ending.withLock { ending in
      var status: Int32 = 0
      ending = (ending + [process]).filter { mynah_drop_process($0, 0, &status) == 0 }
    }
  }

  func send(_ question: [UInt8]) throws(MediaError) {
    since = mynah_now()
    let sent = question.withUnsafeBytes { mynah_send(socket, $0.baseAddress, $0.count) }
    guard sent == question.count else { throw ended() }
  }

  func receive() throws(MediaError) -> [UInt8] {
    if waits { _ = mynah_wait_for_two(socket, -1, Int32(clamping: patience / 1_000_000)) }
    let count = block.withUnsafeMutableBytes { mynah_read(socket, $0.baseAddress, $0.count) }
    if count > 0 {
      // The player may have paused in the middle of an answer.
      since = mynah_now()
      isHeard = true
      return Array(block[..<count])
    }
    guard count == -Int(EAGAIN) else { throw ended() }
    guard mynah_now() - since < patience else {
      throw error("the process that decodes it has not answered for \(patience / 1_000_000_000) s")
    }
    return []
  }

  private func ended() -> MediaError {
    var status: Int32 = 0
    guard mynah_drop_process(process, 20, &status) == 1 else { return error("it upset the process that decodes it") }
    // posix_spawn(3): 127 is what a process ends with that could not become the program. 1 is what instrumenting emulators
    // end with that do not follow /proc/self/exe; this program has no such code for decoding.
    if !isHeard, status & 0x7F == 0, [1, 127].contains(status >> 8 & 0xFF) {
      hasNotBegun = true
      tellNotBegun()
    }
    return error(
      status & 0x7F != 0
        ? "it ended the process that decodes it (signal \(status & 0x7F))"
        : "the process that decodes it gave up (\(status >> 8 & 0xFF))")
  }

  private func error(_ reason: String) -> MediaError {
    MediaError(.failed, subject: path, operation: "decode", reason: reason)
  }
}
