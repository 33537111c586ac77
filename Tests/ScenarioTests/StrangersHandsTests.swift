import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// What hands do to a data directory while the device is off, or works in it.
@Suite("Hands in the data directory")
struct StrangersHandsTests {
  private let folder: TemporaryFolder
  private let mynah: Mynah

  init() throws {
    folder = TemporaryFolder()
    var mynah = Mynah(folder: folder)
    mynah.board = try Mynah.smallCamera(in: folder)
    mynah.microphone = "beeps"
    self.mynah = mynah
  }

  private func names(_ directory: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: mynah.data.appendingPathComponent(directory).path)) ?? [])
      .sorted()
  }

  /// Where a box's type stands in a file.
  private static func boxes(_ type: String, in bytes: [UInt8]) -> [Int] {
    let word = Array(type.utf8)
    return bytes.indices.dropLast(16).filter { bytes[$0] == word[0] && bytes[$0..<$0 + 4].elementsEqual(word) }
  }

  /// Looks by every tool that looks at a data directory; none may end otherwise than by itself.
  private func look(_ expected: (_ tool: String, _ run: Mynah.Run) -> Void) throws {
    let board = ["--board", mynah.board]
    for (tool, options) in [
      ("library verify", ["--json"]), ("library list", []), ("doctor", board), ("selftest", board),
    ] {
      let words = tool.split(separator: " ").map(String.init) + options + ["--data", mynah.data.path]
      let run = try Mynah.execute(words)
      #expect([0, 1, 65, 69].contains(run.status), "\(tool) ended with \(run.status): \(run.errors)")
      expected(tool, run)
    }
  }

  @Test("A wrong bit in the times of what a power cut left costs no start, in a clip, a take, or the ring's copy")
  func wrongBits() throws {
    _ = try mynah.run(
      """
      0.1  press REC
      3.0  press STOP
      4.0  call settings.set {"clips.durationSeconds":4,"clips.ring":"disk"}
      4.1  call panel.mode {"mode":"clips"}
      4.2  call settings.set {"clips.postRollSeconds":20}
      10.0 press REC
      16.0 fault power cut
      """)
    let left =
      names("clips").filter { $0.hasSuffix(".part") }.map { "clips/\($0)" }
      + names("cache").filter { $0.hasPrefix("ring-") && $0.hasSuffix(".mp4") }.map { "cache/\($0)" }
    #expect(left.contains { $0.hasPrefix("clips/") } && left.contains { $0.hasPrefix("cache/") }, "\(left)")
    for path in left {
      let url = mynah.data.appendingPathComponent(path)
      var bytes = Array(try Data(contentsOf: url))
      let times = Self.boxes("tfdt", in: bytes)
      #expect(times.count > 2, "\(path)")
      // The second highest bit of each: two of them are more than 64 bits hold.
      for place in times { bytes[place + 8] ^= 0x40 }
      try Data(bytes).write(to: url)
    }
    try look { tool, run in
      if tool == "library verify" {
        #expect(run.status == 65 && run.output.contains("clip-unfinished"), "\(run.output)")
      }
    }
    let next = try mynah.run("3.0 call clips.list\n3.1 call library.verify\n4.0 quit")
    try #require(next.status == 0, "\(next.errors)")
    let listed = next.events("result").first?.data["result"]?["clips"]?.arrayValue ?? []
    #expect(listed.count == left.count)
    for clip in mynah.clipFiles { #expect(try ClipFile(clip).pictures.count > 20, "\(clip.lastPathComponent)") }
    #expect(names("_Corrupted") == [])
  }

  @Test("A file that claims millions of samples costs no start and no memory, and is told of by those who look")
  func claims() throws {
    _ = try mynah.run("0.1 press REC\n3.0 press STOP\n5 quit")
    let take = try #require(mynah.takes.first)
    var bytes = Array(try Data(contentsOf: take))
    let place = try #require(Self.boxes("stsz", in: bytes).last)
    bytes.replaceSubrange(place + 8..<place + 16, with: [0, 0, 0, 7, 5, 0x10, 0, 0])
    try Data(bytes).write(to: mynah.recordings.appendingPathComponent("liar.m4a"))
    try look { tool, run in
      if tool == "library verify" { #expect(run.status == 65 && run.output.contains("liar.m4a"), "\(run.output)") }
    }
    let next = try mynah.run(
      "3 call library.list\n3.5 call player.play {\"id\":\"liar.m4a\"}\n4 press REC\n5 press STOP\n7 quit",
      measured: true)
    try #require(next.status == 0, "\(next.errors)")
    let results = next.events("result").map(\.data)
    let listed = results.first?["result"]?["takes"]?.arrayValue ?? []
    #expect(listed.first { $0["id"] == "liar.m4a" }?["unreadable"] == true)
    #expect(results.last?["error"]?["code"] == "unsupported", "\(results)")
    #expect(next.events("onTakeSaved").count == 1)
    #expect(try #require(next.peakKilobytes) < 250_000)
  }

  @Test("Where a link lies in place of a take, nobody writes through it, whoever mends")
  func links() throws {
    _ = try mynah.run("0.1 press REC\n4.0 fault power cut")
    let take = try #require(mynah.takes.first)
    let outside = folder.url.appendingPathComponent("somebody's.m4a")
    try FileManager.default.moveItem(at: take, to: outside)
    try FileManager.default.createSymbolicLink(at: take, withDestinationURL: outside)
    let clips = mynah.data.appendingPathComponent("clips")
    let part = clips.appendingPathComponent("000009_2026-11-20T21-54-00Z.mp4.part")
    try FileManager.default.createSymbolicLink(at: part, withDestinationURL: outside)
    let before = try Data(contentsOf: outside)
    // Unfinished: whoever followed would complete it.
    #expect(!Self.boxes("moof", in: Array(before)).isEmpty)

    _ = try Mynah.execute(["library", "repair", "--data", mynah.data.path])
    let next = try mynah.run("2 call library.repair\n3 press REC\n4 press STOP\n6 quit")
    try #require(next.status == 0, "\(next.errors)")
    #expect(next.events("onTakeSaved").count == 1)
    #expect(try Data(contentsOf: outside) == before)
    for link in [take, part] {
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == outside.path)
    }
    // Nor is a folder elsewhere taken for ours.
    let elsewhere = folder.url.appendingPathComponent("elsewhere")
    try FileManager.default.moveItem(at: mynah.recordings, to: elsewhere)
    let there = try FileManager.default.contentsOfDirectory(atPath: elsewhere.path).sorted()
    try FileManager.default.createSymbolicLink(at: mynah.recordings, withDestinationURL: elsewhere)
    _ = try mynah.run("2 press REC\n3 press STOP\n5 quit")
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path).sorted() == there)
  }

  @Test("A data directory that goes from under a take, and its lock, are told within a second, and nobody else gets in")
  func gone() throws {
    var mynah = mynah
    mynah.clock = "real"
    let script = folder.put("0.5 press REC\n600 quit\n", "script.txt")
    let live = try LiveMynah(mynah.arguments(script: URL(fileURLWithPath: script)))
    let take = try live.wait(for: "onTakeStarted")
    usleep(1_000_000)
    // A second is the promise; the rest is the machine's.
    func expectTold(_ words: String, as topic: String = "onError", since start: Double) throws {
      let error = try live.wait(for: topic, seconds: 10) {
        $0.time > start && $0.data["message"]?.stringValue?.contains(words) == true
      }
      #expect(error.time - start < 1.2 + live.secondsKeptWaiting, "\(words): \(error.time - start) s")
    }
    var began = Monotonic.now
    unlink(mynah.data.appendingPathComponent("lock").path)
    try expectTold("lock file", since: began)
    // The lock is held all the same: the take is another's, and open.
    let second = try Mynah.execute(["simulate", "--data", mynah.data.path, "--script", script])
    #expect(second.status == 69, "\(second.status) \(second.errors)")
    let repair = try Mynah.execute(["library", "repair", "--data", mynah.data.path])
    #expect(repair.status == 69, "\(repair.status) \(repair.errors)")
    let id = try #require(take.data["id"]?.stringValue)
    #expect(try Metadata(of: mynah.recordings.appendingPathComponent(id))["inProgress"] == true)

    began = Monotonic.now
    let aside = folder.file("aside")
    #expect(rename(mynah.data.path, aside) == 0)
    try expectTold("removed or renamed", as: "onDeviceLost", since: began)
    #expect(rename(aside, mynah.data.path) == 0)
    usleep(1_500_000)
    #expect(live.terminate() == 0, "\(live.errors)")
    let kept = mynah.recordings.appendingPathComponent(id)
    let notes = try Metadata(of: kept)
    #expect(notes["inProgress"] == false)
    #expect(try Sound.frames(kept) == notes["frames"]?.integerValue)
    #expect((notes["frames"]?.integerValue ?? 0) > 3 * 48_000)
  }

  @Test("The file of a take that is removed while it is recorded is told of within a second, and the next take is kept")
  func takeGone() throws {
    var mynah = mynah
    mynah.clock = "real"
    let script = folder.put("0.5 press REC\n5 press STOP\n7 press REC\n9 press STOP\n11 quit\n", "script.txt")
    let live = try LiveMynah(mynah.arguments(script: URL(fileURLWithPath: script)))
    let id = try #require(try live.wait(for: "onTakeStarted").data["id"]?.stringValue)
    usleep(1_000_000)
    let began = Monotonic.now
    unlink(mynah.recordings.appendingPathComponent(id).path)
    let error = try live.wait(for: "onError", seconds: 10)
    #expect(error.data["message"]?.stringValue?.contains("\(id) was removed") == true, "\(error.data)")
    #expect(error.time - began < 1.2 + live.secondsKeptWaiting)
    #expect(try live.end() == 0, "\(live.errors)")
    let kept = names("recordings").filter { $0.hasSuffix(".m4a") }
    #expect(kept.count == 1 && kept.first != id, "\(names("recordings"))")
  }

  @Test func `A data directory that is named wrongly is not made by what looks at it`() throws {
    let folder = TemporaryFolder()
    let wrong = folder.path + "/wrong"
    for words in [["list"], ["verify"], ["repair"]] {
      let run = try Mynah.execute(["library"] + words + ["--data", wrong])
      #expect(run.status == 66 && run.errors.contains("there is no such directory"), "\(words): \(run.errors)")
      #expect(!FileManager.default.fileExists(atPath: wrong))
    }
  }

  @Test func `mynah library export copies what is in a data directory, and leaves that as it is`() throws {
    let folder = TemporaryFolder()
    let data = folder.path + "/data"
    let script = folder.put("1 press REC\n4 press STOP\n6 press REC\n8 press STOP\n10 quit\n", "script")
    #expect(try Mynah.execute(["simulate", "--script", script, "--data", data]).status == 0)
    func names(_ path: String) -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }
    let before = names("\(data)/recordings").sorted()
    try FileManager.default.createDirectory(atPath: folder.file("pc"), withIntermediateDirectories: true)
    let export = ["library", "export", "--data", data, "--to", folder.file("pc")]
    let all = try Mynah.execute(export)
    #expect(all.status == 0 && all.output.contains("2 takes and clips: 4 files copied, 0 were there"), "\(all)")
    let again = try Mynah.execute(export + ["--json", "2"])
    #expect(try JSONValue(parsing: Array(again.output.utf8))["there"]?.integerValue == 2, "\(again)")
    #expect(try Mynah.execute(export + ["--format", "flac", "1"]).status == 0)
    let made = names(folder.file("pc") + "/Mynah")
    #expect(made.count { $0.hasSuffix(".m4a") } == 2 && made.count { $0.hasSuffix(".flac") } == 1, "\(made)")
    let flac = try #require(made.first { $0.hasSuffix(".flac") })
    #expect(try Tool.run("flac", ["-t", "-s", folder.file("pc") + "/Mynah/" + flac]).status == 0)
    #expect(names("\(data)/recordings").sorted() == before)
    #expect(try Mynah.execute(export + ["7"]).status == 66)
    #expect(try Mynah.execute(export + ["--format", "ogg"]).status == 64)
    #expect(try Mynah.execute(["library", "export", "--data", data, "--to", folder.file("none")]).status == 66)
  }
}
