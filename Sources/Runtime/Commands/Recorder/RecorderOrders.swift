internal import Appliance
internal import Console

enum RecorderStart: OrderMethod {
  static let row = MethodRow(
    "recorder.start", "starts a take", .operator,
    discussion: "The take begins with the pre-recorded seconds before the call; its name comes with onTakeStarted.")
  static func order(_: NoParameters) -> Command { .record }
}

enum RecorderPause: OrderMethod {
  static let row = MethodRow("recorder.pause", "pauses the take", .operator)
  static func order(_: NoParameters) -> Command { .pause }
}

enum RecorderResume: OrderMethod {
  static let row = MethodRow("recorder.resume", "goes on with the paused take", .operator)
  static func order(_: NoParameters) -> Command { .resume }
}

enum RecorderStop: DeviceTask {
  static let row = MethodRow(
    "recorder.stop", "ends the take and saves it", .operator,
    discussion:
      "The answer comes when it is durable, or after ten seconds with a card that does not answer; onTakeSaved "
      + "says what came of it.")
  typealias Answer = Done

  private static let patience = Duration.seconds(10)

  static func perform(_: NoParameters, in device: CommandContext, reply: @escaping Reply) {
    do throws(CommandFailure) { try device.order(.stop) } catch { return reply(.failure(error)) }
    device.whenSaved(within: patience) { reply(.success(Done())) }
  }
}

enum RecorderMark: DeviceTask {
  static let row = MethodRow(
    "recorder.mark", "puts a mark where the take, or the player, is now", .operator,
    discussion:
      "The answer comes when it is on the storage, or after ten seconds with a card that does not answer; the mark is of "
      + "the moment of the call.")
  typealias Answer = Done

  struct Parameters: ParameterSet {
    let title: String?

    init(_ given: inout Given) throws(CommandFailure) {
      title = try given.optional("title", .text(limit: 200), "the mark's title")
    }
  }

  static func perform(_ parameters: Parameters, in device: CommandContext, reply: @escaping Reply) {
    let answer = device.inTime("the mark is set, and is not kept yet", reply)
    do throws(CommandFailure) {
      try device.mark(parameters.title) { failure in
        if let failure { answer(.failure(failure)) } else { answer(.success(Done())) }
      }
    } catch {
      answer(.failure(error))
    }
  }
}
