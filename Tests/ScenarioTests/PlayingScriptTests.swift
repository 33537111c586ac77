import Foundation
import JSON
import TestSupport
import Testing

/// The other ten: playing, marks, files, and what is as it was after a start. See `RecordingScriptTests`.
@Suite("Regression script, playing")
struct PlayingScriptTests {
  private let bench = ScriptBench()

  private static let open = "1 call player.play {\"id\":\"tone.wav\"}\n"

  @Test("11: ten seconds back and forward")
  func rewinds() throws {
    let run = try bench.run(
      try bench.player(),
      Self.open + """
        3 press RIGHT
        3.5 call player.status
        4 press LEFT
        4.5 call player.status
        5 quit
        """)
    let places = bench.places(run)
    #expect(places.count == 2 && abs(places[0] - 12.5) < 0.3 && abs(places[1] - 3.5) < 0.3, "\(places)")
  }

  @Test("12: held, it goes on and is heard")
  func scrub() throws {
    let run = try bench.run(
      try bench.player(), Self.open + "3 hold RIGHT 2\n5.5 call player.status\n6 quit")
    let place = try #require(bench.places(run).first)
    #expect(place > 12 && place < 22, "\(place)")
    #expect(try bench.heard(3.8, 4.8).level > 0.05)
  }

  @Test("13: marks while recording and playing, and from one to the next")
  func marks() throws {
    var mynah = bench.mynah
    mynah.speaker = "none"
    let run = try bench.run(
      mynah,
      """
      0.1 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0,"playback.skip":"marks"}
      1 press REC
      3 press CENTRE
      6 press CENTRE
      11 press STOP
      13 press CENTRE
      14 press RIGHT
      14.5 call player.status
      15 press RIGHT
      15.5 call player.status
      16 press REC
      17 press STOP
      18 quit
      """)
    let places = bench.places(run)
    #expect(places.count == 2 && abs(places[0] - 2.4) < 0.3 && abs(places[1] - 5.4) < 0.3, "\(places)")
    let take = try #require(bench.mynah.takes.first)
    let chapters = try Tool.succeed("ffprobe", ["-v", "error", "-show_chapters", "-of", "csv", take.path])
    #expect(chapters.split(separator: "\n").count == 3, "\(chapters)")
  }

  @Test("14: A-B")
  func loop() throws {
    let run = try bench.run(
      try bench.player(),
      Self.open + """
        3 press DOWN
        5 press DOWN
        6 call player.status
        9.5 call player.status
        10 press DOWN
        13.5 call player.status
        14 quit
        """)
    let places = bench.places(run)
    try #require(places.count == 3)
    #expect(places[0] < 4.2 && places[1] < 4.2 && places[2] > 4.2, "\(places)")
  }

  @Test("15: faster at the same pitch")
  func speed() throws {
    let run = try bench.run(
      try bench.player(),
      "0.1 call settings.set {\"playback.rate\":1.5}\n" + Self.open + "11 call player.status\n12 quit")
    #expect(abs(try #require(bench.places(run).first) - 15) < 0.5)
    #expect(abs(try bench.heard(4, 8).pitch - 440) < 3)
  }

  @Test("16: higher at the same speed")
  func pitch() throws {
    let run = try bench.run(
      try bench.player(),
      "0.1 call settings.set {\"playback.pitchCents\":1200}\n" + Self.open + "11 call player.status\n12 quit")
    #expect(abs(try #require(bench.places(run).first) - 10) < 0.5)
    #expect(abs(try bench.heard(4, 8).pitch - 880) < 6)
  }

  @Test("17: volume and balance")
  func volume() throws {
    try bench.run(
      try bench.player(),
      "0.1 call settings.set {\"playback.volume\":0.5,\"playback.rightDb\":-20}\n" + Self.open + "9 quit")
    let (left, right) = (try bench.heard(4, 8).level, try bench.heard(4, 8, channel: 2).level)
    #expect(abs(left / (0.25 / 2.0.squareRoot() / 2) - 1) < 0.02, "\(left)")
    #expect(abs(right / left - 0.1) < 0.005, "\(right)")
  }

  @Test("18: deleted by keys, and brought back")
  func deletion() throws {
    let run = try bench.run(
      bench.mynah,
      """
      1 press REC
      3 press STOP
      5 press DOWN
      6 hold RIGHT 0.8
      7 press CENTRE
      8 expect takes 0
      8.5 call library.undelete
      10 expect takes 1
      10 quit
      """)
    #expect(run.events("onTakeSaved").count == 1)
    #expect(try bench.duration(try #require(bench.mynah.takes.first)) > 2)
  }

  @Test("19: after a power cut it is as it was")
  func state() throws {
    let mynah = try bench.player()
    _ = try mynah.run("0.1 call settings.set {\"playback.volume\":0.7}\n" + Self.open + "13 fault power cut")
    let run = try bench.run(mynah, "3 call player.status\n3 call settings.get {\"key\":\"playback.volume\"}\n4 quit")
    let place = try #require(bench.places(run).first)
    #expect(place > 6 && place < 12.5, "\(place)")
    #expect(run.output.contains("0.7"))
  }

  @Test("20: half an hour of all of it")
  func stability() throws {
    var mynah = bench.mynah
    mynah.speaker = "none"
    let rounds = (0..<30).map { round in
      let start = Double(round * 60)
      return [
        (1.0, "press REC"), (8, "press CENTRE"), (12, "press REC"), (14, "press REC"), (20, "press STOP"),
        (24, "press CENTRE"), (26, "press RIGHT"), (28, "press DOWN"), (30, "press DOWN"), (33, "press DOWN"),
        (36, "press STOP"), (38, "hold STOP 0.8"), (41, "hold STOP 0.8"), (44, "hold STOP 0.8"), (47, "hold STOP 0.8"),
        (50, "press LOCK"),
        (52, "press STOP"), (53, "hold LOCK 2.2"), (57, "expect mode dictaphone.idle"),
      ].map { "\(start + $0.0) \($0.1)" }.joined(separator: "\n")
    }
    let setUp = "0.1 call settings.set {\"recording.preRecordSeconds\":0}\n"
    let run = try bench.run(mynah, setUp + rounds.joined(separator: "\n") + "\n1800 expect takes 30\n1800 quit")
    #expect(run.events("onTakeSaved").count == 30)
    #expect(run.events("onError").isEmpty, "\(run.events("onError").map(\.data))")
    for take in bench.mynah.takes { #expect(abs(try bench.duration(take) - 17) < 0.05) }
  }
}
