import Foundation
import Hardware
import JSON
import Media
import Runtime
import Sealing
import SimulatedHardware
import TestSupport
import Testing

/// Sealed takes and clips as people and programs meet them; judged by `age`.
@Suite struct SealedRunTests {
  private let folder = TemporaryFolder()
  private let recipient: String

  init() throws {
    let made = try Tool.run("age-keygen", ["-o", folder.file("key")])
    recipient = String(try #require(made.errors.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("age1") }))
  }

  private func opened(_ bytes: [UInt8]) throws -> [UInt8]? {
    folder.put(bytes, "sealed")
    let run = try Tool.run("age", ["-d", "-i", folder.file("key"), "-o", folder.file("open"), folder.file("sealed")])
    return run.status == 0 ? folder.bytes("open") ?? [] : nil
  }

  /// What the device itself would make of one, had it the key.
  private func completed(_ bytes: [UInt8]) throws -> [UInt8] {
    let keys = try #require(AgeIdentity.list(folder.text(of: "key") ?? ""))
    var text = try SealedText(MemoryFile(bytes), keys)
    let file = MemoryFile()
    while let piece = try text.next() { try file.write(piece, at: file.size) }
    #expect(text.condition == .unfinished)
    var repair = MediaRepair(file, scratch: nil)
    while try repair.step() == nil {}
    return file.bytes
  }

  private func files(_ bench: RuntimeBench) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for folder in ["recordings", "clips", "cache", "log", ""] {
      for entry in try bench.memory.list(folder) where entry.isRegular {
        let path = folder.isEmpty ? entry.name : "\(folder)/\(entry.name)"
        files[path] = try bench.memory.read(path, limit: 1 << 26)
      }
    }
    return files
  }

  private static let kinds = [".m4a", ".wav", ".flac", ".opus", ".mp4", ".jpg"]

  private static let script = """
    1 press REC
    2.5 call recorder.mark {"title":"the secret word"}
    7 press STOP
    8 call settings.set {"recording.safetyTake":false,"recording.splitSeconds":2}
    9 press REC
    14 press STOP
    15 call panel.mode {"mode":"clips"}
    24 call clips.trigger
    32 call clips.snapshot
    36 quit
    """

  @Test(arguments: ["aac", "wav", "flac", "alac", "opus"])
  func `what is sealed is to the byte what it would have been`(format: String) throws {
    func run(_ recipient: String) throws -> [String: [UInt8]] {
      let bench = try RuntimeBench(rate: 48_000)
      let failure = try bench.run(
        """
        0 call settings.set {"recording.format":"\(format)","recording.safetyTake":true,"recording.encryptTo":"\(recipient)",\
        "clips.durationSeconds":3,"clips.postRollSeconds":1}
        \(Self.script)
        """)
      #expect(failure == nil)
      return try files(bench)
    }
    let open = try run("")
    let sealed = try run(recipient)
    let names = open.keys.filter { name in Self.kinds.contains { name.hasSuffix($0) } }
    #expect(names.count >= 6, "\(names)")
    for name in names {
      let bytes = try #require(sealed[name + ".age"], "\(name) of \(sealed.keys.sorted())")
      #expect(try opened(bytes) == open[name], "\(name)")
      #expect(sealed[name] == nil)
    }
    // Nothing of it is in the clear, whatever file it is in.
    for (path, bytes) in sealed {
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(!text.contains("the secret word") && !text.contains("integratedLUFS"), "\(path)")
      let isOpenFile = Self.kinds.contains { path.hasSuffix($0) }
      #expect(!isOpenFile, "\(path)")
    }
  }

  @Test func `the safety take beside it has its marks, without their titles`() throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"wav","recording.safetyTake":true,"recording.encryptTo":"\(recipient)",\
      "recording.preRecordSeconds":0}
      1 press REC
      2 mark
      3 call recorder.mark {"title":"the secret word"}
      5 press STOP
      7 quit
      """)
    #expect(failure == nil)
    let notes = try bench.memory.list("recordings").map(\.name).filter { $0.hasSuffix(".json") }.map { name in
      (name, try JSONValue(parsing: bench.memory.read("recordings/\(name)", limit: 1 << 20)))
    }
    #expect(notes.count == 2)
    for (name, meta) in notes {
      #expect(meta["bookmarks"]?.arrayValue?.map { $0["frame"]?.integerValue } == [8000, 16_000], "\(name)")
      #expect(!meta.text.contains("the secret word") && meta["loudness"]?["integratedLUFS"] == nil, "\(name)")
    }
    #expect(notes.contains { $0.0.contains(".safety") })
  }

  @Test(arguments: ["aac", "wav", "flac", "alac", "opus"])
  func `a power cut costs no more than without, and the device lists what it cannot read`(format: String) throws {
    for time in [1.3, 2.9, 7.4, 11.2] {
      func run(_ recipient: String) throws -> (bench: RuntimeBench, files: [String: [UInt8]]) {
        let bench = try RuntimeBench(rate: 48_000)
        _ = try bench.run(
          """
          0 call settings.set {"recording.format":"\(format)","recording.preRecordSeconds":0,\
          "recording.encryptTo":"\(recipient)"}
          1 press REC
          \(time) fault power cut
          20 quit
          """)
        let again = try RuntimeBench(continuing: bench)
        #expect(try again.run("3 call library.list\n4 call library.verify\n5 quit") == nil)
        return (again, try files(again))
      }
      let open = try run("")
      let sealed = try run(recipient)
      for (name, bytes) in open.files where Self.kinds.contains(where: { name.hasSuffix($0) }) {
        let found = try #require(sealed.files[name + ".age"], "\(name) at \(time)")
        #expect(try completed(found) == bytes, "\(name) at \(time)")
        #expect(try opened(found) == nil)
      }
      let take = try #require(sealed.bench.results("library.list").first?["takes"]?[0])
      #expect(take["id"]?.stringValue?.hasSuffix(".age") == true && take["stopReason"] == "recovered", "\(take.text)")
    }
  }

  @Test(arguments: [true, false])
  func `the setting counts from the next take on, also where one goes on in other files`(isSealed: Bool) throws {
    let bench = try RuntimeBench()
    let (before, after) = isSealed ? (recipient, "") : ("", recipient)
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0,"recording.splitSeconds":2,\
      "recording.safetyTake":true,"recording.encryptTo":"\(before)"}
      1 press REC
      4 call settings.set {"recording.encryptTo":"\(after)"}
      8 press STOP
      10 press REC
      11 press STOP
      13 quit
      """)
    #expect(failure == nil)
    let sounds = try bench.memory.list("recordings").map(\.name).filter { !$0.contains(".json") }.sorted()
    #expect(sounds.count == 10, "\(sounds)")
    for name in sounds {
      #expect(name.hasSuffix(".age") == (name.hasPrefix("000005") ? !isSealed : isSealed), "\(name)")
    }
  }

  @Test func `a sealed take that has lost its notes is listed, and nothing of it is put aside at any start`() throws {
    var bench = try RuntimeBench(rate: 48_000)
    _ = try bench.run(
      """
      0 call settings.set {"recording.format":"wav","recording.encryptTo":"\(recipient)"}
      1 press REC
      4 press STOP
      6 quit
      """)
    for entry in try bench.memory.list("recordings") where entry.name.contains(".json") {
      try bench.memory.remove("recordings/\(entry.name)")
    }
    for _ in 0..<3 {
      try bench.memory.remove("catalogue")
      bench = try RuntimeBench(continuing: bench)
      #expect(try bench.run("3 call library.list\n4 call library.verify\n5 quit") == nil)
      #expect(bench.results("library.list").first?["takes"]?.arrayValue?.count == 1)
      #expect(bench.results("library.verify").first?["problems"]?.arrayValue?.isEmpty == true)
      #expect((try? bench.memory.list("_Corrupted"))?.map(\.name) ?? [] == [])
    }
  }

  @Test func `a clip, and the ring on the card, that the power cut off are clips that their owner can open`() throws {
    for time in [12.0, 25.6] {
      let bench = try RuntimeBench(rate: 48_000)
      _ = try bench.run(
        """
        0 call settings.set {"recording.encryptTo":"\(recipient)","clips.ring":"disk","clips.durationSeconds":3,\
        "clips.postRollSeconds":5}
        0.5 call panel.mode {"mode":"clips"}
        \(time > 24 ? "24 call clips.trigger" : "")
        \(time) fault power cut
        40 quit
        """)
      let again = try RuntimeBench(continuing: bench)
      #expect(try again.run("8 call clips.list\n9 quit") == nil)
      let clips = try files(again).filter { $0.key.hasSuffix(".mp4.age") }
      // The newest piece of the ring may have only just begun.
      var seconds = 0.0
      for (name, bytes) in clips {
        #expect(name.hasPrefix("clips/"))
        let found = try MediaRepair.inspect(MemoryFile(try opened(bytes) ?? completed(bytes)))
        #expect(found.condition == .finished && found.seconds > 0, "\(name): \(found)")
        seconds += found.seconds
      }
      #expect(seconds > 2.5, "\(clips.keys) at \(time)")
    }
  }

  @Test func `what is sealed is refused by name where it would have to be read`() throws {
    let bench = try RuntimeBench(onDisk: true, rate: 8000)
    let id = "000001_2026-11-20T21-54-01Z.m4a.age"
    let failure = try bench.run(
      """
      0 call settings.set {"recording.encryptTo":"\(recipient)","recording.preRecordSeconds":0}
      0.1 call settings.set {"recording.sign":true}
      0.2 call settings.set {"recording.encryptTo":"age1qqqq"}
      1 press REC
      4 press STOP
      5 press CENTRE
      5.5 call panel.state
      6 call player.play {"id":"\(id)"}
      7 call marks.set {"id":"\(id)","seconds":1.25,"title":"new"}
      8 call library.rename {"id":"\(id)","name":"Birds"}
      9 call library.verify
      15 call library.copy {"id":"\(id)"}
      16 call library.show {"id":"\(id)"}
      17 call library.delete {"id":"\(id)"}
      18 call library.undelete
      19 call library.list
      22 quit
      """)
    #expect(failure == nil)
    let set = bench.results("settings.set")
    #expect(set[1]["message"]?.stringValue?.contains("recording.encryptTo") == true, "\(set[1].text)")
    #expect(set[2]["data"]?["code"] == "bad-argument" || set[2]["code"] == "bad-argument", "\(set[2].text)")
    let screen = try #require(bench.results("panel.state").first).text
    #expect(screen.contains("Sealed"), "\(screen)")
    #expect(bench.results("player.play").first?.text.contains("Sealed") == true, "\(bench.results("player.play"))")
    let list = try #require(bench.results("library.list").first?["takes"]?.arrayValue)
    #expect(list.count == 2 && list.allSatisfy { $0["id"]?.stringValue?.hasSuffix(".m4a.age") == true })
    let bytes = try #require(bench.folder).appendingPathComponent("recordings/\(id)").path
    #expect(try opened([UInt8](Data(contentsOf: URL(fileURLWithPath: bytes)))) != nil)
    #expect(!bench.log.contains { $0.contains("cannot be read") || $0.contains("damaged") }, "\(bench.log)")
    let shapes = try #require(bench.folder).appendingPathComponent("cache/waveforms").path
    #expect(!FileManager.default.fileExists(atPath: shapes))
  }
}
