import Hardware
import JSON
import SimulatedHardware
import Testing

/// What cannot be played is refused where the device is; what can, is found.
@Suite struct RefusedPlaybackTests {
  @Test("Neither a name, an address nor a file that is not there disarms the recorder")
  func stays() throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      4 call dub.start {"source":"nothing"}
      4.2 call dub.start {"source":"000099_2026-01-01T00-00-00Z.m4a","language":"de"}
      4.4 call dub.start {"source":"ftp://example.org/x"}
      4.6 call dub.start
      5 call feed.open {"source":"nothing"}
      5.2 call feed.open {"source":"local"}
      6 expect mode dictaphone.idle
      6 call recorder.status
      6 call settings.get {"key":"dub.language"}
      6.5 press REC
      7.5 press STOP
      9.5 quit
      """)
    #expect(failure == nil)
    for method in ["dub.start", "feed.open"] {
      let answers = bench.results(method)
      #expect(answers.count == (method == "dub.start" ? 4 : 2), "\(answers.map(\.text))")
      #expect(answers.allSatisfy { $0["code"] != nil }, "\(answers.map(\.text))")
    }
    #expect(bench.events("onModeChanged").allSatisfy { $0.data["to"]?.stringValue?.hasPrefix("dictaphone.") != false })
    // The pre-record of before the first of them is still there.
    let status = try #require(bench.results("recorder.status").first)
    #expect(status["armed"] == true && (status["preRecordedSeconds"]?.numberValue ?? 0) > 4, "\(status)")
    #expect(bench.results("settings.get").first?["dub.language"] != "de")
    #expect(bench.events("onTakeSaved").count == 1)
  }

  @Test("An address may be as long as signed ones are")
  func longAddress() throws {
    let bench = try RuntimeBench()
    let address = "http://127.0.0.1:1/live.m3u8?token=" + String(repeating: "x", count: 3000)
    let failure = try bench.run("1 call dub.start {\"source\":\"\(address)\"}\n2 quit")
    let answer = try #require(bench.results("dub.start").first)
    #expect(failure == nil && answer["code"] != "bad-argument", "\(answer.text)")
  }

  @Test("Who stops or pauses the player does not get at the take that is recorded", arguments: ["stop", "pause"])
  func recorded(order: String) throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      1 press REC
      2 call player.\(order)
      2.5 expect mode dictaphone.recording
      3 call recorder.pause
      3.2 call player.\(order)
      3.5 expect mode dictaphone.paused
      4 call recorder.stop
      6 quit
      """)
    #expect(failure == nil, "\(String(describing: failure))")
    #expect(bench.results("player.\(order)").map { $0["code"]?.stringValue } == ["busy", "busy"])
    #expect(bench.events("onTakeSaved").map { $0.data["stopReason"] } == ["user"])
  }

  @Test("A word of another mode says which, and how to get there")
  func otherModes() throws {
    let bench = try RuntimeBench()
    let orders = [
      "clips.trigger", "clips.continuous", "clips.timeLapse", "clips.endPostRoll", "clips.snapshot", "feed.next",
      "feed.refresh",
    ]
    #expect(try bench.run(orders.map { "1 call \($0)" }.joined(separator: "\n") + "\n3 quit") == nil)
    for order in orders {
      let answer = try #require(bench.results(order).first)
      let mode = order.hasPrefix("clips") ? "clips" : "feed"
      #expect(answer["code"] == "bad-argument", "\(order): \(answer.text)")
      #expect(
        answer["message"]?.stringValue == "only in the mode \(mode): take it up first, by mode \(mode) or panel.mode",
        "\(order): \(answer.text)")
    }
    // A take is none of a clip's business.
    #expect(bench.events("onModeChanged").isEmpty)
  }

  @Test("Right after a start a take is found, or is not listed yet; one that was just made is found")
  func early() throws {
    let first = try RuntimeBench()
    #expect(
      try first.run(
        """
        1 press REC
        2 press STOP
        4 call dub.start
        6 quit
        """) == nil)
    let name = try #require(first.memory.list("recordings").map(\.name).first { $0.hasSuffix(".m4a") })
    // It had not been made yet when the list was.
    #expect(first.results("dub.start").first?["source"]?.stringValue == name)
    // Without the catalogue the start has to look at every file.
    try first.memory.remove("catalogue")
    let second = try RuntimeBench(continuing: first)
    let shown = name.dropLast(4)
    #expect(
      try second.run(
        """
        0 call dub.start {"source":"\(shown)"}
        0 call dub.start
        3 call dub.start {"source":"\(shown)"}
        5 quit
        """) == nil)
    let answers = second.results("dub.start")
    try #require(answers.count == 3)
    for answer in answers {
      #expect(answer["source"]?.stringValue == name || answer["code"] == "busy", "\(answer)")
    }
    #expect(answers[2]["source"]?.stringValue == name, "\(answers)")
  }
}
