import Dictaphone
import Foundation
import Hardware
import TestSupport
import Testing

/// Long pauses left out, as they come out of the speaker.
@Suite struct PauseTests {
  /// Four seconds of tone, with pauses of so many seconds behind each; noise 45 dB below it everywhere, where asked for.
  private static func talk(_ folder: TemporaryFolder, pauses: [Double], noise: Bool) throws -> String {
    let format = ["-r", "48000", "-c", "1", "-b", "16"]
    let parts = try pauses.enumerated().map { number, pause in
      let path = folder.file("\(number).wav")
      _ = try Tool.succeed(
        "sox", ["-D", "-n"] + format + [path, "synth", "1", "sine", "440", "vol", "0.25", "pad", "0", "\(pause)"])
      return path
    }
    let path = folder.file("talk.wav")
    _ = try Tool.succeed("sox", parts + [path])
    guard noise else { return path }
    let seconds = pauses.reduce(0) { $0 + 1 + $1 }
    let hiss = folder.file("hiss.wav")
    _ = try Tool.succeed(
      "sox", ["-D", "-R", "-n"] + format + [hiss, "synth", "\(seconds)", "whitenoise", "vol", "0.001"])
    let mixed = folder.file("mixed.wav")
    _ = try Tool.succeed("sox", ["-D", "-m", "-v", "1", path, "-v", "1", hiss, mixed])
    return mixed
  }

  private static func bench(skipping: Bool = true, rate: Double = 1) -> PlayerBench {
    let bench = PlayerBench()
    bench.player.configure(PlaybackSettings(rate: rate, skipsSilence: skipping))
    return bench
  }

  @Test(arguments: [false, true], [1, 1.5])
  func `Long pauses become short ones, short ones and all sound stay, and nothing clicks`(
    noise: Bool, rate: Double
  ) throws {
    let folder = TemporaryFolder()
    let bench = Self.bench(rate: rate)
    let path = try Self.talk(folder, pauses: [2, 0.5, 5, 1], noise: noise)
    bench.player.load(id: "a", path: path, frame: 0, playing: true)
    bench.run(for: .seconds(14))
    #expect(bench.news == ["loaded a 0/600000", "ended"])
    #expect(abs(bench.player.status.frame - 600_000) <= 1024)
    let sound = bench.heard.sound
    // The tone at its loudest, a window of 10 ms each.
    let windows = stride(from: 0, to: sound.count - 480, by: 480).map { start in
      sound[start..<start + 480].contains { abs($0) > 0.2 }
    }
    var pauses: [Int] = []
    var quiet = 0
    for isLoud in windows {
      if isLoud, quiet > 3 { pauses.append(quiet * 10) }
      quiet = isLoud ? 0 : quiet + 1
    }
    let heard = pauses.map { Double($0) / 1000 * rate }
    try #require(heard.count == 3, "\(heard)")
    #expect((0.25...0.42).contains(heard[0]) && (0.25...0.42).contains(heard[2]), "\(heard)")
    #expect(abs(heard[1] - 0.5) < 0.06, "\(heard)")
    let loud = windows.count { $0 }
    #expect(abs(Double(loud) / 100 * rate - 4) < 0.15, "\(loud)")
    // The tone's own, and noise.
    #expect(bench.heard.largestStep < 0.016 * Float(rate) + 0.004, "\(bench.heard.largestStep)")
  }

  @Test func `Places are those of the take`() throws {
    let folder = TemporaryFolder()
    let bench = Self.bench()
    bench.player.load(
      id: "a", path: try Self.talk(folder, pauses: [2, 3, 1], noise: true), frame: 0, playing: true)
    bench.run(for: .milliseconds(900))
    #expect(abs(bench.player.status.frame - 43_200) <= 2 * PlayerBench.period)
    // A second of tone, 0.3 s of the pause, and half of the next second.
    bench.run(for: .milliseconds(900))
    #expect(abs(bench.player.status.frame - 168_000) <= 4800, "\(bench.player.status.frame)")
    bench.player.seek(to: 192_000)
    #expect(bench.player.status.frame == 192_000)
    // In a pause, which is 3 s from here.
    bench.run(for: .milliseconds(700))
    #expect(abs(bench.player.status.frame - 192_000 - 144_000 - 19_200) <= 6000, "\(bench.player.status.frame)")
  }

  @Test func `What is repeated is as long as it is, and goes on with pauses left out`() throws {
    let folder = TemporaryFolder()
    let bench = Self.bench()
    bench.player.load(
      id: "a", path: try Self.talk(folder, pauses: [6, 3], noise: true), frame: 0, playing: true)
    bench.run(for: .milliseconds(500))
    bench.player.loop(seconds: 1.5...4)
    bench.run(for: .milliseconds(1500))
    #expect(abs(bench.player.status.frame - 144_000) <= 4 * PlayerBench.period)
    bench.run(for: .milliseconds(2500))
    #expect(abs(bench.player.status.frame - 144_000) <= 6 * PlayerBench.period)
    let place = bench.player.status.frame
    for skips in [false, true] { bench.player.configure(PlaybackSettings(skipsSilence: skips)) }
    #expect(abs(bench.player.status.frame - place) <= PlayerBench.period)
    bench.run(for: .milliseconds(500))
    #expect(abs(bench.player.status.frame - place - 24_000) <= 2 * PlayerBench.period)
    bench.run(for: .milliseconds(2000))
    bench.player.loop(seconds: nil)
    bench.run(for: .milliseconds(800))
    #expect(bench.player.status.frame > 7 * 48_000)
  }

  @Test func `Rain is no pause, and what is off changes nothing`() throws {
    let folder = TemporaryFolder()
    let rain = folder.file("rain.wav")
    _ = try Tool.succeed(
      "sox", ["-D", "-R", "-n", "-r", "48000", "-c", "1", "-b", "16", rain, "synth", "4", "whitenoise", "vol", "0.03"])
    for (path, skips) in [(rain, true), (try Self.talk(folder, pauses: [2], noise: true), false)] {
      let bench = Self.bench(skipping: skips)
      bench.player.load(id: "a", path: path, frame: 0, playing: true)
      bench.run(for: .seconds(2))
      #expect(abs(bench.player.status.frame - 96_000) <= 2 * PlayerBench.period)
    }
  }

  @Test func `It is switched while it plays without a click, and no sound is lost`() throws {
    let folder = TemporaryFolder()
    let bench = Self.bench()
    bench.player.load(
      id: "a", path: try Self.talk(folder, pauses: [1.5, 1, 2, 0.9, 3], noise: false), frame: 0, playing: true)
    var dice = SeededGenerator(seed: 5)
    for turn in 0..<30 {
      bench.run(for: .milliseconds(Int.random(in: 50...300, using: &dice)))
      bench.player.configure(PlaybackSettings(skipsSilence: turn % 2 == 1))
    }
    bench.run(for: .seconds(14))
    #expect(bench.news.last == "ended")
    #expect(bench.heard.largestStep < 0.02, "\(bench.heard.largestStep)")
    let loud = bench.heard.sound.count { abs($0) > 0.01 }
    #expect(abs(loud - 5 * 46_780) < 1500, "\(loud)")
  }
}
