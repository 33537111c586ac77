public import Appliance
public import Console

enum DubLanguage: DeviceTask {
  static let row = MethodRow(
    "dub.language", "tells or changes the language of the dub, while it plays", .operator)

  struct Parameters {
    var language: String?
  }

  struct Answer: WireObject, Sendable {
    let language: String
    let languages: [String]
    static let fields: [Field<Self>] = [
      Field("language", \.language, "the one that is set"),
      Field("languages", \.languages, "those that can be heard of what plays"),
    ]
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    let values = wanted.language.map { ["dub.language": SettingValue.text($0)] } ?? [:]
    device.setDub(values, reply) { answer(device) }
  }

  private static func answer(_ device: CommandContext) -> Answer {
    let state = device.state
    return Answer(language: state.settings.dubLanguage, languages: state.dub.offeredLanguages)
  }
}

extension DubLanguage.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    language = try given.optional("language", .language, "such as es or pt-BR; only told without it")
  }
}

enum DubVolume: DeviceTask {
  static let row = MethodRow("dub.volume", "tells or changes how loud original and dub are", .operator)

  struct Parameters {
    var original: Int?
    var dub: Int?
  }

  struct Answer: WireObject, Sendable {
    let original: Int
    let dub: Int
    let mode: String
    static let fields: [Field<Self>] = [
      Field("original", \.original, "dB beside a dub"), Field("dub", \.dub, "dB"),
      Field("mode", \.mode, "how they are put together, as the setting dub.mix says"),
    ]
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    var values: [String: SettingValue] = [:]
    if let original = wanted.original { values["dub.originalVolumeDb"] = .integer(original) }
    if let dub = wanted.dub { values["dub.dubVolumeDb"] = .integer(dub) }
    device.setDub(values, reply) { answer(device) }
  }

  private static func answer(_ device: CommandContext) -> Answer {
    let settings = device.state.settings
    return Answer(original: settings.dubOriginalVolume, dub: settings.dubVolume, mode: settings.dubMix.rawValue)
  }
}

extension DubVolume.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    original = try given.optional("original", .integer(-40...0), "dB beside a dub")
    dub = try given.optional("dub", .integer(-40...0), "dB")
  }
}

extension CommandContext {
  /// Changes settings of the dub, and answers when they are kept; with none of them at once.
  fileprivate func setDub<Answer>(
    _ values: [String: SettingValue], _ reply: @escaping (Result<Answer, CommandFailure>) -> Void,
    _ answer: @escaping () -> Answer
  ) {
    do throws(CommandFailure) { _ = try dubbing } catch { return reply(.failure(error)) }
    guard !values.isEmpty else { return reply(.success(answer())) }
    SettingsSet.perform(SettingsSet.Parameters(values: values), in: self) { reply($0.map { _ in answer() }) }
  }
}

enum DubSources: DeviceMethod {
  static let row = MethodRow("dub.sources", "lists what can be played", .viewer)

  struct Answer: WireObject {
    let sources: [DubSource]
    let selected: Int
    static let fields: [Field<Self>] = [
      Field("sources", \.sources, "in the order of the screen"),
      Field("selected", \.selected, "place of the highlighted one, from 0"),
    ]
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    _ = try device.dubbing
    return Answer(sources: device.state.dub.sources.all, selected: device.state.dub.sources.selected)
  }
}

extension DubSource: WireObject {
  public static let fields: [Field<DubSource>] = [
    Field("id", \.publicID, "address or file name, without a user's name and password"),
    Field("name", \.name, "for people"), Field("kind", \.kind.rawValue, "what it is"),
  ]
}
