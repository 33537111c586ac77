import Testing

@testable import SimulatedHardware

@Suite struct TerminalTextTests {
  @Test("Lines break between words where they can")
  func words() {
    #expect(wrapped("make it 80×24 or larger", columns: 10, maximum: 9) == ["make it", "80×24 or", "larger"])
    #expect(wrapped("abcdefgh ij", columns: 3, maximum: 9) == ["abc", "def", "gh", "ij"])
    #expect(wrapped("one two three", columns: 5, maximum: 2) == ["one", "two…"])
    #expect(wrapped("", columns: 5, maximum: 2).isEmpty)
  }

  @Test("Wrapping never exceeds the width, and loses no word that there is room for")
  func anything() {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<10_000 {
      let text = generator.text(upTo: 90)
      let columns = Int.random(in: 0...30, using: &generator)
      let maximum = Int.random(in: 0...8, using: &generator)
      let lines = wrapped(text, columns: columns, maximum: maximum)
      #expect(lines.count <= maximum && lines.allSatisfy { $0.count <= columns })
      let all = wrapped(text, columns: max(1, columns), maximum: 1000)
      #expect(all.joined().filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
    }
  }
}
