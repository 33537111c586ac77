internal import Appliance
internal import Board
internal import Console
internal import Hardware
internal import JSON

/// Takes out of what goes into a support bundle whose device it is: names of takes and places, addresses, secrets.
/// Rather too much than too little; the setting `log.names` changes nothing here. Pure.
struct SupportPrivacy: Sendable {
  private static let mark = Array("(hidden)".utf8)
  /// Shorter than this a text hides nothing, and would take pieces out of any other.
  private static let shortest = 4
  /// What events say in words of ours; every other text of theirs is left out.
  private static let plain: Set<String> = [
    "mode", "code", "reason", "stopReason", "activity", "rung", "language", "level", "format", "key", "device",
    "trigger", "strategy",
  ]

  /// What must not be seen, wherever it stands: the longest first.
  private let hidden: [[UInt8]]

  init(_ settings: Settings, _ board: BoardDescription) {
    var texts = board.dub.sources + [board.dub.service] + board.camera.command.filter { $0.holds("://") }
    for row in Settings.table where !Self.isPlain(row.kind) {
      guard case .text(let text) = row.value(in: settings) else { continue }
      texts += [text] + text.split(separator: " ").map(String.init)
    }
    let parts = texts + texts.flatMap { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    hidden = Set(parts.map { Array($0.utf8) }).filter { $0.count >= Self.shortest }.sorted { $0.count > $1.count }
  }

  /// Whether a setting's values say nothing about who uses the device.
  private static func isPlain(_ kind: SettingKind) -> Bool {
    switch kind {
    case .integer, .integerChoice, .choice, .number, .flag, .languageTag: true
    case .address, .addresses, .path, .form, .secret, .pin: false
    }
  }

  /// A line of any text.
  func text(_ line: String, isOfNetwork: Bool = false) -> String {
    LogPrivacy.strip(without(line), isOfNetwork: isOfNetwork)
  }

  /// A line of a log or of a crash report, which has events in it, too.
  func logged(_ line: String) -> String {
    if let event = line.utf8.firstIndex(of: UInt8(ascii: "{")),
      let value = try? JSONValue(parsing: Array(line[event...].utf8)), value["topic"] != nil
    {
      return self.event(value)
    }
    guard let known = LogLine(stamped: line) else { return text(line) }
    // Of settings the key is enough: a value may be anything.
    if known.subsystem == "settings" {
      return LogLine(
        at: known.at, wall: known.wall, known.severity, known.subsystem,
        text(known.text.split(separator: " ").first.map { "\($0) is set" } ?? "")
      ).stampedLine
    }
    let isOfNetwork = known.subsystem == "dub" || known.subsystem == "network"
    return LogLine(
      at: known.at, wall: known.wall, known.severity, known.subsystem, text(known.text, isOfNetwork: isOfNetwork)
    ).stampedLine
  }

  /// An event: what it is, when, numbers, and words of ours.
  func event(_ event: JSONValue) -> String {
    var members = event.objectValue ?? [:]
    members["data"] = reduced(members["data"] ?? [:], name: "")
    return without(JSONValue.object(members).text)
  }

  /// Settings: of those that may tell who it is, only whether they are set.
  func settings(_ settings: Settings) -> [String] {
    Settings.table.map { row in
      let value = row.shown(in: settings)
      let isShown = Self.isPlain(row.kind) || value == row.defaultValue
      return "\(row.key) = \(isShown ? value.description : "(set)")"
    }
  }

  private func reduced(_ value: JSONValue, name: String) -> JSONValue {
    switch value {
    case .object(let members):
      .object(Dictionary(uniqueKeysWithValues: members.map { ($0, reduced($1, name: $0)) }))
    case .array(let elements): .array(elements.map { reduced($0, name: name) })
    case .string(let text): Self.plain.contains(name) && text.utf8.count <= 40 ? .string(text) : "(text)"
    default: value
    }
  }

  private func without(_ line: String) -> String {
    var bytes = Array(line.utf8)
    for secret in hidden where bytes.count >= secret.count {
      var start = 0
      while start + secret.count <= bytes.count {
        if bytes[start] == secret[0], bytes[start..<(start + secret.count)].elementsEqual(secret) {
          bytes.replaceSubrange(start..<(start + secret.count), with: Self.mark)
          start += Self.mark.count
        } else {
          start += 1
        }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
