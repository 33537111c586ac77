import JSON

/// Holds answers against the published JSON Schema, field for field: no more, no less.
struct SchemaCheck {
  /// What does not fit, by path.
  private(set) var complaints: [String] = []
  /// Fields that were there, and those that the schema names, by path.
  private(set) var seen: Set<String> = []
  private(set) var named: Set<String> = []

  /// Fields that the schema names and no answer had.
  var unseen: Set<String> { named.subtracting(seen) }

  mutating func check(_ value: JSONValue, against schema: JSONValue, at path: String) {
    name(schema, path)
    if let choices = schema["anyOf"]?.arrayValue {
      let inner = choices.first { $0["type"] != "null" } ?? .null
      if value.isNull, choices.contains(where: { $0["type"] == "null" }) { return }
      return check(value, against: inner, at: path)
    }
    if let types = schema["type"]?.arrayValue ?? schema["type"].map({ [$0] }) {
      let names = types.compactMap(\.stringValue)
      if !names.contains(where: { Self.isOf($0, value) }) { complain(path, "is no \(names): \(value.text.prefix(80))") }
    }
    if let words = schema["enum"]?.arrayValue, !words.contains(value) { complain(path, "is \(value.text)") }
    if let members = value.objectValue { check(members, against: schema, at: path) }
    if let elements = value.arrayValue, let item = schema["items"] {
      for element in elements { check(element, against: item, at: path + "[]") }
    }
  }

  private mutating func check(_ members: [String: JSONValue], against schema: JSONValue, at path: String) {
    let properties = schema["properties"]?.objectValue ?? [:]
    for required in schema["required"]?.arrayValue?.compactMap(\.stringValue) ?? [] where members[required] == nil {
      complain(path, "has no \(required)")
    }
    for (name, member) in members {
      if let property = properties[name] {
        seen.insert("\(path).\(name)")
        check(member, against: property, at: "\(path).\(name)")
      } else if case .object? = schema["additionalProperties"] {
        check(member, against: schema["additionalProperties"] ?? .null, at: path + "{}")
      } else if schema["properties"] != nil {
        // Objects that a file may make larger must have nothing undescribed of this firmware's making either.
        complain(path, "has \(name), of which nobody knows")
      }
    }
  }

  private mutating func name(_ schema: JSONValue, _ path: String) {
    for (name, property) in schema["properties"]?.objectValue ?? [:] {
      if named.insert("\(path).\(name)").inserted { self.name(property, "\(path).\(name)") }
    }
    if let item = schema["items"] { name(item, path + "[]") }
    for choice in schema["anyOf"]?.arrayValue ?? [] { name(choice, path) }
  }

  private mutating func complain(_ path: String, _ what: String) { complaints.append("\(path) \(what)") }

  private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
    switch type {
    case "boolean": value.boolValue != nil
    case "integer": value.integerValue != nil
    case "number": value.numberValue != nil
    case "string": value.stringValue != nil
    case "array": value.arrayValue != nil
    case "object": value.objectValue != nil
    case "null": value.isNull
    default: false
    }
  }
}
