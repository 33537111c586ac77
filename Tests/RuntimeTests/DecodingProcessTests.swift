import Dictaphone
import Glibc
import Hardware
import Media
import TestSupport
import Testing

@testable import Runtime

/// The process that decodes a stranger's file may end in any way, say anything, or nothing.
@Suite("A process that decodes")
struct DecodingProcessTests {
  /// What is heard of a process that behaves as a shell script does: its answers, then why there are no more.
  private func hear(_ script: String, patience: Duration = .seconds(60), asking: Bool = false) -> (Int, String) {
    let folder = TemporaryFolder()
    let file = PlayerFile(id: "-talk.mp3", path: folder.put("sound", "talk.mp3"), isForeign: true)
    var count = 0
    do {
      guard
        let process = try DecodingProcess(
          ["/bin/bash", "-c", script, "decode"], file: file, waits: true, patience: patience)
      else { return (0, "none") }
      if asking { try process.send(SoundQuestion.peak(0..<1).encoded) }
      while true { count += try process.receive().count }
    } catch { return (count, "\(error)") }
  }

  @Test func `It has the file open and its name, and nothing else`() {
    let (count, _) = hear(#"cat <&3; echo -n "$1"; ls /proc/$$/fd; :"#)
    // The file's five bytes, its name, and 0, 1, 2, 3, a line each; bash has 255 for itself where it has any. (No pipe:
    // bash would have its ends open for a moment. And ls is not the last command, in whose place bash would put itself.)
    #expect([5 + 9 + 8, 5 + 9 + 12].contains(count))
  }

  @Test(arguments: [
    ("kill -SEGV $$", "(signal 11)"), ("kill -KILL $$", "(signal 9)"), ("exit 3", "gave up (3)"),
    ("exec 0<&- 1>&-; sleep 600", "upset the process"),
  ])
  func `That it ends is an error with its reason, at once`(script: String, reason: String) {
    #expect(hear(script).1.contains(reason))
    #expect(hear("read -n 1; \(script)", asking: true).1.contains(reason))
  }

  @Test func `That it does not answer is one after a while`() {
    #expect(hear("sleep 600", patience: .seconds(1)).1.contains("has not answered for 1 s"))
  }

  /// As an emulator says that there is no such program.
  @Test func `One that ends with 127 before it has said anything was never there`() throws {
    let folder = TemporaryFolder()
    let file = PlayerFile(id: "talk.mp3", path: folder.put("sound", "talk.mp3"), isForeign: true)
    for (script, isThere) in [("exit 127", false), ("echo a; exit 127", true), ("exit 3", true)] {
      var told = 0
      let process = try #require(
        try DecodingProcess(
          ["/bin/bash", "-c", script, "decode"], file: file, waits: true, patience: .seconds(60),
          tellNotBegun: { told += 1 }))
      #expect(throws: MediaError.self) { while true { _ = try process.receive() } }
      #expect(process.hasNotBegun != isThere && told == (isThere ? 0 : 1))
    }
  }

  /// While the player pauses nobody takes what has come; that is no silence of the process.
  @Test func `What has waited to be taken is no reason to end it`() throws {
    let folder = TemporaryFolder()
    let file = PlayerFile(id: "talk.mp3", path: folder.put("sound", "talk.mp3"), isForeign: true)
    let script = "echo -n a; touch \(folder.file("said")); read -n 1; echo -n b; sleep 600"
    let process = try #require(
      try DecodingProcess(["/bin/bash", "-c", script, "decode"], file: file, waits: false, patience: .seconds(3)))
    while access(folder.file("said"), F_OK) != 0 { usleep(10_000) }
    // Longer than it may be silent.
    usleep(3_300_000)
    #expect(try process.receive() == [0x61])
    #expect(try process.receive() == [])
    // Not 0, which bash does not take for a character.
    try process.send([0x31])
    var next: [UInt8] = []
    while next.isEmpty { next = try process.receive() }
    #expect(next == [0x62])
  }

  @Test func `Only files are handed over, and a program that is not there is none`() throws {
    let folder = TemporaryFolder()
    for path in ["/dev/zero", "/tmp", folder.file("nothing")] {
      #expect(throws: (any Error).self) {
        try DecodingProcess(
          ["/bin/true"], file: PlayerFile(id: "a", path: path), waits: true, patience: .seconds(1))
      }
    }
    let path = folder.put("sound", "a.mp3")
    #expect(
      try DecodingProcess(
        ["/nowhere/at/all"], file: PlayerFile(id: "a", path: path), waits: true, patience: .seconds(1)) == nil)
  }
}
