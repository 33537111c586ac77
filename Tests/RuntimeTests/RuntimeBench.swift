import Board
import Console
import Foundation
import Hardware
import JSON
import LinuxHardware
import Runtime
import SimulatedHardware
import Testing

/// A whole appliance on simulated hardware and a virtual clock, run by a script.
final class RuntimeBench {
  /// One event line.
  struct Event {
    let sequence: Int
    let time: Double
    let topic: String
    let data: JSONValue
  }

  let clock: VirtualClock
  let memory: MemoryStorage
  /// What is on the stick.
  let stick: MemoryStorage
  let devices: SimulatedHardware
  var hardware: HardwareSet
  var board: BoardDescription
  private(set) var events: [Event] = []
  private(set) var log: [String] = []
  private(set) var runtime: ApplianceRuntime?
  /// What `system.selftest` runs.
  var selftest: (@Sendable () -> [SelftestResult])?
  /// Pictures a second for the display.
  var framesPerSecond = 4
  /// What was wrong in the board's settings.
  var mistakes: [String] = []
  /// A port that steppers of a test type on.
  var console: FakePort?
  /// The data directory, where it is a real one.
  let folder: URL?
  private var keepsFolder = false

  /// - Parameters:
  ///   - onDisk: whether the data directory is a real one, so that takes can be played.
  ///   - rate: the only rate of the microphone (mono, for speed); `nil`: whatever is asked for.
  ///   - speakerRate: the only rate of the speaker; `nil`: whatever is asked for.
  ///   - sound: what the microphone hears, by the frame's number.
  init(
    onDisk: Bool = false, rate: Int? = 8000, speakerRate: Int? = nil,
    others: [(name: String, source: any SoundSource)] = [],
    continuing other: RuntimeBench? = nil,
    sound: @escaping @Sendable (Int) -> Float = { Float($0 % 100) / 400 }
  ) throws {
    clock = VirtualClock()
    board = try Boards.load(builtIn: "simulator")
    memory = other?.memory ?? MemoryStorage(clock: clock)
    stick = other?.stick ?? MemoryStorage(clock: clock)
    var storage: any Storage = memory
    if onDisk {
      let url =
        other?.folder ?? FileManager.default.temporaryDirectory.appendingPathComponent("runtime-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      folder = url
      storage = try FileStorage(root: url.path, reserveBytes: 0)
    } else {
      folder = nil
    }
    var options = SimulationOptions(clock: clock, storage: storage)
    options.source = FunctionSource(format: rate.map { PCMFormat(sampleRate: $0, channels: 1) }) { frame, _ in
      sound(frame)
    }
    options.others = others
    options.speakerRate = speakerRate
    options.stick = stick
    devices = try SimulatedHardware(options)
    hardware = devices.hardwareSet
    other?.keepsFolder = onDisk
  }

  deinit { if let folder, !keepsFolder { try? FileManager.default.removeItem(at: folder) } }

  /// Runs a script to its end.
  @discardableResult
  func run(_ script: String) throws -> ScriptError? {
    let scheduler = VirtualScheduler { [clock] in clock.advance(to: $0) }
    var options = RuntimeOptions(board: board, version: "test")
    options.isRealTime = false
    options.framesPerSecond = framesPerSecond
    options.selftest = selftest
    options.mistakes = mistakes
    options.script = try Script(parsing: Array(script.utf8), name: "test", table: DeviceTable.catalogue)
    options.onEvent = { [unowned self] line in
      guard let value = try? JSONValue(parsing: Array(line.utf8)), let topic = value["topic"]?.stringValue,
        let sequence = value["seq"]?.integerValue, let time = value["t"]?.numberValue
      else {
        Issue.record("no event: \(line)")
        return
      }
      events.append(Event(sequence: sequence, time: time, topic: topic, data: value["data"] ?? .null))
    }
    options.onLog = { [unowned self] in log.append($0) }
    let runtime = try ApplianceRuntime(hardware: hardware, scheduler: scheduler, options: options)
    self.runtime = runtime
    return runtime.run()
  }

  func events(_ topic: String) -> [Event] { events.filter { $0.topic == topic } }

  /// What the script's calls of a method answered: results, or errors.
  func results(_ method: String) -> [JSONValue] {
    events("result").map(\.data).filter { $0["method"]?.stringValue == method }.map {
      $0["result"] ?? $0["error"] ?? .null
    }
  }

  /// The metadata of the takes in memory, oldest first.
  func metadata() throws -> [JSONValue] {
    let names = try memory.list("recordings").map(\.name).filter { $0.hasSuffix(".json") }
    return try names.map { try JSONValue(parsing: memory.read("recordings/\($0)", limit: 1 << 20)) }
  }
}

/// Does something once, at a time.
final class AtTime: Stepper {
  private let due: Instant
  private unowned let bench: RuntimeBench
  private var action: ((RuntimeBench) -> Void)?

  init(_ due: Instant, _ bench: RuntimeBench, _ action: @escaping (RuntimeBench) -> Void) {
    self.due = due
    self.bench = bench
    self.action = action
  }

  func step(now: Instant) -> Instant? {
    guard let action else { return nil }
    guard now >= due else { return due }
    self.action = nil
    action(bench)
    return nil
  }
}
