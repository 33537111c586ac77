internal import CTOML

/// A TOML value with its place.
struct TOMLNode {
  enum Value {
    case table([TOMLEntry])
    case array([TOMLNode])
    case text(String)
    case integer(Int)
    case real(Double)
    case flag(Bool)
    case dateTime
  }

  var value: Value
  /// Line of the value, from 1.
  var line: Int
}

/// A key of a table, and its value.
struct TOMLEntry {
  var key: String
  /// Line of the key, from 1.
  var line: Int
  var node: TOMLNode
}

/// Why bytes are no TOML.
struct TOMLFailure: Error {
  var line: Int
  var message: String
}

/// Reads TOML 1.0 of at most 1 MiB into a tree with the line of every key and value.
enum TOMLDocument {
  /// The entries of the root table, each table's in the order of the lines.
  static func parse(_ bytes: [UInt8]) throws(TOMLFailure) -> [TOMLEntry] {
    var failure = ctoml_error()
    let parsed = bytes.withUnsafeBytes { raw in
      ctoml_parse(raw.bindMemory(to: CChar.self).baseAddress, raw.count, &failure)
    }
    guard let document = parsed else {
      let message = withUnsafeBytes(of: &failure.message) { text($0.baseAddress, length: $0.firstIndex(of: 0) ?? 0) }
      throw TOMLFailure(line: Int(failure.line), message: message.oneLine(limit: 250))
    }
    defer { ctoml_free(document) }
    return tree(of: document)
  }

  /// A table or array that has begun and not ended yet.
  private struct Open {
    var key: String
    var event: ctoml_event
    var entries: [TOMLEntry] = []

    func closed(as value: TOMLNode.Value) -> TOMLEntry {
      TOMLEntry(key: key, line: Int(event.key_line), node: TOMLNode(value: value, line: Int(event.line)))
    }
  }

  /// Puts the events together with a stack of its own: the depth of a document is its author's choice.
  private static func tree(of document: OpaquePointer) -> [TOMLEntry] {
    var stack: [Open] = []
    for index in 0..<ctoml_count(document) {
      let event = ctoml_event_at(document, index)
      let key = text(event.key, length: event.key_length)
      let finished: TOMLEntry
      switch event.kind {
      case CTOML_TABLE_BEGIN, CTOML_ARRAY_BEGIN:
        stack.append(Open(key: key, event: event))
        continue
      case CTOML_TABLE_END:
        guard let open = stack.popLast() else { return [] }
        let entries = open.entries.sorted { $0.line < $1.line }
        guard !stack.isEmpty else { return entries }
        finished = open.closed(as: .table(entries))
      case CTOML_ARRAY_END:
        guard let open = stack.popLast() else { return [] }
        finished = open.closed(as: .array(open.entries.map(\.node)))
      case CTOML_STRING: finished = leaf(key, event, .text(text(event.text, length: event.text_length)))
      case CTOML_INTEGER: finished = leaf(key, event, .integer(Int(event.integer)))
      case CTOML_FLOAT: finished = leaf(key, event, .real(event.real))
      case CTOML_BOOLEAN: finished = leaf(key, event, .flag(event.boolean))
      default: finished = leaf(key, event, .dateTime)
      }
      guard !stack.isEmpty else { return [] }
      stack[stack.count - 1].entries.append(finished)
    }
    return []
  }

  private static func leaf(_ key: String, _ event: ctoml_event, _ value: TOMLNode.Value) -> TOMLEntry {
    TOMLEntry(key: key, line: Int(event.key_line), node: TOMLNode(value: value, line: Int(event.line)))
  }

  private static func text(_ start: UnsafeRawPointer?, length: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : length), as: UTF8.self)
  }
}
