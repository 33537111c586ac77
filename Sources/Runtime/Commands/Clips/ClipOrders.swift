internal import Appliance
internal import Clips
internal import Console

/// An order to clip capture, on boards that have a camera.
protocol ClipOrderMethod: DeviceMethod where Answer == Done {
  static func order(_ parameters: Parameters) -> Command
}

extension ClipOrderMethod {
  static func answer(_ parameters: Parameters, in device: CommandContext) throws(CommandFailure) -> Done {
    _ = try device.camera
    try device.order(order(parameters), only: .clips)
    return Done()
  }
}

extension CommandContext {
  /// What is known of clip capture.
  ///
  /// - Throws: that the board has no camera.
  var camera: ClipContext {
    get throws(CommandFailure) {
      guard let clips else { throw failure(.notOnBoard(.camera)) }
      return clips
    }
  }
}

enum ClipsTrigger: DeviceTask {
  static let row = MethodRow(
    "clips.trigger", "keeps a clip: the seconds in the ring, and the post-roll", .operator,
    discussion: "See onCaptureStarted; onCaptureCompleted says when the file is there and durable, and so does the "
      + "answer to a call with wait, which is busy ten seconds after the post-roll with a card that does not answer. Only "
      + "in clip mode: panel.mode clips.")
  typealias Answer = TriggeredClip

  struct Parameters {
    var waits = false
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    do throws(CommandFailure) {
      let camera = try device.camera
      try device.order(.trigger, only: .clips)
      let length = Duration.seconds(device.state.settings.clipPostRollSeconds)
      camera.answers.expect(
        wantsPath: wanted.waits,
        wanted.waits ? device.inTime("the clip is not kept yet", after: length, reply) : reply)
    } catch {
      reply(.failure(error))
    }
  }
}

extension ClipsTrigger.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    waits = try given.value("wait", .flag, default: false, "true answers when the file is there and durable")
  }
}

enum ClipsEndPostRoll: ClipOrderMethod {
  static let row = MethodRow(
    "clips.endPostRoll", "ends the clip that runs now", .operator,
    discussion: "onCaptureCompleted says when it is durable.")
  static func order(_: NoParameters) -> Command { .endPostRoll }
}

enum ClipsContinuous: ClipOrderMethod {
  static let row = MethodRow(
    "clips.continuous", "keeps everything from now on, in clips that join without a seam", .operator,
    discussion: "clips.endPostRoll ends it.")
  static func order(_: NoParameters) -> Command { .continuous }
}

enum ClipsTimeLapse: ClipOrderMethod {
  static let row = MethodRow(
    "clips.timeLapse", "keeps a picture every so often in one clip, shown at 30 a second", .operator,
    discussion: "clips.endPostRoll ends it. It has no sound.")

  struct Parameters: ParameterSet {
    let seconds: Double

    init(_ given: inout Given) throws(CommandFailure) {
      seconds = try given.value(
        "seconds", .number(0.1...86_400), default: 1.0, "from one picture to the next")
    }
  }

  static func order(_ parameters: Parameters) -> Command {
    .timeLapse(milliseconds: Int((parameters.seconds * 1000).rounded()))
  }

  static func answer(_ parameters: Parameters, in device: CommandContext) throws(CommandFailure) -> Done {
    _ = try device.camera
    guard !device.state.clips.captures.hasTimeLapse else {
      throw CommandFailure(.busy, "a time-lapse is being made already: clips.endPostRoll ends it")
    }
    try device.order(order(parameters), only: .clips)
    return Done()
  }
}

enum ClipsSnapshot: DeviceTask {
  static let row = MethodRow(
    "clips.snapshot", "keeps the picture of now as a JPEG", .operator,
    discussion:
      "It answers when that is durable, with a card that does not answer it is busy after ten seconds; see "
      + "onSnapshotSaved.")
  typealias Answer = KeptSnapshot

  static func perform(_: NoParameters, in device: CommandContext, reply: @escaping Reply) {
    do throws(CommandFailure) {
      let camera = try device.camera
      try device.order(.snapshot, only: .clips)
      camera.answers.expectSnapshot(device.inTime("the picture is not kept yet", reply))
    } catch {
      reply(.failure(error))
    }
  }
}
