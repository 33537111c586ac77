public import Appliance
public import Console

enum DubLanguage: DeviceMethod {
  static let row = MethodRow(
    "dub.language", "tells or changes the language of the dub, while it plays", .operator)

  struct Parameters {
    var language: String?
  }

  struct Answer: WireObject {
    let language: String
    let languages: [String]
    static let fields: [Field<Self>] = [
      Field("language", \.language, "the one that is set"),
      Field("languages", \.languages, "those that can be heard of what plays"),
    ]
  }

  static func answer(_ wanted: Parameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    _ = try device.dubbing
    if let language = wanted.language { try device.order(.set(["dub.language": .text(language)])) }
    let state = device.state
    return Answer(language: state.settings.dubLanguage, languages: state.dub.offeredLanguages)
  }
}

extension DubLanguage.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    language = try given.optional("language", .language, "such as es or pt-BR; only told without it")
  }
}

enum DubVolume: DeviceMethod {
  static let row = MethodRow("dub.volume", "tells or changes how loud original and dub are", .operator)

  struct Parameters {
    var original: Int?
    var dub: Int?
  }

  struct Answer: WireObject {
    let original: Int
    let dub: Int
    let mode: String
    static let fields: [Field<Self>] = [
      Field("original", \.original, "dB beside a dub"), Field("dub", \.dub, "dB"),
      Field("mode", \.mode, "how they are put together, as the setting dub.mix says"),
    ]
  }

  static func answer(_ wanted: Parameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    _ = try device.dubbing
    for (value, key) in [(wanted.original, "dub.originalVolumeDb"), (wanted.dub, "dub.dubVolumeDb")] {
      if let value { try device.order(.set([key: .integer(value)])) }
    }
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
