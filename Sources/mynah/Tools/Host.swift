import ArgumentParser
import Board
import Glibc
import Hardware
import LinuxHardware
import Runtime
import Synchronization

/// Exit codes, as in `sysexits.h`.
enum Exit {
  /// Of `mynah selftest` and `mynah board held` only, as test(1) has it.
  static let failed = ExitCode(1)
  static let badData = ExitCode(65)
  static let noInput = ExitCode(66)
  static let unavailable = ExitCode(69)
  static let internalError = ExitCode(70)
  static let inputOutput = ExitCode(74)
  static let badConfiguration = ExitCode(78)
}

/// The terminal, files and signals of the machine that the command runs on.
enum Host {
  /// Writes a line to standard output, at once: whoever reads it may be waiting.
  static func say(_ line: String) {
    put(line, to: STDOUT_FILENO)
  }

  /// Writes a line to standard error.
  static func complain(_ line: String) { put(line, to: STDERR_FILENO) }

  /// For who must not wait for a reader: a line that finds no room is left out.
  static func mention(_ line: String) { put(line, to: STDERR_FILENO, waits: false) }

  /// Why a line of standard output was not written; −1 where nobody has to read it.
  private static let lost = Atomic<Int32>(0)

  /// A device goes on without who reads what it says.
  static func standAlone() {
    signal(SIGPIPE, SIG_IGN)
    lost.store(-1, ordering: .relaxed)
  }

  /// The command is done: ends with an error if what it said is not written.
  static func finishOutput() {
    if fflush(nil) != 0 { noteLoss(errno) }
    let code = lost.load(ordering: .relaxed)
    guard code > 0 else { return }
    complain("mynah: standard output cannot be written: \(String(cString: strerror(code)))")
    exit(Exit.inputOutput.rawValue)
  }

  private static func noteLoss(_ code: Int32) {
    _ = lost.compareExchange(expected: 0, desired: code, ordering: .relaxed)
  }

  /// What a pipe that is ready takes at once (pipe(7), PIPE_BUF).
  private static let piece = 4096

  /// Whatever is in the text, names of files and words of the command line too, steers no terminal; lines stay lines.
  private static func put(_ line: String, to descriptor: Int32, waits: Bool = true) {
    let lines = line.utf8.split(separator: 10, omittingEmptySubsequences: false)
    let bytes = Array(lines.map { "\(Substring($0).shown)\n" }.joined().utf8)
    var done = 0
    while done < bytes.count {
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if !waits, poll(&ready, 1, 0) <= 0 { return }
      let count = bytes[done...].prefix(waits ? .max : piece).withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      // A reader that has gone away is no reason to stop recording.
      if count <= 0 && errno != EINTR {
        if descriptor == STDOUT_FILENO { noteLoss(errno) }
        return
      }
      done += max(0, count)
    }
  }

  /// Complains in one line and gives the exit code to throw.
  static func failure(_ code: ExitCode, _ message: String) -> ExitCode {
    complain("mynah: \(message)".shown)
    return code
  }

  /// Somebody is there with a terminal that the front panel can be drawn on.
  static var isTerminal: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && environment("TERM") != "dumb"
  }

  /// Columns of the terminal; 100 where there is none.
  static var columns: Int {
    var size = winsize()
    return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col >= 60 ? Int(size.ws_col) : 100
  }

  /// False on the user's wish (https://no-color.org: set and not empty).
  static var wantsColour: Bool { environment("NO_COLOR").isEmpty }

  private static func environment(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

  /// The whole of a file, or the exit code to throw.
  static func read(_ path: String, limit: Int = 16 << 20) throws -> [UInt8] {
    guard let file = fopen(path, "rb") else {
      throw failure(Exit.noInput, "\(path): cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      bytes += chunk[..<count]
      guard bytes.count <= limit else { throw failure(Exit.badData, "\(path): larger than \(limit) bytes") }
      if count == chunk.count { continue }
      // A folder can be opened, too. Half a file is none.
      guard ferror(file) == 0 else {
        throw failure(Exit.inputOutput, "\(path): cannot be read: \(String(cString: strerror(errno)))")
      }
      return bytes
    }
  }

  /// A small file's bytes, or `nil` if it cannot be read.
  static func contents(_ path: String, limit: Int = 1 << 20) -> [UInt8]? {
    // A pipe of that name would hold up the start.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: min(limit, 65_536))
    while bytes.count < limit {
      let count = Glibc.read(descriptor, &chunk, min(chunk.count, limit - bytes.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return bytes
  }

  /// Writes a file; returns a complaint, or `nil`.
  static func write(_ path: String, _ bytes: [UInt8]) -> String? {
    guard let file = fopen(path, "wb") else {
      return "\(path): cannot be written: \(String(cString: strerror(errno)))"
    }
    let count = fwrite(bytes, 1, bytes.count, file)
    return fclose(file) == 0 && count == bytes.count ? nil : "\(path): could not be written whole"
  }

  /// A board by name or path, or the exit code to throw.
  static func board(_ nameOrPath: String) throws -> BoardDescription {
    do throws(BoardError) {
      return try Boards.load(nameOrPath, reader: Boards.readFile)
    } catch {
      throw wrong(error)
    }
  }

  /// Tells every mistake of a board file and gives the exit code to throw.
  static func wrong(_ error: BoardError) -> ExitCode {
    complain("mynah: \(error)")
    return Exit.badConfiguration
  }

  /// Takes the data directory for this process, or throws the exit code.
  static func lock(_ path: String) throws -> DirectoryLock {
    do throws(DeviceError) { return try DirectoryLock(directory: path) } catch {
      throw failure(Exit.unavailable, "\(error)")
    }
  }

  /// A console at a path: a serial line, else a Unix socket.
  static func consolePort(_ path: String, baud: Int) -> any ConsolePort {
    isLine(path) ? TTYConsolePort(path: path, baud: baud) : SocketConsolePort(path: path)
  }

  /// Whether a path is of a serial line: under /dev, or a link there, whether the line is plugged in or not.
  static func isLine(_ path: String) -> Bool {
    if path.hasPrefix("/dev/") { return true }
    var target = [CChar](repeating: 0, count: 1024)
    guard readlink(path, &target, target.count - 1) > 0 else { return false }
    let text = String(decoding: target.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var status = stat()
    return text.hasPrefix("/dev/") || stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
  }

  /// Where programs get at the sound, beside a console's socket; none beside a serial line.
  static func soundPort(beside console: String) -> (any ConsolePort)? {
    console.isEmpty || console.hasPrefix("/dev/")
      ? nil : SocketConsolePort(path: console + PCMCommand.ending, thread: "sound socket")
  }

  /// How files in a data directory are looked at that the device has not made: by this program again, confined.
  static func examination(of data: String) -> ExaminationOptions {
    ExaminationOptions(
      program: ["/proc/self/exe", Examine.name, "--data", data], decoder: ["/proc/self/exe", Decode.name])
  }

  /// Tells one boot of the machine from another; empty if the kernel does not say.
  private static var boot: String {
    let text = contents("/proc/sys/kernel/random/boot_id", limit: 64) ?? []
    return String(decoding: text.prefix { $0 > 0x20 }, as: UTF8.self)
  }

  /// What remembers of this run in a data directory, should it crash.
  static func blackBox(in data: String, board: BoardDescription) -> CrashRecorder {
    CrashRecorder(data: data, program: "mynah \(Version.text) on \(board.name)", boot: boot)
  }

  /// The path of a file without links in it; nil if there is none.
  static func realPath(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The data directory, or the exit code to throw.
  static func storage(_ path: String, reserveMB: Int) throws -> FileStorage {
    do throws(StorageError) {
      return try FileStorage(root: path, reserveBytes: reserveMB << 20, share: FileStorage.usualShare)
    } catch {
      throw failure(Exit.inputOutput, "\(error)")
    }
  }
}
