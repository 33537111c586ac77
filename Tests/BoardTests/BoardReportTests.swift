import Board
import Foundation
import Testing

@Suite struct BoardReportTests {
  private let none: Boards.Reader = { (_) throws(BoardReadError) in throw BoardReadError(reason: "no such file") }

  @Test func checkSaysThatAFileIsInOrder() {
    let report = BoardReport.check("raspberrypi4", reader: none)
    #expect(report.isInOrder)
    #expect(
      report.text
        == "<built-in>/raspberrypi4.toml: in order: board raspberrypi4 (Raspberry Pi 4 Model B), 9 keys, 3 LEDs\n")
  }

  @Test func checkListsEveryProblemAndCountsThem() {
    let files = MemoryFiles(files: ["x.toml": "a = 1\nb = 2\n"])
    let report = BoardReport.check("x.toml") { (path) throws(BoardReadError) in try files.read(path) }
    #expect(!report.isInOrder)
    let lines = report.text.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("x.toml:1: unknown key \"a\""))
    #expect(lines[2] == "x.toml: 2 problems")
  }

  @Test func listHasALineABoard() {
    #expect(
      BoardReport.list() == """
        raspberrypi-zero2w  Raspberry Pi Zero 2 W
        raspberrypi4        Raspberry Pi 4 Model B
        simulator           Simulator

        """)
  }

  @Test(arguments: Boards.builtInNames) func whatShowPrintsIsABoardFileOfTheSameBoard(_ name: String) throws {
    let text = try BoardReport.show(name, reader: none)
    var shown = try MemoryFiles(files: ["shown.toml": text]).load("shown.toml")
    var board = try Boards.load(builtIn: name)
    shown.origins = [:]
    shown.file = ""
    board.origins = [:]
    board.file = ""
    #expect(shown == board)
  }

  @Test func showSaysWhereEachKeyWasSet() throws {
    let text = try BoardReport.show("raspberrypi4", reader: none)
      .split(separator: " ").joined(separator: " ")
    #expect(text.contains("pcm = \"hw:CARD=Headphones\" # <built-in>/raspberrypi4.toml:9\n"))
    #expect(text.contains("baud = 115200 # <built-in>/raspberrypi.toml:"))
    #expect(text.contains("contrast = 207 # default\n"))
    #expect(text.contains("# | 11 | GPIO17 | key REC"))
  }
}
