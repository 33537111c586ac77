import Foundation
import Testing

@testable import Board

/// Settings and the first operator of a board file.
@Suite struct BoardPresetTests {
  @Test func `Settings come with their places, the inheriting file's over the other's`() throws {
    let files = MemoryFiles(files: [
      "base.toml": "[settings]\nui.language = \"ru\"\nrecording.format = \"wav\"\n",
      "x.toml": """
      inherits = "base.toml"
      [settings]
      recording.format = "flac"
      lock.pin = "0042"
      recording.gainDb = 3
      playback.rate = 1.5
      [settings.ui]
      voice = true
      [operator]
      name = "anna"
      password = "a sentence"
      """,
    ])
    let board = try files.load("x.toml")
    #expect(
      board.presets.map(\.key) == [
        "lock.pin", "playback.rate", "recording.format", "recording.gainDb", "ui.language", "ui.voice",
      ])
    #expect(
      board.presets.map(\.value) == [
        .text("0042"), .number(1.5), .text("flac"), .integer(3), .text("ru"), .flag(true),
      ])
    #expect(board.presets.map { "\($0.place)" }.prefix(3) == ["x.toml:4", "x.toml:6", "x.toml:3"])
    #expect(board.presets[4].place.description == "base.toml:2")
    #expect(board.firstOperator?.name == "anna" && board.firstOperator?.place.line == 10)
    let shown = try BoardReport.show("x.toml") { (path) throws(BoardReadError) in try files.read(path) }
    #expect(!shown.contains("0042") && !shown.contains("a sentence") && shown.contains("lock.pin (x.toml:4)"))
  }

  @Test func `What is no value is told by its line, and what is wrong for whoever knows the settings, too`() {
    func problems(_ text: String) -> [String] { MemoryFiles(files: ["x.toml": text]).problems("x.toml") }
    #expect(
      problems("[settings]\na.b = [1]\nc = 1979-05-27\n") == [
        "x.toml:2: settings.a.b: expected a text, a number, true or false, found a list of 1",
        "x.toml:3: settings.c: expected a text, a number, true or false, found a date or time",
      ])
    #expect(problems("settings = 3\n") == ["x.toml:1: settings is a table, not 3"])
    #expect(problems("[settings]\na.b.c.d.e = 1\n").count == 1)
    #expect(
      problems("[operator]\nname = \"anna\"\n") == ["x.toml:2: operator: expected name and password, found one of them"]
    )
    #expect(
      problems("[operator]\nname = \"anna\"\npassword = 12345678\n").first
        == "x.toml:2: operator: expected name and password, found one of them")
    #expect(!problems("[operator]\npassword = 12345678\n").contains { $0.contains("12345678") })
    #expect(problems("[setings]\n") == ["x.toml:1: unknown table \"setings\"; did you mean \"settings\"?"])
    let files = MemoryFiles(files: ["x.toml": "[settings]\nx = 1\n"])
    let (text, isInOrder) = BoardReport.check("x.toml") { (path) throws(BoardReadError) in
      try files.read(path)
    } judge: {
      $0.presets.map { $0.problem("there is no \($0.key)") }
    }
    #expect(!isInOrder && text.hasPrefix("x.toml:2: there is no x\n"))
    // Both at once.
    let both = MemoryFiles(files: ["x.toml": "[setings]\n[settings]\nx = 1\n"])
    let all = BoardReport.check("x.toml") { (path) throws(BoardReadError) in
      try both.read(path)
    } judge: {
      $0.presets.map { $0.problem("there is no \($0.key)") }
    }
    #expect(!all.isInOrder && all.text.hasSuffix("x.toml: 2 problems\n"), "\(all.text)")
    #expect(all.text.contains("x.toml:1: unknown table") && all.text.contains("x.toml:3: there is no x\n"))
  }
}
