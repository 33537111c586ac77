import Foundation
import JSON
import Runtime
import TestSupport
import Testing

/// The safety take as people and programs meet it.
@Suite struct SafetyTakeTests {
  private static func record(_ format: String, _ bench: RuntimeBench, then script: String) throws -> JSONValue {
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"\(format)","recording.preRecordSeconds":0,"recording.safetyTake":true}
      1 press REC
      1.5 mark
      3 press STOP
      4 call library.list
      \(script)
      """)
    #expect(failure == nil)
    return try #require(bench.results("library.list").first?["takes"]?[0])
  }

  private static func safety(of id: String) -> String {
    let parts = id.split(separator: ".")
    return "\(parts[0]).safety.\(parts[1])"
  }

  @Test(arguments: ["wav", "flac", "aac", "alac"])
  func `It is listed with its take, as long as that, and other programs can play it`(format: String) throws {
    let bench = try RuntimeBench(onDisk: true)
    let take = try Self.record(format, bench, then: "4.1 call recorder.status\n5 quit")
    let id = try #require(take["id"]?.stringValue)
    #expect(bench.results("library.list")[0]["total"]?.integerValue == 1)
    #expect(take["safety"]?.boolValue == true && take["frames"]?.integerValue == 16_000)
    #expect(bench.events.filter { $0.topic == "onTakeSaved" }.count == 1)
    let folder = try #require(bench.folder)
    let path = folder.appendingPathComponent("recordings/\(Self.safety(of: id))").path
    let bytes = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    #expect(take["safetyBytes"]?.integerValue == bytes && bytes > 0)
    for name in [id, Self.safety(of: id)] {
      let probe = try Tool.run(
        "ffprobe",
        ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", "\(folder.path)/recordings/\(name)"])
      #expect(abs((Double(probe.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) - 2) < 0.001, "\(name)")
    }
  }

  @Test func `A take that cannot be deleted plays on`() throws {
    let bench = try RuntimeBench(onDisk: true)
    let take = try Self.record("wav", bench, then: "5 quit")
    let id = try #require(take["id"]?.stringValue)
    let again = try RuntimeBench(onDisk: true, continuing: bench)
    let failure = try again.run(
      """
      1 call library.protect {"id":"\(id)"}
      1.1 call player.play {"id":"\(id)"}
      1.5 call library.delete {"id":"\(id)"}
      1.6 call library.delete {"ids":["none.wav","\(id)"]}
      2 call player.status
      4 expect mode dictaphone.idle
      5 quit
      """)
    #expect(failure == nil)
    #expect(again.results("library.delete")[0]["code"] == "busy")
    let status = try #require(again.results("player.status").first)
    #expect(status["state"] == "playing" && (status["seconds"]?.numberValue ?? 0) > 0.5)
  }

  @Test func `It is told of, played, renamed and deleted with its take`() throws {
    let bench = try RuntimeBench(onDisk: true)
    let take = try Self.record("wav", bench, then: "5 quit")
    let id = try #require(take["id"]?.stringValue)
    let again = try RuntimeBench(onDisk: true, continuing: bench)
    let failure = try again.run(
      """
      1 call library.show {"id":"\(id)"}
      1.1 call player.play {"id":"\(id)","safety":true}
      1.5 call player.status
      1.6 call player.stop
      1.7 call library.rename {"id":"\(id)","name":"Birds"}
      1.8 call library.show {"id":"\(Self.safety(of: id))"}
      1.9 call library.delete {"id":"\(id)"}
      2 call library.list
      2.1 call library.undelete
      2.2 call library.list
      3 quit
      """)
    #expect(failure == nil)
    let shown = again.results("library.show")
    #expect(shown[0]["safety"]?.boolValue == true && shown[0]["safetyBytes"] == take["safetyBytes"])
    let player = again.results("player.status")[0]
    #expect(player["id"]?.stringValue == Self.safety(of: id) && player["lengthSeconds"]?.numberValue == 2)
    #expect(shown[1]["displayName"]?.stringValue == "Birds" && shown[1]["bookmarks"]?.arrayValue?.count == 1)
    let lists = again.results("library.list")
    #expect(lists[0]["total"]?.integerValue == 0)
    #expect(lists[1]["total"]?.integerValue == 1 && lists[1]["takes"]?[0]?["safety"]?.boolValue == true)
  }

  @Test func `It does not play on when its take is deleted, and REC records`() throws {
    let bench = try RuntimeBench(onDisk: true)
    let id = try #require(try Self.record("wav", bench, then: "5 quit")["id"]?.stringValue)
    let again = try RuntimeBench(onDisk: true, continuing: bench)
    let failure = try again.run(
      """
      1 call player.play {"id":"\(id)","safety":true}
      1.5 call library.delete {"id":"\(id)"}
      2 expect mode dictaphone.idle
      2.1 press REC
      2.5 expect mode dictaphone.recording
      3 quit
      """)
    #expect(failure == nil)
  }

  /// Half a second, and a codec's frame, which is long at the 8 kHz of the test.
  private static let mayBeLost = 0.5 + 1024.0 / 8000

  @Test(arguments: ["wav", "flac", "aac"])
  func `A power cut at any time leaves both, up to half a second before it`(format: String) throws {
    var dice = SeededGenerator(seed: 5)
    for _ in 0..<6 {
      let time = Double(Int.random(in: 1700...7500, using: &dice)) / 1000
      let bench = try RuntimeBench(onDisk: true)
      _ = try bench.run(
        """
        0 call settings.set {"recording.format":"\(format)","recording.preRecordSeconds":0,"recording.splitSeconds":2}
        0 call settings.set {"recording.safetyTake":true}
        1 press REC
        1.3 mark
        \(time) fault power cut
        """)
      let again = try RuntimeBench(onDisk: true, continuing: bench)
      #expect(try again.run("2 call library.list\n2 call library.verify\n3 quit") == nil)
      let list = again.results("library.list")[0]
      #expect(list["total"]?.integerValue == 1 && list["pending"]?.integerValue == 0, "cut at \(time)")
      let take = try #require(list["takes"]?[0])
      let seconds = try #require(take["seconds"]?.numberValue)
      #expect(seconds > time - 1 - Self.mayBeLost && seconds <= time - 0.9, "\(seconds) of a take cut at \(time)")
      #expect(take["safety"]?.boolValue == true)
      let problems = again.results("library.verify")[0]["problems"]
      #expect(problems?.arrayValue?.isEmpty == true, "cut at \(time): \(problems?.text ?? "")")
      // As long as its take, but for what was not written.
      let folder = try #require(again.folder)
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/recordings")
      let frames = try names.filter { $0.hasSuffix(".safety.json") }.map { name in
        let bytes = try Data(contentsOf: folder.appendingPathComponent("recordings/\(name)"))
        let notes = try JSONValue(parsing: Array(bytes))
        let isFirst = name.hasPrefix("000001")
        #expect(notes["bookmarks"]?.arrayValue?.count == (isFirst ? 1 : 0), "\(name) of a take cut at \(time)")
        return notes["frames"]?.integerValue ?? 0
      }
      #expect(Double(frames.reduce(0, +)) / 8000 > time - 1 - Self.mayBeLost, "cut at \(time): \(frames)")
    }
  }
}
