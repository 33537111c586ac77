import Foundation
import JSON
import TestSupport
import Testing

/// What a device of an earlier version has left opens today: see `DataDirectory/README.md`.
@Suite("A data directory of version 0.1.0")
struct DataDirectoryTests {
  private let mynah: Mynah

  init() throws {
    let folder = TemporaryFolder()
    var mynah = Mynah(folder: folder)
    mynah.board = try Mynah.smallCamera(in: folder)
    self.mynah = mynah
    let kept = URL(fileURLWithPath: #filePath).appendingPathComponent("../DataDirectory").standardizedFileURL
    try FileManager.default.copyItem(at: kept, to: mynah.data)
    try FileManager.default.removeItem(at: mynah.data.appendingPathComponent("README.md"))
    try restoreTimes()
  }

  /// The catalogue knows files by their times, which a checkout does not keep.
  private func restoreTimes() throws {
    let lines = try String(contentsOf: mynah.data.appendingPathComponent("catalogue"), encoding: .utf8).split(
      separator: "\n")
    for line in lines.dropFirst() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard fields.count > 5, let sound = Int(fields[3]), let metadata = Int(fields[5]) else { continue }
      let file = mynah.recordings.appendingPathComponent(String(fields[1]))
      setTime(sound, of: file)
      setTime(metadata, of: file.deletingPathExtension().appendingPathExtension("json"))
    }
  }

  private func setTime(_ nanoseconds: Int, of file: URL) {
    let time = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
    // Of one that is in the trash there is none.
    utimensat(AT_FDCWD, file.path, [time, time], 0)
  }

  private func bytes(_ path: String) throws -> Data {
    try Data(contentsOf: mynah.data.appendingPathComponent(path))
  }

  @Test("opens: takes and clips are listed, recovered and play, and nothing else is touched")
  func opens() throws {
    let whole = [
      "recordings/000001_2026-11-20T21-54-01Z.m4a", "recordings/000001_2026-11-20T21-54-01Z.json",
      "recordings/000002_2026-11-20T21-54-04Z.wav", "recordings/000002_2026-11-20T21-54-04Z.json",
      "clips/000004_2026-11-20T21-54-08Z.mp4", "clips/000004_2026-11-20T21-54-08Z.json",
      "clips/000005_2026-11-20T21-54-12Z.jpg", "clips/000006_2026-11-20T21-54-12Z.mp4",
    ]
    let before = try whole.map(bytes)
    let run = try mynah.run(
      """
      0.5 call settings.get
      1.0 call library.list {"limit":100}
      1.1 call clips.list
      1.2 call library.verify
      1.3 call clips.receipt {"id":"000004_2026-11-20T21-54-08Z.mp4"}
      2.0 call player.play {"id":"000007_2026-11-20T21-54-03Z.m4a"}
      3.0 expect mode dictaphone.playing
      3.1 press STOP
      4.0 press REC
      5.0 press STOP
      6.5 call panel.mode {"mode":"clips"}
      9.0 call clips.trigger
      11.5 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let results = run.events("result").map { $0.data["result"] ?? .null }
    try #require(run.events("result").allSatisfy { $0.data["error"] == nil }, "\(run.output)")
    #expect(try whole.map(bytes) == before)
    try checkTakes(results[1])
    try checkClips(results[2])
    #expect(results[3]["problems"]?.arrayValue?.isEmpty == true, "\(results[3])")
    #expect(results[4]["triggers"]?.arrayValue?.first?["cause"] == "console")
    // What had been deleted is gone for good, and no number is given twice.
    let contents = try FileManager.default.subpathsOfDirectory(atPath: mynah.data.path)
    #expect(!contents.contains { $0.contains("000003_") })
    #expect(!contents.contains { $0.hasSuffix(".part") })
    #expect(run.events("onTakeSaved").first?.data["id"]?.stringValue?.hasPrefix("000009_") == true)
    #expect(run.events("onCaptureCompleted").first?.data["id"]?.stringValue?.hasPrefix("000010_") == true)
    // The settings are those of that day: AAC with a second before the key.
    let saved = try #require(mynah.takes.last)
    #expect(try Metadata(of: saved)["preRecordSeconds"] == .integer(1))
    #expect(try Sound.field("codec_name", of: saved) == "aac")
    let corrupted = try FileManager.default.contentsOfDirectory(
      atPath: mynah.data.appendingPathComponent("_Corrupted").path)
    #expect(corrupted == [])
  }

  private func contents() throws -> [String: Data] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: mynah.data.path)
    return Dictionary(uniqueKeysWithValues: paths.map { ($0, (try? bytes($0)) ?? Data()) })
  }

  @Test("is listed and shown without changing anything, what cannot be read too")
  func listed() throws {
    let damaged = "000099_2026-11-21T10-00-00Z.m4a"
    try Data("not a take".utf8).write(to: mynah.recordings.appendingPathComponent(damaged))
    let before = try contents()
    for words in [["list"], ["search", "blackbird"], ["show", "000007_2026-11-20T21-54-03Z.m4a"]] {
      let run = try Tool.run(Mynah.executable.path, ["library"] + words + ["--json", "--data", mynah.data.path])
      #expect(run.status == 0, "\(run.errors)")
      if words == ["list"] { #expect(run.output.contains(damaged)) }
      #expect(try contents() == before, "\(words)")
    }
  }

  @Test("is verified without changing anything; what was cut off is told")
  func verified() throws {
    let before = try contents()
    let run = try Tool.run(Mynah.executable.path, ["library", "verify", "--json", "--data", mynah.data.path])
    #expect(try contents() == before)
    #expect(run.status == 65)
    let findings = try JSONValue(parsing: Array(run.output.utf8)).arrayValue ?? []
    #expect(
      Set(findings.compactMap { $0["id"]?.stringValue }) == [
        "000007_2026-11-20T21-54-03Z.m4a", "000008_2026-11-20T21-54-02Z.mp4",
      ])
    #expect(try Tool.run(Mynah.executable.path, ["library", "verify", "--data", "/nowhere/at/all"]).status == 66)
  }

  private func checkTakes(_ list: JSONValue) throws {
    let takes = list["takes"]?.arrayValue ?? []
    #expect(takes.compactMap { $0["id"]?.stringValue?.prefix(6) } == ["000007", "000002", "000001"])
    #expect(takes.last?["name"] == "Blackbird at dawn")
    #expect(takes.last?["marks"] == .integer(2))
    for take in takes {
      let file = mynah.recordings.appendingPathComponent(try #require(take["id"]?.stringValue))
      #expect(try Sound.frames(file) == take["frames"]?.integerValue, "\(take)")
      #expect(try Sound.samples(file).count > 0)
    }
    // Cut off two seconds after the key: half a second may be lost.
    let cutOff = try #require(takes.first)
    #expect((cutOff["seconds"]?.numberValue ?? 0) > 2.4)
    #expect(cutOff["stopReason"] == "recovered")
    #expect(cutOff["marks"] == .integer(1))
  }

  private func checkClips(_ list: JSONValue) throws {
    let clips = list["clips"]?.arrayValue ?? []
    #expect(clips.compactMap { $0["id"]?.stringValue?.prefix(6) } == ["000008", "000006", "000004"])
    #expect(clips.map { $0["protected"]?.boolValue } == [false, false, true])
    #expect(clips.first?["stopReason"] == "recovered")
    #expect((clips.first?["seconds"]?.numberValue ?? 0) > 2.9)
    for clip in clips {
      let file = try ClipFile(
        mynah.clips.appendingPathComponent(try #require(clip["id"]?.stringValue)), width: 128, height: 72)
      #expect(abs(file.duration - (clip["seconds"]?.numberValue ?? 0)) < 0.05, "\(clip)")
      #expect(file.sound.count > 48_000)
    }
  }
}
