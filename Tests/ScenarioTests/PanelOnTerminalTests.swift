import Foundation
import JSON
import TestSupport
import Testing

/// `mynah simulate` on a terminal, from outside: what a person at it sees and is left with.
@Suite("The front panel on a terminal", .serialized)
struct PanelOnTerminalTests {
  private let folder: TemporaryFolder
  private let mynah: Mynah

  init() throws {
    folder = TemporaryFolder()
    mynah = Mynah(folder: folder)
  }

  private func open(
    columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]
  ) throws -> PseudoTerminal {
    try PseudoTerminal(
      Mynah.executable.path, ["simulate", "--data", mynah.data.path, "--microphone", "speech", "--speaker", "none"],
      columns: columns, rows: rows, environment: environment)
  }

  private func expectGivenBack(_ terminal: PseudoTerminal) {
    #expect(terminal.modes == terminal.untouched)
    let text = terminal.text
    for mode in ["1049", "25", "7", "2004"] {
      let set = text.ranges(of: "\u{1B}[?\(mode)h").last?.lowerBound
      let reset = text.ranges(of: "\u{1B}[?\(mode)l").last?.lowerBound
      // The alternate screen is left, and pasted text no longer marked; cursor and wrapping are on again.
      if let set, let reset { #expect(["1049", "2004"].contains(mode) ? reset > set : set > reset, "mode \(mode)") }
    }
  }

  @Test("records, marks and saves by its keys, and leaves the terminal as it was")
  func keys() throws {
    let terminal = try open()
    try terminal.wait(for: "ready, pre-record")
    #expect(terminal.text.contains("\u{1B}[?1049h"))
    #expect(terminal.modes != terminal.untouched)
    terminal.type("r")
    try terminal.wait(for: "recording 0m")
    try terminal.wait(for: "● REC")
    terminal.type("m")
    terminal.type("s")
    try terminal.wait(for: "saved 0")
    try terminal.wait(for: "○ REC")
    terminal.type(" ")
    try terminal.wait(for: "playing 0m")
    terminal.type("q")
    #expect(try terminal.waitForEnd() == 0)
    expectGivenBack(terminal)
    #expect(terminal.text.hasSuffix("Takes are in \(mynah.data.path)/recordings.\r\n"))
    let take = try #require(mynah.takes.first)
    #expect(mynah.takes.count == 1)
    #expect(try Sound.frames(take) > 0)
  }

  @Test("saves the take that is running when it is told to end", arguments: ["q", "\u{3}", "SIGTERM", "SIGHUP"])
  func endWhileRecording(how: String) throws {
    let terminal = try open()
    try terminal.wait(for: "ready, pre-record")
    terminal.type("r")
    try terminal.wait(for: "recording 0m01s")
    switch how {
    case "SIGTERM": terminal.send(SIGTERM)
    case "SIGHUP": terminal.send(SIGHUP)
    default: terminal.type(how)
    }
    #expect(try terminal.waitForEnd() == 0)
    expectGivenBack(terminal)
    let take = try #require(mynah.takes.first)
    #expect(try Sound.frames(take) >= 48_000)
    #expect(try Metadata(of: take)["frames"]?.integerValue == Sound.frames(take))
  }

  @Test("gives the terminal back when the program crashes", arguments: [SIGSEGV, SIGABRT, SIGILL, SIGQUIT])
  func crash(signal: Int32) throws {
    let terminal = try open()
    try terminal.wait(for: "ready, pre-record")
    terminal.send(signal)
    #expect(try terminal.waitForEnd() == -Int(signal))
    expectGivenBack(terminal)
  }

  @Test("leaves the terminal alone when it cannot start")
  func refusal() throws {
    let terminal = try PseudoTerminal(
      Mynah.executable.path, ["simulate", "--data", mynah.data.path, "--microphone", folder.file("nothing.wav")])
    #expect(try terminal.waitForEnd() != 0)
    #expect(terminal.modes == terminal.untouched)
    #expect(!terminal.text.contains("\u{1B}["))
    #expect(terminal.text.contains("nothing.wav"))
  }

  @Test("takes pasted text for no keys")
  func paste() throws {
    let terminal = try open()
    try terminal.wait(for: "ready, pre-record")
    #expect(terminal.text.contains("\u{1B}[?2004h"))
    terminal.type("\u{1B}[200~lurker's request: quit\u{1B}[201~r")
    try terminal.wait(for: "recording 0m")
    #expect(!terminal.screen.text.contains("● LOCK"))
    terminal.type("q")
    #expect(try terminal.waitForEnd() == 0)
    expectGivenBack(terminal)
    #expect(mynah.takes.count == 1)
  }

  @Test("follows the terminal's size")
  func resize() throws {
    let terminal = try open()
    try terminal.wait(for: "ready, pre-record")
    for (columns, rows, words) in [(140, 45, "┐       "), (60, 20, "make it 80×24"), (100, 30, "┐ MYNAH")] {
      terminal.resize(columns: columns, rows: rows)
      try terminal.wait(for: "\(columns)×\(rows)") { $0.text.contains(words) && $0.text.contains("ready, pre-record") }
    }
    #expect(terminal.screen.lines[0].hasPrefix("┌" + String(repeating: "─", count: 64) + "┐"))
    terminal.type("q")
    #expect(try terminal.waitForEnd() == 0)
  }

  @Test("locks by l, ignores REC then, and is unlocked by L")
  func lock() throws {
    let terminal = try open()
    try terminal.wait(for: "ready, pre-record")
    terminal.type("l")
    try terminal.wait(for: "● LOCK")
    try terminal.wait(for: "LOCKED")
    terminal.type("r")
    terminal.type("L")
    try terminal.wait(for: "○ LOCK")
    try terminal.wait(for: "unlocked and idle") { !$0.text.contains("LOCKED") && $0.text.contains("○ REC") }
    terminal.type("q")
    #expect(try terminal.waitForEnd() == 0)
    #expect(mynah.takes.isEmpty)
  }

  @Test("keeps a picture and says where")
  func picture() throws {
    let terminal = try open(columns: 140, rows: 45)
    try terminal.wait(for: "ready, pre-record")
    terminal.type("pp")
    try terminal.wait(for: "two pictures") { $0.text.ranges(of: "picture: ").count == 2 }
    terminal.type("q")
    #expect(try terminal.waitForEnd() == 0)
    let files = try FileManager.default.contentsOfDirectory(atPath: mynah.data.path).filter { $0.hasSuffix(".png") }
    #expect(files.count == 2)
    for file in files {
      let size = try Tool.succeed(
        "ffprobe",
        ["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", mynah.data.path + "/" + file])
      #expect(size.hasPrefix("1024,512"))
    }
  }

  @Test("uses no colour where none is wanted")
  func noColour() throws {
    let terminal = try open(environment: ["NO_COLOR": "1"])
    try terminal.wait(for: "ready, pre-record")
    terminal.type("q")
    #expect(try terminal.waitForEnd() == 0)
    #expect(terminal.text.firstMatch(of: /\e\[[0-9;]*(3[0-7]|4[0-7]|9[0-7])[0-9;]*m/) == nil)
  }
}
