internal import Appliance
internal import Console
internal import Hardware
internal import JSON
internal import Sound

enum SessionStatusMethod: DeviceMethod {
  static let row = MethodRow(
    "session.status", "tells which formats are requested, granted and delivered", .viewer,
    discussion: "Of microphone and speaker; what is not there, not open or not used is absent. See session.strategy.")
  typealias Answer = SessionStatus

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    let status = device.media.status
    var answer = status.session
    answer.clients = status.clients
    return answer
  }
}

enum SessionStrategyMethod: DeviceTask {
  static let row = MethodRow(
    "session.strategy", "changes how the rate of microphone and speaker is settled", .technician,
    discussion:
      "The same as the setting session.strategy. What is being recorded or played goes on as it began; without a name "
      + "the strategies are listed.")

  struct Answer: WireObject, Sendable {
    let choice: SessionChoice
    let strategies: [Described]
    static let fields: [Field<Self>] = [
      Field("strategy", \.choice.rawValue, "the one that is set; board: as the board file says"),
      Field("strategies", \.strategies, "all there are"),
    ]
  }

  struct Described: WireObject, Sendable {
    let name: SessionStrategy
    let rate: Int
    static let fields: [Field<Self>] = [
      Field("name", \.name.rawValue, "what session.strategy calls it"),
      Field("description", { AudioSessions.session($0.name, forcedRate: $0.rate).description }, "what it does"),
    ]
  }

  struct Parameters {
    let name: SessionChoice?
  }

  static func perform(_ parameters: Parameters, in device: CommandContext, reply: @escaping Reply) {
    guard let name = parameters.name else { return reply(.success(answer(device))) }
    let values = ["session.strategy": SettingValue.text(name.rawValue)]
    SettingsSet.perform(SettingsSet.Parameters(values: values), in: device) { outcome in
      reply(outcome.map { _ in answer(device) })
    }
  }

  private static func answer(_ device: CommandContext) -> Answer {
    let rate = device.media.status.session.rate
    return Answer(
      choice: device.state.settings.sessionStrategy,
      strategies: SessionStrategy.allCases.map { Described(name: $0, rate: rate) })
  }
}

extension SessionStrategyMethod.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    name = try given.optional("name", .choice(SessionChoice.board), "the strategy, or board; only told without it")
  }
}

enum SessionTalkBack: DeviceTask {
  static let row = MethodRow(
    "session.talkBack", "has what the microphone hears be heard on the speaker at once, or ends that", .operator,
    discussion: "The same as the setting session.talkBack. It is silent while something is played.")

  struct Parameters {
    let isOn: Bool
  }

  static func perform(_ parameters: Parameters, in device: CommandContext, reply: @escaping Reply) {
    let values = ["session.talkBack": SettingValue.flag(parameters.isOn)]
    SettingsSet.perform(SettingsSet.Parameters(values: values), in: device) { reply($0.map { _ in Done() }) }
  }
}

extension SessionTalkBack.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    isOn = try given.value("on", .flag, default: true, "false: not any more")
  }
}

extension SessionStatus: WireObject {
  static let fields: [Field<SessionStatus>] = [
    Field("strategy", \.strategy.rawValue, "how the rate is settled"),
    Field("forcedRate", ifAny: { $0.strategy == .forcedRate ? $0.rate : nil }, "Hz, of forced-rate"),
    Field("requested", { pair($0, \.requestedFormat) }, "what recorder and player have asked for"),
    Field("granted", { pair($0, \.grantedFormat) }, "what the hardware runs at"),
    Field("delivered", { pair($0, \.deliveredFormat) }, "what reaches the recorder, and what the player writes"),
    Field("converted", { $0.capture.isConverted || $0.playback.isConverted }, "whether there is a filter between them"),
    Field("captureProblem", ifAny: \.capture.fallback, "why the microphone does not run as the strategy has it"),
    Field("playbackProblem", ifAny: \.playback.fallback, "why the speaker does not"),
    Field("clients", ifAny: { $0.clients.isEmpty ? nil : $0.clients }, "who hears or plays over the sound's socket"),
  ]

  private static func pair(_ status: SessionStatus, _ format: (SessionState) -> SessionFormat?) -> SessionFormats {
    SessionFormats(capture: format(status.capture), playback: format(status.playback))
  }
}

/// A format of the microphone, and one of the speaker.
struct SessionFormats: WireObject {
  let capture: SessionFormat?
  let playback: SessionFormat?
  static let fields: [Field<Self>] = [
    Field("capture", ifAny: \.capture, "of the microphone"), Field("playback", ifAny: \.playback, "of the speaker"),
  ]
}

struct SessionFormat: WireObject {
  let format: PCMFormat
  let sampleType: String
  static let fields: [Field<Self>] = [
    Field("sampleRate", \.format.sampleRate, "Hz"), Field("channels", \.format.channels, "how many"),
    Field("format", \.sampleType, "of the samples, as ALSA names it; significant bits of what is not the hardware's"),
  ]
}

extension SessionState {
  var requestedFormat: SessionFormat? { requested.map { SessionFormat(format: $0, sampleType: "S\($0.bits)") } }
  var grantedFormat: SessionFormat? { granted.map { SessionFormat(format: $0.format, sampleType: $0.sampleType) } }
  var deliveredFormat: SessionFormat? { delivered.map { SessionFormat(format: $0, sampleType: "S\($0.bits)") } }

  /// `48 > 8 > 48 kHz`: requested, granted, delivered, as small screens have room for; `nil` while it is closed.
  var short: String? {
    guard let granted else { return nil }
    let rates = [requested?.sampleRate, granted.format.sampleRate, delivered?.sampleRate].compactMap { $0 }
    let same = Set(rates).count == 1
    return (same ? [granted.format.sampleRate] : rates).map(Self.kilohertz).joined(separator: " > ") + " kHz"
  }

  private static func kilohertz(_ rate: Int) -> String {
    rate % 1000 == 0 ? "\(rate / 1000)" : "\(rate / 1000).\(rate % 1000 / 100)"
  }
}
