import Hardware
import TestSupport
import Testing

@testable import Panel

@Suite struct PaintingTests {
  @Test("Painting a column equals painting its pixels one by one, clipped at every edge")
  func column() {
    var generator = SeededGenerator(seed: 13)
    for _ in 0..<5000 {
      var fast = Frame(width: 24, height: 40)
      for index in fast.pages.indices { fast.pages[index] = UInt8.random(in: 0...255, using: &generator) }
      var slow = fast
      let x = Int.random(in: -3...26, using: &generator)
      let y = Int.random(in: -80...50, using: &generator)
      let bits = UInt64.random(in: 0...(.max), using: &generator)
      let ink = generator.pick([Ink.lit, .dark, .inverted], or: .lit)
      fast.paint(column: x, row: y, bits: bits, ink: ink)
      for bit in 0..<64 where bits & (1 << UInt64(bit)) != 0 {
        slow[x, y + bit] = ink == .lit || (ink == .inverted && !slow[x, y + bit])
      }
      #expect(fast == slow)
    }
  }

  @Test("Fills, outlines and shades stay inside their area, whatever it is")
  func areas() {
    var generator = SeededGenerator(seed: 17)
    for _ in 0..<3000 {
      let area = Area(
        Int.random(in: -20...40, using: &generator), Int.random(in: -20...50, using: &generator),
        Int.random(in: -5...60, using: &generator), Int.random(in: -5...60, using: &generator))
      var filled = Frame(width: 32, height: 40)
      filled.fill(area)
      var others = Frame(width: 32, height: 40)
      others.outline(area)
      others.shade(area)
      others.badge(area)
      for x in 0..<32 {
        for y in 0..<40 {
          let isInside = x >= area.x && x < area.endX && y >= area.y && y < area.endY
          #expect(filled[x, y] == isInside)
          if others[x, y] { #expect(isInside, "\(area)") }
        }
      }
    }
  }

  @Test("A line joins its ends without a hole, in every direction")
  func line() {
    for end in [(0, 0), (15, 0), (0, 15), (15, 15), (15, 4), (3, 15)] {
      var there = Frame(width: 16, height: 16)
      there.line(from: (x: 7, y: 8), to: (x: end.0, y: end.1))
      #expect(there[7, 8] && there[end.0, end.1])
      #expect(there.pixels.filter { $0 }.count == max(abs(end.0 - 7), abs(end.1 - 8)) + 1)
    }
  }

  @Test("An icon looks as it is written")
  func icon() {
    var frame = Frame(width: 8, height: 8)
    frame.icon(.play, x: 1, y: 0)
    #expect(frame.art.split(separator: "\n").prefix(4) == [".##.....", ".####...", ".#####..", ".######."])
  }
}
