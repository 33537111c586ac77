import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// Strangers' files as the device plays them: decoded by a process of its own.
@Suite("The process that decodes files", .serialized)
struct DecodingProcessTests {
  /// A device in real time with an MP3 and a WAV of somebody else's, half a minute each.
  private func device(_ script: String) throws -> (folder: TemporaryFolder, live: LiveMynah) {
    let folder = TemporaryFolder()
    var mynah = Mynah(folder: folder)
    mynah.clock = "real"
    try FileManager.default.createDirectory(at: mynah.recordings, withIntermediateDirectories: true)
    for name in ["talk.mp3", "other.wav"] {
      let path = mynah.recordings.appendingPathComponent(name).path
      try Tool.succeed("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=440:d=30", path])
    }
    return (folder, try LiveMynah(mynah.arguments(script: URL(fileURLWithPath: folder.put(script, "script")))))
  }

  @Test func `has the file and no more, ends with it, and is not there for takes of our own`() throws {
    let (folder, live) = try device(
      """
      2 call player.play {"id":"talk.mp3"}
      4 call player.status
      4.2 call player.stop
      4.5 press REC
      6 press STOP
      7 call player.play
      8.5 quit
      """)
    let process = try live.child("decode")
    let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
    for (name, most) in [("Max data size", 192 << 20), ("Max file size", 0), ("Max open files", 32)] {
      let line = limits.split(separator: "\n").first { $0.hasPrefix(name) }
      #expect(line?.dropFirst(name.count).split(separator: " ").first == "\(most)", "\(name)")
    }
    let open = "/proc/\(process)/fd"
    let files = try FileManager.default.contentsOfDirectory(atPath: open).compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(open)/\($0)")
    }
    let given = ["/talk.mp3", "/err"]
    #expect(
      files.allSatisfy { file in file.hasPrefix("socket:") || given.contains { file.hasSuffix($0) } }, "\(files)")
    let status = try live.wait(for: "result")
    _ = try live.wait(for: "onTakeSaved")
    #expect(live.events.contains { ($0.data["result"]?["seconds"]?.numberValue ?? 0) > 1.2 }, "\(status.data)")
    let end = Monotonic.now + 30
    while try !live.children("decode").isEmpty, Monotonic.now < end { usleep(2000) }
    while live.events.count(where: { $0.data["method"] == "player.play" }) < 2, Monotonic.now < end {
      _ = try live.wait(for: "result")
      usleep(2000)
    }
    #expect(try live.children("decode").isEmpty)
    withExtendedLifetime(folder) { _ = live.terminate() }
  }

  @Test func `that dies in the middle ends the playing with a reason, and nothing else`() throws {
    let (folder, live) = try device(
      """
      2 call player.play {"id":"talk.mp3"}
      6 press REC
      8 press STOP
      10 call player.play {"id":"talk.mp3"}
      11.5 call player.status
      12 quit
      """)
    let process = try live.child("decode")
    Monotonic.sleep(until: Monotonic.now + 1)
    kill(process, SIGSEGV)
    let error = try live.wait(for: "onError")
    #expect(error.data["message"]?.stringValue?.contains("(signal 11)") == true, "\(error.data)")
    let saved = try live.wait(for: "onTakeSaved")
    #expect((saved.data["frames"]?.integerValue ?? 0) >= 48_000)
    #expect(try live.end() == 0)
    let status = live.events.last { $0.data["method"] == "player.status" }?.data["result"]
    #expect(status?["state"] == "playing" && (status?["seconds"]?.numberValue ?? 0) > 0.8, "\(status ?? .null)")
    withExtendedLifetime(folder) {}
  }

  @Test func `that does not answer holds up nothing, and goes when another file is played`() throws {
    let (folder, live) = try device(
      """
      2 call player.play {"id":"talk.mp3"}
      6 call player.play {"id":"other.wav"}
      7.5 call player.status
      8 quit
      """)
    let process = try live.child("decode")
    Monotonic.sleep(until: Monotonic.now + 1)
    kill(process, SIGSTOP)
    #expect(try live.end() == 0)
    let status = live.events.last { $0.data["method"] == "player.status" }?.data["result"]
    #expect(status?["id"] == "other.wav" && (status?["seconds"]?.numberValue ?? 0) > 0.8, "\(status ?? .null)")
    #expect(kill(process, 0) != 0)
    withExtendedLifetime(folder) {}
  }

  @Test func `that stands still is an error after three seconds, and what is played next plays`() throws {
    let (folder, live) = try device(
      """
      2 call player.play {"id":"talk.mp3"}
      9 call player.status
      9.1 call player.play {"id":"talk.mp3"}
      10.5 call player.status
      11 quit
      """)
    let process = try live.child("decode")
    Monotonic.sleep(until: Monotonic.now + 1)
    kill(process, SIGSTOP)
    let error = try live.wait(for: "onError")
    #expect(error.data["message"]?.stringValue?.contains("no sound has come for 3 s") == true, "\(error.data)")
    #expect(try live.end() == 0)
    let states = live.events.filter { $0.data["method"] == "player.status" }.map { $0.data["result"]?["state"] }
    #expect(states.count == 2 && states[0] != "playing" && states[1] == "playing", "\(states)")
    withExtendedLifetime(folder) {}
  }

  @Test func `reads what is dubbed as well, with what lies beside it, and costs that at most`() throws {
    let (folder, live) = try device(
      """
      2 call dub.start {"source":"other.wav","language":"es"}
      5 call dub.status
      20 press REC
      22 press STOP
      23 quit
      """)
    let process = try live.child("--programme")
    let status = try live.wait(for: "result") { $0.data["method"] == "dub.status" }.data["result"]
    #expect(status?["state"] == "playing", "\(status ?? .null)")
    #expect((status?["positionSeconds"]?.numberValue ?? 0) > 1.5, "\(status ?? .null)")
    // What has been read is heard out first: some six seconds.
    kill(process, SIGSEGV)
    let error = try live.wait(for: "onError")
    #expect(error.data["message"]?.stringValue?.contains("(signal 11)") == true, "\(error.data)")
    let saved = try live.wait(for: "onTakeSaved")
    #expect((saved.data["frames"]?.integerValue ?? 0) >= 48_000)
    #expect(try live.end() == 0)
    withExtendedLifetime(folder) {}
  }
}
