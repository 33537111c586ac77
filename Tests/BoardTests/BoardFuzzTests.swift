import Board
import Foundation
import TestSupport
import Testing

@Suite struct BoardFuzzTests {
  /// Either a board, or problems that all name a file and a line and stay on one line.
  private func check(_ bytes: [UInt8], seed: UInt64) {
    do {
      _ = try Boards.load(path: "f.toml") { (path) throws(BoardReadError) in
        guard path == "f.toml" else { throw BoardReadError(reason: "no such file") }
        return bytes
      }
    } catch {
      #expect(!error.problems.isEmpty, "seed \(seed)")
      for problem in error.problems {
        let isPlaced = problem.place.line >= 1 && !problem.place.file.isEmpty && !problem.message.isEmpty
        if !isPlaced || problem.description.utf8.contains(where: { $0 < 32 || $0 == 127 }) {
          Issue.record("seed \(seed): \(problem)")
        }
      }
    }
  }

  @Test func randomBytesNeverTrap() {
    for seed in 0..<5000 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let count = Int.random(in: 0...300, using: &generator)
      // Half of the cases keep to the letters that TOML is made of, to get past the first line.
      let letters = Array("abc.=[]{}\"'\\#,0x1e-_ \n\r\t\u{e9}:".utf8)
      let isPlain = Bool.random(using: &generator)
      let bytes = (0..<count).map { _ in
        isPlain
          ? letters[Int.random(in: 0..<letters.count, using: &generator)] : UInt8.random(in: 0...255, using: &generator)
      }
      check(bytes, seed: seed)
    }
  }

  @Test func mutatedBoardFilesNeverTrap() throws {
    let texts = ["raspberrypi", "raspberrypi4", "raspberrypi-zero2w", "simulator"].compactMap {
      Boards.text(ofBuiltIn: $0).map { Array($0.replacing("\"raspberrypi.toml\"", with: "\"raspberrypi\"").utf8) }
    }
    try #require(texts.count == 4)
    for seed in 0..<6000 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed &+ 1_000_000)
      var bytes = texts[Int(seed % 4)]
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes[place] = UInt8(ascii: "0") + UInt8.random(in: 0...9, using: &generator)
        case 2: bytes.removeSubrange(place..<min(bytes.count - 1, place + Int.random(in: 1...30, using: &generator)))
        case 3:
          let from = Int.random(in: 0..<bytes.count, using: &generator)
          bytes.insert(contentsOf: bytes[from..<min(bytes.count, from + 40)], at: place)
        default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &generator))
        }
        if bytes.count < 2 { break }
      }
      check(bytes, seed: seed)
    }
  }
}
