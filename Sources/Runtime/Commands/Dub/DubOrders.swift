internal import Appliance
internal import Console
internal import Hardware
internal import Library

extension CommandContext {
  /// What is known of dubbed playback.
  ///
  /// - Throws: that the board has no network and no speaker for it.
  var dubbing: DubContext {
    get throws(CommandFailure) {
      guard let dub else { throw failure(.notOnBoard(.network)) }
      return dub
    }
  }

  /// Whether something is known to be there to be played with a dub.
  fileprivate func knows(_ source: String?) -> Bool {
    let state = state
    return state.dub.knows(source, state.settings, isTakenUp: state.mode == .dub)
  }

  /// Orders that mean something else in the other modes.
  fileprivate func orderDub(_ command: Command) throws(CommandFailure) {
    _ = try dubbing
    try order(command, only: .dub)
  }
}

enum DubStart: DeviceTask {
  static let row = MethodRow(
    "dub.start", "plays a stream, a clip or a take with its sound in another language", .operator,
    discussion: "Takes up the mode dub by itself; onDubbingStatus says what is heard. Not while a take is being "
      + "recorded or a clip being kept.")

  struct Parameters {
    var source: String?
    var language: String?
  }

  struct Answer: WireObject {
    let source: String
    let language: String
    static let fields: [Field<Self>] = [
      Field("source", \.source, "what plays"), Field("language", \.language, "the language of the dub"),
    ]
  }

  /// What of the storage has to do with a name.
  private struct Found {
    /// A clip or take has it as its file's name.
    let isThere: Bool
    /// Not all that is on the card is listed yet.
    let isListing: Bool
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    let dubbing: DubContext
    do throws(CommandFailure) { dubbing = try device.dubbing } catch { return reply(.failure(error)) }
    // What no player plays is no reason to leave what is armed.
    if let place = wanted.source, !device.state.hasOpenWork, device.state.mode != .dub, place.holds("://"),
      !AddressSyntax.isAbsolute(place, schemes: ["http", "https"])
    {
      let text = "\(place.shown) is no address that begins with http:// or https://"
      return reply(.failure(CommandFailure(.badArgument, text)))
    }
    // While something is open, the machine says that.
    guard !device.state.hasOpenWork, !device.knows(wanted.source) else { return reply(start(wanted, device)) }
    // The list is of when it was made last: what is new, and what the start has come to since, is looked for before
    // anything is refused.
    var isTold = false
    let answer = device.inTime("the list is not read yet") { (outcome: Result<Answer, CommandFailure>) in
      isTold = true
      reply(outcome)
    }
    device.storage.dubSources(after: dubbing.streams(device.state.settings))
    let found = { (found: Result<Found, CommandFailure>) in
      // Who was told that it is busy has ordered nothing: what is armed by then stays so.
      guard !isTold else { return }
      switch found {
      case .success(let found) where found.isThere || device.knows(wanted.source): answer(start(wanted, device))
      case .success(let found):
        answer(.failure(found.isListing ? device.failure(.busy("library")) : device.failure(.nothingLoaded, in: .dub)))
      case .failure(let failure): answer(.failure(failure))
      }
    }
    device.onLibrary(found) { [name = wanted.source ?? ""] library in
      Found(
        isThere: library.summary(name) != nil || library.clips.summary(name) != nil,
        isListing: library.isListing || library.pending > 0)
    }
  }

  private static func start(_ wanted: Parameters, _ device: CommandContext) -> Result<Answer, CommandFailure> {
    do throws(CommandFailure) {
      try device.order(.startDub(source: wanted.source, language: wanted.language))
      let state = device.state
      return .success(Answer(source: state.dub.current?.publicID ?? "", language: state.settings.dubLanguage))
    } catch { return .failure(error) }
  }
}

extension DubStart.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    source = try given.optional(
      "source", .source,
      "name, place in the list, http(s) address, or file name; the highlighted one without it")
    language = try given.optional("language", .language, "language of the dub; as it is set without it")
  }
}

enum DubStop: DeviceMethod {
  static let row = MethodRow("dub.stop", "ends dubbed playback", .operator)

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Done {
    _ = try device.dubbing
    try device.order(.stopDub)
    return Done()
  }
}

enum DubPause: DeviceMethod {
  static let row = MethodRow("dub.pause", "stops the sound for a while", .operator)

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Done {
    try device.orderDub(.pause)
    return Done()
  }
}

enum DubResume: DeviceMethod {
  static let row = MethodRow("dub.resume", "goes on after dub.pause", .operator)

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Done {
    try device.orderDub(.resume)
    return Done()
  }
}

enum DubSeek: DeviceMethod {
  static let row = MethodRow(
    "dub.seek", "moves forward or back; in a live stream within what the server still has", .operator)

  struct Parameters: ParameterSet {
    let seconds: Double

    init(_ given: inout Given) throws(CommandFailure) {
      seconds = try given.value("seconds", .number(-86_400...86_400), "by how much; negative: back")
    }
  }

  struct Answer: WireObject {
    let seconds: Double
    static let fields: [Field<Self>] = [Field("seconds", \.seconds, "by how much")]
  }

  static func answer(_ wanted: Parameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    try device.orderDub(.seek(seconds: wanted.seconds))
    return Answer(seconds: wanted.seconds)
  }
}

enum DubEnable: DeviceMethod {
  static let row = MethodRow("dub.enable", "switches between dub and original", .operator)

  struct Parameters {
    let isOn: Bool
  }

  struct Answer: WireObject {
    let isOn: Bool
    static let fields: [Field<Self>] = [Field("on", \.isOn, "true: the dub; false: the original")]
  }

  static func answer(_ wanted: Parameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    _ = try device.dubbing
    try device.order(.enableDub(wanted.isOn))
    return Answer(isOn: wanted.isOn)
  }
}

extension DubEnable.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    isOn = try given.value("on", .flag, default: true, "false: the original")
  }
}
