internal import CLinux
internal import Glibc
internal import Hardware

/// The other end of a console port: joins a terminal, or a pipe, to a socket or a serial line.
public enum ConsoleClient {
  /// What ends the session on a terminal, as in telnet: Ctrl-].
  static let escape: UInt8 = 0x1d

  /// Connects this process's standard input and output to the console at `path`, and returns when the session is over:
  /// the peer closes, Ctrl-] is typed, input ends and the last answer has come, or a signal asks to end.
  ///
  /// Blocks. A terminal is in raw mode meanwhile (Ctrl-C goes to the appliance), and as before on return.
  ///
  /// - Parameter baud: rate of a serial line; of no concern to a socket.
  /// - Returns: the exit code: 0 done, 66 no such path, 69 the console is not available, 74 I/O error, 128 + n for
  ///   signal n. Errors are said on standard error.
  public static func run(path: String, baud: Int = 115_200) -> Int32 {
    run(path: path, baud: baud, input: STDIN_FILENO, output: STDOUT_FILENO, notes: STDERR_FILENO)
  }

  static func run(path: String, baud: Int, input: Int32, output: Int32, notes: Int32) -> Int32 {
    // A reader of our output that goes away is an error to us, not the end before the terminal is restored.
    let previous = signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, previous) }
    do throws(DeviceError) {
      let (peer, isSerial) = try connect(path, baud: baud)
      defer { close(peer) }
      let signals = mynah_ending_signals_begin()
      defer {
        close(signals)
        mynah_ending_signals_end()
      }
      let terminal = RawTerminal(input)
      defer { terminal?.restore() }
      if terminal != nil { say("connected to \(path.shown); Ctrl-] leaves\r\n", on: notes) }
      var session = Session(peer: peer, isSerial: isSerial, isTerminal: terminal != nil, input: input, output: output)
      // Behind a serial line there may be something else than a console of ours.
      if terminal != nil, !isSerial { session.tellHeight() }
      let end = session.run(signals: signals)
      terminal?.restore()
      switch end {
      case .done: return 0
      case .peerClosed:
        if terminal != nil { say("\r\nconnection closed\r\n", on: notes) }
        return 0
      case .signal(let number): return 128 + number
      case .failed(let operation, let code):
        throw DeviceError(.failed, device: path, operation: operation, code: code)
      }
    } catch {
      say("mynah: \(error)".shown + "\n", on: notes)
      return error.kind == .failed ? 74 : error.kind == .missing && error.code == ENOENT ? 66 : 69
    }
  }

  private static func connect(_ path: String, baud: Int) throws(DeviceError) -> (descriptor: Int32, isSerial: Bool) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR {
      return (try SerialLine.open(path, baud: baud), true)
    }
    let descriptor = try UnixSocket.connect(path)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    return (descriptor, false)
  }

  private static func say(_ text: String, on descriptor: Int32) {
    _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }
}

extension ConsoleClient {
  /// How a session ended.
  fileprivate enum End {
    case done
    case peerClosed
    case signal(Int32)
    case failed(String, Int32)
  }

  /// Bytes both ways until one side is done.
  fileprivate struct Session {
    /// Does not block.
    let peer: Int32
    let isSerial: Bool
    let isTerminal: Bool
    let input: Int32
    let output: Int32
    /// Typed, and not yet taken by the peer. Input is only read when this is empty.
    private var unsent: [UInt8] = []
    private var inputEnded = false
    /// Something of a line was typed, and not its end.
    private var isMidLine = false
    /// A serial line never says that it is done: after the end of input, silence this long is the end.
    private var quietSince: Int64 = 0
    private static let quiet: Int64 = 1_000_000_000

    init(peer: Int32, isSerial: Bool, isTerminal: Bool, input: Int32, output: Int32) {
      self.peer = peer
      self.isSerial = isSerial
      self.isTerminal = isTerminal
      self.input = input
      self.output = output
    }

    /// Says how many lines the terminal has, as xterm reports it, so that long listings stop there.
    mutating func tellHeight() {
      var columns: Int32 = 0
      var rows: Int32 = 0
      guard mynah_terminal_size(output, &columns, &rows) == 0, rows > 0 else { return }
      unsent += Array("\u{1B}[8;\(rows);\(columns)t".utf8)
      _ = sendRest()
    }

    mutating func run(signals: Int32) -> End {
      while true {
        var polled = [
          pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
          pollfd(fd: peer, events: Int16(unsent.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0),
          pollfd(fd: unsent.isEmpty && !inputEnded ? input : -1, events: Int16(POLLIN), revents: 0),
        ]
        let now = Monotonic.now
        let silentAt = isSerial && inputEnded && unsent.isEmpty ? quietSince + Self.quiet : nil
        if let silentAt, silentAt <= now { return .done }
        let result = poll(&polled, nfds_t(polled.count), Monotonic.pollTimeout(until: silentAt, now: now))
        if result < 0, errno != EINTR { return .failed("wait", errno) }
        guard result > 0 else { continue }
        if polled[0].revents != 0 {
          let number = mynah_read_signal(signals)
          if number != 0 { return .signal(number) }
        }
        if polled[1].revents != 0, let end = receive() { return end }
        if polled[2].revents != 0, let end = takeInput() { return end }
        if let end = sendRest() { return end }
      }
    }

    private mutating func receive() -> End? {
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(peer, &bytes, bytes.count)
      if count == 0 { return .peerClosed }
      if count < 0 {
        if errno == EAGAIN || errno == EINTR { return nil }
        // EIO and ECONNRESET: a line that was pulled, an appliance that was killed.
        return errno == EIO || errno == ECONNRESET ? .peerClosed : .failed("read", errno)
      }
      quietSince = Monotonic.now
      var done = 0
      while done < count {
        let written = bytes.withUnsafeBytes { write(output, $0.baseAddress.map { $0 + done }, count - done) }
        if written >= 0 {
          done += written
        } else if errno == EAGAIN {
          var waiting = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
          poll(&waiting, 1, 1000)
        } else if errno != EINTR {
          return errno == EPIPE ? .done : .failed("write what the console says", errno)
        }
      }
      return nil
    }

    private mutating func takeInput() -> End? {
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(input, &bytes, bytes.count)
      if count < 0 {
        if errno == EAGAIN || errno == EINTR { return nil }
        return errno == EIO ? .done : .failed("read standard input", errno)
      }
      if count == 0 {
        if isTerminal { return .done }
        // As shells have it: the end of what is said ends its last line.
        guard !isMidLine else {
          isMidLine = false
          unsent = [0x0A]
          return nil
        }
        inputEnded = true
        quietSince = Monotonic.now
        if !isSerial { shutdown(peer, Int32(SHUT_WR)) }
        return nil
      }
      let typed = bytes[..<count]
      isMidLine = typed.last != 0x0A && typed.last != 0x0D
      if isTerminal, let stop = typed.firstIndex(of: ConsoleClient.escape) {
        unsent += typed[..<stop]
        _ = sendRest()
        return .done
      }
      unsent += typed
      return nil
    }

    private mutating func sendRest() -> End? {
      while !unsent.isEmpty {
        let count = unsent.withUnsafeBytes { write(peer, $0.baseAddress, $0.count) }
        if count < 0 {
          if errno == EINTR { continue }
          if errno == EAGAIN { return nil }
          // What the peer said before it went is still to be read.
          guard errno == EPIPE else { return .failed("send", errno) }
          unsent = []
          inputEnded = true
          return nil
        }
        unsent.removeFirst(count)
      }
      return nil
    }
  }

  /// A terminal in raw mode, until it is restored.
  fileprivate final class RawTerminal {
    private let descriptor: Int32
    private var saved = termios()
    private var isRaw = true

    /// `nil` if the descriptor is no terminal.
    init?(_ descriptor: Int32) {
      self.descriptor = descriptor
      guard tcgetattr(descriptor, &saved) == 0 else { return nil }
      var raw = saved
      cfmakeraw(&raw)
      guard retrying({ tcsetattr(descriptor, TCSANOW, &raw) }) == 0 else { return nil }
    }

    func restore() {
      guard isRaw else { return }
      isRaw = false
      _ = retrying { tcsetattr(descriptor, TCSANOW, &saved) }
    }
  }
}
