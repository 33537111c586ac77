/// Letters that the D-pad goes over, in rows of thirteen, and what CENTRE makes of a text with them. What the last cells of
/// a page do is said by signs.
public struct LetterBoard: Hashable, Sendable {
  public static let columns = 13
  public static let space: Character = "_"
  public static let rubOut: Character = "◀"
  /// Latin letters and digits, Cyrillic letters: the last cell leads to the other page.
  private static let pages: [[Character]] = [
    Array("abcdefghijklmnopqrstuvwxyz0123456789_◀Я"), Array("абвгдеёжзийклмнопрстуфхцчшщъыьэюя-.#_◀Z"),
  ]
  /// Longest text, in bytes of UTF-8.
  private static let most = 100

  /// What CENTRE has done.
  enum Stroke {
    case typed, turned, refused, done
  }

  /// The highlighted cell; behind the last letter it is the row below, with which a text is complete.
  public private(set) var cell: Int
  private var page = 0
  /// A text begins with a capital letter, and has a row that completes it.
  private let isOfNames: Bool

  /// - Parameter isOfNames: what is typed is a name; else it is searched for while it is typed.
  init(cell: Int = 0, isOfNames: Bool = false) {
    self.isOfNames = isOfNames
    self.cell = max(0, min(cell, Self.pages[0].count - (isOfNames ? 0 : 1)))
  }

  public var letters: [Character] { Self.pages[page] }
  /// The row that completes the text.
  public var isAtEnd: Bool { cell == letters.count }
  public var isAtOtherLetters: Bool { cell == letters.count - 1 }
  var isAtTop: Bool { cell < Self.columns }

  /// - Returns: whether there is a cell so many on.
  mutating func move(by step: Int) -> Bool {
    let next = isAtEnd ? letters.count - Self.columns : cell + step
    if letters.indices.contains(next) {
      guard !isAtEnd || step < -1 else { return false }
      cell = next
    } else {
      guard isOfNames, step > 1, !isAtEnd else { return false }
      cell = letters.count
    }
    return true
  }

  mutating func press(on text: inout String) -> Stroke {
    guard !isAtEnd else { return .done }
    guard !isAtOtherLetters else {
      page = 1 - page
      return .turned
    }
    let letter = letters[cell]
    switch letter {
    case Self.rubOut:
      guard !text.isEmpty else { return .refused }
      text.removeLast()
    case Self.space:
      guard let last = text.last, last != " " else { return .refused }
      text.append(" ")
    default:
      guard text.utf8.count < Self.most else { return .refused }
      text += isOfNames && text.isEmpty ? letter.uppercased() : String(letter)
    }
    return .typed
  }
}
