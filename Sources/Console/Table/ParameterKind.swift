public import Appliance
public import Hardware
internal import JSON

/// What values a parameter takes, and the type that they become.
public struct ParameterKind<Value: Sendable>: Sendable {
  let kind: Parameter.Kind
  /// Handed out while parameters are only described.
  let placeholder: Value
  /// The value of JSON; `nil` if it does not fit.
  let read: @Sendable (JSONValue) throws(Complaint) -> Value?
  /// A default as JSON.
  let json: @Sendable (Value) -> JSONValue

  private init(
    _ kind: Parameter.Kind, _ placeholder: Value, json: @escaping @Sendable (Value) -> JSONValue = { _ in .null },
    read: @escaping @Sendable (JSONValue) throws(Complaint) -> Value?
  ) {
    self.kind = kind
    self.placeholder = placeholder
    self.read = read
    self.json = json
  }
}

extension ParameterKind where Value == String {
  /// Text of 1 to this many bytes.
  public static func text(limit: Int) -> Self {
    Self(.text(limit: limit), "", json: { .string($0) }) { (json) throws(Complaint) in filled(json, limit) }
  }

  /// A name, a place in a list, or an address: signed ones are long.
  public static var source: Self { .text(limit: 4096) }

  /// Text of at most this many bytes, which may be empty: it takes something away.
  public static func anyText(limit: Int) -> Self {
    Self(.anyText(limit: limit), "", json: { .string($0) }) { (json) throws(Complaint) in
      json.stringValue.flatMap { $0.utf8.count <= limit ? $0 : nil }
    }
  }

  /// The same as `text`; people type one word.
  public static func word(limit: Int) -> Self {
    Self(.word(limit: limit), "", json: { .string($0) }) { (json) throws(Complaint) in filled(json, limit) }
  }

  /// Text of 1 to this many bytes that nothing repeats.
  public static func secret(limit: Int) -> Self {
    Self(.secret(limit: limit), "") { (json) throws(Complaint) in filled(json, limit) }
  }

  /// The id of a take: its file name in `recordings/`.
  public static var take: Self { file(.take) }
  /// The id of a clip: its file name in `clips/`.
  public static var clip: Self { file(.clip) }
  /// The name of a setting.
  public static var settingKey: Self { name(.settingKey) }
  /// A command's word or method.
  public static var command: Self { name(.command) }

  /// A BCP 47 language tag.
  public static var language: Self {
    Self(.language, "") { (json) throws(Complaint) in
      json.stringValue.flatMap { Languages.isTag($0) ? $0 : nil }
    }
  }

  /// Byte by byte the file that is meant: of two whose names are equal text one is not taken for the other.
  private static func file(_ kind: Parameter.Kind) -> Self {
    Self(kind, "") { (json) throws(Complaint) in filled(json, KernelName.longestText).map(KernelName.listed) }
  }

  private static func name(_ kind: Parameter.Kind) -> Self {
    Self(kind, "") { (json) throws(Complaint) in filled(json, 255) }
  }

  fileprivate static func filled(_ json: JSONValue, _ limit: Int) -> String? {
    json.stringValue.flatMap { !$0.isEmpty && $0.utf8.count <= limit ? $0 : nil }
  }
}

extension ParameterKind where Value == Int {
  public static func integer(_ range: ClosedRange<Int>) -> Self {
    Self(.integer(range), range.lowerBound, json: { .integer($0) }) { (json) throws(Complaint) in
      json.integerValue.flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension ParameterKind where Value == Double {
  public static func number(_ range: ClosedRange<Double>) -> Self {
    Self(.number(range), range.lowerBound, json: { .number($0) }) { (json) throws(Complaint) in
      json.numberValue.flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension ParameterKind where Value == Bool {
  public static var flag: Self {
    Self(.flag, false, json: { .bool($0) }) { (json) throws(Complaint) in json.boolValue }
  }
}

extension ParameterKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of the words of an enumeration.
  ///
  /// - Parameter placeholder: any of them.
  public static func choice(_ placeholder: Value) -> Self {
    Self(.choice(Value.allCases.map(\.rawValue)), placeholder, json: { .string($0.rawValue) }) {
      (json) throws(Complaint) in json.stringValue.flatMap { Value(rawValue: $0) }
    }
  }
}

extension ParameterKind {
  /// A list of words of an enumeration.
  public static func list<Element: RawRepresentable & CaseIterable & Sendable>() -> Self
  where Value == [Element], Element.RawValue == String {
    Self(.list(Element.allCases.map(\.rawValue)), []) { (json) throws(Complaint) in
      guard let elements = json.arrayValue else { return nil }
      let read = elements.compactMap { $0.stringValue.flatMap { Element(rawValue: $0) } }
      return read.count == elements.count ? read : nil
    }
  }
}

extension ParameterKind where Value == [String] {
  /// Ids of clips, two or more.
  public static var clips: Self { files(.clips, 2...100) }
  /// Ids of takes, one or more.
  public static var takes: Self { files(.takes, 1...1500) }
  /// Texts of 1 to this many bytes each.
  public static func texts(limit: Int) -> Self { strings(.texts(limit: limit), 0...100, limit: limit) }

  private static func files(_ kind: Parameter.Kind, _ counts: ClosedRange<Int>) -> Self {
    let texts = strings(kind, counts, limit: KernelName.longestText)
    return Self(kind, []) { (json) throws(Complaint) in try texts.read(json)?.map(KernelName.listed) }
  }

  private static func strings(_ kind: Parameter.Kind, _ counts: ClosedRange<Int>, limit: Int) -> Self {
    Self(kind, []) { (json) throws(Complaint) in
      guard let elements = json.arrayValue, counts.contains(elements.count) else { return nil }
      let texts = elements.compactMap { ParameterKind<String>.filled($0, limit) }
      return texts.count == elements.count ? texts : nil
    }
  }
}

extension ParameterKind where Value == SettingValue {
  /// The value of a setting: text, a number or a flag.
  public static var settingValue: Self {
    Self(.settingValue, .flag(false)) { (json) throws(Complaint) in
      if let text = json.stringValue, text.utf8.count > 2000 { return nil }
      return SettingValue(json)
    }
  }
}

extension ParameterKind where Value == Fault {
  /// A fault in the words of scripts: `microphone unplug`.
  public static var fault: Self {
    Self(.fault, .powerCut) { (json) throws(Complaint) in
      guard let text = json.stringValue else { return nil }
      do throws(FaultGrammarError) { return try FaultGrammar.parse(text) } catch { throw Complaint(error.description) }
    }
  }
}
