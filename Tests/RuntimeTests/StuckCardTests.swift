import Board
import JSON
import SimulatedHardware
import Testing

/// What waits for the card answers in time, also if the card does not.
@Suite struct StuckCardTests {
  /// - Parameters:
  ///   - setting: what is kept in the end, in `settings.json`.
  ///   - value: of it.
  @Test(
    "With a card that does not answer, what waits for it is busy after ten seconds; it is done once the card is back",
    arguments: [
      ("clips.snapshot", "", "", 0), ("settings.set", #"{"clips.postRollSeconds":2}"#, "clips.postRollSeconds", 2),
      ("dub.volume", #"{"dub":-7}"#, "dub.dubVolumeDb", -7),
      ("dub.language", #"{"language":"de"}"#, "dub.language", 0),
    ])
  func busy(method: String, parameters: String, setting: String, value: Int) throws {
    let isPicture = method == "clips.snapshot"
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      0 call settings.set {"clips.durationSeconds":1}
      \(isPicture ? #"0.1 call panel.mode {"mode":"clips"}"# : "")
      2 fault storage stall 14
      2.5 call \(method) \(parameters)
      18 call settings.get
      20 call \(method) \(parameters)
      22 quit
      """)
    #expect(failure == nil)
    let answers = bench.events("result").filter { $0.data["method"]?.stringValue == method && $0.time > 1 }
    try #require(answers.count == 2, "\(answers)")
    #expect(answers[0].data["error"]?["code"] == "busy", "\(answers[0].data)")
    #expect(answers[0].data["error"]?["message"]?.stringValue?.hasSuffix("kept yet: the card does not answer") == true)
    #expect((12.9...13.1).contains(answers[0].time), "\(answers[0].time)")
    #expect(answers[1].data["error"] == nil && answers[1].time < 21, "\(answers[1].data)")
    if isPicture {
      #expect(bench.events("onSnapshotSaved").count == 2)
      return
    }
    let kept = try JSONValue(parsing: bench.memory.read("settings.json", limit: 1 << 20))[setting]
    #expect(setting == "dub.language" ? kept == "de" : kept?.integerValue == value)
    // What was ordered was not taken back.
    #expect(bench.results("settings.get").first?[setting] == kept)
  }

  @Test("Who waits for a clip hears within ten seconds of its end if the card does not answer, and waits while it does")
  func waitingForAClip() throws {
    let bench = try RuntimeBench()
    // The second clip goes on for long, and the script waits for it.
    bench.board.clips.longestSeconds = 20
    let failure = try bench.run(
      """
      0 call settings.set {"clips.durationSeconds":1,"clips.postRollSeconds":1}
      0.1 call panel.mode {"mode":"clips"}
      2 fault storage stall 14
      2.5 call clips.trigger {"wait":true}
      20 call clips.continuous
      22 call clips.trigger {"wait":true}
      40 call clips.endPostRoll
      44 quit
      """)
    #expect(failure == nil)
    let answers = bench.events("result").filter { $0.data["method"]?.stringValue == "clips.trigger" }
    try #require(answers.count == 2, "\(answers)")
    #expect(answers[0].data["error"]?["code"] == "busy", "\(answers[0].data)")
    #expect(answers[0].data["error"]?["message"]?.stringValue == "the clip is not kept yet: the card does not answer")
    #expect((13.9...14.2).contains(answers[0].time), "\(answers[0].time)")
    #expect(answers[1].data["result"]?["path"]?.stringValue?.hasPrefix("clips/") == true, "\(answers[1].data)")
    #expect((38...40).contains(answers[1].time), "\(answers[1].time)")
    // The one that was told to be late is there as well.
    #expect(bench.events("onCaptureCompleted").count == 3)
  }

  @Test(
    "Ten seconds are not too long for who waits, also from the moment of the order",
    arguments: ["clips", "dictaphone"])
  func tenSeconds(mode: String) throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      0 call settings.set {"clips.durationSeconds":1}
      0.1 call panel.mode {"mode":"\(mode)"}
      3 fault storage stall 10
      3 call \(mode == "clips" ? #"clips.trigger {"wait":true}"# : #"settings.set {"recording.format":"wav"}"#)
      20 quit
      """)
    #expect(failure == nil)
    let answer = try #require(bench.events("result").last)
    #expect(answer.data["error"] == nil && (13...13.4).contains(answer.time), "\(answer)")
  }

  @Test("A dub that was refused because the card does not answer does not begin by itself once it does")
  func dub() throws {
    let bench = try RuntimeBench()
    let start = #"call dub.start {"source":"000001_2026-11-20T21-54-00Z.m4a"}"#
    let failure = try bench.run(
      """
      0.5 press REC
      3 press STOP
      5 fault storage stall 24
      5.1 call settings.set {"recording.gainDb":3}
      5.3 \(start)
      32 call panel.state
      33 \(start)
      36 quit
      """)
    #expect(failure == nil)
    let answers = bench.events("result").filter { $0.data["method"] == "dub.start" }
    try #require(answers.count == 2, "\(answers)")
    #expect(answers[0].data["error"]?["code"] == "busy" && answers[0].time < 26.5, "\(answers[0].data)")
    #expect(bench.results("panel.state").first?["mode"] == "dictaphone.idle")
    #expect(answers[1].data["error"] == nil, "\(answers[1].data)")
  }
}
