internal import Appliance
internal import Console
internal import Dictaphone
internal import Hardware
internal import Library

enum PlayerPlay: DeviceTask {
  typealias Answer = Done
  static let row = MethodRow("player.play", "plays a take or clip, or goes on playing", .operator)

  struct Parameters: ParameterSet {
    let id: String?
    let wantsSafety: Bool

    init(_ given: inout Given) throws(CommandFailure) {
      id = try given.optional("id", .take, "the take or clip; the loaded one without it")
      wantsSafety = try given.value("safety", .flag, default: false, "the safety take beside it")
      if wantsSafety, id == nil { throw CommandFailure(.badArgument, "player.play takes safety with an id") }
    }
  }

  /// Nothing is said to play before it is open.
  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    let play: (Result<String?, CommandFailure>) -> Void = { found in
      do throws(CommandFailure) {
        let id = try found.get()
        try device.order(.play(id: id))
        guard let id else { return reply(.success(Done())) }
        device.events.player.expect(id, reply)
      } catch {
        reply(.failure(error))
      }
    }
    guard let main = wanted.id, !device.state.hasOpenWork else { return play(.success(wanted.id)) }
    device.onLibrary(play) { library throws(LibraryError) in
      // A take in several files is loaded, and deleted, by the name of the first.
      guard let id = wanted.wantsSafety ? library.safety(of: main) : library.wholeTake(main) else {
        throw .notFound("A safety take beside \(main)")
      }
      let take = library.summary(id)?.isUnreadable
      guard let isUnreadable = take ?? library.clips.summary(id)?.isUnreadable else { throw .notFound(id) }
      guard !isUnreadable else {
        throw .unreadable(
          path: take == nil ? "clips/\(id)" : library.path(of: id), reason: "nothing in it can be played")
      }
      return id
    }
  }
}

enum PlayerPause: DeviceMethod {
  static let row = MethodRow("player.pause", "pauses playing", .operator)
  typealias Answer = Done

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Done {
    try device.orderPlayer(.pause)
  }
}

enum PlayerStop: DeviceMethod {
  static let row = MethodRow("player.stop", "stops playing; the position is kept", .operator)
  typealias Answer = Done

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Done {
    try device.orderPlayer(.stop)
  }
}

extension CommandContext {
  /// An order that would pause or end a take: who means the player does not get at what is recorded.
  fileprivate func orderPlayer(_ command: Command) throws(CommandFailure) -> Done {
    guard !state.hasOpenTake else { throw failure(.busy(state.activity == .saving ? "saving" : "recording")) }
    try order(command)
    return Done()
  }
}

enum PlayerSeek: OrderMethod {
  static let row = MethodRow("player.seek", "moves forward or back", .operator)

  struct Parameters: ParameterSet {
    let seconds: Double

    init(_ given: inout Given) throws(CommandFailure) {
      seconds = try given.value("seconds", .number(-86_400...86_400), "by how much; negative: back")
    }
  }

  static func order(_ parameters: Parameters) -> Command { .seek(seconds: parameters.seconds) }
}

enum PlayerSkip: OrderMethod {
  static let row = MethodRow("player.skip", "goes to the next or the previous mark", .operator)

  enum Target: String, CaseIterable {
    case next
    case previous
  }

  struct Parameters: ParameterSet {
    let to: Target

    init(_ given: inout Given) throws(CommandFailure) { to = try given.value("to", .choice(.next), "which one") }
  }

  static func order(_ parameters: Parameters) -> Command { .skip(direction: parameters.to == .next ? 1 : -1) }
}

enum PlayerLoop: DeviceMethod {
  typealias Answer = Done

  static let row = MethodRow(
    "player.loop", "repeats what lies between two places of the take", .operator,
    discussion: "To the sample, and without a click. Without them it plays on; stopping ends it, too.")

  struct Parameters: ParameterSet {
    let from: Double?
    let to: Double?

    init(_ given: inout Given) throws(CommandFailure) {
      from = try given.optional("from", .number(0...31_536_000), "where it begins, in seconds of the take")
      to = try given.optional("to", .number(0...31_536_000), "where it ends; 0.1 s further on at least")
      guard (from == nil) == (to == nil) else {
        throw CommandFailure(
          .badArgument, "player.loop takes from and to, or neither of them: then nothing is repeated any more")
      }
      // Sums of hundredths are none.
      if let from, let to, to - from < Self.shortest - 0.001 {
        throw CommandFailure(.badArgument, "to is \(Self.shortest) s behind from at least, not \(from) and \(to)")
      }
    }

    private static let shortest = 0.1
  }

  /// What is rounded up to hundredths is not behind the end.
  private static let tolerance = 0.01

  static func answer(_ parameters: Parameters, in device: CommandContext) throws(CommandFailure) -> Done {
    guard let from = parameters.from, let to = parameters.to else {
      try device.order(.loop(nil))
      return Done()
    }
    if let take = device.state.loaded, take.frames > 0, take.sampleRate > 0 {
      let length = Double(take.frames) / Double(take.sampleRate)
      guard to <= length + tolerance else {
        throw CommandFailure(.badArgument, "\(to) s is behind the end of \(take.id), which is \(length) s long")
      }
    }
    try device.order(.loop(from...to))
    return Done()
  }
}

enum PlayerStatus: DeviceMethod {
  static let row = MethodRow("player.status", "tells what the player does", .viewer)

  enum PlayerState: String, CaseIterable, WireValue {
    case playing
    case paused
    case stopped
  }

  struct Answer: WireObject {
    var state = PlayerState.stopped
    var id: String?
    var name: String?
    var seconds = 0.0
    var lengthSeconds = 0.0
    var sampleRate = 0
    var codec = ""
    var xruns = 0
    var rate = 1.0
    var pitchCents = 0
    var loopFrom: Double?
    var loopTo: Double?

    static let fields: [Field<Self>] = [
      Field("state", \.state, "what it does"), Field("id", ifAny: \.id, "what is loaded: its file name"),
      Field("name", ifAny: \.name, "the name of it that people see"),
      Field("seconds", \.seconds, "where it is"), Field("lengthSeconds", \.lengthSeconds, "how long that is in all"),
      Field("sampleRate", \.sampleRate, "Hz"), Field("codec", \.codec, "what it is encoded with"),
      Field("xruns", \.xruns, "times that the speaker's buffer ran empty"),
      Field("rate", \.rate, "its speed"), Field("pitchCents", \.pitchCents, "its pitch"),
      Field("loopFrom", ifAny: \.loopFrom, "A: where what is repeated begins, in seconds"),
      Field("loopTo", ifAny: \.loopTo, "B: where it ends"),
    ]
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    let player = device.media.status.player
    let rate = Double(max(1, player.sampleRate))
    var answer = Answer()
    switch device.state.activity {
    case .playing: answer.state = .playing
    case .playbackPaused: answer.state = .paused
    default: break
    }
    answer.id = device.state.loaded?.id
    answer.name = device.state.loaded?.displayName
    answer.seconds = Double(player.frame) / rate
    answer.lengthSeconds = Double(player.frames) / rate
    answer.sampleRate = player.sampleRate
    answer.codec = player.codec
    answer.xruns = device.media.status.speaker.xruns
    answer.rate = device.state.settings.playbackRate
    answer.pitchCents = device.state.settings.playbackPitchCents
    answer.loopFrom = player.loopStart.map { Double($0) / rate }
    answer.loopTo = player.loopEnd.map { Double($0) / rate }
    return answer
  }
}
