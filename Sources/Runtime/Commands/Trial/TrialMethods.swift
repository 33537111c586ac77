internal import Appliance
internal import Board
internal import Console
internal import Hardware
internal import Sound

enum TrialShow: DeviceMethod {
  static let row = MethodRow(
    "trial.show", "lights LEDs and shows a test picture instead of the device's own, for whoever tests the panel",
    .technician, whileRecording: .refused, discussion: "Both back to none, or its time, ends it; so does a recording.")

  /// What is lit: one of the board's, all, or what the device's state says.
  enum Choice: String, CaseIterable, Sendable {
    case none
    case all
    case dark
    case rec = "REC"
    case status = "STATUS"
    case lock = "LOCK"
    case buzzer = "BUZZER"

    var lamps: Set<Lamp>? {
      switch self {
      case .none: nil
      case .all: Set(Lamp.allCases)
      case .dark: []
      case .rec, .status, .lock, .buzzer: Lamp(rawValue: rawValue).map { [$0] }
      }
    }
  }

  struct Parameters: ParameterSet {
    let led: Choice
    let pattern: PanelTrial.Pattern
    let seconds: Int

    init(_ led: Choice = .none, _ pattern: PanelTrial.Pattern = .none, seconds: Int = 120) {
      (self.led, self.pattern, self.seconds) = (led, pattern, seconds)
    }

    init(_ given: inout Given) throws(CommandFailure) {
      led = try given.value("led", .choice(.none), default: .none, "what is lit and nothing else; none: as usual")
      pattern = try given.value("pattern", .choice(.none), default: .none, "what the screen shows; none: as usual")
      seconds = try given.value("seconds", .integer(1...600), default: 30, "for how long")
    }
  }

  struct Answer: WireObject {
    let leds: [String]
    let keys: [String]
    let hasDisplay: Bool
    static let fields: [Field<Self>] = [
      Field("leds", \.leds, "those that the board has, its buzzer included"),
      Field("keys", \.keys, "the keys that it has"),
      Field("display", \.hasDisplay, "whether it has a screen that works"),
    ]
  }

  static func answer(_ wanted: Parameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    device.trial(wanted.led.lamps, wanted.pattern, for: .seconds(wanted.seconds))
    let board = device.board
    let isSimulated = board.gpioDriver == .simulated
    let leds = Set(board.leds.map(\.lamp))
    return Answer(
      leds: Lamp.allCases.filter { isSimulated || leds.contains($0) }.map(\.rawValue),
      keys: Button.allCases.filter(board.keys.contains).map(\.rawValue),
      hasDisplay: device.display != nil && device.state.health.hasDisplay)
  }
}

enum TrialKey: DeviceTask {
  static let row = MethodRow(
    "trial.key", "waits for a key of the panel, and tells which; the press means nothing else", .technician,
    whileRecording: .refused)

  struct Parameters: ParameterSet {
    let seconds: Int

    init(seconds: Int) { self.seconds = seconds }
    init(_ given: inout Given) throws(CommandFailure) {
      seconds = try given.value("seconds", .integer(1...60), default: 10, "for how long")
    }
  }

  struct Answer: WireObject {
    let key: String?
    static let fields: [Field<Self>] = [Field("key", ifAny: \.key, "the key; absent if none was pressed")]
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    device.awaitKey(for: .seconds(wanted.seconds)) { reply(.success(Answer(key: $0?.rawValue))) }
  }
}

enum TrialTone: DeviceTask {
  static let row = MethodRow(
    "trial.tone", "plays a tone on the speaker and measures what the microphone hears of it", .technician,
    whileRecording: .refused,
    discussion: "For a loop from one to the other, by cable or through the air. Heard is what becomes louder by 6 dB.")

  struct Parameters: ParameterSet {
    let hertz: Int
    let seconds: Int

    init(hertz: Int = 1000, seconds: Int = 2) { (self.hertz, self.seconds) = (hertz, seconds) }
    init(_ given: inout Given) throws(CommandFailure) {
      hertz = try given.value("hertz", .integer(20...20_000), default: 1000, "of the tone, at -12 dB of full scale")
      seconds = try given.value("seconds", .integer(1...10), default: 2, "for how long")
    }
  }

  struct Answer: WireObject {
    let quiet: [Double]
    let loud: [Double]
    static let fields: [Field<Self>] = [
      Field("heard", \.isHeard, "whether a channel became louder by 6 dB and more"),
      Field("quietDecibels", \.quiet, "average of each channel before the tone, below full scale"),
      Field("toneDecibels", \.loud, "the highest average of each channel meanwhile"),
    ]
    var isHeard: Bool { zip(quiet, loud).contains { $1 - $0 >= 6 } }
  }

  /// From the order to the first sound, and what a meter's average takes to fall.
  private static let settling = Duration.milliseconds(500)

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    guard let prompts = device.prompts, device.state.health.hasSpeaker else {
      return reply(.failure(CommandFailure(.deviceLost, "there is no speaker that could play a tone")))
    }
    guard device.state.health.hasMicrophone else {
      return reply(.failure(CommandFailure(.deviceLost, "there is no microphone that could hear the tone")))
    }
    let media = device.media
    let quiet = media.status.levels.map(\.decibels)
    prompts.tone(hertz: wanted.hertz, for: .seconds(wanted.seconds), at: device.clock.now)
    var loud = quiet
    device.measure(for: .seconds(wanted.seconds) + settling) {
      loud = zip(loud, media.status.levels.map(\.decibels)).map { max($0, $1) }
    } done: {
      reply(.success(Answer(quiet: quiet, loud: loud)))
    }
  }
}

extension ChannelLevel {
  fileprivate var decibels: Double { max(-120, Double(rmsDB)) }
}

enum TrialNote: DeviceMethod {
  static let row = MethodRow(
    "trial.note", "writes what came of a check into the log, and so into the support bundle", .technician)
  typealias Answer = Done

  struct Parameters: ParameterSet {
    let check: String
    let outcome: TrialOutcome
    let detail: String?

    init(_ check: String, _ outcome: TrialOutcome, _ detail: String) {
      (self.check, self.outcome, self.detail) = (String(check.prefix(40)), outcome, String(detail.prefix(200)))
    }

    init(_ given: inout Given) throws(CommandFailure) {
      check = try given.value("check", .text(limit: 160), "what was looked at")
      outcome = try given.value("outcome", .choice(.ok), "what came of it")
      detail = try given.optional("detail", .text(limit: 800), "what was seen")
    }
  }

  static func answer(_ note: Parameters, in device: CommandContext) throws(CommandFailure) -> Done {
    let text = [note.check, note.outcome.rawValue, note.detail ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
    device.events.log(note.outcome == .failed ? .warning : .info, "selftest", text, at: device.clock.now)
    return Done()
  }
}

/// What came of a check by hand.
enum TrialOutcome: String, CaseIterable, Sendable {
  case ok
  case failed
  case skipped
}
