import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// The process that looks at strangers' files, as the device starts it.
@Suite("The process that looks at files", .serialized)
struct ExaminerProcessTests {
  /// A device with many files of another recorder's; they are one on the medium, for it is their number that counts.
  private func device(files: Int, script: String) throws -> (mynah: Mynah, folder: TemporaryFolder, live: LiveMynah) {
    let folder = TemporaryFolder()
    var mynah = Mynah(folder: folder)
    mynah.clock = "real"
    try FileManager.default.createDirectory(at: mynah.recordings, withIntermediateDirectories: true)
    let first = mynah.recordings.appendingPathComponent("talk 10000.wav").path
    try Tool.succeed("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=440:d=2", first])
    for number in 1..<files { link(first, mynah.recordings.appendingPathComponent("talk \(10_000 + number).wav").path) }
    let file = folder.put(script, "script")
    return (mynah, folder, try LiveMynah(mynah.arguments(script: URL(fileURLWithPath: file))))
  }

  private static func script(listAt second: Double) -> String {
    """
    1 press REC
    2.5 press STOP
    \(second) call library.list {"limit":1000}
    \(second + 0.2) quit
    """
  }

  @Test func `has no more than it needs`() throws {
    let (mynah, _, live) = try device(files: 4000, script: Self.script(listAt: 5))
    let process = try live.child("examine")
    let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    // Memory, processor time, files that it can write, files that it can have open.
    for (name, most) in [
      ("Max data size", 192 << 20), ("Max cpu time", 60), ("Max file size", 0), ("Max open files", 32),
    ] {
      let line = limits.split(separator: "\n").first { $0.hasPrefix(name) }
      #expect(line?.dropFirst(name.count).split(separator: " ").first == "\(most)", "\(name)")
    }
    #expect(status.contains("NoNewPrivs:\t1"))
    // Neither a network nor a file but the two ends it was given.
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").compactMap { Int($0) }
    #expect(open.allSatisfy { $0 < 32 })
    withExtendedLifetime(mynah) { _ = live.terminate() }
  }

  @Test(arguments: [(SIGSEGV, "signal 11", 4.0), (SIGSTOP, "took more than 10 s", 14.0)])
  func `costs one file when it dies or does not answer, and never a take`(
    signal: Int32, reason: String, listAt: Double
  ) throws {
    let (mynah, _, live) = try device(files: 400, script: Self.script(listAt: listAt))
    kill(try live.child("examine"), signal)
    let saved = try live.wait(for: "onTakeSaved")
    #expect((saved.data["frames"]?.integerValue ?? 0) >= 48_000)
    let list = try live.wait(for: "result").data["result"]?["takes"]?.arrayValue ?? []
    let unreadable = list.filter { $0["unreadable"]?.boolValue == true }
    #expect(unreadable.count == 1)
    #expect(list.count == 401)
    #expect(live.errors.contains(reason), "\(live.errors)")
    _ = live.terminate()
    // No hand had a part in what is in the file: the next start lists it as what it is.
    let again = try Mynah(folder: mynah.folder).run("30 call library.list {\"limit\":1000}\n31 quit\n")
    let takes = again.events("result").last?.data["result"]?["takes"]?.arrayValue ?? []
    #expect(takes.count == 401)
    #expect(takes.allSatisfy { $0["unreadable"]?.boolValue == false && ($0["frames"]?.integerValue ?? 0) > 0 })
  }

  @Test func `looks first at what somebody has before him, of ten thousand that are listed at once`() throws {
    let (mynah, _, live) = try device(
      files: 10_000,
      script: """
        0.5 call library.list {"offset":5000,"limit":6}
        3.5 call library.list {"offset":5000,"limit":6}
        4 press REC
        5.5 press STOP
        9 quit
        """)
    let saved = try live.wait(for: "onTakeSaved")
    #expect((saved.data["frames"]?.integerValue ?? 0) >= 48_000)
    let results = live.events.filter { $0.topic == "result" }
    try #require(results.count == 2 && results.allSatisfy { $0.data["error"] == nil }, "\(results)")
    let pages = results.map { $0.data["result"] }
    let ids = pages.map { ($0?["takes"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue } }
    #expect(pages[0]?["total"]?.integerValue == 10_000)
    #expect(ids[0].count == 6 && ids[0] == ids[1])
    for take in pages[1]?["takes"]?.arrayValue ?? [] {
      #expect(take["pending"]?.boolValue == false)
      #expect(take["seconds"]?.numberValue == 2)
    }
    #expect((pages[1]?["pending"]?.integerValue ?? 0) > 5000)
    withExtendedLifetime(mynah) { _ = live.terminate() }
  }
}
