internal import Appliance
internal import Console
internal import Hardware
internal import Panel

enum PanelPress: DeviceTask {
  static let row = MethodRow(
    "panel.press", "presses a key of the panel", .operator,
    discussion: "The same as a finger on the key: the lock and the mode apply. The answer comes when it is up again.")

  struct Parameters {
    let button: Button
    let milliseconds: Int
  }

  struct Answer: WireObject {
    let ignored: String?
    static let fields: [Field<Self>] = [Field("ignored", ifAny: \.ignored, "why the press did nothing")]
  }

  static func perform(_ press: Parameters, in device: CommandContext, reply: @escaping Reply) {
    device.press(press.button, for: .milliseconds(press.milliseconds)) { [device] reason in
      reply(.success(Answer(ignored: reason.map { device.state.explain($0) })))
    }
  }
}

extension PanelPress.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    button = try given.value("button", .choice(.rec), "the key")
    milliseconds = try given.value(
      "ms", .integer(1...60_000), default: 100, "how long it is down; a long press is 600, unlocking 2000")
  }
}

enum PanelMode: DeviceMethod {
  static let row = MethodRow("panel.mode", "changes the mode, or opens the file list", .operator)

  /// Where one can go to.
  enum Place: String, CaseIterable {
    case dictaphone
    case clips
    case dub
    case feed
    case files

    var command: Command {
      switch self {
      case .dictaphone: .take(.dictaphone)
      case .clips: .take(.clips)
      case .dub: .take(.dub)
      case .feed: .take(.feed)
      case .files: .showScreen(.files)
      }
    }
  }

  struct Parameters {
    let mode: Place
  }

  struct Answer: WireObject {
    let mode: String
    static let fields: [Field<Self>] = [Field("mode", \.mode, "what the device is doing now")]
  }

  static func answer(_ parameters: Parameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    try device.order(parameters.mode.command)
    return Answer(mode: device.state.modeName)
  }
}

extension PanelMode.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    mode = try given.value("mode", .choice(.dictaphone), "the mode")
  }
}

enum PanelState: DeviceMethod {
  static let row = MethodRow("panel.state", "tells mode, lock, LEDs and what is on the screen", .viewer)
  typealias Answer = PanelSnapshot

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    device.snapshot
  }
}

enum PanelScreen: DeviceMethod {
  static let row = MethodRow("panel.screen", "gives the picture on the screen", .viewer)

  struct Answer: WireObject {
    let frame: Frame
    static let fields: [Field<Self>] = [
      Field("png", { Base64.encode(PNG.encode($0.frame)) }, "the picture as a PNG, in base64"),
      Field("width", \.frame.width, "dots"), Field("height", \.frame.height, "dots"),
    ]
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    Answer(frame: device.picture.frame)
  }
}

extension CommandContext {
  /// What can be seen of the device.
  var snapshot: PanelSnapshot {
    let state = state
    let picture = picture
    let patterns = LampTable.patterns(for: state)
    return PanelSnapshot(
      mode: state.modeName, isLocked: state.isLocked, screen: picture.name, texts: picture.texts,
      lamps: Dictionary(uniqueKeysWithValues: Lamp.lights.map { ($0, patterns[$0].name) }), notice: state.notice,
      takes: storage.status.takes, prompt: prompts?.last?.text)
  }
}
