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

enum RecorderStop: OrderMethod {
  static let row = MethodRow(
    "recorder.stop", "ends the take and saves it", .operator, discussion: "onTakeSaved says when it is durable.")
  static func order(_: NoParameters) -> Command { .stop }
}

enum RecorderMark: OrderMethod {
  static let row = MethodRow("recorder.mark", "puts a mark where the take, or the player, is now", .operator)

  struct Parameters: ParameterSet {
    let title: String?

    init(_ given: inout Given) throws(CommandFailure) {
      title = try given.optional("title", .text(limit: 200), "the mark's title")
    }
  }

  static func order(_ parameters: Parameters) -> Command { .mark(title: parameters.title) }
}
