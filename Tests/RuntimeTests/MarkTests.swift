import Foundation
import Hardware
import JSON
import Runtime
import SimulatedHardware
import Testing

@Suite struct MarkTests {
  private static let settings =
    #"0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}"# + "\n"

  /// Frames of the cue points of a WAV in the bench's storage, and whether it has a text.
  private static func cues(_ bench: RuntimeBench, _ id: String, holds text: String) throws -> (frames: [Int], Bool) {
    let bytes = try bench.memory.read("recordings/\(id)", limit: 1 << 24)
    let found = Data(bytes)
    guard let place = found.range(of: Data("cue ".utf8))?.lowerBound else { return ([], false) }
    let little = { (at: Int) in (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
    let frames = (0..<little(place + 8)).map { little(place + 12 + 24 * $0 + 20) }
    return (frames, found.range(of: Data(text.utf8)) != nil)
  }

  @Test func `Marks are set, titled, moved and removed on the console, and the file follows`() throws {
    let bench = try RuntimeBench()
    #expect(try bench.run(Self.settings + "1 press REC\n1.5 mark\n2 press STOP\n4 quit") == nil)
    let id = try #require(try bench.memory.list("recordings").map(\.name).first { $0.hasSuffix(".wav") })
    #expect(try Self.cues(bench, id, holds: "mark 1") == ([4000], true))
    let again = try RuntimeBench(continuing: bench)
    let failure = try again.run(
      """
      1 call marks.list {"id":"\(id)"}
      1 call marks.set {"id":"\(id)","seconds":0.25,"title":"question","note":"to be asked again"}
      1.1 call marks.set {"id":"\(id)","number":2,"title":"answer"}
      1.2 call marks.move {"id":"\(id)","number":2,"seconds":0.125}
      1.3 call marks.list {"id":"\(id)"}
      1.4 call marks.set {"id":"\(id)","seconds":5}
      1.4 call marks.remove {"id":"\(id)","number":9}
      6 call marks.remove {"id":"\(id)","number":1}
      10 quit
      """)
    #expect(failure == nil)
    let lists = again.results("marks.list")
    let told = { (list: JSONValue, field: String) in (list["marks"]?.arrayValue ?? []).map { $0[field] } }
    #expect(told(lists[0], "frame") == [.integer(4000)])
    #expect(told(lists[1], "frame") == [.integer(1000), .integer(2000)])
    #expect(told(lists[1], "title") == [.string("answer"), .string("question")])
    #expect(told(lists[1], "note")[1] == .string("to be asked again"))
    #expect(again.results("marks.set").last?["code"] == .string("bad-argument"))
    #expect(again.results("marks.remove").first?["code"] == .string("bad-argument"))
    #expect(try Self.cues(again, id, holds: "question") == ([2000], true))
    let meta = try #require(try again.metadata().first)
    #expect(meta["newMarks"] == nil)
    #expect(meta["audio"]?["fileSizeBytes"]?.integerValue == (try again.memory.entry("recordings/\(id)").size))
    let third = try RuntimeBench(continuing: again)
    #expect(try third.run("1 call library.verify\n2 quit") == nil)
    #expect(third.results("library.verify")[0]["problems"]?.arrayValue?.isEmpty == true)
  }

  @Test func `A mark of a take that is being recorded gets its title at once, and the file has it`() throws {
    let bench = try RuntimeBench()
    // The name of its file is that of the simulated wall clock.
    let id = "000001_2026-11-20T21-54-01Z.wav"
    let failure = try bench.run(
      Self.settings
        + """
        1 press REC
        1.5 mark
        1.6 mark
        1.8 call marks.set {"id":"\(id)","number":1,"title":"first"}
        1.9 call marks.remove {"id":"\(id)","number":2}
        2 press STOP
        3 quit
        """)
    #expect(failure == nil)
    try #require(try bench.memory.list("recordings").map(\.name).contains(id))
    #expect(bench.results("marks.set").first?["marks"]?.arrayValue?.count == 2, "\(id)")
    #expect(try Self.cues(bench, id, holds: "first") == ([4000], true))
  }

  @Test func `An empty text takes title or note of a mark away`() throws {
    let id = "000001_2026-11-20T21-54-01Z.wav"
    let bench = try RuntimeBench()
    let failure = try bench.run(
      Self.settings
        + """
        1 press REC
        1.5 call recorder.mark {"title":"first"}
        2 press STOP
        3 call marks.set {"id":"\(id)","number":1,"note":"said twice"}
        3.1 call marks.set {"id":"\(id)","number":1,"title":""}
        3.2 call marks.set {"id":"\(id)","number":1,"note":""}
        3.3 call marks.set {"id":"\(id)","number":1,"title":"\(String(repeating: "x", count: 201))"}
        4 quit
        """)
    #expect(failure == nil)
    let told = bench.results("marks.set").map { $0["marks"]?[0] }
    try #require(told.count == 4)
    #expect(told[0]?["title"] == "first" && told[0]?["note"] == "said twice")
    #expect(told[1]?["title"] == nil && told[1]?["note"] == "said twice")
    #expect(told[2]?["title"] == nil && told[2]?["note"] == nil && told[2] != nil)
    #expect(bench.results("marks.set").last?["code"] == "bad-argument")
  }

  @Test func `A mark is on the screen at once, and answered when it is on the card`() throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      Self.settings
        + """
        1 press REC
        2 fault storage stall 14
        2.5 call recorder.mark {"title":"late"}
        18 call recorder.mark {"title":"soon"}
        20 press STOP
        22 call recorder.mark
        23 quit
        """)
    #expect(failure == nil)
    let marks = bench.events("result").filter { $0.data["method"] == "recorder.mark" }
    try #require(marks.count == 3, "\(marks)")
    #expect(marks[0].data["error"]?["code"] == "busy" && (12.4...13).contains(marks[0].time), "\(marks[0])")
    #expect(marks[1].data["error"] == nil && marks[1].time < 19, "\(marks[1])")
    #expect(marks[2].data["error"] != nil)
    #expect(try #require(bench.events("onMark").first).time < 2.6)
    let kept = try #require(try bench.metadata().first)["bookmarks"]?.arrayValue ?? []
    #expect(kept.compactMap { $0["title"]?.stringValue } == ["late", "soon"])
  }

  @Test func `Lost sound gets a mark, and too loud sound by setting, every 5 s at most`() throws {
    for (setting, expected) in [("off", []), ("gaps", ["gap"]), ("all", ["gap"])] {
      let bench = try RuntimeBench()
      let failure = try bench.run(
        Self.settings
          + """
          0 call settings.set {"recording.autoMarks":"\(setting)"}
          1 press REC
          2 fault microphone overrun 0.3
          4 press STOP
          6 quit
          """)
      #expect(failure == nil)
      let meta = try #require(try bench.metadata().first)
      let titles = (meta["bookmarks"]?.arrayValue ?? []).compactMap { $0["title"]?.stringValue }
      #expect(titles == expected, "\(setting)")
      guard setting != "off" else { continue }
      let gap = meta["gaps"]?.arrayValue?.first?["frame"]?.integerValue
      #expect(meta["bookmarks"]?.arrayValue?.first?["frame"]?.integerValue == gap)
    }
  }

  @Test("A take that is renamed while it is recorded has that name for everybody")
  func renamed() throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      1 press REC
      2 call library.rename {"id":"000001_2026-11-20T21-54-01Z.m4a","name":"Mayor"}
      3 call recorder.status
      4 press STOP
      7 quit
      """)
    #expect(failure == nil)
    #expect(bench.results("recorder.status").first?["name"] == "Mayor")
    #expect(bench.events("onTakeSaved").map { $0.data["name"] } == ["Mayor"])
  }
}
