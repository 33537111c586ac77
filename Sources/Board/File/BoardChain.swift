/// Follows `inherits` from a file to the one that inherits nothing, and lays their settings over each other.
struct BoardChain {
  /// The deepest inheritance: this file, its parent, and so on.
  static let maximumDepth = 8

  /// The values after inheritance: an inheriting file overrides the one it inherits from.
  private(set) var settings: [String: BoardSetting] = [:]
  private(set) var problems: [BoardProblem] = []
  /// The files, the one that inherits nothing first.
  private(set) var files: [String] = []

  private struct Link {
    var file: String
    var entries: [TOMLEntry]
  }

  /// Reads `file` and all that it inherits.
  init(_ file: String, reader: (String) throws(BoardReadError) -> [UInt8]) {
    var links: [Link] = []
    var next: String? = file
    var cause = SourcePlace(file: file, line: 1)
    while let current = next {
      next = nil
      guard !links.contains(where: { $0.file == current }) else {
        let circle = links.map(\.file) + [current]
        problems.append(BoardProblem(cause, "inherits in a circle: " + circle.joined(separator: " → ")))
        break
      }
      guard links.count < Self.maximumDepth else {
        problems.append(BoardProblem(cause, "inherits more than \(Self.maximumDepth) files deep"))
        break
      }
      guard let entries = read(current, because: cause, reader) else { break }
      links.append(Link(file: current, entries: entries))
      if let parent = entries.first(where: { $0.key == "inherits" }), case .text(let name) = parent.node.value {
        cause = SourcePlace(file: current, line: parent.line)
        next = Self.resolve(name, from: current)
      }
    }
    for (rank, link) in links.reversed().enumerated() {
      files.append(link.file)
      let checker = BoardChecker(file: link.file, rank: rank, entries: link.entries)
      // These speak of one file and are not handed down.
      for own in ["inherits", "name", "title", "template", "models"] { settings[own] = nil }
      settings.merge(checker.settings) { _, new in new }
      problems += checker.problems
    }
  }

  private mutating func read(
    _ file: String, because cause: SourcePlace, _ reader: (String) throws(BoardReadError) -> [UInt8]
  ) -> [TOMLEntry]? {
    let bytes: [UInt8]
    do {
      if let text = try BoardLibrary.bytes(of: file) { bytes = text } else { bytes = try reader(file) }
    } catch {
      let what = cause.file == file ? "cannot be read" : "inherits \(file.quoted), which cannot be read"
      problems.append(BoardProblem(cause, "\(what): \(error.reason.oneLine(limit: 200))"))
      return nil
    }
    guard bytes.count <= Boards.maximumBytes else {
      let what = "\(bytes.count) bytes long; a board file has \(Boards.maximumBytes) (64 KiB) at most"
      problems.append(BoardProblem(SourcePlace(file: file, line: 1), what))
      return nil
    }
    do {
      return try TOMLDocument.parse(bytes)
    } catch {
      problems.append(BoardProblem(SourcePlace(file: file, line: error.line), "not TOML: \(error.message)"))
      return nil
    }
  }

  /// The file that `inherits = name` means in `file`: a built-in board by its name, else a path beside the file.
  static func resolve(_ name: String, from file: String) -> String {
    if !name.hasSuffix(".toml"), BoardLibrary.text(ofBoard: name) != nil { return BoardLibrary.path(ofBoard: name) }
    guard !name.hasPrefix("/") else { return normalised(name) }
    guard let slash = file.lastIndex(of: "/") else { return normalised(name) }
    return normalised(file[...slash] + name)
  }

  /// Takes `.` and `..` out of a path, so that a circle is seen whichever way it is written.
  private static func normalised(_ path: some StringProtocol) -> String {
    var parts: [Substring] = []
    for part in String(path).split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else if part != ".." || !path.hasPrefix("/") {
        parts.append(part)
      }
    }
    return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}
