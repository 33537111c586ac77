import Foundation
import Hardware
import TestSupport
import Testing

@testable import Console
@testable import Runtime

/// What people type for a take.
@Suite struct TypedNameTests {
  private let names = TypedNames([
    .init(id: "000044_2026-11-21T10-00-00Z.m4a", name: "Interview two"),
    .init(id: "000043_2026-11-20T22-00-00Z.wav", name: "Interview one"),
    .init(id: "000042_2026-11-20T21-54-00Z.m4a", name: "Take 42"),
    .init(id: "voice memo.m4a", name: "voice memo"),
    .init(id: "000007_2026-11-19T21-54-00Z.m4a", name: "43"),
  ])

  @Test func byFileNameNumberNameAndBeginning() throws {
    #expect(try names.id("000043_2026-11-20T22-00-00Z.wav") == "000043_2026-11-20T22-00-00Z.wav")
    #expect(try names.id("last") == "000044_2026-11-21T10-00-00Z.m4a")
    #expect(try names.id("42") == "000042_2026-11-20T21-54-00Z.m4a")
    // A number is a take's number before it is a name.
    #expect(try names.id("43") == "000043_2026-11-20T22-00-00Z.wav")
    #expect(try names.id("interview TWO") == "000044_2026-11-21T10-00-00Z.m4a")
    #expect(try names.id("voi") == "voice memo.m4a")
    #expect(try names.id("000007") == "000007_2026-11-19T21-54-00Z.m4a")
    #expect(try names.id("99") == nil)
    #expect(try names.id("nothing") == nil)
  }

  @Test func `A number, or nothing, is no beginning of something else`() throws {
    let one = TypedNames([.init(id: "1st interview.wav", name: "1st interview")])
    for typed in ["", "1", "01"] { #expect(try one.id(typed) == nil) }
    #expect(try one.id("1s") == "1st interview.wav")
    let ten = TypedNames([.init(id: "000010_2026-11-20T21-54-00Z.m4a", name: "Take 10")])
    #expect(try ten.id("take 1") == nil)
    for typed in ["take", "take 10", "10", "000010_2026"] {
      #expect(try ten.id(typed) == "000010_2026-11-20T21-54-00Z.m4a")
    }
  }

  @Test func `A number is one that the device has given, and of two devices' takes neither is taken`() throws {
    let talk = TypedNames.Row(id: "1_Talk.wav", name: "1_Talk")
    let one = TypedNames.Row(id: "000001_2026-11-20T21-54-00Z.m4a", name: "Take 1")
    #expect(try TypedNames([talk, one]).id("1") == one.id)
    #expect(try TypedNames([talk]).id("1") == nil)
    let other = TypedNames.Row(id: "000001_2026-11-22T10-00-00Z.m4a", name: "Take 1")
    #expect(throws: CommandFailure.self) { try TypedNames([other, one]).id("1") }
    #expect(try TypedNames([other, one]).id("000001_2026-11-22") == other.id)
  }

  @Test func `All are all, whatever one is called`() throws {
    let hands = TypedNames([.init(id: "000002_2026-11-20T21-54-00Z.m4a", name: "All hands")])
    #expect(try hands.id("all") == nil)
    #expect(try hands.id("all h") == "000002_2026-11-20T21-54-00Z.m4a")
  }

  @Test func whatMayBeSeveralIsSaid() throws {
    let failure = #expect(throws: CommandFailure.self) { try names.id("inter") }
    #expect(
      failure?.message.hasPrefix("\"inter\" may be 000044_2026-11-21T10-00-00Z.m4a (Interview two), 000043") == true)
    #expect(try TypedNames([]).id("last") == nil)
  }
}

/// What people type for them on a device that runs, in virtual time.
@Suite struct TypedWordRunTests {
  /// What was answered to each line that was typed, in their order.
  private func answers(to lines: [(time: Double, line: String)]) throws -> [(line: String, answer: String)] {
    let bench = try RuntimeBench(onDisk: true, rate: nil)
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    for (time, line) in lines { bench.hardware.steppers.append(AtTime(.at(time), bench) { _ in port.type(line) }) }
    #expect(try bench.run("30 quit") == nil)
    let said = port.text.components(separatedBy: "mynah> ").dropFirst().filter { !$0.isEmpty }
    #expect(said.count == lines.count, "\(port.text)")
    return zip(lines, said).map { ($0.line, $1) }
  }

  @Test func `A clip is shown and deleted by its number, as a take is, and its times are the zone's`() throws {
    let said = try answers(to: [
      (1, "settings clock.zone Europe/Berlin"), (1.5, "mode clips"), (7, "clip"), (12, "show 1"), (13, "delete 1"),
      (14, "show 1"), (15, "undelete"), (16, "show 1"), (17, "delete 99"), (18, "show last"),
    ])
    let shown = said[3].answer
    #expect(shown.contains("000001_2026-11-20T21-54-02Z.mp4") && shown.contains("2026-11-20 22:54:07"), "\(shown)")
    #expect(!said[3].answer.contains("1795211"), "a time that nobody reads: \(said[3].answer)")
    #expect(said[4].answer.contains("000001_2026-11-20T21-54-02Z.mp4 is deleted: undelete brings it back"))
    #expect(said[5].answer.contains("(not-found)"))
    #expect(said[7].answer.contains("000001_2026-11-20T21-54-02Z.mp4"))
    #expect(said[8].answer.contains("(not-found)"))
    #expect(said[9].answer == said[7].answer.replacingOccurrences(of: "show 1", with: "show last"))
  }

  @Test func `The clip after one that was deleted has all of its own pre-roll`() throws {
    for (word, pictures) in [("show last", 90), ("delete last", 150)] {
      let said = try answers(to: [(1, "mode clips"), (9, "clip"), (11, word), (12, "clip"), (14, "show last")])
      let captured = said[4].answer.split(whereSeparator: \.isNewline).first { $0.contains("captured") }
      #expect(captured?.hasSuffix(" \(pictures)") == true, "\(captured ?? "")")
    }
  }

  @Test func `A setting takes what is typed for it, zeros in front and all, and a PIN is not shown`() throws {
    let said = try answers(to: [
      (1, "settings lock.pin 0042"), (2, "settings dub.serviceToken 00123"), (3, "settings recording.source 007"),
      (4, "settings recording.bitrateKbps 192.0"), (5, "settings recording.limiter YES"),
      (6, "settings dub.language no"),
      (7, "settings lock.pin 123"), (8, "settings playback.rate 1.5"),
    ])
    let wanted = [
      "lock.pin  ********", "dub.serviceToken  ********", "recording.source  007",
      "recording.bitrateKbps  192", "recording.limiter  on", "dub.language  no", "cannot be ********",
      "playback.rate  1.5",
    ]
    for (said, wanted) in zip(said, wanted) { #expect(said.answer.contains(wanted), "\(said)") }
  }

  @Test func `A word that is typed to look changes nothing`() throws {
    let said = try answers(to: [
      (1, "talkback"), (2, "schedule daily 06:30 08:00"), (3, "schedules 1 off"), (4, "schedules 1"), (5, "schedules"),
      (6, "talkback on"), (7, "talkback"),
    ])
    #expect(said[0].answer.contains("session.talkBack  off"), "\(said[0])")
    for index in [3, 4] { #expect(said[index].answer.contains("1   off"), "\(said[index])") }
    #expect(said[6].answer.contains("session.talkBack  on"), "\(said[6])")
  }

  @Test func `In clip mode nothing is said of the room that there is for takes`() throws {
    let said = try answers(to: [(1, "status"), (2, "mode clips"), (4, "status")])
    #expect(said[0].answer.contains("time left"), "\(said[0])")
    #expect(said[2].answer.contains("clips.buffering") && !said[2].answer.contains("time left"), "\(said[2])")
  }

  @Test func `A sealed take is not called good by a check that cannot look into it`() throws {
    let key = "age1pyqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq8r66x"
    let said = try answers(to: [
      (1, "rec"), (3, "stop"), (5, "settings recording.encryptTo \(key)"), (6, "rec"), (8, "stop"), (10, "verify"),
    ])
    #expect(said[5].answer.contains("1 checked, all good; 1 not looked into"), "\(said[5])")
  }

  @Test func `A schedule by a sun whose place has been taken away says what it waits for`() throws {
    let said = try answers(to: [
      (1, "settings clock.place 52.5,13.4"), (2, "schedule daily sunrise 12:00"), (3, "settings reset clock.place"),
      (4, "schedules"),
    ])
    #expect(said[3].answer.contains("daily sunrise 12:00; waits for clock.place"), "\(said[3])")
  }

  @Test func `A paused take goes on by rec, and by resume`() throws {
    let said = try answers(to: [
      (6, "rec"), (8, "pause"), (9, "resume"), (10, "status"), (11, "pause"), (12, "rec"), (13, "status"), (14, "stop"),
    ])
    for index in [3, 6] { #expect(said[index].answer.contains("dictaphone.recording"), "\(said[index])") }
    for index in [0, 1, 2, 4, 5] { #expect(said[index].answer.contains("ok"), "\(said[index])") }
  }

  @Test func `What is played and paused goes on by resume, which never begins a take`() throws {
    let said = try answers(to: [
      (6, "rec"), (8, "stop"), (9, "play 1"), (9.5, "pause"), (10, "resume"), (10.5, "status"), (11, "stop"),
      (11.5, "resume"), (12, "status"),
    ])
    #expect(said[4].answer.contains("ok"), "\(said[4])")
    #expect(said[5].answer.contains("dictaphone.playing"), "\(said[5])")
    #expect(said[7].answer.contains("error: "), "\(said[7])")
    #expect(said[8].answer.contains("dictaphone.idle"), "\(said[8])")
  }
}
