import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// Where a device may be made to work, and cannot.
@Suite("A file system", .enabled(if: geteuid() == 0, "only root may mount"))
struct BadPlaceTests {
  private let folder: TemporaryFolder
  private let socket: NotifySocket

  init() throws {
    folder = TemporaryFolder()
    socket = try NotifySocket(in: folder)
  }

  /// A board without devices, with its data directory there.
  private func board(data: String) throws -> String {
    let text = """
      [storage]
      data = "\(data)"
      reserve_mb = 1
      low_mb = 2
      [budget]
      rss_mb = 128
      cpu_percent = 100
      program.memory_kb = 81920
      audio_in.memory_kb = 1280
      pre_record.memory_kb = 17920
      encoder.memory_kb = 4352
      audio_out.memory_kb = 2048
      """
    let path = folder.file("board.toml")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test("that is full lets the device start; it says so, and who has the directory, and ends in order")
  func full() throws {
    guard let small = try SmallFileSystem("size=1m", at: folder.file("full")) else { return }
    try small.fill()
    let data = "\(small.path)/data"
    let board = try board(data: data)
    let mynah = try LiveMynah(["run", "--board", board], environment: ["NOTIFY_SOCKET": socket.path])
    try socket.wait(for: "READY=1")
    try socket.wait(for: "STATUS=not armed, no microphone, storage full")
    let second = try Mynah.execute(["run", "--board", board])
    #expect(second.status == 69)
    #expect(second.errors.contains("process \(mynah.identifier) works in it"), "\(second.errors)")
    #expect(try Mynah.execute(["selftest", "--board", board]).status == 1)
    #expect(mynah.terminate() == 0)
  }

  @Test("whose folder of takes belongs to somebody else is not armed for takes, and says whose move it is")
  func folderOfOthers() throws {
    let program = folder.file("mynah")
    try FileManager.default.copyItem(atPath: Mynah.executable.path, toPath: program)
    let recordings = folder.file("data/recordings")
    try FileManager.default.createDirectory(atPath: recordings, withIntermediateDirectories: true)
    let script = folder.put(
      "2 call recorder.status\n3 call recorder.start\n4 call clips.status\n5 quit\n", "script.txt")
    try Tool.succeed("chown", ["-R", "nobody", folder.url.path])
    try Tool.succeed("chown", ["root", recordings])
    let run = try Tool.run(
      "setpriv",
      [
        "--reuid=nobody", "--clear-groups", program, "simulate", "--data", folder.file("data"), "--clock", "virtual",
        "--events", "--script", script,
      ])
    let results = run.output.split(separator: "\n").compactMap { Mynah.event(line: String($0)) }
      .filter { $0.topic == "result" }
    try #require(results.count == 3, "\(run.output)\(run.errors)")
    #expect(results[0].data["result"]?["armed"]?.boolValue == false)
    #expect(results[0].data["result"]?["secondsLeft"]?.numberValue == 0)
    #expect(results[1].data["error"]?["code"]?.stringValue == "denied", "\(results[1].data)")
    #expect(run.output.contains("recordings/ takes no files") && !run.output.contains("clips/ takes no files"))
  }

  @Test("that takes no directory, or is read-only, is told with what to do")
  func unusable() throws {
    for (options, words) in [("size=1m,nr_inodes=1", "no space is left"), ("size=1m,ro", "make it writable")] {
      guard let small = try SmallFileSystem(options, at: folder.file("small")) else { return }
      let run = try Mynah.execute(["run", "--board", try board(data: "\(small.path)/data")])
      #expect(run.status == 69)
      #expect(run.errors.contains(words), "\(run.errors)")
    }
  }
}

/// Words of the command line, and what stands on a card, on the terminal of who looks.
@Suite("A command that fails") struct PlainComplaintTests {
  private static let evil = "a\u{1B}[2J\u{9B}b\u{202E}c\u{FEFF}d\u{E0041}\ne"

  /// Nothing of it steers or is unseen, and no line of it begins where a name has one.
  private func expectPlain(_ run: Mynah.Run, _ words: String) {
    let text = run.output + run.errors
    #expect(run.status != 0 && text.contains(words), "\(text.debugDescription)")
    #expect(!text.contains("\ne"), "\(text.debugDescription)")
    let odd = text.unicodeScalars.filter {
      $0 != "\n" && ($0.value < 0x20 || (0x7F..<0xA0).contains($0.value))
        || [0x202E, 0xFEFF, 0xE0041].contains($0.value)
    }
    #expect(odd.isEmpty, "\(text.debugDescription)")
  }

  @Test(
    "names no path that steers the terminal",
    arguments: [
      ["simulate", "--script"], ["simulate", "--camera"], ["simulate", "--microphone"],
      ["simulate", "--source"], ["simulate", "--screen"], ["simulate", "--board"], ["board", "check"],
      ["board", "show"],
      ["console"], ["library", "list", "--data"], ["log", "--data"], ["selftest", "--data"], ["verify"],
    ])
  func paths(words: [String]) throws {
    let folder = TemporaryFolder()
    let data = words[0] == "simulate" ? ["--data", folder.file("data")] : []
    let script = words.last == "--script" || words[0] != "simulate" ? [] : ["--script", folder.file("s")]
    try "1 quit\n".write(toFile: folder.file("s"), atomically: true, encoding: .utf8)
    expectPlain(try Mynah.execute(words + [folder.file(Self.evil)] + data + script), "?[2J?b?c?d??e")
  }

  @Test("says no word of the command line that steers the terminal")
  func words() throws {
    for words in [["log", "--level"], ["verify", "x", "--key"]] {
      let text = try Mynah.execute(words + [Self.evil.replacing("\n", with: "")])
      expectPlain(text, "?[2J?b?c?d?e")
    }
    expectPlain(try Mynah.execute(["--" + Self.evil.replacing("\n", with: "")]), "?[2J?b?c?d?e")
  }

  @Test("tells what a card's settings hold in a line that steers nothing")
  func settings() throws {
    let folder = TemporaryFolder()
    try #"{"recording.format":"a\u001b[2J\u009bb\u202ec\ufeffd\udb40\udc41\ne"}"#
      .write(toFile: folder.file("settings.json"), atomically: true, encoding: .utf8)
    expectPlain(try Mynah.execute(["selftest", "--data", folder.url.path]), "settings.json: ")
  }
}
