import Foundation
import Testing

@testable import Dubbing

@Suite("Ducking")
struct DuckerTests {
  /// Decibels a millisecond, from 0 on.
  private func levels(_ voices: [Ducker.Voice], programme: Double?, _ settings: DubSettings, milliseconds: Int)
    -> [Double]
  {
    var ducker = Ducker()
    return (0..<milliseconds).map { millisecond in
      _ = ducker.advance(at: millisecond * 48, voices: voices, programme: programme, settings: settings)
      return ducker.level
    }
  }

  private func voice(_ start: Double, _ end: Double) -> Ducker.Voice {
    Ducker.Voice(start: Int(start * 48_000), end: Int(end * 48_000), loudness: -18)
  }

  @Test func `The programme goes down by what the voice needs, and is down when it begins`() {
    let levels = levels([voice(1, 2)], programme: -23, DubSettings(), milliseconds: 5000)
    // −18 − 15 − (−23) = −10.
    #expect(levels[849] == 0)
    #expect(abs(levels[1000] + 10) < 0.1)
    #expect(abs((levels.min() ?? 0) + 10) < 0.01)
    // Held for a second after the voice's end, back half a second later.
    #expect(abs(levels[2999] + 10) < 0.01)
    #expect(levels[3510] == 0)
  }

  @Test func `Not below its floor, and not at all under a quiet programme`() {
    #expect(abs((levels([voice(1, 2)], programme: -5, DubSettings(), milliseconds: 2000).min() ?? 0) + 24) < 0.01)
    #expect(levels([voice(1, 2)], programme: -40, DubSettings(), milliseconds: 2000).allSatisfy { $0 == 0 })
    #expect(levels([voice(1, 2)], programme: nil, DubSettings(), milliseconds: 2000).allSatisfy { $0 == 0 })
    var music = DubSettings()
    music.overMusic = true
    #expect(abs((levels([voice(1, 2)], programme: -23, music, milliseconds: 2000).min() ?? 0) + 5) < 0.01)
  }

  @Test func `Modes: replaced is silent, mixed is untouched`() {
    var settings = DubSettings()
    settings.mode = .replace
    var ducker = Ducker()
    var gain: Float = 1
    for block in 0..<1200 {
      gain = ducker.advance(at: block * 48, voices: [voice(1, 2)], programme: nil, settings: settings).to
    }
    #expect(gain == 0)
    settings.mode = .mix
    #expect(levels([voice(1, 2)], programme: -10, settings, milliseconds: 3000).allSatisfy { $0 == 0 })
  }

  @Test func `A replaced original goes within 25 milliseconds of the voice, and comes back as quickly`() {
    var settings = DubSettings()
    settings.mode = .replace
    let levels = levels([voice(1, 2), voice(2.5, 3)], programme: -20, settings, milliseconds: 4000)
    #expect(levels[..<974].allSatisfy { $0 == 0 })
    #expect(levels[1000..<2000].allSatisfy { $0 == Ducker.silent })
    #expect(levels[2026..<2474].allSatisfy { $0 == 0 })
    #expect(levels[2500..<3000].allSatisfy { $0 == Ducker.silent })
    #expect(levels[3026...].allSatisfy { $0 == 0 })
  }

  @Test func `Pauses of a voice are found, stops of consonants are not`() {
    let voice = { (milliseconds: Int) in [Float](repeating: 0.3, count: milliseconds * 48) }
    let pause = { (milliseconds: Int) in [Float](repeating: 0.0002, count: milliseconds * 48) }
    let spans = VoicePauses.spans(pause(100) + voice(300) + pause(150) + voice(100) + pause(400) + voice(200))
    #expect(spans == [(100 * 48)..<(650 * 48), (1050 * 48)..<(1250 * 48)])
    #expect(VoicePauses.spans([]).isEmpty)
    #expect(VoicePauses.spans(pause(0) + [.nan, 0]).isEmpty)
  }

  @Test func `It does not come up between sentences`() {
    let levels = levels([voice(1, 2), voice(2.8, 4)], programme: -20, DubSettings(), milliseconds: 5000)
    #expect(levels[1000...4990].allSatisfy { abs($0 + 13) < 0.1 })
  }

  @Test func `A voice that breaks off lets it back within 25 milliseconds`() {
    var ducker = Ducker()
    for block in 0..<1100 {
      _ = ducker.advance(at: block * 48, voices: [voice(1, 3)], programme: -5, settings: DubSettings())
    }
    #expect(ducker.level < -23)
    ducker.returnAtOnce()
    for block in 1100..<1126 { _ = ducker.advance(at: block * 48, voices: [], programme: -5, settings: DubSettings()) }
    #expect(ducker.level == 0)
  }
}
