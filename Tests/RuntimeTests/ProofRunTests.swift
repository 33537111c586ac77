import Foundation
import Hardware
import JSON
import Runtime
import SimulatedHardware
import TestSupport
import Testing

/// Signed takes and clips as people and programs meet them.
@Suite struct ProofRunTests {
  private static let begin =
    #"0 call settings.set {"recording.sign":true,"recording.preRecordSeconds":0,"recording.format":"#

  /// The name of what is made at a second of the simulated day.
  private static func name(_ number: Int, _ second: Int, _ suffix: String) -> String {
    "00000\(number)_2026-11-20T21-54-\(second < 10 ? "0" : "")\(second)Z.\(suffix)"
  }

  private static func verify(_ at: Double, _ id: String) -> String { "\(at) call proof.verify {\"id\":\"\(id)\"}\n" }

  private func verdicts(_ bench: RuntimeBench) -> [String] {
    bench.results("proof.verify").map { $0["verdict"]?.stringValue ?? "none" }
  }

  @Test func `A take that is being recorded is not called cut off`() throws {
    let bench = try RuntimeBench(onDisk: true, rate: 8000)
    let id = Self.name(1, 1, "wav")
    let script = "\(Self.begin)\"wav\"}\n1 press REC\n\(Self.verify(3, id))4 press STOP\n\(Self.verify(6, id))7 quit"
    #expect(try bench.run(script) == nil)
    let answers = bench.results("proof.verify")
    #expect(answers.map { $0["code"]?.stringValue ?? $0["verdict"]?.stringValue } == ["busy", "whole"])
  }

  @Test func `All files of a take are signed, or none, whatever is set meanwhile`() throws {
    for isSigned in [true, false] {
      let bench = try RuntimeBench()
      let failure = try bench.run(
        """
        \(Self.begin)"wav","recording.splitSeconds":2}
        0.5 call settings.set {"recording.sign":\(isSigned)}
        1 press REC
        4 call settings.set {"recording.sign":\(!isSigned)}
        6 press STOP
        8 quit
        """)
      #expect(failure == nil)
      let names = try bench.memory.list("recordings").map(\.name)
      #expect(names.count { $0.hasSuffix(".wav") } == 3)
      #expect(names.count { $0.hasSuffix(".proof") } == (isSigned ? 3 : 0), "\(names)")
    }
  }

  @Test(arguments: [("aac", "m4a"), ("flac", "flac"), ("wav", "wav"), ("opus", "opus")])
  func `what becomes of a take keeps its proof`(format: String, suffix: String) throws {
    let bench = try RuntimeBench(onDisk: true, rate: format == "opus" ? 48_000 : 8000)
    let id = Self.name(1, 1, suffix)
    let copy = Self.name(3, 1, suffix)
    let failure = try bench.run(
      """
      \(Self.begin)"\(format)","recording.safetyTake":true}
      1 press REC
      2.5 mark
      5 press STOP
      \(Self.verify(5.5, id))\
      6 call settings.set {"recording.safetyTake":false}
      6.1 press REC
      8 press STOP
      9 call library.rename {"id":"\(id)","name":"Birds"}
      9.1 call library.tag {"ids":["\(id)"],"add":["wind"]}
      9.2 call marks.set {"id":"\(id)","seconds":1.25,"title":"new"}
      15 call library.copy {"id":"\(id)"}
      \(Self.verify(16, id))\(Self.verify(16.1, copy))\
      17 call library.delete {"id":"\(id)"}
      18 call library.undelete
      \(Self.verify(19, id))\
      20 call library.delete {"id":"\(copy)"}
      21 call proof.key
      35 quit
      """)
    #expect(failure == nil)
    #expect(verdicts(bench) == ["whole", "whole", "whole", "whole"])
    let folder = try #require(bench.folder).appendingPathComponent("recordings")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter {
      $0.hasSuffix(".proof")
    }
    // The copy and its safety take went for good, with their proofs.
    let stem = id.dropLast(suffix.count + 1)
    #expect(
      Set(names) == ["\(id).proof", "\(stem).safety.\(suffix).proof", "\(Self.name(2, 6, suffix)).proof"])
    let key = try #require(bench.results("proof.key").first)
    #expect(key["words"]?.stringValue?.split(separator: " ").count == 8 && key["key"]?.stringValue?.count == 64)
    let secret = folder.deletingLastPathComponent().appendingPathComponent("device-key").path
    let mode = try FileManager.default.attributesOfItem(atPath: secret)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test(arguments: [("aac", "m4a"), ("flac", "flac")])
  func `marks that are set on a full card wait for room, and the take stays as it was signed`(
    format: String, suffix: String
  ) throws {
    let bench = try RuntimeBench(onDisk: true)
    let id = Self.name(1, 1, suffix)
    let failure = try bench.run(
      """
      \(Self.begin)"\(format)"}
      1 press REC
      4 press STOP
      8 fault storage full
      9 call marks.set {"id":"\(id)","seconds":1,"title":"hello hello"}
      15 fault stick in
      16 call library.export {"id":"1"}
      \(Self.verify(17, id))\
      18 fault storage ok
      \(Self.verify(30, id))\
      31 quit
      """)
    #expect(failure == nil)
    #expect(verdicts(bench) == ["whole", "whole"])
    #expect(bench.results("library.export").count == 1)
    let path = try #require(bench.folder).appendingPathComponent("recordings/\(id)").path
    #expect(try Tool.succeed("ffprobe", ["-v", "error", "-show_chapters", path]).contains("hello hello"))
  }

  @Test func `a take that goes on in other files is signed file by file, and each names the one before it`() throws {
    let bench = try RuntimeBench(onDisk: true)
    let failure = try bench.run(
      """
      \(Self.begin)"aac","recording.splitSeconds":2}
      1 press REC
      6 press STOP
      \(Self.verify(7, Self.name(1, 1, "m4a")))8 quit
      """)
    #expect(failure == nil)
    #expect(verdicts(bench) == ["whole"])
    let folder = try #require(bench.folder).appendingPathComponent("recordings")
    let proofs = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter {
      $0.hasSuffix(".proof")
    }
    #expect(proofs.count == 3)
    for (before, after) in zip(proofs, proofs.dropFirst()) {
      let first = try String(contentsOf: folder.appendingPathComponent(after), encoding: .utf8).prefix { $0 != "\t" }
      #expect(try JSONValue(parsing: first)["continues"]?.stringValue == String(before.dropLast(6)))
    }
  }

  @Test func `a clip made of others says of which it is made, and what they were`() throws {
    let bench = try RuntimeBench(onDisk: true)
    let failure = try bench.run(
      """
      0 call settings.set {"recording.sign":true,"clips.durationSeconds":3,"clips.postRollSeconds":1}
      0.5 call panel.mode {"mode":"clips"}
      8 call clips.trigger
      14 call clips.list
      20 quit
      """)
    #expect(failure == nil)
    let made = try #require(bench.results("clips.list").first?["clips"]?[0]?["id"]?.stringValue)
    let again = try RuntimeBench(onDisk: true, continuing: bench)
    let second = try again.run(
      """
      \(Self.verify(1, made))\
      2 call clips.trim {"id":"\(made)","start":0.5,"end":1.5}
      8 call clips.list
      9 quit
      """)
    #expect(second == nil)
    #expect(verdicts(again) == ["whole"])
    let folder = try #require(bench.folder).appendingPathComponent("clips")
    let edit = try #require(again.results("clips.list").first?["clips"]?[0]?["id"]?.stringValue)
    #expect(edit != made)
    let lines = try String(contentsOf: folder.appendingPathComponent("\(edit).proof"), encoding: .utf8).split(
      separator: "\n")
    let header = try JSONValue(parsing: lines[0].prefix { $0 != "\t" })
    #expect(header["kind"] == "edit")
    let source = try #require(header["sources"]?[0])
    #expect(source["id"]?.stringValue == made && source["verdict"] == "whole")
    #expect(source["range"]?[0]?.numberValue == 0.5 && source["range"]?[1]?.numberValue == 1.5)
    let sum = try Tool.run(
      "sh", ["-c", "tail -n 1 '\(folder.path)/\(made).proof' | tr -d '\\n' | sha256sum | cut -c 1-64"])
    #expect(source["proof"]?.stringValue == sum.output.trimmingCharacters(in: .whitespacesAndNewlines))
    let third = try RuntimeBench(onDisk: true, continuing: again)
    #expect(try third.run("\(Self.verify(1, edit))2 quit") == nil)
    #expect(verdicts(third) == ["whole"])
  }

  @Test func `a power cut leaves a take that is proven up to its last second, before and after it is completed`() throws
  {
    for format in ["aac", "flac", "opus", "wav"] {
      let bench = try RuntimeBench(rate: format == "opus" ? 48_000 : 8000)
      _ = try bench.run("\(Self.begin)\"\(format)\"}\n1 press REC\n7.4 fault power cut\n20 quit")
      let again = try RuntimeBench(continuing: bench)
      let suffix = format == "aac" ? "m4a" : format
      #expect(try again.run("\(Self.verify(3, Self.name(1, 1, suffix)))4 quit") == nil)
      let found = try #require(again.results("proof.verify").first)
      #expect(found["verdict"] == "cut off", "\(format): \(found.text)")
      #expect((found["seconds"]?.numberValue ?? 0) > 4.8, "\(format): \(found.text)")
      let reason = found["reason"]?.stringValue ?? ""
      #expect(reason.contains("the device completed the file"), "\(format): \(reason)")
    }
  }

  @Test func `nothing is signed unless it is asked for`() throws {
    let bench = try RuntimeBench(onDisk: true)
    #expect(try bench.run("1 press REC\n2 press STOP\n3 quit") == nil)
    let folder = try #require(bench.folder)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("recordings").path).allSatisfy {
        !$0.hasSuffix(".proof")
      })
    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("device-key").path))
  }
}
