internal import Appliance
public import Console
internal import Hardware
internal import Threads

/// What came of one check of a self-test.
public struct SelftestResult: Hashable, Sendable {
  public var name: String
  public var isGood: Bool
  /// What was seen, or what is wrong and what to do.
  public var detail: String
  public var milliseconds: Int

  public init(name: String, isGood: Bool, detail: String, milliseconds: Int) {
    self.name = name
    self.isGood = isGood
    self.detail = detail
    self.milliseconds = milliseconds
  }
}

extension SelftestResult: WireObject {
  /// One check of `system.selftest` and of `mynah selftest --json`.
  public static let fields: [Field<SelftestResult>] = [
    Field("name", \.name, "of the check"), Field("works", \.isGood, "whether it is passed"),
    Field("detail", \.detail, "what was seen, or what is wrong and what to do"),
    Field("milliseconds", \.milliseconds, "how long it took"),
  ]
}

/// The checks of `mynah selftest`, run beside the appliance, which goes on with what it does.
enum SystemSelftest: DeviceTask {
  static let row = MethodRow(
    "system.selftest", "checks budget, settings, storage, screens, and records and decodes a trial take", .technician,
    whileRecording: .refused, discussion: "Takes some seconds of the processor, beside what the device does.")

  struct Answer: WireObject {
    let checks: [SelftestResult]
    static let fields: [Field<Self>] = [
      Field("works", { $0.checks.allSatisfy(\.isGood) }, "whether all checks are passed"),
      Field("checks", \.checks, "one by one"),
    ]
  }

  static func perform(_: NoParameters, in device: CommandContext, reply: @escaping Reply) {
    guard let run = device.selftest else {
      return reply(.failure(CommandFailure(.unsupported, "this device was started without a self-test")))
    }
    // Time that is virtual waits, and its events must not depend on another thread.
    guard device.isRealTime else { return reply(.success(Answer(checks: run()))) }
    let answer = ControlLaneReply(device.inbox, reply)
    let thread = WorkerThread(ifPossible: "mynah-selftest") { answer.send(.success(Answer(checks: run()))) }
    if thread == nil { reply(.failure(.noThread)) }
  }
}

extension CommandFailure {
  static let noThread = CommandFailure(.busy, "the system has no thread to give; try again later")
}
