import Hardware
import Testing

@testable import SimulatedHardware

@Suite struct TerminalKeysTests {
  static let hold = Duration.milliseconds(700)
  static let cases: [(bytes: String, actions: [TerminalAction])] = [
    ("rsml", [.tap(.rec), .tap(.stop), .tap(.mark), .tap(.lock)]),
    ("RSMC", [.hold(.rec, hold), .hold(.stop, hold), .hold(.mark, hold), .hold(.centre, hold)]),
    ("L", [.hold(.lock, .milliseconds(2200))]),
    (" \r\nc", [.tap(.centre), .tap(.centre), .tap(.centre), .tap(.centre)]),
    ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.tap(.up), .tap(.down), .tap(.right), .tap(.left)]),
    ("\u{1B}OA\u{1B}OD", [.tap(.up), .tap(.left)]),
    ("\u{1B}[1;2A\u{1B}[1;2B", [.hold(.up, hold), .hold(.down, hold)]),
    ("\u{1B}[1;2C\u{1B}[d", [.hold(.right, .milliseconds(1500)), .hold(.left, .milliseconds(1500))]),
    (
      "ud,.<>",
      [
        .tap(.up), .tap(.down), .tap(.left), .tap(.right), .hold(.left, .milliseconds(1500)),
        .hold(.right, .milliseconds(1500)),
      ]
    ),
    ("p\u{0C}q\u{03}\u{04}", [.screenshot, .redraw, .quit, .quit, .quit]),
    // Function keys, control-arrows, alt-r, a mouse report and unknown letters mean nothing.
    ("\u{1B}[15~\u{1B}[1;5A\u{1B}r\u{1B}[<0;3;4Mxyz", []),
    // Pasted text presses nothing, whatever is in it; the end of what did not begin means nothing.
    ("s\u{1B}[200~Mrs\u{1B}[1;2A\u{1B}\u{1B}[20\u{3}q\r\u{1B}[201~r", [.tap(.stop), .tap(.rec)]),
    ("\u{1B}[201~r\u{1B}[200~\u{1B}[201~s", [.tap(.rec), .tap(.stop)]),
    // A sequence cut short by another one, and by a key.
    ("\u{1B}[1;\u{1B}[Ar", [.tap(.up), .tap(.rec)]),
  ]

  @Test("Keys mean what the panel says", arguments: cases.indices)
  func known(index: Int) {
    var keys = TerminalKeys()
    #expect(keys.parse(Self.cases[index].bytes.utf8) == Self.cases[index].actions)
    #expect(!keys.isPending)
  }

  @Test("Where reads split a sequence makes no difference", arguments: cases.indices)
  func split(index: Int) {
    let bytes = Array(Self.cases[index].bytes.utf8)
    for cut in 0...bytes.count {
      var keys = TerminalKeys()
      let actions = keys.parse(bytes[..<cut]) + keys.parse(bytes[cut...])
      #expect(actions == Self.cases[index].actions)
    }
  }

  @Test("A lone escape is given up and the next key counts")
  func loneEscape() {
    var keys = TerminalKeys()
    #expect(keys.parse([0x1B]).isEmpty)
    #expect(keys.isPending)
    keys.reset()
    #expect(keys.parse("r".utf8) == [.tap(.rec)])
  }

  @Test("Pasted text without an end is over when nothing more comes, or at a million bytes")
  func endlessPaste() {
    var keys = TerminalKeys()
    #expect(keys.parse("\u{1B}[200~rs".utf8).isEmpty)
    #expect(keys.isPending && keys.patience == .seconds(1))
    keys.reset()
    #expect(!keys.isPending && keys.patience == .milliseconds(50))
    #expect(keys.parse("r".utf8) == [.tap(.rec)])
    #expect(keys.parse("\u{1B}[200~".utf8).isEmpty)
    let count = keys.parse(repeatElement(UInt8(ascii: "r"), count: 1_500_000)).count
    #expect((1..<500_000).contains(count))
    #expect(keys.parse("q".utf8) == [.quit])
  }

  @Test("No bytes trap, and q quits after any of them")
  func fuzz() {
    var generator = SeededGenerator(seed: 29)
    for _ in 0..<50_000 {
      var keys = TerminalKeys()
      let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        generator.chance(3)
          ? generator.pick(Array("\u{1B}[O;12ABCDrq~".utf8), or: 0) : UInt8.random(in: 0...255, using: &generator)
      }
      let whole = keys.parse(bytes)
      var again = TerminalKeys()
      #expect(bytes.flatMap { again.parse([$0]) } == whole)
      keys.reset()
      #expect(keys.parse("q".utf8) == [.quit])
    }
  }
}
