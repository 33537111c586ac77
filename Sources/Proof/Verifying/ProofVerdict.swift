internal import Hardware
public import JSON

/// What a proof says of a recording.
public struct ProofVerdict: Sendable {
  public enum State: Hashable, Sendable {
    /// Every byte of it is as it was signed.
    case whole
    /// Up to so many seconds it is as it was signed, and there its proof ends, or the file.
    case cutOff(at: Double)
    /// From so many seconds on it is not what was signed.
    case changed(at: Double)
    /// There is no proof, or none by the key that was asked for.
    case unsigned
  }

  public var state: State
  /// One sentence why.
  public var reason: String
  /// Who signed it; nil without a proof.
  public var key: PublicKey?
  /// The first record of the proof, and the last one that counts.
  public var header: JSONValue = .null
  public var end: JSONValue = .null
  /// Bytes of the file that are proven, and that are there.
  public var provenBytes = 0
  public var fileBytes = 0
  /// Signed pieces of it.
  public var pieces = 0

  init(_ state: State, _ reason: String) {
    self.state = state
    self.reason = reason
  }

  /// `whole`, `cut off at 12.3 s`, `changed at 12.3 s`, `unsigned`.
  public var text: String {
    switch state {
    case .whole: "whole"
    case .cutOff(let seconds): "cut off at \(Self.spoken(seconds)) s"
    case .changed(let seconds): "changed at \(Self.spoken(seconds)) s"
    case .unsigned: "unsigned"
    }
  }

  /// The same without a time.
  public var word: String {
    switch state {
    case .whole: "whole"
    case .cutOff: "cut off"
    case .changed: "changed"
    case .unsigned: "unsigned"
    }
  }

  /// Seconds of the state; nil where it has none.
  public var seconds: Double? {
    switch state {
    case .whole, .unsigned: nil
    case .cutOff(let seconds), .changed(let seconds): seconds
    }
  }

  private static func spoken(_ seconds: Double) -> String {
    let tenths = Int((seconds * 10).rounded(.down))
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// For programs.
  public var json: JSONValue {
    var object: JSONValue = [
      "verdict": .string(word), "reason": .string(reason), "provenBytes": .integer(provenBytes),
      "fileBytes": .integer(fileBytes), "pieces": .integer(pieces),
    ]
    if let seconds { object["seconds"] = .number(seconds) }
    if let key {
      object["key"] = .string(key.text)
      object["words"] = .array(key.words.map(JSONValue.string))
    }
    for name in ["id", "kind", "device", "operator", "continues", "sources", "monotonic", "wall"] {
      if let value = header[name] { object[name] = value }
    }
    if let wall = end["wall"] { object["lastWall"] = wall }
    return object
  }
}
