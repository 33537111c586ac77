import Dictaphone
import Foundation
import Hardware
import SimulatedHardware
import TestSupport
import Testing

/// A held LEFT or RIGHT, as it comes out of the speaker.
@Suite struct ScrubTests {
  private static let second = 48_000

  @Test(arguments: [1, -1], [true, false])
  func `A step is heard at its place within 100 ms, two seconds on, five times a second`(
    direction: Int, isPlaying: Bool
  ) throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    bench.player.load(
      id: "a", path: try folder.ramp(frames: 24 * Self.second), frame: 12 * Self.second, playing: isPlaying)
    bench.run(for: .milliseconds(500))
    let start = bench.player.status.frame
    let begun = bench.clock.now
    bench.player.scrub(direction: direction, now: begun)
    bench.run(for: .milliseconds(990))
    bench.player.scrub(direction: 0, now: bench.clock.now)
    bench.run(for: .milliseconds(100))
    // Of each sample, the frame that it is, as the ramp counts them.
    let length = 30_000
    let frames = bench.heard.sound.map { Int(($0 * 32_768).rounded()) - 1 }
    for step in 0..<5 {
      let place = start + direction * (step + 1) * 2 * Self.second
      let due = bench.heard.framesHeard(at: begun + .milliseconds(200 * step))
      let piece = max(0, due + 4800)..<due + 9600 - PlayerBench.period
      try #require(piece.upperBound <= frames.count)
      let beginnings = Set(piece.map { (place + $0 - frames[$0] + 4 * length) % length })
      let beginning = try #require(beginnings.first)
      #expect(beginnings.count == 1, "step \(step) is not one piece: \(beginnings.sorted().prefix(4))")
      let lag = ((beginning - due) % length + length) % length
      #expect(lag <= 4800, "step \(step) is heard after \(lag) frames")
    }
    let last = start + direction * 10 * Self.second
    #expect((last...last + Self.second * 3 / 10).contains(bench.player.status.frame))
    #expect(bench.player.status.isPlaying == isPlaying)
  }

  @Test func `At both ends it stays there, and the take is not over before the key is let go of`() throws {
    let folder = TemporaryFolder()
    let bench = PlayerBench()
    bench.player.load(id: "a", path: try folder.tone(seconds: 5), frame: 3 * Self.second, playing: true)
    bench.player.scrub(direction: -1, now: bench.clock.now)
    bench.run(for: .seconds(2))
    #expect(bench.player.status.frame <= Self.second / 4)
    bench.player.scrub(direction: 1, now: bench.clock.now)
    bench.run(for: .seconds(2))
    #expect(bench.player.status.frame >= 5 * Self.second - Self.second / 5)
    #expect(bench.news == ["loaded a \(3 * Self.second)/\(5 * Self.second)"])
    bench.player.scrub(direction: 0, now: bench.clock.now)
    bench.run(for: .milliseconds(500))
    #expect(bench.news.last == "ended")
    #expect(bench.heard.largestStep < 0.02, "\(bench.heard.largestStep)")
  }
}
