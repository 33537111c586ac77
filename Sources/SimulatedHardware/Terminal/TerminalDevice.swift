internal import CLinux
internal import Glibc
internal import Hardware

/// The terminal on standard input and output, taken over and given back, with its signals and what others complain
/// of on standard error meanwhile.
///
/// Unchecked: its maker hands it to the panel's thread and does not use it again.
final class TerminalDevice: @unchecked Sendable {
  /// What has happened.
  struct Event {
    /// Bytes of keys.
    var keys: [UInt8] = []
    /// Whole lines from standard error.
    var complaints: [String] = []
    var wasResized = false
    /// Another program has used the terminal: everything must be drawn again.
    var wasAway = false
    /// The terminal is gone.
    var isGone = false
  }

  private let signals: Int32
  private let errors: Int32
  private let wake: TerminalWake
  private var hasKeys = true
  private var openLine: [UInt8] = []

  /// Takes the terminal over.
  init(wake: TerminalWake) throws(DeviceError) {
    guard mynah_terminal_take(STDIN_FILENO, STDOUT_FILENO, TerminalCanvas.enter, TerminalCanvas.leave) == 0 else {
      throw DeviceError(
        .failed, device: "terminal", operation: "set it up as the front panel", code: errno,
        hint: "run without a terminal, or with --script")
    }
    self.wake = wake
    errors = mynah_terminal_catch_errors()
    signals = mynah_terminal_open_signals()
  }

  deinit { if signals >= 0 { close(signals) } }

  /// Gives the terminal back as it was found.
  func giveBack() { mynah_terminal_give_back() }

  /// Columns and rows; 80×24 where the terminal does not know.
  var size: (columns: Int, rows: Int) {
    var columns: Int32 = 0
    var rows: Int32 = 0
    guard mynah_terminal_size(STDOUT_FILENO, &columns, &rows) == 0, columns > 0, rows > 0 else { return (80, 24) }
    return (Int(columns), Int(rows))
  }

  /// Writes all of a text; gives up if the terminal is gone.
  func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var done = 0
      while done < bytes.count {
        let count = Glibc.write(STDOUT_FILENO, bytes.baseAddress.map { $0 + done }, bytes.count - done)
        if count <= 0 && errno != EINTR { return }
        done += max(0, count)
      }
    }
  }

  /// Sleeps until something happens, for at most `milliseconds` (−1: for ever), and says what.
  func wait(milliseconds: Int32) -> Event {
    let readable = Int16(POLLIN)
    // poll(2) overlooks negative descriptors.
    var polled = [
      pollfd(fd: hasKeys ? STDIN_FILENO : -1, events: readable, revents: 0),
      pollfd(fd: wake.reader, events: readable, revents: 0),
      pollfd(fd: signals, events: readable, revents: 0),
      pollfd(fd: errors, events: readable, revents: 0),
    ]
    var news = Event()
    guard poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return news }
    if polled[0].revents != 0 { readKeys(&news) }
    wake.clear()
    readSignals(&news)
    readComplaints(&news)
    return news
  }

  private func readKeys(_ news: inout Event) {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    if count > 0 {
      news.keys = Array(bytes[..<count])
    } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
      hasKeys = false
      news.isGone = true
    }
  }

  private func readSignals(_ news: inout Event) {
    guard signals >= 0 else { return }
    while true {
      switch mynah_terminal_next_signal(signals) {
      case 0: return
      case SIGCONT:
        mynah_terminal_retake()
        news.wasAway = true
      default: news.wasResized = true
      }
    }
  }

  private func readComplaints(_ news: inout Event) {
    guard errors >= 0 else { return }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = bytes.withUnsafeMutableBytes { buffer in
      mynah_terminal_read_errors(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), UInt(buffer.count))
    }
    for byte in bytes.prefix(max(0, count)) {
      if byte != UInt8(ascii: "\n") {
        if openLine.count < 512 { openLine.append(byte) }
      } else {
        news.complaints.append(String(decoding: openLine, as: UTF8.self))
        openLine = []
      }
    }
  }
}

/// Wakes the thread of the front panel from any other.
final class TerminalWake: Sendable {
  let reader: Int32
  private let writer: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    // Without a pipe (no descriptors left) the panel is drawn late, at the next key.
    if pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      }
    }
    reader = ends[0]
    writer = ends[1]
  }

  deinit {
    close(reader)
    close(writer)
  }

  /// Never waits: a full pipe wakes as well.
  func signal() {
    var byte: UInt8 = 1
    _ = write(writer, &byte, 1)
  }

  /// Takes the calls that have come.
  func clear() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(reader, &bytes, bytes.count) == bytes.count {}
  }
}
