import Foundation

/// A program on a terminal of its own, with somebody who looks and types.
final class PseudoTerminal {
  struct Failure: Error, CustomStringConvertible { let description: String }

  /// Everything the program has sent.
  private(set) var sent: [UInt8] = []
  private(set) var screen: CharacterScreen
  /// The terminal's modes before the program was started.
  let untouched: [String]
  private let master: Int32
  /// Kept open, so that the terminal keeps its modes when the program is gone.
  private let slave: Int32
  private var process: pid_t = 0
  private var status: Int32?
  /// `POSIX_SPAWN_SETSID` of <spawn.h>, which Swift does not see: the terminal that is opened first is the session's.
  private static let newSession: Int32 = 0x80
  /// Far longer than anything takes; only ever reached by a test that fails.
  private static let patience = 60.0

  /// Starts a program as leader of a session whose terminal this is.
  init(
    _ program: String, _ arguments: [String], columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]
  ) throws {
    var name = [CChar](repeating: 0, count: 64)
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    guard openpty(&ends.master, &ends.slave, &name, nil, nil) == 0 else {
      throw Failure(description: "no pseudo-terminal: errno \(errno)")
    }
    (master, slave) = ends
    for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    screen = CharacterScreen(columns: columns, rows: rows)
    untouched = Self.modes(of: slave)
    resizeTerminal(columns, rows)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    posix_spawnattr_setflags(&attributes, Int16(Self.newSession | POSIX_SPAWN_SETSIGMASK))
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var variables = ProcessInfo.processInfo.environment
    variables["TERM"] = "xterm-256color"
    variables["NO_COLOR"] = nil
    variables.merge(environment) { _, new in new }
    var argv = ([program] + arguments).map { strdup($0) } + [nil]
    var envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    let result = posix_spawn(&process, program, &actions, &attributes, &argv, &envp)
    guard result == 0 else { throw Failure(description: "\(program): errno \(result)") }
  }

  deinit {
    if status == nil {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    close(master)
    close(slave)
  }

  /// The terminal's modes, in words that can be compared.
  var modes: [String] { Self.modes(of: slave) }

  private static func modes(of descriptor: Int32) -> [String] {
    var modes = termios()
    tcgetattr(descriptor, &modes)
    let characters = withUnsafeBytes(of: modes.c_cc) { Array($0) }
    return ["\(modes.c_iflag)", "\(modes.c_oflag)", "\(modes.c_cflag)", "\(modes.c_lflag)", "\(characters)"]
  }

  var text: String { String(decoding: sent, as: UTF8.self) }

  func type(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = write(master, bytes, bytes.count)
  }

  func send(_ signal: Int32) { kill(process, signal) }

  /// Gives the terminal another size; the kernel tells the program.
  func resize(columns: Int, rows: Int) {
    screen = CharacterScreen(columns: columns, rows: rows)
    resizeTerminal(columns, rows)
  }

  /// Reads until the screen is as wanted.
  func wait(for what: String, _ isSo: (CharacterScreen) -> Bool) throws {
    let deadline = Date.now + Self.patience
    while !isSo(screen) {
      guard Date.now < deadline, readSome() || status == nil, !hasEnded() || isSo(screen) else {
        throw Failure(description: "never saw \(what); the screen is:\n\(screen.text)\nstatus \(status ?? -1)")
      }
    }
  }

  func wait(for words: String) throws { try wait(for: words) { $0.text.contains(words) } }

  /// Reads to the end of the program.
  ///
  /// - Returns: its exit code, or minus the signal that ended it.
  func waitForEnd() throws -> Int {
    let deadline = Date.now + Self.patience
    while !hasEnded() {
      guard Date.now < deadline else { throw Failure(description: "does not end; the screen is:\n\(screen.text)") }
      _ = readSome()
    }
    while readSome(milliseconds: 0) {}
    let status = status ?? 0
    return status & 0x7F == 0 ? Int((status >> 8) & 0xFF) : -Int(status & 0x7F)
  }

  private func hasEnded() -> Bool {
    if status != nil { return true }
    var result: Int32 = 0
    if waitpid(process, &result, WNOHANG) == process { status = result }
    return status != nil
  }

  private func readSome(milliseconds: Int32 = 100) -> Bool {
    var polled = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&polled, 1, milliseconds) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = read(master, &bytes, bytes.count)
    guard count > 0 else { return false }
    sent += bytes[..<count]
    screen.feed(bytes[..<count])
    return true
  }

  private func resizeTerminal(_ columns: Int, _ rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }
}

/// What stands on a terminal, without its colours: enough of ECMA-48 for what a front panel sends.
struct CharacterScreen {
  let columns: Int
  let rows: Int
  private var cells: [Character]
  private var column = 0
  private var row = 0
  private var pending: [UInt8] = []

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: " ", count: columns * rows)
  }

  var lines: [String] { (0..<rows).map { String(cells[$0 * columns..<($0 + 1) * columns]) } }
  var text: String { lines.joined(separator: "\n") }

  mutating func feed(_ bytes: some Sequence<UInt8>) {
    pending += bytes
    while let length = unit() {
      take(Array(pending[..<length]))
      pending.removeFirst(length)
    }
  }

  /// Bytes of the next character or control sequence, if it is complete.
  private func unit() -> Int? {
    guard let first = pending.first else { return nil }
    if first == 0x1B {
      guard pending.count >= 2, pending[1] == UInt8(ascii: "[") else { return pending.count >= 2 ? 2 : nil }
      return pending.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }.map { $0 + 1 }
    }
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    return pending.count >= length ? length : nil
  }

  private mutating func take(_ bytes: [UInt8]) {
    guard bytes[0] == 0x1B else {
      if bytes == [0x0D] { return column = 0 }
      if bytes == [0x0A] { return row += 1 }
      if column < columns, row < rows, let character = String(decoding: bytes, as: UTF8.self).first {
        cells[row * columns + column] = character
      }
      return column += 1
    }
    let parameters = bytes.dropFirst(2).dropLast().split(separator: UInt8(ascii: ";"))
      .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
    switch bytes.last {
    case UInt8(ascii: "H"):
      row = (parameters.first ?? 1) - 1
      column = (parameters.dropFirst().first ?? 1) - 1
    case UInt8(ascii: "J"): cells = Array(repeating: " ", count: columns * rows)
    default: break
    }
  }
}
