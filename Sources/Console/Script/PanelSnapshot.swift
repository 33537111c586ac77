public import Appliance
public import Hardware
public import JSON

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

  public init(
    mode: String, isLocked: Bool, screen: String, texts: [String] = [], lamps: [Lamp: String] = [:],
    notice: Notice? = nil, takes: Int = 0
  ) {
    self.mode = mode
    self.isLocked = isLocked
    self.screen = screen
    self.texts = texts
    self.lamps = lamps
    self.notice = notice
    self.takes = takes
  }

  /// The result of `panel.state`.
  public var json: JSONValue {
    let leds = lamps.map { ($0.key.rawValue, JSONValue.string($0.value)) }
    let shown: JSONValue =
      notice.map { notice in
        [
          "severity": .string(notice.severity.rawValue), "code": .string(notice.code), "text": .string(notice.text),
        ]
      } ?? .null
    return [
      "mode": .string(mode), "locked": .bool(isLocked), "screen": .string(screen),
      "texts": .array(texts.map { .string($0) }), "leds": .object(Dictionary(leds) { first, _ in first }),
      "notice": shown, "takes": .integer(takes),
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
