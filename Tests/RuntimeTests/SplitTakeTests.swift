import Foundation
import JSON
import Runtime
import SimulatedHardware
import Testing

/// A take in several files is one take, to everybody who has it before him.
@Suite struct SplitTakeTests {
  private static func record(_ format: String, _ bench: RuntimeBench, then script: String) throws -> [String] {
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"\(format)","recording.preRecordSeconds":0,"recording.splitSeconds":2}
      1 press REC
      1.5 mark
      4.5 mark
      6 press STOP
      \(script)
      """)
    #expect(failure == nil)
    return (bench.results("library.list").first?["takes"]?[0]?["parts"]?.arrayValue ?? []).compactMap {
      $0["id"]?.stringValue
    }
  }

  @Test func `While it is recorded, its name and the places of its marks on the screen are those of the whole`() throws
  {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0,"recording.splitSeconds":2}
      1 press REC
      6.5 mark
      6.6 call panel.state
      7 press STOP
      8 quit
      """)
    #expect(failure == nil)
    let texts = bench.results("panel.state")[0]["texts"]?.arrayValue?.compactMap(\.stringValue) ?? []
    #expect(texts.contains("Take 1") && texts.contains("Mark 1 at 0m05s."), "\(texts)")
  }

  @Test func `On a card that is full right behind a seam the take is not told to be none`() throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"flac","recording.preRecordSeconds":0,"recording.splitSeconds":2}
      1 press REC
      3.2 fault storage full
      5 fault storage ok
      7 expect mode dictaphone.idle
      8 call library.list
      9 quit
      """)
    #expect(failure == nil)
    let list = try #require(bench.results("library.list").first?["takes"]?.arrayValue)
    #expect(list.count == 1 && list[0]["frames"]?.integerValue == 16_000)
    let told = bench.events("onError").map(\.data)
    #expect(told.map { $0["code"]?.stringValue } == ["storage-full"], "\(told)")
    #expect(told.first?["message"]?.stringValue?.contains("the take ends here") == true, "\(told)")
  }

  @Test(arguments: ["wav", "flac", "aac"])
  func `It is listed once, opened as a whole after STOP, and plays to its end`(format: String) throws {
    let bench = try RuntimeBench(onDisk: true)
    let parts = try Self.record(
      format, bench,
      then: """
        7 call library.list
        7 call player.status
        7.1 press CENTRE
        9.6 call player.status
        9.7 mark
        13 call player.status
        13 expect mode dictaphone.idle
        14 quit
        """)
    #expect(parts.count == 3)
    let list = bench.results("library.list")[0]
    #expect(list["total"]?.integerValue == 1)
    let take = try #require(list["takes"]?[0])
    #expect(take["id"]?.stringValue == parts.first)
    #expect(take["frames"]?.integerValue == 40_000 && take["marks"]?.integerValue == 2)
    #expect(take["parts"]?.arrayValue?.compactMap { $0["frames"]?.integerValue } == [16_000, 16_000, 8000])
    let player = bench.results("player.status")
    #expect(player[0]["id"]?.stringValue == parts.first && player[0]["lengthSeconds"]?.numberValue == 5)
    // In the second file.
    let seconds = try #require(player[1]["seconds"]?.numberValue)
    #expect(player[1]["state"]?.stringValue == "playing" && abs(seconds - 2.5) < 0.2, "\(seconds)")
    let folder = try #require(bench.folder)
    let second = try JSONValue(
      parsing: Array(
        Data(contentsOf: folder.appendingPathComponent("recordings/\(parts[1].prefix { $0 != "." }).json"))))
    let frame = try #require(second["bookmarks"]?[0]?["frame"]?.integerValue)
    #expect(abs(frame - 4800) < 1600, "set while playing, at its place in the part: \(frame)")
    #expect(player[2]["state"]?.stringValue == "stopped")
  }

  @Test func `By the name of its last file the whole plays, and nothing plays on when that is deleted`() throws {
    let bench = try RuntimeBench(onDisk: true)
    let last = "000003_2026-11-20T21-54-05Z.wav"
    let parts = try Self.record(
      "wav", bench,
      then: """
        7 call library.list
        7.1 call player.play {"id":"\(last)"}
        7.5 call player.status
        8 call library.delete {"id":"\(last)"}
        8.5 expect mode dictaphone.idle
        9 press REC
        9.5 expect mode dictaphone.recording
        10 quit
        """)
    #expect(parts.last == last)
    #expect(bench.results("player.status").first?["lengthSeconds"]?.numberValue == 5)
  }

  @Test func `No file of it has more from before the press than it is long`() throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":7,"recording.splitSeconds":3}
      8 press REC
      9.5 press STOP
      12 quit
      """)
    #expect(failure == nil)
    let parts = try bench.metadata().map { meta in
      (before: meta["preRecordSeconds"]?.numberValue ?? -1, seconds: Double(meta["frames"]?.integerValue ?? 0) / 8000)
    }
    #expect(parts.count == 3)
    #expect(parts.allSatisfy { $0.before <= $0.seconds }, "\(parts)")
    #expect(parts.first.map { $0.before == $0.seconds && $0.seconds > 2 } == true, "\(parts)")
    #expect(abs(parts.map(\.seconds).reduce(0, +) - 8.5) < 0.1)
  }

  @Test func `Its marks are counted through, and it is renamed, deleted and brought back as a whole`() throws {
    let bench = try RuntimeBench(onDisk: true)
    // The names of its files are those of the simulated wall clock.
    let parts = try Self.record("wav", bench, then: "7 call library.list\n8 quit")
    try #require(parts.count == 3)
    let again = try RuntimeBench(onDisk: true, continuing: bench)
    let failure = try again.run(
      """
      1 call marks.list {"id":"\(parts[0])"}
      1.1 call marks.move {"id":"\(parts[0])","number":2,"seconds":4.25}
      1.2 call library.rename {"id":"\(parts[2])","name":"Long talk"}
      1.3 call library.list
      1.4 call library.show {"id":"\(parts[1])"}
      1.5 call library.delete {"id":"\(parts[0])"}
      1.6 call library.list
      1.7 call library.undelete
      1.8 call library.list
      2 quit
      """)
    #expect(failure == nil)
    let frames = { (list: JSONValue) in (list["marks"]?.arrayValue ?? []).map { $0["frame"]?.integerValue } }
    #expect(frames(again.results("marks.list")[0]) == [4000, 28_000])
    #expect(frames(again.results("marks.move")[0]) == [4000, 34_000])
    let lists = again.results("library.list")
    #expect(lists[0]["takes"]?[0]?["name"]?.stringValue == "Long talk" && lists[0]["total"]?.integerValue == 1)
    #expect(again.results("library.show")[0]["frames"]?.integerValue == 16_000)
    #expect(lists[1]["total"]?.integerValue == 0)
    #expect(again.results("library.undelete")[0]["id"]?.stringValue == parts[0])
    #expect(lists[2]["takes"]?[0]?["frames"]?.integerValue == 40_000)
  }
}
