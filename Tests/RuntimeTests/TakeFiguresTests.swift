import JSON
import Testing

/// What is told of the take that is open or being saved is of that take, whatever comes after it.
@Suite struct TakeFiguresTests {
  private func texts(_ answer: JSONValue) -> [String] {
    (answer["texts"]?.arrayValue ?? []).compactMap(\.stringValue)
  }

  @Test func `The receipt of a take that the card cut off counts no lost sound behind its end`() throws {
    let bench = try RuntimeBench(rate: 48_000)
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}
      1 press REC
      3 fault microphone overrun 0.5
      3.4 fault storage full
      6 fault storage ok
      9 quit
      """)
    #expect(failure == nil)
    let meta = try #require(try bench.metadata().first)
    #expect(meta["stopReason"] == "storage-full")
    let lost = (meta["gaps"]?.arrayValue ?? []).reduce(0) { $0 + ($1["frames"]?.integerValue ?? 0) }
    #expect(meta["receipt"]?["lostFrames"]?.integerValue == lost, "\(meta.text)")
  }

  @Test func `Its length and its format are told until it is safe, and no others`() throws {
    let bench = try RuntimeBench(onDisk: true)
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"aac","recording.preRecordSeconds":0}
      1 press REC
      4 call recorder.status
      4.1 call settings.set {"recording.format":"wav"}
      4.9 call recorder.status
      4.9 call panel.state
      5 fault storage stall 4
      5.1 press STOP
      6 call recorder.status
      6 call panel.state
      7 press REC
      8.5 call recorder.status
      12 call recorder.status
      12 call panel.state
      13 press STOP
      15 quit
      """)
    #expect(failure == nil)
    let status = bench.results("recorder.status")
    try #require(status.count == 5)
    let seconds = status.map { $0["seconds"]?.numberValue ?? -1 }
    #expect(abs(seconds[0] - 3) < 0.3 && abs(seconds[1] - 3.9) < 0.3, "\(seconds)")
    // While it is being saved, and the next one has been asked for, it is as long as it will be.
    #expect(status[2]["activity"] == "saving" && status[3]["activity"] == "saving")
    let saved = bench.events("onTakeSaved").compactMap { $0.data["frames"]?.integerValue }
    #expect(saved.count == 2)
    #expect(status[2]["frames"]?.integerValue == saved.first && status[3]["frames"]?.integerValue == saved.first)
    #expect(abs(seconds[4] - 5) < 0.4, "\(seconds)")
    // What is left is by the take that is open: a setting of the next one changes nothing about it.
    let left = status.map { $0["secondsLeft"]?.numberValue ?? 0 }
    #expect(left[0] > 0 && abs(left[1] / left[0] - 1) < 0.01 && abs(left[4] / left[0] - 1) > 0.1, "\(left)")
    let shown = bench.results("panel.state").map(texts)
    try #require(shown.count == 3)
    #expect(shown[0].contains { $0.hasPrefix("AAC ") } && !shown[0].contains { $0.hasPrefix("WAV") }, "\(shown[0])")
    #expect(shown[1].contains("SAVING") && shown[1].contains { $0.hasPrefix("0m04s") }, "\(shown[1])")
    #expect(shown[2].contains { $0.hasPrefix("WAV ") }, "\(shown[2])")
  }
}
