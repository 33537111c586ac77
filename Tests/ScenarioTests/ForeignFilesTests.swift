import Foundation
import JSON
import TestSupport
import Testing

/// The manual's table of files on the card, tried with real ones.
@Suite("Files that other programs have made")
struct ForeignFilesTests {
  private func text(_ name: String) -> String { JSONValue.string(name).text }

  @Test func `They are listed with their lengths, played, and left as they are`() throws {
    let folder = TemporaryFolder()
    let mynah = Mynah(folder: folder)
    let card = try ForeignCard(in: mynah.data)
    let before = card.states()
    #expect(before.count == ForeignCard.files.count)

    let first = try mynah.run(
      """
      6 call library.list {"limit":1000}
      7 call clips.list {"limit":1000}
      8 call library.verify
      9 press REC
      11 press STOP
      13 quit
      """)
    try #require(first.status == 0, "\(first.errors)")
    let answers = first.events("result").map(\.data)
    try #require(answers.count == 3)
    let listed = (answers[0]["result"]?["takes"]?.arrayValue ?? []) + (answers[1]["result"]?["clips"]?.arrayValue ?? [])
    try expectListed(listed, card)
    expectPlain(first.errors)
    let problems = answers[2]["result"]?["problems"]?.arrayValue ?? []
    let unreadable = ForeignCard.files.filter { $0.fate == .unreadable && !$0.isClip }.map(\.name)
    // Who has given a film a name of the device's is told that it has not made it.
    let named = "000900_2026-11-20T21-54-00Z.mp4"
    #expect(Set(problems.compactMap { $0["id"]?.stringValue }) == Set(unreadable + [named]))
    #expect(card.states() == before)

    let second = try mynah.run(playing())
    try #require(second.status == 0, "\(second.errors)")
    try expectPlayed(second.events("result").map(\.data))
    expectPlain(second.errors)
    let after = card.states()
    for file in ForeignCard.files { #expect(after[file.path] == before[file.path], "\(file.path)") }
    // Nothing was looked at again that was known.
    #expect(!second.errors.contains("cannot be read and stays"), "\(second.errors)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: mynah.data.appendingPathComponent("_Corrupted").path) == [])
  }

  /// Mends everything, then plays every file for a second.
  private func playing() -> String {
    var lines = ["3 call library.repair", #"4 call clips.list {"limit":1}"#]
    var time = 5.0
    for isClip in [false, true] {
      lines.append(#"\#(time) call panel.mode {"mode":"\#(isClip ? "clips" : "dictaphone")"}"#)
      time += 2
      for file in ForeignCard.files where file.isClip == isClip && file.fate != .unlisted {
        lines.append(#"\#(time) call player.play {"id":\#(text(file.name))}"#)
        lines.append("\(time + 1) call player.status")
        lines.append("\(time + 1.5) call player.stop")
        time += 2
      }
    }
    return (lines + ["\(time) quit"]).joined(separator: "\n") + "\n"
  }

  private func expectListed(_ listed: [JSONValue], _ card: ForeignCard) throws {
    let found = Dictionary(listed.compactMap { item in item["id"]?.stringValue.map { ($0, item) } }) { $1 }
    for file in ForeignCard.files {
      let item = found[file.name]
      guard file.fate != .unlisted else {
        #expect(item == nil, "\(file.path)")
        continue
      }
      #expect(item?["unreadable"]?.boolValue == (file.fate == .unreadable), "\(file.path)")
      let seconds = item?["seconds"]?.numberValue ?? -1
      let expected = file.fate == .plays ? try card.decodedSeconds(file) : 0
      #expect(abs(seconds - expected) < 0.03, "\(file.path): \(seconds), decoded \(expected)")
    }
    // One name may stand among takes and among clips.
    #expect(found.count == Set(ForeignCard.files.filter { $0.fate != .unlisted }.map(\.name)).count)
  }

  private func expectPlayed(_ answers: [JSONValue]) throws {
    let calls = answers.filter { $0["method"]?.stringValue?.hasPrefix("player.") == true }
    let files = ForeignCard.files.filter { $0.fate != .unlisted }
    let inOrder = files.filter { !$0.isClip } + files.filter(\.isClip)
    try #require(calls.count == 3 * inOrder.count)
    for (index, file) in inOrder.enumerated() {
      let (play, status) = (calls[3 * index], calls[3 * index + 1]["result"])
      guard file.fate == .plays else {
        #expect(play["error"]?["code"]?.stringValue == "unsupported", "\(file.path): \(play.text)")
        continue
      }
      #expect(play["error"] == nil, "\(file.path): \(play.text)")
      #expect(status?["state"]?.stringValue == "playing", "\(file.path): \(calls[3 * index + 1].text)")
      #expect(status?["id"]?.stringValue == file.name)
      #expect((status?["seconds"]?.numberValue ?? 0) > 0.8, "\(file.path)")
    }
  }

  @Test("A list that is shown at once has the lengths of what is seen in it soon after")
  func lengthsFollow() throws {
    let folder = TemporaryFolder()
    var mynah = Mynah(folder: folder)
    mynah.clock = "real"
    try FileManager.default.createDirectory(at: mynah.recordings, withIntermediateDirectories: true)
    let sound = folder.file("talk.mp3")
    try Tool.succeed("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=440:d=5", sound])
    for number in 1000..<5000 {
      try FileManager.default.copyItem(
        atPath: sound, toPath: mynah.recordings.appendingPathComponent("talk \(number).mp3").path)
    }
    let run = try mynah.run("0.3 press DOWN\n1.5 press DOWN\n7 call panel.state\n7.1 quit")
    let texts = run.events("result").last?.data["result"]?["texts"]?.arrayValue?.compactMap(\.stringValue) ?? []
    #expect(texts.contains("talk 4999") && texts.contains("5s") && !texts.contains("0s"), "\(texts)")
  }

  /// No name of a stranger's steers the terminal on which the log is read.
  private func expectPlain(_ log: String) {
    let scalars = log.unicodeScalars.filter { $0 != "\n" }
    #expect(
      !scalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || (0x202A...0x202E).contains($0.value) })
  }
}
