internal import CLinux
internal import Glibc
internal import Hardware
internal import JSON
internal import Library

/// Has files looked at by a process of its own, which has no network, little memory, and can write nothing: whatever is in
/// a file, it ends that process at most. Storage lane only.
final class Examiner {
  private let program: [String]
  private let say: (String) -> Void
  private var child: Child?
  private var question: (path: String, since: Int64)?
  /// Why there can be no such process, as was said.
  private var hasFailed = false
  private var hasToldOfFilter = false

  private struct Child {
    let process: pid_t
    let socket: Int32
    var bytes: [UInt8] = []
    var hasGreeted = false
  }

  /// Nanoseconds: longer than any good file takes on a slow board.
  private let patience: Int64
  /// The part of a step that waits for an answer.
  private static let stepMilliseconds: Int32 = 15
  private static let longestAnswer = 4096
  /// How a process ends by its own doing, and by no hand from outside.
  private static let crashes: Set = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]

  /// - Parameters:
  ///   - program: what is started, and its arguments.
  ///   - patience: how long a file may take.
  ///   - say: takes a sentence for people.
  init(program: [String], patience: Duration = .seconds(10), say: @escaping (String) -> Void) {
    self.program = program
    self.patience = Int64(patience.inSeconds * 1e9)
    self.say = say
  }

  deinit { rest() }

  /// Whether files are looked at in a process of its own.
  var isApart: Bool { !hasFailed }

  /// Ends the process; the next question starts another.
  func rest() {
    if let child {
      close(child.socket)
      _ = mynah_end_process(child.process, 0, 0)
    }
    child = nil
    question = nil
  }

  /// Asks about a file, or waits a little for the answer.
  ///
  /// - Parameter path: in the data directory.
  /// - Returns: nil while there is no answer, and when there can be no process (see `isApart`).
  func step(_ path: String) -> TakeDiagnosis? {
    if let question, question.path != path { rest() }
    if child == nil { start() }
    guard child != nil else { return nil }
    if question == nil {
      question = (path, mynah_now())
      let bytes = Array(path.utf8) + [0]
      guard bytes.withUnsafeBytes({ mynah_send(child?.socket ?? -1, $0.baseAddress, $0.count) }) == bytes.count else {
        return end(nil)
      }
    }
    return wait()
  }

  private func start() {
    guard !hasFailed else { return }
    var process: pid_t = 0
    var socket: Int32 = -1
    let code = Confined.start(program, &process, &socket)
    guard code == 0 else { return fail("errno \(code); raise its limits of processes and memory") }
    child = Child(process: process, socket: socket)
  }

  private func fail(_ reason: String) {
    hasFailed = true
    say("files from elsewhere are looked at in this process: another could not be started: \(reason)")
  }

  private func wait() -> TakeDiagnosis? {
    guard let socket = child?.socket, let question else { return nil }
    if mynah_wait_for_two(socket, -1, Self.stepMilliseconds) > 0 {
      var block = [UInt8](repeating: 0, count: Self.longestAnswer)
      let count = block.withUnsafeMutableBytes { mynah_read(socket, $0.baseAddress, $0.count) }
      if count > 0 { child?.bytes += block[..<count] }
      if count == 0 || (count < 0 && count != -Int(EAGAIN)) { return end(nil) }
    }
    while let line = nextLine() {
      guard child?.hasGreeted == true else {
        child?.hasGreeted = true
        greet(line)
        continue
      }
      self.question = nil
      return ExaminerAnswer.diagnosis(line)
    }
    if (child?.bytes.count ?? 0) > Self.longestAnswer { return end("It upset the process that looked at it.") }
    if mynah_now() - question.since > patience {
      return end("Looking at it took more than \(patience / 1_000_000_000) s.")
    }
    return nil
  }

  private func nextLine() -> [UInt8]? {
    guard let bytes = child?.bytes, let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    child?.bytes.removeFirst(end + 1)
    return Array(bytes[..<end])
  }

  /// The first line tells what the kernel granted.
  private func greet(_ line: [UInt8]) {
    guard let code = ExaminerAnswer.refusal(line), !hasToldOfFilter else { return }
    hasToldOfFilter = true
    say(
      "the kernel has no system call filter (seccomp, errno \(code)): files from elsewhere are looked at with limits of "
        + "memory and time only")
  }

  /// Ends the process, which is no good any more.
  ///
  /// - Parameter reason: nil: it has ended by itself.
  /// - Returns: nil if it was never able to answer anything: from now on there is none.
  private func end(_ reason: String?) -> TakeDiagnosis? {
    guard let child else { return .unanswered(reason: reason ?? "", died: false) }
    close(child.socket)
    let status = mynah_end_process(child.process, reason == nil ? 1000 : 0, 0)
    self.child = nil
    question = nil
    if let reason { return .unanswered(reason: reason, died: false) }
    let signal = status & 0x7F
    guard signal != 0 || child.hasGreeted else {
      fail("it ended at once (\(status >> 8 & 0xFF))")
      return nil
    }
    return .unanswered(
      reason: signal == 0
        ? "The process that looked at it gave up (\(status >> 8 & 0xFF))."
        : "It ended the process that looked at it (signal \(signal)).",
      died: Self.crashes.contains(signal))
  }
}

/// What that process writes: one line of JSON a file, and one before them.
enum ExaminerAnswer {
  private static let mostFrames = 1 << 48

  /// - Parameter code: 0, or the errno with which the filter was refused.
  static func greeting(_ code: Int32) -> JSONValue { ["seccomp": .integer(Int(code))] }

  static func refusal(_ line: [UInt8]) -> Int? {
    guard let code = (try? JSONValue(parsing: line))?["seccomp"]?.integerValue, code != 0 else { return nil }
    return code
  }

  static func json(_ diagnosis: TakeDiagnosis) -> JSONValue {
    switch diagnosis {
    case .damaged(let reason), .unanswered(let reason, _): return ["damaged": .string(reason)]
    case .complete(let shape), .unfinished(let shape):
      var json: JSONValue = [
        "frames": .integer(shape.frames), "sampleRate": .integer(shape.sampleRate),
        "channels": .integer(shape.channels), "format": .string(shape.format),
      ]
      if let bitrate = shape.bitrateKbps { json["bitrateKbps"] = .integer(bitrate) }
      return json
    }
  }

  private static func cut(_ text: String, _ most: Int) -> String { String(text.unicodeScalars.prefix(most)).shown }

  /// Nothing that the other process says is believed beyond what a file can be.
  static func diagnosis(_ line: [UInt8]) -> TakeDiagnosis {
    let unclear = TakeDiagnosis.damaged(reason: "It upset the process that looked at it.")
    guard let json = try? JSONValue(parsing: line) else { return unclear }
    if let reason = json["damaged"]?.stringValue { return .damaged(reason: cut(reason, 300)) }
    guard let frames = ClaimedNumber(json["frames"]?.integerValue).within(0...mostFrames),
      let rate = ClaimedNumber(json["sampleRate"]?.integerValue).within(1...1_000_000),
      let channels = ClaimedNumber(json["channels"]?.integerValue).within(0...255),
      let format = json["format"]?.stringValue
    else { return unclear }
    return .complete(
      TakeShape(
        frames: frames, sampleRate: rate, channels: channels, format: cut(format, 32),
        bitrateKbps: ClaimedNumber(json["bitrateKbps"]?.integerValue).within(1...1_000_000)))
  }
}
