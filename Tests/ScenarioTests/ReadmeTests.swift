import Foundation
import JSON
import TestSupport
import Testing

/// What the README and the manual show the program printing is what it prints, and what they point to is there.
@Suite struct ReadmeTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

  private static let pages =
    ["README.md", "CONTRIBUTING.md", "SECURITY.md", "board/README.md", "deploy/README.md", "Sources/README.md"]
    + ((try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: "docs/manual").path())) ?? [])
    .filter { $0.hasSuffix(".md") }.sorted().map { "docs/manual/\($0)" }

  @Test func theScriptRunsAndGivesTheEventsThatAreShown() throws {
    let page = "docs/manual/console.md"
    let script = try #require(try Self.block(of: page, after: "`interview.mynah`:", opening: "```text\n"))
    let shown = try #require(try Self.block(of: page, after: "simulate --script interview.mynah", opening: "\n"))
    let folder = TemporaryFolder()
    let mynah = Mynah(folder: folder)
    // Its picture goes to the scratch folder, not to where the tests run.
    let run = try mynah.run(script.replacingOccurrences(of: "armed.png", with: folder.file("armed.png")))
    #expect(run.status == 0, "\(run.errors)")
    let printed = Set(run.output.split(separator: "\n").map(String.init))
    let whole = shown.split(separator: "\n").map(String.init).filter { !$0.contains("…") }
    #expect(whole.count > 5)
    for line in whole { #expect(printed.contains(line), "not printed: \(line)") }
    #expect(run.events("onTakeSaved").first?.data["frames"] == 816_000)
  }

  @Test(arguments: [["board", "list"], ["budget", "--board", "raspberrypi4"]])
  func theTablesAreAsTheyAreShown(arguments: [String]) throws {
    let command = "$ mynah \(arguments.joined(separator: " "))"
    let shown = try #require(try Self.block(of: "docs/manual/boards.md", after: command, opening: "\n"))
    let printed = try Tool.succeed(Mynah.executable.path, arguments)
    let table = printed.trimmingCharacters(in: .newlines)
    #expect(shown.hasPrefix(table), "\(command) prints:\n\(table)")
  }

  @Test func boardFilesThatAreShownAreInOrder() throws {
    let folder = TemporaryFolder()
    var checked = 0
    for page in Self.pages {
      for block in try Self.text(of: page).components(separatedBy: "```toml\n").dropFirst() {
        let board = block.components(separatedBy: "```")[0]
        checked += 1
        let file = folder.file("board-\(checked).toml")
        try board.write(toFile: file, atomically: true, encoding: .utf8)
        let result = try Tool.run(Mynah.executable.path, ["board", "check", file])
        #expect(result.status == 0, "\(page) shows a board that is refused: \(result.output)\(result.errors)")
      }
    }
    #expect(checked > 1)
  }

  @Test(arguments: pages) func whatAPagePointsToIsThere(page: String) throws {
    let folder = Self.root.appending(path: page).deletingLastPathComponent()
    for part in try Self.text(of: page).components(separatedBy: "](").dropFirst() {
      let target = part.prefix { $0 != ")" && $0 != "#" }
      guard !target.isEmpty, !target.contains("://") else { continue }
      let file = folder.appending(path: String(target)).standardizedFileURL.path()
      #expect(FileManager.default.fileExists(atPath: file), "\(page) points to \(target), which is not there")
    }
  }

  @Test func theDrawingsOfTheWiringAreThoseOfTheTables() throws {
    // The tables are those of the board files: see WiringTests.
    let result = try Tool.run(Self.root.appending(path: "Scripts/draw-wiring").path(), ["--check"])
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func theReadmeIsForSomebodyWhoComes() throws {
    #expect(try Self.text(of: "README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 200)
    let contents = try Self.text(of: "docs/manual/README.md")
    for page in Self.pages where page.hasPrefix("docs/manual/") && page != "docs/manual/README.md" {
      let name = page.dropFirst("docs/manual/".count)
      #expect(contents.contains("](\(name))"), "the contents page does not name \(name)")
    }
  }

  private static func text(of page: String) throws -> String {
    try String(contentsOf: root.appending(path: page), encoding: .utf8)
  }

  /// The lines from `opening` after `mark` up to the end of the code block.
  private static func block(of page: String, after mark: String, opening: String) throws -> String? {
    let text = try text(of: page)
    guard let place = text.range(of: mark),
      let start = text.range(of: opening, range: place.upperBound..<text.endIndex),
      let end = text.range(of: "```", range: start.upperBound..<text.endIndex)
    else { return nil }
    return String(text[start.upperBound..<end.lowerBound])
  }
}
