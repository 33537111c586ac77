import Foundation
import Testing

/// The tables of what is promised, in the manual and in SECURITY.md: each promise is held by something, and all that is named
/// there exists.
@Suite struct PromisesTests {
  private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardizedFileURL

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// What a pattern's group finds.
  private static func found(_ pattern: String, in text: String) throws -> [String] {
    try text.matches(of: Regex(pattern)).compactMap { $0.output[1].substring.map(String.init) }
  }

  @Test(arguments: ["docs/manual/promises.md", "SECURITY.md"])
  func everyPromiseIsHeldByATestThatIsThere(page path: String) throws {
    let scripts = try ["Recording", "Playing"].flatMap {
      try Self.found(#""([0-9]{2}): "#, in: Self.text("Tests/ScenarioTests/\($0)ScriptTests.swift"))
    }
    #expect(scripts.sorted() == (1...20).map { $0 < 10 ? "0\($0)" : "\($0)" })
    let checks = try Self.found(#"row\("([a-z0-9-]+)""#, in: Self.text("Tests/Rig/rig/checks/__init__.py"))
    let parts = try Self.found(#""([a-z]+)": [a-z]+\.[a-z]+[,}]"#, in: Self.text("Tests/Benchmarks/run"))
    // Of a page with several tables the one of promises.
    let page = try Self.text(path).split(separator: "\n", omittingEmptySubsequences: false)
    let head = try #require(page.firstIndex { $0.hasPrefix("| ") && $0.hasSuffix("| held by |") })
    let rows = page[head...].prefix { $0.hasPrefix("|") }.dropFirst(2)
    #expect(rows.count > 10)
    let folder = Self.root.appendingPathComponent(path).deletingLastPathComponent()
    for row in rows {
      let cells = row.dropFirst(2).split(separator: " | ")
      try #require(cells.count == 2, "\(row)")
      let held = String(cells[1])
      let files = try Self.found(#"\]\(([^)]+)\)"#, in: held)
      for file in files {
        let path = folder.appendingPathComponent(file).standardizedFileURL.path
        #expect(FileManager.default.fileExists(atPath: path), "\(file)")
      }
      let rig = try Self.found(#"`([a-z0-9-]+)`"#, in: held.replacing(try Regex("`make [^`]*`"), with: ""))
      let benches = try Self.found("make bench ARGS=([a-z]+)", in: held)
      for name in rig { #expect(checks.contains(name), "no check of the rig is called \(name)") }
      for name in benches { #expect(parts.contains(name), "no bench is called \(name)") }
      #expect(
        !files.isEmpty || !rig.isEmpty || !benches.isEmpty || held.contains("script"), "nothing holds \(cells[0])")
    }
  }
}
