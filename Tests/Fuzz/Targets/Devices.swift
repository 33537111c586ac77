import Board
import Console
import Hardware
import JSON
import Runtime
import SimulatedHardware
import Synchronization
import TestSupport

extension FuzzTarget {
  /// What people and programs say to a whole simulated device, on three consoles, in virtual time. Each line that begins
  /// with `=== ` says which console the next ones are typed on, and how many tenths of a second pass before that.
  static let device = FuzzTarget(
    "device",
    .text([
      "=== 1 5", "=== 2 30", "=== 0 1", "=== 2 close", "rec", "stop", "mark here", "list", "play last", "show 1",
      "settings", "mode clips", "mode dub", "mode feed", "clip", "status", "log --follow", "watch 1 status", "q",
      "doctor", "send last", "receive", "loop 0.1 0.5", "schedule daily 03:00 04:00", "clock 2026-11-23 16:30",
      "press CENTRE", "hold STOP 1", "fault stick in", "fault microphone unplug", "fault storage full", "undelete",
      "delete 1", "tag 1 a b", "rename 1 x", "export all mp3", "help", "page 3", "events", "\u{1B}[A", "\u{3}",
      "settings recording.format opus", "settings recording.sign on", "settings session.strategy locked",
    ]),
    make: { DeviceTalk.valid(&$0) }
  ) { bytes in
    do { return try DeviceTalk(bytes).problem() } catch { return "it does not start: \(error)" }
  }
}

/// A talk with a device: who types what, when.
private struct DeviceTalk {
  private struct Piece {
    let console: Int
    let at: Instant
    /// `nil`: it is pulled out.
    let bytes: [UInt8]?
  }

  private static let consoles = 3
  private static let mostPieces = 200
  /// A few bytes may say how long nothing is said, which is what it costs.
  private static let mostMilliseconds = 30_000
  private var pieces: [Piece] = []
  /// Of the device's clock.
  private var milliseconds = 500

  init(_ bytes: [UInt8]) {
    var console = 0
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) where pieces.count < Self.mostPieces {
      guard line.starts(with: "=== ".utf8) else {
        milliseconds += 20
        pieces.append(Piece(console: console, at: now, bytes: line + [0x0A]))
        continue
      }
      let words = String(decoding: line.dropFirst(4), as: UTF8.self).split(separator: " ")
      console = Int(words.first ?? "0").map { Int($0.magnitude % UInt(Self.consoles)) } ?? 0
      guard words.count > 1 else { continue }
      if let tenths = Int(words[1]) {
        milliseconds = min(Self.mostMilliseconds, milliseconds + 100 * Int(tenths.magnitude % 50))
      } else {
        pieces.append(Piece(console: console, at: now, bytes: nil))
      }
    }
    milliseconds += 2000
  }

  private var now: Instant { .at(Double(milliseconds) / 1000) }

  /// Requests for methods of the table with values of the right kinds and others, between what people type.
  static func valid(_ dice: inout SeededGenerator) -> [UInt8] {
    var lines: [String] = []
    for id in 0..<Int.random(in: 1...8, using: &dice) {
      let methods = DeviceTable.catalogue.methods
      let method = methods[dice.below(methods.count)]
      var members: [String: JSONValue] = [:]
      for parameter in method.parameters where !parameter.isOptional || dice.chance(2) {
        members[parameter.name] = value(parameter.kind, &dice)
      }
      if method.names != nil { members["recording.preRecordSeconds"] = .integer(dice.below(70)) }
      let request: JSONValue = [
        "jsonrpc": "2.0", "id": .integer(id), "method": .string(method.method), "params": .object(members),
      ]
      lines += ["=== \(dice.below(3)) \(dice.below(20))", request.text]
      if dice.chance(4) { lines += ["=== \(dice.below(3)) 1", dice.pick(["rec", "stop", "status", "clip"], or: "q")] }
    }
    return Array(lines.joined(separator: "\n").utf8)
  }

  private static func value(_ kind: Parameter.Kind, _ dice: inout SeededGenerator) -> JSONValue {
    let names = ["last", "1", "000001_2026-11-20T21-54-00Z.m4a", "../x", "é", "local", "http://192.0.2.1/a.m3u8"]
    switch kind {
    case .integer(let range): return .integer(Int.random(in: range, using: &dice))
    case .number(let range): return .number(Double.random(in: range, using: &dice))
    case .flag: return .bool(dice.chance(2))
    case .choice(let words): return .string(dice.pick(words, or: ""))
    case .list(let words): return .array([.string(dice.pick(words, or: ""))])
    case .clips, .takes, .texts: return .array([.string(dice.pick(names, or: "")), .string(dice.pick(names, or: ""))])
    case .fault:
      return .string(dice.pick(["microphone overrun 0.3", "stick in", "storage full", "camera stall 1"], or: ""))
    case .language: return .string("es")
    case .settingKey: return .string("recording.format")
    case .settingValue: return .string("wav")
    default: return .string(dice.pick(names, or: ""))
    }
  }

  /// What is wrong with the answers; `nil` if all is well.
  func problem() throws -> String? {
    let clock = VirtualClock()
    var simulation = SimulationOptions(clock: clock, storage: MemoryStorage(capacity: 1 << 26, clock: clock))
    simulation.source = FunctionSource(format: PCMFormat(sampleRate: 8000, channels: 1)) { frame, _ in
      Float(frame % 100) / 400
    }
    simulation.stick = MemoryStorage(capacity: 1 << 26, clock: clock)
    var hardware = try SimulatedHardware(simulation).hardwareSet
    let line = TalkPort(count: Self.consoles)
    for piece in pieces { line.plan(piece.at, piece.console, piece.bytes) }
    hardware.consolePorts = [line]
    hardware.steppers.append(line)
    // What pictures cost is another target's.
    var board = try Boards.load(builtIn: "simulator")
    (board.camera.width, board.camera.height, board.camera.framesPerSecond) = (128, 96, 5)
    var options = RuntimeOptions(board: board, version: "fuzz")
    options.isRealTime = false
    options.framesPerSecond = 2
    let end = "\(Double(milliseconds) / 1000) quit"
    options.script = try Script(parsing: Array(end.utf8), name: "s", table: DeviceTable.catalogue)
    let scheduler = VirtualScheduler { clock.advance(to: $0) }
    if let error = try ApplianceRuntime(hardware: hardware, scheduler: scheduler, options: options).run() {
      return "\(error)"
    }
    return line.problem
  }
}

/// Consoles on which what was planned is typed.
private final class TalkPort: ConsolePort, Stepper, @unchecked Sendable {
  private final class Connection: ConsoleConnection {
    let name: String
    private let sent = Mutex<[UInt8]>([])

    init(_ name: String) { self.name = name }
    func send(_ bytes: [UInt8]) { sent.withLock { $0 += bytes } }
    func discardUnsent() {}
    func handled(_ count: Int) {}
    var room: Int { .max }
    var isTerminal: Bool { name == "0" }
    func close() {}
    var bytes: [UInt8] { sent.withLock { $0 } }
  }

  private var connections: [Connection]
  private var plans: [(at: Instant, console: Int, bytes: [UInt8]?)] = []
  private var sink: (@Sendable (ConsolePortEvent) -> Void)?
  private(set) var problem: String?

  init(count: Int) { connections = (0..<count).map { Connection("\($0)") } }

  func plan(_ at: Instant, _ console: Int, _ bytes: [UInt8]?) { plans.append((at, console, bytes)) }

  func start(_ sink: @escaping @Sendable (ConsolePortEvent) -> Void) throws(DeviceError) {
    self.sink = sink
    for connection in connections { sink(.opened(connection)) }
  }

  func stop() { for connection in connections { judge(connection) } }

  func step(now: Instant) -> Instant? {
    while let next = plans.first, next.at <= now {
      plans.removeFirst()
      guard let bytes = next.bytes else {
        judge(connections[next.console])
        sink?(.closed(connections[next.console]))
        connections[next.console] = Connection("\(next.console)")
        sink?(.opened(connections[next.console]))
        continue
      }
      sink?(.received(connections[next.console], bytes))
    }
    return plans.first?.at
  }

  /// What begins like an answer is one.
  private func judge(_ connection: Connection) {
    for line in connection.bytes.split(separator: 0x0A) where line.starts(with: #"{"jsonrpc":"2.0","id":"#.utf8) {
      guard (try? JSONValue(parsing: Array(line), limits: JSONLimits(bytes: .max, depth: 512))) != nil else {
        problem = problem ?? "no answer: \(String(decoding: line.prefix(300), as: UTF8.self))"
        return
      }
    }
  }
}
