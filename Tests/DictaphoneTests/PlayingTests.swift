import Dictaphone
import Foundation
import Hardware
import SimulatedHardware
import TestSupport
import Testing

/// Speed, pitch, volume and repetition, as they come out of the speaker.
@Suite struct PlayingTests {
  @Test(arguments: [(0.5, 0), (1.5, 0), (2.0, 0), (1, 700), (1, -700), (1.3, -250)])
  func `A take is heard at its speed and pitch, and the position goes with it`(rate: Double, cents: Int) throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    bench.player.configure(PlaybackSettings(rate: rate, pitchCents: cents))
    bench.player.load(id: "a", path: try folder.tone(seconds: 6), frame: 0, playing: true)
    for second in 1...2 {
      bench.run(for: .seconds(1))
      let off = Double(bench.player.status.frame) - Double(second) * rate * 48_000
      #expect(abs(off) < 2.5 * Double(PlayerBench.period), "after \(second) s by \(off) frames")
    }
    bench.run(for: .seconds(11))
    #expect(bench.news == ["loaded a 0/288000", "ended"])
    let sound = bench.heard.sound
    #expect(abs(Double(bench.heard.sounding) / (288_000 / rate) - 1) < 0.002, "\(bench.heard.sounding)")
    let hertz = Tone.frequency(of: sound[4800..<Int(240_000 / rate)])
    #expect(abs(1200 * log2(hertz / 440) - Double(cents)) < 2, "\(hertz) Hz")
  }

  @Test func `Speed, pitch and volume change without a step, wherever one is and goes`() throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    bench.player.load(id: "a", path: try folder.tone(seconds: 30), frame: 0, playing: true)
    var dice = SeededGenerator(seed: 3)
    for _ in 0..<40 {
      bench.run(for: .milliseconds(Int.random(in: 5...300, using: &dice)))
      let before = bench.player.status.frame
      bench.player.configure(
        PlaybackSettings(
          rate: Double.random(in: 0.5...2, using: &dice), pitchCents: Int.random(in: -1200...0, using: &dice),
          volume: Double.random(in: 0.2...2, using: &dice)))
      #expect(abs(bench.player.status.frame - before) < 1500)
      if dice.chance(6) { bench.player.seek(bySeconds: Double.random(in: -4...2, using: &dice)) }
    }
    // The tone's own at twice its volume, and the ramps of volume and of what is thrown away.
    #expect(bench.heard.largestStep < 0.029 + 0.006, "\(bench.heard.largestStep)")
    #expect(bench.heard.peak < 0.51)
  }

  @Test func `A press marks A, another B and goes back to A, to the frame, and a third goes on`() throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    bench.player.load(id: "a", path: try folder.ramp(frames: 29_000), frame: 0, playing: true)
    bench.run(for: .milliseconds(100))
    bench.player.stepLoop(at: bench.clock.now, now: bench.clock.now)
    let start = try #require(bench.player.status.loopStart)
    #expect(abs(start - 4800) <= PlayerBench.period)
    bench.run(for: .milliseconds(200))
    // The press was 10 ms ago.
    let heard = bench.player.status.frame
    bench.player.stepLoop(at: bench.clock.now - .milliseconds(10), now: bench.clock.now)
    let end = try #require(bench.player.status.loopEnd)
    #expect(end == heard - 480)
    bench.run(for: .seconds(2))
    #expect((start..<end).contains(bench.player.status.frame))
    // From the last A before B was pressed on, frame after frame; around the joint both ends are mixed.
    let sound = bench.heard.sound.map { Int(($0 * 32_768).rounded()) - 1 }
    let first = try #require(sound.indices.first { $0 > heard && sound[$0] == start + 400 })
    let length = end - start
    for turn in 0..<4 {
      for frame in 400..<(length - 240) {
        #expect(sound[first + turn * length + frame - 400] == start + frame)
      }
    }
    bench.player.stepLoop(at: bench.clock.now, now: bench.clock.now)
    bench.run(for: .seconds(2))
    #expect(bench.news == ["loaded a 0/29000", "looped \(start)…-", "looped \(start)…\(end)", "looped -…-", "ended"])
  }

  @Test(arguments: [1, 0.6, 1.7])
  func `A repetition clicks at no speed, stays where it is, and survives what is done meanwhile`(rate: Double) throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    bench.player.configure(PlaybackSettings(rate: rate))
    bench.player.load(id: "a", path: try folder.tone(seconds: 10), frame: 0, playing: true)
    bench.player.loop(seconds: 2.0004...2.3333)
    var dice = SeededGenerator(seed: 7)
    for turn in 0..<60 {
      bench.run(for: .milliseconds(Int.random(in: 5...100, using: &dice)))
      let frame = bench.player.status.frame
      // What runs over a joint is told as one piece.
      #expect((95_000...113_100).contains(frame), "\(frame)")
      switch turn % 20 {
      case 5: bench.player.pause()
      case 6: bench.player.play()
      case 10: bench.player.seek(bySeconds: -0.01)
      default: break
      }
    }
    #expect(bench.heard.largestStep < 0.02, "\(bench.heard.largestStep)")
    bench.player.stop()
    #expect(bench.player.status.loopEnd == nil)
    // Too short a one, and one beyond the end.
    bench.player.loop(seconds: 1...1)
    #expect(bench.player.status.loopStart == 48_000 && bench.player.status.loopEnd == 52_800)
    bench.player.loop(seconds: 9.99...1e300)
    #expect(bench.player.status.loopStart == 475_200 && bench.player.status.loopEnd == 480_000)
  }

  @Test func `A take in mono has a balance, too`() throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    bench.player.load(id: "a", path: try folder.tone(seconds: 3), frame: 0, playing: true)
    bench.run(for: .milliseconds(500))
    bench.player.configure(PlaybackSettings(leftDb: -20))
    let before = bench.heard.sound.count
    bench.run(for: .seconds(1))
    let peak = bench.heard.sound[(before + 4800)...].map(abs).max() ?? 0
    #expect(abs(peak - 0.025) < 0.001, "\(peak)")
    #expect(abs(bench.player.status.frame - 72_000) <= 3 * PlayerBench.period)
  }
}
