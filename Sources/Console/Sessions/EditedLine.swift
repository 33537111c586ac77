/// The line being typed: characters and a cursor between them. Knows nothing of the terminal.
struct EditedLine {
  /// The longest line in bytes.
  static let limit = 1024
  /// The longest character: a letter with as many marks as a language needs, and no more.
  private static let characterLimit = 32

  private(set) var characters: [Character] = []
  /// Characters before the cursor.
  private(set) var cursor = 0
  private var bytes = 0

  init() {}

  /// A line with the cursor at its end, cut to the limit.
  init(_ text: String) {
    for scalar in text.unicodeScalars { _ = insert(scalar) }
  }

  var text: String { String(characters) }
  var isEmpty: Bool { characters.isEmpty }
  /// What stands before the cursor.
  var head: String { String(characters[..<cursor]) }

  /// Inserts at the cursor; a combining mark goes to the character before it. False if there is no room.
  mutating func insert(_ scalar: Unicode.Scalar) -> Bool {
    let width = UTF8.width(scalar)
    guard bytes + width <= Self.limit else { return false }
    if cursor > 0 {
      var previous = String(characters[cursor - 1])
      previous.unicodeScalars.append(scalar)
      if previous.count == 1, let merged = previous.first {
        guard previous.utf8.count <= Self.characterLimit else { return false }
        characters[cursor - 1] = merged
        bytes += width
        return true
      }
    }
    characters.insert(Character(scalar), at: cursor)
    cursor += 1
    bytes += width
    return true
  }

  mutating func insert(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { insert($0) } }

  /// Moves the cursor, or deletes; other keys do nothing.
  mutating func apply(_ key: Key) {
    switch key {
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(characters.count, cursor + 1)
    case .home: cursor = 0
    case .end: cursor = characters.count
    case .backspace: remove(max(0, cursor - 1)..<cursor)
    case .delete: remove(cursor..<min(characters.count, cursor + 1))
    case .killToEnd: remove(cursor..<characters.count)
    case .killToStart: remove(0..<cursor)
    case .killWord:
      var start = cursor
      while start > 0, characters[start - 1] == " " { start -= 1 }
      while start > 0, characters[start - 1] != " " { start -= 1 }
      remove(start..<cursor)
    default: break
    }
  }

  private mutating func remove(_ range: Range<Int>) {
    bytes -= characters[range].reduce(0) { $0 + $1.utf8.count }
    characters.removeSubrange(range)
    cursor = range.lowerBound
  }
}
