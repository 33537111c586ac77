/// A language of screens and prompts; the raw value is the word of the setting `ui.language`.
public enum Language: String, Hashable, Sendable, CaseIterable {
  case english = "en"
  case russian = "ru"
}

/// A text in every language: whoever adds one cannot forget a language.
///
/// The English one is also what console and log say. The Russian one may have stress marks (U+0301), for speech alone.
public struct Translated: Hashable, Sendable {
  public let english: String
  private let russian: String

  init(_ english: String, _ russian: String) {
    self.english = english
    self.russian = russian
  }

  /// A name, a figure, an abbreviation: the same everywhere.
  init(_ both: String) { self.init(both, both) }

  /// As it is shown.
  public func text(in language: Language) -> String {
    switch language {
    case .english: english
    case .russian: Self.unstressed(russian)
    }
  }

  /// As it is spoken, with stress marks.
  public func speech(in language: Language) -> String {
    switch language {
    case .english: english
    case .russian: russian
    }
  }

  private static let stress: Unicode.Scalar = "\u{301}"

  /// Nearly all texts have no mark, and are left as they are.
  private static func unstressed(_ text: String) -> String {
    guard text.unicodeScalars.contains(stress) else { return text }
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where scalar != stress { plain.append(scalar) }
    return String(plain)
  }
}

/// A value that has words: a key of the catalogue, with its parameters.
public protocol Wording {
  var words: Translated { get }
}

extension Wording {
  /// As it is shown.
  public func text(in language: Language) -> String { words.text(in: language) }
}

/// Russian nouns behind numbers.
enum Russian {
  /// `1 запись`, `2 записи`, `5 записей`, `11 записей`, `21 запись`.
  static func count(_ number: Int, _ one: String, _ few: String, _ many: String) -> String {
    let (tens, ones) = (number.magnitude % 100 / 10, number.magnitude % 10)
    switch ones {
    case 1 where tens != 1: return "\(number) \(one)"
    case 2...4 where tens != 1: return "\(number) \(few)"
    default: return "\(number) \(many)"
    }
  }
}
