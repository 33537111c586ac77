internal import Hardware

/// A place in a board file.
public struct SourcePlace: Hashable, Sendable, CustomStringConvertible {
  /// Path as it was given, or put together from the path of the inheriting file.
  public var file: String
  /// From 1.
  public var line: Int

  public var description: String { "\(file.shown):\(line)" }
}

/// One thing that is wrong with a board file: where, what, and what was expected.
public struct BoardProblem: Hashable, Sendable, CustomStringConvertible {
  public var place: SourcePlace
  /// One line of text.
  public var message: String

  init(_ place: SourcePlace, _ message: String) {
    self.place = place
    self.message = message
  }

  /// `board/x.toml:14: line 27 of …`
  public var description: String { "\(place): \(message)" }
}

/// Everything that is wrong with a board file and those it inherits; never empty.
public struct BoardError: Error, Hashable, Sendable, CustomStringConvertible {
  /// In the order of files (the inheriting one last) and lines.
  public var problems: [BoardProblem]

  /// One line a problem.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// Why a board file could not be read, in the words of the file's reader.
public struct BoardReadError: Error, Hashable, Sendable {
  /// A clause: `no such file`.
  public var reason: String

  public init(reason: String) { self.reason = reason }
}

extension String {
  /// The text in quotes on one line, with control characters escaped and cut at 60 characters: fit for a message.
  var quoted: String { "\"" + oneLine(limit: 60) + "\"" }

  /// The text with control characters escaped, cut at `limit` characters.
  func oneLine(limit: Int) -> String {
    var text = ""
    var count = 0
    for scalar in unicodeScalars {
      guard count < limit else { return text + "…" }
      count += 1
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
