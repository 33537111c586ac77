import Console
import Hardware
import JSON

/// A call that has reached the device: its parameters were complete and fitting, and defaults are filled in.
struct FakeCall: Hashable {
  var method: String
  var parameters: JSONValue = [:]
}

/// A device that answers every call from a table, at once or when told to.
final class FakeDevice: CommandSurroundings {
  /// The answer to each method; `{}` for others.
  var answers: [String: Result<JSONValue, CommandFailure>] = [:]
  /// Keeps answers back until `release`.
  var isSlow = false
  var isRecording = false
  var guardian: (any CallGuard)?
  private(set) var calls: [FakeCall] = []
  private var waiting: [() -> Void] = []
  /// What people's words for takes and clips stand for.
  var ids: [String: String] = [:]

  /// Words for takes that somebody wanted to know of.
  private(set) var identified: [String] = []

  func identify(_ words: [String], isClip: Bool, reply: @escaping (Result<[String], CommandFailure>) -> Void) {
    identified += words
    reply(.success(words.map { ids[$0] ?? $0 }))
  }

  func perform(_ call: FakeCall, reply: @escaping (Result<JSONValue, CommandFailure>) -> Void) {
    calls.append(call)
    let answer = answers[call.method] ?? .success([:])
    if isSlow { waiting.append { reply(answer) } } else { reply(answer) }
  }

  /// Answers what waits, the latest first if `reversed`.
  func release(reversed: Bool = false) {
    let due = reversed ? waiting.reversed() : waiting
    waiting = []
    for answer in due { answer() }
  }
}

/// A console with a fake device behind it and a record of all that was sent.
final class Bench {
  let device = FakeDevice()
  private(set) var sent: [UInt8] = []
  var room: Int?
  /// The line is full after what is sent next.
  var fills = false
  var didHangUp = false
  private var console: ConsoleSession?

  init(width: Int = 80, height: Int? = nil, closes: Bool = false) {
    let environment = ConsoleSession.Environment(
      send: { [weak self] in
        self?.sent += $0
        if self?.fills == true { self?.room = 0 }
      }, room: { [weak self] in self?.room ?? .max }, height: height,
      knowledge: { subject in
        switch subject {
        case .takes: ["000001_a.m4a", "000002_b.m4a"]
        case .clips: ["000003_c.mp4", "000004_d.mp4"]
        case .settings: ["recording.format", "recording.channels", "ui.language"]
        case .values(ofSetting: "recording.format"): ["aac", "wav"]
        case .values: []
        }
      }, hangUp: closes ? { [weak self] in self?.didHangUp = true } : nil)
    let dispatcher = CommandDispatcher(FakeTable.table, context: device)
    console = ConsoleSession(dispatcher: dispatcher, width: width, environment: environment)
  }

  var isMachine: Bool { console?.isMachine ?? false }

  func start() { console?.start() }
  func type(_ text: String) { console?.receive(Array(text.utf8)) }
  func type(_ bytes: [UInt8]) { console?.receive(bytes) }
  func deliver(_ event: EventRecord) { console?.deliver(event) }
  func deliver(_ line: LogLine) { console?.deliver(line) }
  func step(at now: Instant) -> Instant? { console?.step(now: now) }
  func pump() { console?.pump() }
  func announce(_ text: String) { console?.announce(text) }

  /// What was sent since the last call, as text.
  func take() -> String {
    defer { sent = [] }
    return String(decoding: sent, as: UTF8.self)
  }

  /// What a terminal shows of what was sent since the last call, blanks at the ends left out.
  func screen() -> [String] { Terminal.lines(take()) }

  /// Types a line in the machine's face and reads the answer.
  func ask(_ line: String) throws -> JSONValue {
    _ = take()
    type(line + "\n")
    return try JSONValue(parsing: take().drop { $0 != "{" && $0 != "[" })
  }
}
