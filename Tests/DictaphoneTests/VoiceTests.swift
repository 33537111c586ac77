import Dictaphone
import Foundation
import Hardware
import Recording
import SimulatedHardware
import Sound
import TestSupport
import Testing

/// A take that waits for voices.
@Suite struct VoiceTests {
  /// Noise, and a voice from second 4 to 6 and from 20 to 22.
  private static let source = FunctionSource { frame, _ in
    let second = Double(frame) / 8000
    let isVoice = (4..<6).contains(second) || (20..<22).contains(second)
    let noise = Float(Int32(truncatingIfNeeded: UInt64(frame) &* 0x9E37_79B9_7F4A_7C15 >> 32)) / 2_147_483_648
    return noise * 0.003 + (isVoice ? Float(0.1 * sin(2 * .pi * 200 * second)) : 0)
  }

  private static func record(_ rule: SilenceRule?, _ during: (Bench) -> Void = { $0.run(until: .at(26)) }) -> Bench {
    var settings = RecordingSettings.counted()
    settings.silence = rule
    settings.voiceHoldSeconds = 3
    settings.voicePreRollSeconds = 1
    let bench = Bench(settings: settings, source: source)
    bench.run(until: .at(2))
    bench.recorder.start(at: .at(2))
    during(bench)
    bench.recorder.stop(at: bench.clock.now, reason: .user)
    bench.finish()
    return bench
  }

  @Test("Silence is left out after the hold time, and a voice has its pre-roll")
  func cut() throws {
    let bench = Self.record(.cut)
    let take = try #require(bench.store.takes.first)
    // From 2 to 9 s, and from 19 to 25 s.
    #expect(abs((take.ending?.frames ?? 0) - 13 * 8000) < 800)
    let samples = bench.samples(of: take)
    let loud = samples.indices.filter { abs(samples[$0]) > 200_000 }
    #expect(abs((loud.first ?? 0) - 2 * 8000) < 400)
    #expect(abs((loud.last ?? 0) - 10 * 8000) < 400)
    #expect(bench.log.failures.isEmpty)
    let waits = bench.log.recorder.compactMap { if case .waiting(let waits) = $0 { waits } else { nil } }
    #expect(waits == [true, false, true])
  }

  @Test("Or it stays, and the voice after it gets a mark")
  func mark() throws {
    let take = try #require(Self.record(.mark).store.takes.first)
    #expect(take.ending?.frames == 24 * 8000)
    #expect(take.marks.count == 1 && abs((take.marks.first ?? 0) - 18 * 8000) < 400)
    let plain = try #require(Self.record(nil).store.takes.first)
    #expect(plain.ending?.frames == 24 * 8000 && plain.marks.isEmpty)
  }

  @Test("A take that was paused by hand does not go on by a voice")
  func byHand() throws {
    let bench = Self.record(.cut) { bench in
      bench.run(until: .at(15))
      bench.recorder.pause(at: .at(15))
      bench.run(until: .at(23))
      bench.recorder.resume(at: .at(23))
      bench.run(until: .at(24))
    }
    // From 2 to 9 s, and from 23 to 24 s.
    #expect(abs((bench.store.takes.first?.ending?.frames ?? 0) - 8 * 8000) < 800)
  }
}
