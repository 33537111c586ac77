import Foundation
import Hardware
import JSON
import Runtime
import SimulatedHardware
import TestSupport
import Testing

/// A card that refuses the end of a take: what is told of it meanwhile is true, and it is made whole in the end.
@Suite struct UnfinishedTakeTests {
  private let folder = TemporaryFolder()

  /// Seconds at which STOP is pressed, and at which the card is as it should be again.
  private static let (stop, healed) = (5, 9)

  /// The take's file on its own, for tools that open it.
  private func file(_ bench: RuntimeBench, _ id: String) throws -> String {
    let path = folder.file(id)
    try Data(try bench.memory.read("recordings/\(id)", limit: 1 << 26)).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// Seconds of sound that are heard of a file.
  private func seconds(_ path: String) throws -> Double {
    let raw = folder.file("heard.raw")
    try Tool.succeed(
      "ffmpeg", ["-v", "error", "-y", "-i", path, "-f", "s16le", "-ac", "1", "-ar", "48000", raw])
    return Double(try Data(contentsOf: URL(fileURLWithPath: raw)).count / 2) / 48_000
  }

  /// A bench whose card refuses something from STOP on.
  private func refusing(
    rate: Int = 8000, until healed: Int = Self.healed,
    _ refuses: @escaping @Sendable (_ operation: String, _ path: String) -> StorageError.Kind?
  ) throws -> RuntimeBench {
    let bench = try RuntimeBench(rate: rate)
    let stop = Self.stop
    bench.hardware.storage = RefusingCard(bench.memory, bench.clock) { operation, path, now in
      now >= .at(Double(stop)) && now < .at(Double(healed)) ? refuses(operation, path) : nil
    }
    return bench
  }

  private static func script(_ format: String) -> String {
    """
    0 call settings.set {"recording.preRecordSeconds":0,"recording.format":"\(format)"}
    1 press REC
    3 call recorder.mark {"title":"here"}
    \(stop) press STOP
    8 call library.list
    """
  }

  /// Format and rate, what the card refuses of its file, and how.
  private static let refusals: [(String, Int, String, StorageError.Kind)] = [
    ("aac", 8000, "write", .full), ("flac", 8000, "write", .full), ("opus", 48_000, "sync", .failed),
    ("wav", 8000, "write", .denied),
  ]

  @Test(arguments: refusals)
  func `it is told to be saved when it is whole`(
    format: String, rate: Int, operation: String, kind: StorageError.Kind
  ) throws {
    let suffix = format == "aac" ? ".m4a" : ".\(format)"
    let bench = try refusing(rate: rate) { $0 == operation && $1.hasSuffix(suffix) ? kind : nil }
    let failure = try bench.run(
      """
      \(Self.script(format))
      24 call panel.state
      25 call library.list
      25 call library.verify
      26 quit
      """)
    #expect(failure == nil)
    let lists = bench.results("library.list").map { $0["takes"]?[0] }
    try #require(lists.count == 2)
    let id = try #require(lists[0]?["id"]?.stringValue)
    let saved = bench.events("onTakeSaved")
    // The head of a WAV is true whenever it is synced: it lacks nothing.
    let earliest = format == "wav" ? Self.stop : Self.healed
    #expect(saved.count == 1 && (saved.first?.time ?? 0) >= Double(earliest), "\(saved)")
    #expect(bench.events("onError").contains { ($0.data["message"]?.stringValue ?? "").contains("not complete yet") })
    // The screen does not go on saying so.
    let screen = bench.results("panel.state").first?["notice"]?["text"]?.stringValue ?? ""
    #expect(!screen.contains("not yet"), "\(screen)")
    let meta = try #require(try bench.metadata().last)
    #expect(meta["inProgress"]?.boolValue == false)
    #expect(meta["stopReason"]?.stringValue == (kind == .full ? "storage-full" : "error"))
    #expect(meta["bookmarks"]?.arrayValue?.count == 1)
    let frames = try #require(meta["frames"]?.integerValue)
    // What was told before is not more than there is, and what is told in the end is what there is.
    let before = try #require(lists[0]?["frames"]?.integerValue)
    #expect(before > 3 * rate && before <= frames, "\(before) of \(frames)")
    #expect(lists[1]?["frames"]?.integerValue == frames)
    #expect(saved.first?.data["frames"]?.integerValue == frames)
    let path = try file(bench, id)
    if format == "flac" { try Tool.succeed("flac", ["--test", "--silent", path]) }
    // A decoder may give the last packet whole.
    let heard = try seconds(path)
    #expect(abs(heard - Double(frames) / Double(rate)) < 0.15, "\(heard) s of \(frames) frames")
    #expect(bench.results("library.verify").first?["problems"]?.arrayValue?.isEmpty == true)
  }

  private static let signed = #"0 call settings.set {"recording.sign":true}"#

  @Test(arguments: ["aac", "flac", "opus", "wav"])
  func `a signed one is proven up to its last second, and what was completed is signed as well`(format: String) throws {
    let suffix = format == "aac" ? ".m4a" : ".\(format)"
    let bench = try refusing(rate: format == "opus" ? 48_000 : 8000) {
      $0 == "write" && $1.hasSuffix(suffix) ? .full : nil
    }
    let failure = try bench.run(
      """
      \(Self.signed)
      \(Self.script(format))
      25 call proof.verify {"id":"000001_2026-11-20T21-54-01Z\(suffix)"}
      26 quit
      """)
    #expect(failure == nil)
    let verdict = try #require(bench.results("proof.verify").first)
    #expect(verdict["verdict"] == "cut off" && (verdict["seconds"]?.numberValue ?? 0) > 2.8, "\(verdict.text)")
    #expect(verdict["reason"]?.stringValue?.contains("completed the file afterwards") == true, "\(verdict.text)")
  }

  @Test(arguments: ["replace", "look"])
  func `a signed one whose notes had to wait is signed to its end`(operation: String) throws {
    let bench = try refusing { asked, path in
      let suffix = asked == "look" ? ".wav" : ".json"
      return asked == operation && path.hasPrefix("recordings/") && path.hasSuffix(suffix) ? .failed : nil
    }
    let failure = try bench.run(
      """
      \(Self.signed)
      \(Self.script("wav"))
      25 call proof.verify {"id":"000001_2026-11-20T21-54-01Z.wav"}
      26 quit
      """)
    #expect(failure == nil)
    #expect(((bench.hardware.storage as? RefusingCard)?.refused ?? 0) > 0)
    let saved = bench.events("onTakeSaved")
    #expect(saved.count == 1 && (saved.first?.time ?? 0) >= Double(Self.healed), "\(saved)")
    let meta = try #require(try bench.metadata().last)
    #expect(meta["inProgress"]?.boolValue == false && meta["stopReason"]?.stringValue == "user")
    #expect(meta["bookmarks"]?.arrayValue?.count == 1)
    let verdict = try #require(bench.results("proof.verify").first)
    #expect(verdict["verdict"] == "whole", "\(verdict.text)")
  }

  @Test func `a card that has refused for want of room, and has room, is recorded to again`() throws {
    let bench = try RuntimeBench(rate: 8000)
    bench.hardware.storage = RefusingCard(bench.memory, bench.clock) { operation, path, now in
      now < .at(4) && operation == "create" && path.hasPrefix("recordings/") ? .full : nil
    }
    let failure = try bench.run(
      """
      0 call settings.set {"recording.preRecordSeconds":0,"recording.format":"wav"}
      2 press REC
      3 expect notice storage-full
      20 call recorder.start
      23 call recorder.stop
      28 quit
      """)
    #expect(failure == nil)
    #expect(bench.events("onTakeSaved").count == 1)
  }

  @Test func `a card that was full is recorded to as soon as there is room`() throws {
    let bench = try RuntimeBench(rate: 8000)
    let failure = try bench.run(
      """
      0 call settings.set {"recording.preRecordSeconds":0,"recording.format":"wav"}
      1 press REC
      4 fault storage full
      6 fault storage ok
      7.5 call recorder.start
      9 call recorder.stop
      12 quit
      """)
    #expect(failure == nil)
    #expect(bench.events("onTakeSaved").count == 2)
  }

  @Test(arguments: [".flac", ""])
  func `one that the card never takes holds up no other`(suffix: String) throws {
    let bench = try RuntimeBench(rate: 8000)
    bench.hardware.storage = RefusingCard(bench.memory, bench.clock) { operation, path, now in
      guard ["write", "replace"].contains(operation), path.hasSuffix(suffix) else { return nil }
      let isFirst = path.hasPrefix("recordings/000001") && now >= .at(5)
      let isSecond = path.hasPrefix("recordings/000002") && now >= .at(10) && now < .at(14)
      return isFirst || isSecond ? .failed : nil
    }
    let failure = try bench.run(
      """
      0 call settings.set {"recording.preRecordSeconds":0,"recording.format":"flac"}
      1 press REC
      5 press STOP
      7 press REC
      10 press STOP
      40 quit
      """)
    #expect(failure == nil)
    let saved = bench.events("onTakeSaved").compactMap { $0.data["id"]?.stringValue }
    #expect(saved.count == 1 && saved.first?.hasPrefix("000002") == true, "\(saved)")
  }

  @Test func `the next start completes it where the card did not let it, and says why it ended`() throws {
    let bench = try refusing(until: 1000) { $0 == "write" && $1.hasSuffix(".flac") ? .full : nil }
    let failure = try bench.run(
      """
      \(Self.script("flac"))
      20 quit
      """)
    #expect(failure == nil)
    #expect(bench.events("onTakeSaved").isEmpty)
    #expect(try bench.metadata().last?["inProgress"]?.boolValue == true)
    let again = try RuntimeBench(continuing: bench)
    #expect(try again.run("5 call library.list\n6 quit") == nil)
    let meta = try #require(try again.metadata().last)
    #expect(meta["inProgress"]?.boolValue == false && meta["stopReason"]?.stringValue == "storage-full")
    let id = try #require(again.results("library.list").first?["takes"]?[0]?["id"]?.stringValue)
    try Tool.succeed("flac", ["--test", "--silent", try file(again, id)])
  }
}
