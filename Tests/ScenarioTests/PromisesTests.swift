import Foundation
import Testing

/// The manual's table of what is promised: each promise is held by something, and all that is named there exists.
@Suite struct PromisesTests {
  private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardizedFileURL

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// What a pattern's group finds.
  private static func found(_ pattern: String, in text: some StringProtocol) throws -> [String] {
    try text.matches(of: Regex(pattern)).compactMap { $0.output[1].substring.map(String.init) }
  }

  @Test func everyPromiseIsHeldByATestThatIsThere() throws {
    let scripts = try ["Recording", "Playing"].flatMap {
      try Self.found(#""([0-9]{2}): "#, in: Self.text("Tests/ScenarioTests/\($0)ScriptTests.swift"))
    }
    #expect(scripts.sorted() == (1...20).map { $0 < 10 ? "0\($0)" : "\($0)" })
    let checks = try Self.found(#"row\("([a-z0-9-]+)""#, in: Self.text("Tests/Rig/rig/checks/__init__.py"))
    let parts = try Self.found(#""([a-z]+)": [a-z]+\.[a-z]+[,}]"#, in: Self.text("Tests/Benchmarks/run"))
    let page = try Self.text("docs/manual/promises.md")
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
    #expect(rows.count > 20)
    for row in rows {
      let cells = row.dropFirst(2).split(separator: " | ")
      try #require(cells.count == 2, "\(row)")
      let held = cells[1]
      let files = try Self.found(#"\]\(([^)]+)\)"#, in: held)
      for file in files {
        let path = Self.root.appendingPathComponent("docs/manual/\(file)").standardizedFileURL.path
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
