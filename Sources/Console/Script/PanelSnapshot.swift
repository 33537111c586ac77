public import Appliance
public import Hardware

/// What can be seen of the device from outside: the result of `panel.state`, and what a script's `expect` looks at.
public struct PanelSnapshot: Hashable, Sendable {
  /// `dictaphone.recording`.
  public var mode: String
  public var isLocked: Bool
  /// Name of the screen.
  public var screen: String
  /// The texts on the screen, top to bottom.
  public var texts: [String]
  /// The word for each lamp's pattern: `on`, `off`, `blink`.
  public var lamps: [Lamp: String]
  public var notice: Notice?
  /// Takes in the library.
  public var takes: Int
  /// What was said last.
  public var prompt: String?

  public init(
    mode: String, isLocked: Bool, screen: String, texts: [String] = [], lamps: [Lamp: String] = [:],
    notice: Notice? = nil, takes: Int = 0, prompt: String? = nil
  ) {
    self.mode = mode
    self.isLocked = isLocked
    self.screen = screen
    self.texts = texts
    self.lamps = lamps
    self.notice = notice
    self.takes = takes
    self.prompt = prompt
  }
}

extension PanelSnapshot: WireObject {
  public static let fields: [Field<PanelSnapshot>] = [
    Field("mode", \.mode, "what the device is doing, such as dictaphone.recording"),
    Field("locked", \.isLocked, "whether the keys are locked"),
    Field("screen", \.screen, "the name of the screen"),
    Field("texts", \.texts, "the texts on the screen, top to bottom"),
    Field("leds", { Dictionary($0.lamps.map { ($0.key.rawValue, $0.value) }) { $1 } }, "each LED and its pattern"),
    Field("notice", { $0.notice.map { NoticeAnswer(notice: $0) } }, "what the screen reports; null for nothing"),
    Field("takes", \.takes, "takes in the library"),
    Field("prompt", ifAny: \.prompt, "what was said last; absent while nothing has been"),
  ]

  private struct NoticeAnswer: WireObject {
    let notice: Notice
    static let fields: [Field<Self>] = [
      Field("severity", \.notice.severity.rawValue, "info, warning or error"),
      Field("code", \.notice.code, "stable, for programs"), Field("text", \.notice.text, "for people"),
    ]
  }
}

/// What a script expects to see.
public enum Expectation: Hashable, Sendable {
  case mode(String)
  case led(Lamp, String)
  case locked(Bool)
  case screen(String)
  /// The code of the notice on the screen; `nil`: no notice.
  case notice(String?)
  case takes(Int)

  /// What is seen instead, in words; `nil` if all is as expected.
  public func mismatch(in seen: PanelSnapshot) -> String? {
    switch self {
    case .mode(let mode): Self.compare("mode", mode, seen.mode)
    case .led(let lamp, let word): Self.compare("led \(lamp.rawValue)", word, seen.lamps[lamp] ?? "off")
    case .locked(let isLocked): Self.compare("locked", isLocked ? "yes" : "no", seen.isLocked ? "yes" : "no")
    case .screen(let name): Self.compare("screen", name, seen.screen)
    case .notice(let code): Self.compare("notice", code ?? "none", seen.notice?.code ?? "none")
    case .takes(let count): Self.compare("takes", String(count), String(seen.takes))
    }
  }

  private static func compare(_ what: String, _ expected: String, _ seen: String) -> String? {
    expected == seen ? nil : "expected \(what) \(expected), it is \(seen)"
  }
}
