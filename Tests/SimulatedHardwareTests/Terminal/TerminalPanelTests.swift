import Foundation
import Hardware
import Panel
import Testing

@testable import SimulatedHardware

@Suite struct TerminalPanelTests {
  static let frame =
    SampleScreens.all.first { $0.name == "recording" }
    .map { Screens.render($0.state, $0.readings, at: $0.now) } ?? Frame()
  static let view = TerminalView(
    frame: frame, litLamps: [.rec], status: "recording 1h07m26s", log: (0..<30).map { "line \($0)" })

  /// After a change that is meant, look at the new pictures and keep them:
  /// `MYNAH_RECORD_GOLDEN=1 swift test --filter TerminalPanelTests`, then see the difference in git.
  @Test("The terminal panel looks as its golden text", arguments: [(80, 24), (132, 40), (60, 12)])
  func golden(columns: Int, rows: Int) throws {
    let lines = TerminalPanel.render(Self.view, columns: columns, rows: rows).lines
    let text = lines.joined(separator: "\n") + "\n"
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Golden/terminal-\(columns)x\(rows).txt")
    if ProcessInfo.processInfo.environment["MYNAH_RECORD_GOLDEN"] == "1" {
      try Data(text.utf8).write(to: file)
      return
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
  }

  @Test("In 80×24 the OLED is there dot by dot in Braille")
  func braille() {
    let grid = TerminalPanel.render(Self.view, columns: 80, rows: 24)
    for x in 0..<128 {
      for y in 0..<64 {
        let code = grid[x / 2 + 1, y / 4 + 1].character.unicodeScalars.first?.value ?? 0
        // Dots 1 2 3 7 down the left, 4 5 6 8 down the right.
        let dot: UInt32 = [[1, 2, 4, 64], [8, 16, 32, 128]][x % 2][y % 4]
        #expect((code & 0xFF00) == 0x2800)
        #expect((code & dot != 0) == Self.frame[x, y])
      }
    }
  }

  @Test("In 132×40 the OLED is there pixel by pixel in half blocks")
  func halfBlocks() {
    let grid = TerminalPanel.render(Self.view, columns: 132, rows: 40)
    for x in 0..<128 {
      for y in 0..<64 {
        let lit: Set<Character> = y % 2 == 0 ? ["▀", "█"] : ["▄", "█"]
        #expect(lit.contains(grid[x + 1, y / 2 + 1].character) == Self.frame[x, y])
      }
    }
  }

  @Test("Both layouts show every lamp and key, the status and the newest log line", arguments: [(80, 24), (132, 40)])
  func parts(columns: Int, rows: Int) {
    let grid = TerminalPanel.render(Self.view, columns: columns, rows: rows)
    let text = grid.lines.joined(separator: "\n")
    for word in ["● REC", "○ STATUS", "○ LOCK", "r", "REC", "STOP", "UP DOWN", "LEFT RIGHT", "CENTRE", "MARK", "quit"] {
      #expect(text.contains(word), "\(word)")
    }
    #expect(text.contains("recording 1h07m26s"))
    #expect(text.contains("line 29"))
    #expect(!text.contains("line 2\n"))
    #expect(grid.lines.count == rows)
  }

  @Test("A lit lamp has its colour and a dark one is faint")
  func lampColours() {
    let grid = TerminalPanel.render(Self.view, columns: 80, rows: 24)
    #expect(grid[67, 2] == TerminalCell("●", .red))
    #expect(grid[67, 3] == TerminalCell("○", .faint))
    var view = Self.view
    view.litLamps = [.status, .lock]
    let other = TerminalPanel.render(view, columns: 80, rows: 24)
    #expect(other[67, 3] == TerminalCell("●", .green))
    #expect(other[67, 4] == TerminalCell("●", .amber))
  }

  @Test("A locked panel and a missing display say so")
  func lockedAndMissing() {
    var view = Self.view
    view.isLocked = true
    view.frame = nil
    for (columns, rows) in [(80, 24), (132, 40)] {
      let text = TerminalPanel.render(view, columns: columns, rows: rows).lines.joined(separator: "\n")
      #expect(text.contains("LOCKED"))
      #expect(text.contains("no display"))
    }
  }

  @Test("A small terminal is told what it takes, and the status comes first")
  func tooSmall() {
    let lines = TerminalPanel.render(Self.view, columns: 79, rows: 24).lines
    #expect(lines.first == "recording 1h07m26s")
    #expect(lines.joined(separator: " ").contains("make it 80×24 or larger"))
    #expect(lines.joined(separator: " ").contains("79×24"))
    #expect(TerminalPanel.render(Self.view, columns: 20, rows: 2).lines.first == "recording 1h07m26s")
  }

  @Test("No size and no text traps or runs over the edge")
  func anySize() {
    var generator = SeededGenerator(seed: 19)
    for _ in 0..<600 {
      let columns = Int.random(in: -1...160, using: &generator)
      let rows = Int.random(in: -1...60, using: &generator)
      let view = TerminalView(
        frame: generator.chance(4) ? nil : Frame(), litLamps: [], isLocked: generator.chance(2),
        status: generator.text(upTo: 200), log: (0..<5).map { _ in generator.text(upTo: 200) })
      let grid = TerminalPanel.render(view, columns: columns, rows: rows)
      #expect(grid.columns == max(1, columns) && grid.rows == max(1, rows))
      #expect(grid.cells.allSatisfy { $0.character.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
    }
  }
}

@Suite struct TerminalCanvasTests {
  @Test("The terminal shows the picture after every update, with and without colour", arguments: [true, false])
  func updates(hasColour: Bool) throws {
    var generator = SeededGenerator(seed: 23)
    var canvas = TerminalCanvas(hasColour: hasColour)
    var emulator = TerminalEmulator(columns: 1, rows: 1)
    var grid = TerminalGrid(columns: 20, rows: 6)
    for _ in 0..<2000 {
      if generator.chance(50) {
        grid = TerminalGrid(
          columns: Int.random(in: 1...30, using: &generator), rows: Int.random(in: 1...8, using: &generator))
      }
      for _ in 0..<Int.random(in: 0...6, using: &generator) {
        grid.write(
          generator.text(upTo: 12), column: Int.random(in: -2...30, using: &generator),
          row: Int.random(in: -1...8, using: &generator), style: generator.pick(TerminalStyle.allCases, or: .plain))
      }
      if emulator.columns != grid.columns || emulator.rows != grid.rows {
        emulator = TerminalEmulator(columns: grid.columns, rows: grid.rows)
      }
      try emulator.feed(canvas.update(to: grid))
      try #require(emulator.shows(grid, hasColour: hasColour))
    }
  }

  @Test("What is shown already costs nothing, and a small change costs little")
  func minimal() {
    var canvas = TerminalCanvas()
    var view = TerminalPanelTests.view
    #expect(!canvas.update(to: TerminalPanel.render(view, columns: 80, rows: 24)).isEmpty)
    #expect(canvas.update(to: TerminalPanel.render(view, columns: 80, rows: 24)).isEmpty)
    view.litLamps = []
    #expect(canvas.update(to: TerminalPanel.render(view, columns: 80, rows: 24)).utf8.count < 40)
    canvas.invalidate()
    #expect(canvas.update(to: TerminalPanel.render(view, columns: 80, rows: 24)).utf8.count > 1000)
  }

  @Test("Leaving undoes what entering did")
  func leave() {
    for mode in ["?1049", "?25", "?7", "?2004"] {
      let isSetByEnter = TerminalCanvas.enter.contains("[\(mode)h")
      #expect(TerminalCanvas.leave.contains("[\(mode)\(isSetByEnter ? "l" : "h")"))
    }
  }
}
