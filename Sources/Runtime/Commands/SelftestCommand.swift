internal import Appliance
internal import Budget
internal import Console
internal import Hardware
public import JSON
internal import Panel
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

  /// As `system.selftest` and `mynah selftest --json` have it.
  public var json: JSONValue {
    [
      "name": .string(name), "works": .bool(isGood), "detail": .string(detail),
      "milliseconds": .integer(milliseconds),
    ]
  }
}

/// `system.selftest`: the checks of `mynah selftest`, run beside the appliance, which goes on with what it does.
extension Commands {
  func selftest(_ call: CommandCall, _ reply: @escaping Reply) {
    guard let run = device.selftest else { return refuse(call, reply) }
    guard !device.state.hasOpenWork else {
      return reply(.failure(CommandFailure(.busy, "it takes the processor for seconds; end what is recorded first")))
    }
    // Time that is virtual waits, and its events must not depend on another thread.
    guard device.isRealTime else { return reply(.success(Self.selftestResult(run()))) }
    let inbox = device.inbox
    let answer = ControlLaneReply(reply)
    _ = WorkerThread(name: "mynah-selftest") {
      let result = Self.selftestResult(run())
      inbox.post(.run { answer.reply(.success(result)) })
    }
  }

  private static func selftestResult(_ results: [SelftestResult]) -> JSONValue {
    ["works": .bool(results.allSatisfy(\.isGood)), "checks": .array(results.map(\.json))]
  }
}
