public import JSON

/// What a value on the console looks like: said once, read by help, by the manual page and, as JSON Schema, by programs.
public indirect enum Schema: Hashable, Sendable {
  case flag
  case integer
  case number
  case text
  /// One of these words.
  case choice([String])
  /// Text, a number or a flag.
  case scalar
  /// Whatever a file says.
  case anything
  case array(Schema)
  /// Values under names that are data.
  case map(Schema)
  case nullable(Schema)
  /// - Parameter isOpen: whether there may be members beside these.
  case object([Member], isOpen: Bool)

  /// One member of an object.
  public struct Member: Hashable, Sendable {
    public let name: String
    public let schema: Schema
    /// Left out when there is nothing to say.
    public let isOptional: Bool
    /// What it means, with its unit; a phrase without a full stop.
    public let meaning: String

    public init(_ name: String, _ schema: Schema, isOptional: Bool = false, _ meaning: String) {
      self.name = name
      self.schema = schema
      self.isOptional = isOptional
      self.meaning = meaning
    }
  }

  /// As JSON Schema (draft 7): nothing is allowed that is not described.
  public var document: JSONValue {
    switch self {
    case .flag: ["type": "boolean"]
    case .integer: ["type": "integer"]
    case .number: ["type": "number"]
    case .text: ["type": "string"]
    case .choice(let words): ["type": "string", "enum": .array(words.map { .string($0) })]
    case .scalar: ["type": ["string", "number", "boolean"]]
    case .anything: [:]
    case .array(let element): ["type": "array", "items": element.document]
    case .map(let value): ["type": "object", "additionalProperties": value.document]
    case .nullable(let value): ["anyOf": [value.document, ["type": "null"]]]
    case .object(let members, let isOpen): Self.document(of: members, isOpen: isOpen)
    }
  }

  private static func document(of members: [Member], isOpen: Bool) -> JSONValue {
    let properties = members.map { member in
      var document = member.schema.document
      document["description"] = .string(member.meaning)
      return (member.name, document)
    }
    return [
      "type": "object", "properties": .object(Dictionary(properties) { first, _ in first }),
      "required": .array(members.filter { !$0.isOptional }.map { .string($0.name) }),
      "additionalProperties": .bool(isOpen),
    ]
  }

  /// In a line: `{mode, leds{}, texts[], notice{code, text}, id?}`; `?` stands after what may be left out.
  public var outline: String {
    switch self {
    case .object(let members, let isOpen):
      "{\((members.map(Self.outline) + (isOpen ? ["..."] : [])).joined(separator: ", "))}"
    case .array(let element): "[\(element.inner)]"
    case .map: "{name: value, ...}"
    case .nullable(let value): value.outline
    default: "a value"
    }
  }

  private static func outline(_ member: Member) -> String {
    let mark = member.isOptional ? "?" : ""
    switch member.schema.unwrapped {
    case .array(let element): return "\(member.name)\(mark)[\(element.inner)]"
    case .map: return "\(member.name)\(mark){}"
    case .object(let members, _): return "\(member.name)\(mark){\(members.map(outline).joined(separator: ", "))}"
    default: return member.name + mark
    }
  }

  private var inner: String {
    if case .object = unwrapped { return unwrapped.outline }
    return ""
  }

  private var unwrapped: Schema {
    if case .nullable(let value) = self { return value }
    return self
  }

  /// The members with what they mean, those of objects in objects by their path: `camera.name`, `open[].clip`.
  var lines: [(name: String, meaning: String)] {
    switch self {
    case .object(let members, _):
      members.flatMap { member in
        [(member.name, member.meaning + member.schema.remark)]
          + member.schema.lines.map { (member.name + member.schema.joint + $0.name, $0.meaning) }
      }
    case .array(let element): element.lines
    case .map(let value): value.lines
    case .nullable(let value): value.lines
    default: []
    }
  }

  private var joint: String {
    switch unwrapped {
    case .array: "[]."
    case .map: "{}."
    default: "."
    }
  }

  private var remark: String {
    switch unwrapped {
    case .choice(let words) where words.count > 1: " (\(words.joined(separator: ", ")))"
    default: ""
    }
  }
}
