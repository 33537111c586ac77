import Appliance
import Board
import Budget
import Doctor
import Foundation
import Hardware
import JSON
import Sound
import TestSupport
import Testing

@testable import Console
@testable import Library
@testable import Runtime

/// What people see of answers, to the letter.
@Suite struct AnswerTextTests {
  @Test("Status tells what the device is doing")
  func status() {
    let panel = PanelSnapshot(
      mode: "dictaphone.recording", isLocked: true, screen: "recording", lamps: [.rec: "on", .status: "off"],
      notice: Notice(severity: .warning, code: "storage-low", text: "Little space is left on the card."))
    var recorder = RecorderStatus.Answer(activity: "recording", format: "aac")
    recorder.id = "000042_2026-11-20T21-54-00Z.m4a"
    recorder.sampleRate = 48_000
    recorder.channels = 2
    recorder.frames = 194_217_600
    recorder.secondsLeft = 36_000
    let lines = [
      "mode       dictaphone.recording, locked",
      "notice     Little space is left on the card.",
      "leds       REC on, STATUS off",
      "take       000042_2026-11-20T21-54-00Z.m4a, 1h07m26s",
      "format     aac 48000 Hz stereo",
      "time left  10h00m00s",
    ]
    #expect(StatusText.lines(panel, recorder, PlayerStatus.Answer(), width: 80) == lines)
    recorder.gaps = 2
    #expect(StatusText.lines(panel, recorder, PlayerStatus.Answer(), width: 80)[3].hasSuffix("1h07m26s, gaps: 2"))
  }

  @Test("Takes are a table that fits the width")
  func takes() {
    func take(_ id: String, _ name: String, seconds: Double, bytes: Int) -> TakeSummary {
      TakeSummary(
        id: id, displayName: name, createdAt: WallTime(nanosecondsSince1970: 0), frames: Int(seconds * 48_000),
        sampleRate: 48_000, channels: 2, format: "aac", bitrateKbps: nil, fileSizeBytes: bytes, userTags: [],
        favourite: false, inProgress: false, stopReason: "user", lastPlayedPosition: nil, bookmarkCount: 0)
    }
    let list = LibraryList.Answer(
      total: 7, pending: 0, offset: 0,
      takes: [
        take("000042_2026-11-20T21-54-00Z.m4a", "Interview", seconds: 65.04, bytes: 1_234_567),
        take(
          "000043_2026-11-20T21-54-00Z.m4a", "A name that is much too long for any table of this width", seconds: 4046,
          bytes: 98_765_432),
      ])
    #expect(
      LibraryText.takes(list, width: 80) == [
        "take                             name                            length     size",
        "000042_2026-11-20T21-54-00Z.m4a  Interview                        1m05s   1.2 MB",
        "000043_2026-11-20T21-54-00Z.m4a  A name that is much too l...  1h07m26s  98.8 MB",
        "1 to 2 of 7",
      ])
    var beside = list.takes[0]
    beside.safety = beside.files
    let lines = LibraryText.takes(LibraryList.Answer(total: 1, pending: 0, offset: 0, takes: [beside]), width: 80)
    #expect(lines[1].hasSuffix("1.2 MB  safety"))
    #expect(
      LibraryText.takes(LibraryList.Answer(total: 0, pending: 0, offset: 0, takes: []), width: 80) == ["no takes"])
    #expect(
      LibraryText.takes(LibraryList.Answer(total: 0, pending: 2, offset: 0, takes: []), width: 80) == [
        "2 more being looked at: they were being changed when the device went off"
      ])
  }

  @Test("Meters are bars")
  func meters() {
    var left = ChannelLevel()
    left.rmsDB = -30
    left.peakDB = -12
    var right = ChannelLevel()
    right.rmsDB = -60
    right.peakDB = -0.04
    right.clips = 2
    #expect(
      StatusText.meters([left, right], width: 80) == [
        "L [====================           |        ] average  -30.0 peak  -12.0 dB",
        "R [                                      | ] average  -60.0 peak    0.0 dB CLIP 2",
      ])
    #expect(StatusText.meters([], width: 80) == ["no meters: the microphone is not running"])
  }

  @Test("Problems and findings come with what helps, said once")
  func problems() {
    let check = LibraryCheck(
      checked: 3, problems: [LibraryCheck.Problem(id: "a.m4a", problem: "cut short", remedy: "repair it")])
    #expect(LibraryText.check(check, width: 80) == ["a.m4a: cut short", "  repair it", "3 checked, 1 with problems"])
    let report = DoctorReport(
      board: "test", version: "1",
      findings: [
        DeviceFinding("display", .missing, "no answer at 0x3c", remedy: "check the wires"),
        DeviceFinding("clock", .missing, "no answer at 0x68", remedy: "check the wires"),
      ])
    #expect(
      DeviceText.doctor(report, width: 80) == [
        "display     missing  no answer at 0x3c", "                     check the wires",
        "clock       missing  no answer at 0x68", "2 of 2 to mend: display, clock",
      ])
  }

  @Test func `What is in the socket for a stick is a sentence`() {
    func said(_ state: StickState, hasSocket: Bool = true) -> String {
      LibraryText.stick(StickStatus.Answer(hasSocket: hasSocket, state: state))
    }
    #expect(said(.absent, hasSocket: false) == "this board has no socket for a stick")
    #expect(said(.absent) == "no stick is in")
    #expect(said(StickState(.plugged)) == "a stick is in")
    #expect(
      said(StickState(.mounted, label: "FIELD", bytes: 16_000_000_000))
        == "a stick is in use (FIELD, 16.0 GB): leave it in")
    #expect(said(StickState(.safe, label: "FIELD")) == "the stick (FIELD) may be pulled out")
    #expect(said(StickState(.unusable, reason: "format it")) == "the stick cannot be used: format it")
  }

  @Test("The doctor's answer for programs has stable keys")
  func doctor() throws {
    let report = DoctorReport(
      board: "test", version: "1",
      findings: [
        DeviceFinding("microphone", place: "hw:1", .works, "48000 Hz", facts: ["sampleRate": .integer(48_000)]),
        DeviceFinding("display", place: "/dev/i2c-1@0x3c", .missing, "no answer", remedy: "check the wires"),
      ])
    let json = report.json
    #expect(json["works"] == false)
    #expect(json["failed"] == 1)
    #expect(json["board"] == "test")
    let checks = try #require(json["checks"]?.arrayValue)
    for check in checks {
      #expect(
        check.objectValue?.keys.sorted() == ["detail", "device", "facts", "place", "remedy", "verdict", "works"])
    }
    #expect(checks[0]["facts"]?["sampleRate"] == 48_000)
    #expect(checks[0]["remedy"] == .null)
    #expect(checks[1]["verdict"] == "missing")
    #expect(try JSONValue(parsing: Array(json.text.utf8)) == json)
  }
}

/// What the table tells of itself.
@Suite struct TableTextTests {
  private let catalogue = DeviceTable.catalogue

  @Test("Help fits the width and explains")
  func help() {
    let overview = catalogue.overview(width: 80)
    #expect(overview.allSatisfy { $0.count <= 80 })
    #expect(overview.first == "  status      shows what the device is doing")
    #expect(
      catalogue.explanation(of: "hold", width: 80) == [
        "usage: hold BUTTON [SECONDS]", "holds a key down.",
        "  BUTTON    the key (one of REC, STOP, UP, DOWN, LEFT, RIGHT, CENTRE, LOCK,", "            MARK)",
        "  SECONDS   how long; unlocking takes 2 (a number from 0.001 to 60; 1 if left",
        "            out)", "calls: panel.press",
      ])
    #expect(catalogue.explanation(of: "shred", width: 80) == nil)
    #expect(
      catalogue.explanation(of: "panel.screen", width: 80) == [
        "usage: panel.screen", "gives the picture on the screen.", "result: {png, width, height}",
        "  png       the picture as a PNG, in base64", "  width     dots", "  height    dots",
        "least role: viewer; works while recording",
      ])
  }

  @Test("Every word calls methods that exist, names are there once, and help fits")
  func words() {
    for word in catalogue.words {
      #expect(word.methods.allSatisfy { catalogue.method($0) != nil }, "\(word.name)")
      #expect(catalogue.explanation(of: word.name, width: 80)?.allSatisfy { $0.count <= 80 } == true, "\(word.name)")
    }
    for method in catalogue.methods {
      #expect(method.method.split(separator: ".").count == 2)
      #expect(catalogue.explanation(of: method.method, width: 80)?.allSatisfy { $0.count <= 80 } == true)
    }
    let names = catalogue.words.flatMap { [$0.name] + $0.aliases }
    #expect(Set(names).count == names.count)
    #expect(Set(catalogue.methods.map(\.method)).count == catalogue.methods.count)
  }

  @Test("The published document is OpenRPC with every method, its parameters and its answer")
  func openRPC() throws {
    let document = catalogue.openRPC(version: "1.2.3")
    #expect(try JSONValue(parsing: document.indentedText) == document)
    #expect(document["openrpc"] == "1.3.2")
    #expect(document["info"]?["version"] == "1.2.3")
    let methods = try #require(document["methods"]?.arrayValue)
    #expect(methods.compactMap { $0["name"]?.stringValue } == catalogue.methods.map(\.method))
    let press = try #require(methods.first { $0["name"] == "panel.press" })
    #expect(
      press["params"]?[1] == [
        "name": "ms", "summary": "how long it is down; a long press is 600, unlocking 2000", "required": false,
        "schema": ["type": "integer", "minimum": 1, "maximum": 60_000, "default": 100],
      ])
    #expect(
      press["result"]?["schema"] == [
        "type": "object", "additionalProperties": false, "required": [],
        "properties": ["ignored": ["type": "string", "description": "why the press did nothing"]],
      ])
    #expect(press["x-role"] == "operator")
  }
}

/// Words that somebody types on the console of the running device.
@Suite struct WordTests {
  /// Types lines at times, and gives what the console showed.
  private func transcript(_ lines: [(Double, String)], until end: Double) throws -> [String] {
    let bench = try RuntimeBench(onDisk: true, rate: nil)
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    for (time, line) in lines {
      bench.hardware.steppers.append(AtTime(.at(time), bench) { _ in port.type(line) })
    }
    try #require(try bench.run("\(end) quit") == nil)
    return port.lines
  }

  @Test("rec, pause and stop do what the moment wants")
  func recording() throws {
    let lines = try transcript(
      [
        (1, "rec"), (1.5, "rec"), (2, "pause"), (2.2, "rec"), (2.6, "status"), (3, "stop"), (4, "play"), (4.2, "pause"),
        (4.4, "stop"), (4.6, "stop"), (5, "list"),
      ], until: 6)
    let text = lines.joined(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("take       000001_") }, "\(text)")
    #expect(lines.contains { $0.hasPrefix("mode       dictaphone.recording") }, "\(text)")
    #expect(lines.contains("1 to 1 of 1"), "\(text)")
    // What means nothing at the moment says why: REC again, and STOP with nothing to stop.
    #expect(lines.count { $0.hasPrefix("error: ") } == 2, "\(text)")
    #expect(lines.count { $0 == "ok" } == 7, "\(text)")
  }

  @Test("dub start takes names with blanks in them, also where the last word could be a language")
  func dubNames() throws {
    let lines = try transcript(
      [
        (1, "rec"), (3, "stop"), (4, "rename last Interview one"), (5, "dub start Interview one"), (6, "dub stop"),
        (7, "rename last \"A  tale\""), (8, "dub start \"A  tale\" es"),
      ], until: 9)
    let text = lines.joined(separator: "\n")
    #expect(lines.count { $0.hasPrefix("source ") && $0.contains("000001_") } == 2, "\(text)")
    #expect(lines.contains { $0.hasPrefix("language ") && $0.hasSuffix(" es") }, "\(text)")
  }

  @Test("clip list says what started each clip, and clip status what will come")
  func clips() throws {
    let lines = try transcript(
      [
        (0.5, "settings clips.durationSeconds 2"), (0.6, "settings clips.postRollSeconds 2"), (1, "mode clips"),
        (6, "clip"), (6.5, "clip status"), (10, "clip list"),
      ], until: 11)
    let text = lines.joined(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("clip ") && $0.hasSuffix("by") }, "\(text)")
    #expect(lines.contains { $0.hasPrefix("000001_") && $0.hasSuffix("console") }, "\(text)")
    #expect(lines.contains { $0.contains("secondsToGo") && $0.contains("1.5") }, "\(text)")
    #expect(lines.contains { $0.contains("format") && $0.contains("H.264") }, "\(text)")
  }

  @Test("clip does not call a clip by a number that is not that of its file")
  func clipNumber() throws {
    let lines = try transcript([(1, "mode clips"), (6, "clip")], until: 8)
    let text = lines.joined(separator: "\n")
    #expect(!text.contains("error") && lines.contains("ok"), "\(text)")
    #expect(!lines.contains { $0.hasPrefix("clip ") }, "\(text)")
  }

  @Test("dub takes a source with blanks, and refuses volumes and languages that are none")
  func dubs() throws {
    let lines = try transcript(
      [
        (1, "dub volume far away"), (1.1, "dub language no-such-language!"), (1.2, "dub volume -12 -3"),
        (1.3, "dub list"),
      ], until: 2)
    let text = lines.joined(separator: "\n")
    #expect(text.contains("dub volume takes two integers from -40 to 0"))
    #expect(text.contains("dub language takes a language tag"))
    #expect(text.contains("original  -12"))
    #expect(text.contains("nothing to play"))
  }
}
