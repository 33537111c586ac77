internal import JSON

/// A JSON file of the data directory, as a value. Fields that this version does not know are kept as they are, so that a
/// rewrite loses nothing that a newer version has put there.
extension JSONValue {
  /// Deepest nesting that is read. Nothing of ours is deeper than four; a bound keeps the parser's stack small.
  static let deepestNesting = 32

  /// Ten thousand marks have as many. A value takes a hundred and fifty bytes of memory, and other programs' JSON lies
  /// beside their sounds as ours does.
  static let mostValues = 80_000

  /// How many values it is, as the limit counts them.
  var weight: Int {
    switch self {
    case .array(let items): items.reduce(1) { $0 + $1.weight }
    case .object(let fields): fields.reduce(1) { $0 + $1.value.weight }
    default: 1
    }
  }

  /// Reads a document; whole numbers within `Int` become integers, however they are written.
  ///
  /// - Parameter path: the file's name, for the error.
  static func parse(_ bytes: [UInt8], path: String) throws(MetadataError) -> JSONValue {
    do {
      // The size is bounded by whoever read the file.
      return try JSONValue(parsing: bytes, limits: JSONLimits(bytes: .max, depth: deepestNesting, values: mostValues))
        .withWholeNumbers
    } catch {
      throw MetadataError(path: path, reason: "not valid JSON: \(error)")
    }
  }

  /// The file's content: pretty-printed, keys sorted, a final newline: equal values give equal bytes.
  func document() -> [UInt8] { Array(withWholeNumbers.indentedText.utf8) + [UInt8(ascii: "\n")] }

  private var withWholeNumbers: JSONValue {
    switch self {
    case .number(let number): Int(exactly: number).map(JSONValue.integer) ?? self
    case .array(let items): .array(items.map(\.withWholeNumbers))
    case .object(let fields): .object(fields.mapValues(\.withWholeNumbers))
    default: self
    }
  }
}
