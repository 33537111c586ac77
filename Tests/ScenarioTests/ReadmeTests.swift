import Foundation
import Testing

/// What README.md shows the program printing is what it prints.
@Suite struct ReadmeTests {
  private static let document = URL(filePath: #filePath).appending(path: "../../../README.md").standardizedFileURL

  @Test func theScriptRunsAndGivesTheEventsThatAreShown() throws {
    let script = try #require(try Self.block(after: "`interview.mynah`:", opening: "```text\n"))
    let shown = try #require(try Self.block(after: "simulate --script interview.mynah", opening: "\n"))
    let folder = try ScratchFolder()
    let mynah = Mynah(folder: folder)
    // Its picture goes to the scratch folder, not to where the tests run.
    let run = try mynah.run(script.replacingOccurrences(of: "armed.png", with: folder.path("armed.png")))
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
    let shown = try #require(try Self.block(after: command, opening: "\n"))
    let printed = try Tool.succeed(Mynah.executable.path, arguments)
    let table = printed.trimmingCharacters(in: .newlines)
    #expect(shown.hasPrefix(table), "\(command) prints:\n\(table)")
  }

  /// The lines from `opening` after `mark` up to the end of the code block.
  private static func block(after mark: String, opening: String) throws -> String? {
    let text = try String(contentsOf: document, encoding: .utf8)
    guard let place = text.range(of: mark),
      let start = text.range(of: opening, range: place.upperBound..<text.endIndex),
      let end = text.range(of: "```", range: start.upperBound..<text.endIndex)
    else { return nil }
    return String(text[start.upperBound..<end.lowerBound])
  }
}
