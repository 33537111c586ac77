import Hardware
import JSON
import TestSupport
import Testing

@testable import Console

@Suite struct ConsoleFuzzTests {
  /// Pieces that lead deep into both faces.
  private static let pieces: [[UInt8]] = [
    "status", "press REC", "hold LOCK 2", "list ", "settings recording.format ", "events", "help ", "\t", "\r", "\n",
    "\r\n",
    "\u{1B}[A", "\u{1B}[B", "\u{1B}[D", "\u{1B}[3~", "\u{1B}", "\u{1B}[", "\u{3}", "\u{4}", "\u{C}", "\u{15}", "\u{7F}",
    "\"", "{",
    "}", "[", #"{"jsonrpc":"2.0","id":1,"method":"#, #""session.human"}"#,
    #""events.subscribe","params":{"topics":["onMark"]}}"#,
    #"{"jsonrpc":"2.0","id":5,"method":"session.human"}"# + "\n", "漢", "e\u{301}", "\u{200D}", "é",
  ].map { Array($0.utf8) }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func randomBytesNeverTrapAndTheSessionStillAnswers(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let bench = Bench(width: Int.random(in: 0...120, using: &random), closes: seed == 3)
    bench.start()
    var fed = 0
    while fed < 120_000 {
      var chunk: [UInt8] = []
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        if Int.random(in: 0...3, using: &random) == 0 {
          for _ in 0..<Int.random(in: 1...40, using: &random) {
            chunk.append(UInt8.random(in: 0...255, using: &random))
          }
        } else {
          chunk += Self.pieces.randomElement(using: &random) ?? []
        }
      }
      // Any portions: a byte at a time, or cut in the middle of a character.
      let cut = Int.random(in: 0...chunk.count, using: &random)
      bench.type(Array(chunk[..<cut]))
      bench.device.isSlow = Int.random(in: 0...4, using: &random) == 0
      if Int.random(in: 0...3, using: &random) == 0 {
        bench.deliver(EventRecord(seq: 1, t: .zero, topic: .onMark, data: ["frame": 1]))
        bench.announce("a line")
      }
      bench.type(Array(chunk[cut...]))
      if Int.random(in: 0...2, using: &random) == 0 { bench.device.release() }
      // What is sent back stays in proportion: help is the longest answer to the fewest bytes.
      #expect(bench.take().utf8.count < 2_000_000)
      fed += chunk.count
    }
    try expectAnswer(bench)
  }

  @Test func plainNoiseAsOfAWrongBaudRateNeverTraps() throws {
    var random = SeededGenerator(seed: 77)
    let bench = Bench()
    bench.start()
    for _ in 0..<400 {
      bench.type((0..<500).map { _ in UInt8.random(in: 0...255, using: &random) })
      _ = bench.take()
    }
    try expectAnswer(bench)
  }

  /// After anything, a line end, ^C and a valid request get a valid answer.
  private func expectAnswer(_ bench: Bench) throws {
    bench.device.isSlow = false
    bench.device.release()
    bench.type("\n")
    bench.device.release()
    if !bench.isMachine { bench.type("\u{3}") }
    _ = bench.take()
    bench.type(#"{"jsonrpc":"2.0","id":"last","method":"system.info"}"# + "\n")
    let line = bench.take().split(whereSeparator: { $0 == "\n" || $0 == "\r\n" }).last ?? ""
    #expect(line == #"{"jsonrpc":"2.0","id":"last","result":{}}"#)
  }
}
