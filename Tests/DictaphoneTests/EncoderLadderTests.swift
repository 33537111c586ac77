import Media
import Recording
import TestSupport
import Testing

@testable import Dictaphone

@Suite struct EncoderLadderTests {
  private static let rate = 1000

  @Test("Each format begins as it is set, and ends with WAV")
  func rungs() {
    #expect(
      EncoderLadder(.aac, coder: .thorough, sampleRate: 48_000).rungs == [
        .coder(.thorough), .coder(.fast), .coder(.narrow), .plain,
      ])
    #expect(EncoderLadder(.aac, coder: .fast, sampleRate: 48_000).rungs == [.coder(.fast), .coder(.narrow), .plain])
    #expect(EncoderLadder(.opus, coder: .fast, sampleRate: 48_000).rungs == [.asSet, .plain])
    #expect(EncoderLadder(.wav, coder: .fast, sampleRate: 48_000).rungs == [.asSet])
  }

  @Test("A processor that is fast enough on some rung loses nothing, whatever it costs above, and settles there")
  func enough() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var ladder = EncoderLadder(.aac, coder: .thorough, sampleRate: Self.rate)
      // Seconds of sound that a second of work encodes, rung by rung.
      var speeds: [Double] = []
      for _ in 0..<3 { speeds.append(max(speeds.last ?? 0, Double.random(in: 0.05...4, using: &random))) }
      speeds.append(Double.random(in: 5...20, using: &random))
      let pastSeconds = Int.random(in: 0...60, using: &random)
      let capacity = (pastSeconds + 3) * Self.rate
      var waiting = Double(pastSeconds * Self.rate)
      var heard = pastSeconds * Self.rate
      var lost = false
      for _ in 0..<60_000 {
        // 20 ms at a time.
        heard += 20
        waiting = max(0, waiting + 20 - 20 * speeds[ladder.place])
        lost = lost || Int(waiting) > capacity
        _ = ladder.step(waiting: Int(waiting), room: capacity - Int(waiting), heard: heard, isHeldUp: false)
      }
      #expect(!lost, "seed \(seed)")
      // It only ever tries a dearer one after a while, and less and less often: 1200 s here.
      #expect(ladder.climbs <= 3 + 3 * 6, "seed \(seed)")
      #expect(ladder.falls - ladder.climbs == ladder.place, "seed \(seed)")
      if speeds[0] > 1.1 { #expect(ladder.place == 0 && ladder.falls == 0, "seed \(seed)") }
    }
  }

  @Test("Sound that waits for the card changes nothing")
  func card() {
    var ladder = EncoderLadder(.aac, coder: .thorough, sampleRate: Self.rate)
    for tick in 0..<500 {
      #expect(ladder.step(waiting: tick * 6, room: 3000 - tick * 6, heard: tick * 20, isHeldUp: true) == nil)
    }
  }

  @Test("From WAV nothing leads back")
  func plain() {
    var ladder = EncoderLadder(.flac, coder: .fast, sampleRate: Self.rate)
    var heard = 0
    for room in stride(from: 3000, to: 0, by: -100) {
      heard += 200
      _ = ladder.step(waiting: 3000 - room, room: room, heard: heard, isHeldUp: false)
    }
    #expect(ladder.rung == .plain)
    for _ in 0..<100_000 {
      heard += 200
      #expect(ladder.step(waiting: 0, room: 3000, heard: heard, isHeldUp: false) == nil)
    }
    #expect(ladder.falls == 1 && ladder.climbs == 0)
  }
}
