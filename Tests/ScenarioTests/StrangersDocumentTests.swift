import Foundation
import Testing

/// The table of what strangers' files, streams and hands have broken: each line is held by tests that are there.
@Suite struct StrangersDocumentTests {
  private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardizedFileURL
  private static let tests = root.appendingPathComponent("Tests")
  private static let page = tests.appendingPathComponent("STRANGERS.md")
  /// Its lines, by letter.
  private static let lines = ["A": 1...4, "B": 0...9, "C": 1...6, "D": 1...8, "E": 1...4]

  /// Each line and what holds it.
  private static func rows() throws -> [(line: String, what: String, held: String)] {
    try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
      .filter { $0.firstMatch(of: #/^\| [A-E][0-9] /#) != nil }
      .map { row in
        let cells = row.dropFirst(2).dropLast(2).components(separatedBy: " | ")
        try #require(cells.count == 3, "\(row)")
        return (cells[0], cells[1], cells[2])
      }
  }

  @Test func everyLineIsThereAndHeldBySomething() throws {
    let rows = try Self.rows()
    let all = Self.lines.flatMap { letter, numbers in numbers.map { "\(letter)\($0)" } }
    #expect(Set(rows.map(\.line)) == Set(all))
    for row in rows { #expect(row.held.contains("`") || row.held.contains("]("), "\(row.line): \(row.what)") }
  }

  /// `Suite/name`, where the name is a function's or what is shown of it.
  @Test func everyTestThatIsNamedIsInTheSources() throws {
    let files = try FileManager.default.subpathsOfDirectory(atPath: Self.tests.path)
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Fuzz/") && !$0.hasSuffix("StrangersDocumentTests.swift") }
      .map { try String(contentsOf: Self.tests.appendingPathComponent($0), encoding: .utf8) }
    var checked = 0
    for row in try Self.rows() {
      for match in row.held.matches(of: #/`(\w+)/([^`]+)`/#) {
        let (suite, name) = (String(match.1), String(match.2))
        let isThere = files.contains { text in
          text.contains("struct \(suite)")
            && ["\"\(name)\"", "func `\(name)`(", "func \(name)("].contains { text.contains($0) }
        }
        #expect(isThere, "\(row.line): there is no \(suite)/\(name)")
        checked += 1
      }
      for match in row.held.matches(of: #/\]\(([^)#]+)\)/#) {
        let file = Self.tests.appendingPathComponent(String(match.1)).standardizedFileURL.path
        #expect(FileManager.default.fileExists(atPath: file), "\(row.line): \(match.1)")
      }
    }
    #expect(checked > 100)
  }
}
