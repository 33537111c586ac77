import Board
import Foundation
import Testing

@Suite struct WiringTests {
  private static let boards = ["raspberrypi4", "raspberrypi-zero2w"]

  /// With MYNAH_WRITE set, as `make wiring` does, the README is written instead of compared.
  @Test func theTablesOfTheReadmeAreThoseOfTheBoardFiles() throws {
    let file = repositoryFile("board/README.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    var fresh = try #require(BoardReport.fillReference(text), "board/README.md has no part <!-- keys -->")
    for name in Self.boards {
      let board = try Boards.load(builtIn: name)
      fresh = try #require(
        WiringTable.fill(fresh, board: board), "board/README.md has no part <!-- wiring: \(name) -->")
    }
    if ProcessInfo.processInfo.environment["MYNAH_WRITE"] != nil {
      try fresh.write(to: file, atomically: true, encoding: .utf8)
    } else {
      #expect(fresh == text, "board files or schema changed: run make wiring")
    }
  }

  @Test(arguments: boards) func noPinIsNamedTwice(_ name: String) throws {
    let table = WiringTable.markdown(for: try Boards.load(builtIn: name))
    let pins = table.split(separator: "\n").dropFirst(2).map { row in
      Int(row.split(separator: "|")[0].trimmingCharacters(in: .whitespaces)) ?? 0
    }
    #expect(pins.count > 15)
    #expect(Set(pins).count == pins.count)
    #expect(pins == pins.sorted())
    #expect(pins.allSatisfy { (1...40).contains($0) })
  }

  @Test func theHeaderIsTheOneOfTheRaspberryPi() {
    // Spot checks against the printed header: line, pin.
    for (line, pin) in [(2, 3), (3, 5), (14, 8), (17, 11), (18, 12), (27, 13), (26, 37), (21, 40), (12, 32)] {
      #expect(HeaderLayout.raspberryPi40.pin(ofLine: line) == pin)
    }
    #expect((0...27).compactMap { HeaderLayout.raspberryPi40.pin(ofLine: $0) }.count == 28)
    #expect(HeaderLayout.raspberryPi40.pin(ofLine: 28) == nil)
    #expect(HeaderLayout.none.pin(ofLine: 2) == nil)
  }

  @Test func aDocumentWithoutMarksIsLeftAlone() throws {
    let board = try Boards.load(builtIn: "raspberrypi4")
    #expect(WiringTable.fill("# Nothing\n", board: board) == nil)
    #expect(WiringTable.fill("<!-- wiring: raspberrypi4 -->\n", board: board) == nil)
    let filled = WiringTable.fill("a\n<!-- wiring: raspberrypi4 -->\nold\n<!-- end -->\nb\n", board: board)
    #expect(filled?.hasPrefix("a\n<!-- wiring: raspberrypi4 -->\n\n| Pin |") == true)
    #expect(filled?.hasSuffix("|\n\n<!-- end -->\nb\n") == true)
    #expect(filled?.contains("old") == false)
  }
}
