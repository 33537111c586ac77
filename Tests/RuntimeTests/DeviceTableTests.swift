import Console
import Foundation
import Hardware
import JSON
import Runtime
import SimulatedHardware
import TestSupport
import Testing

/// The table against the running device: every method is called, and what it answers is held against what is published.
@Suite struct DeviceTableTests {
  /// Asks a device one thing after the other, as a rig does, and keeps what it answers.
  private final class Rig {
    let bench: RuntimeBench
    let port = FakePort()
    private var requests: [(method: String, time: Double)] = []

    init() throws {
      bench = try RuntimeBench(onDisk: true, rate: nil)
      bench.hardware.consolePorts = [port]
      bench.selftest = { [SelftestResult(name: "trial", isGood: true, detail: "heard", milliseconds: 1)] }
    }

    /// Newest first.
    func names(_ folder: String, _ suffix: String) -> [String] {
      let names = (try? bench.hardware.storage.list(folder).map(\.name)) ?? []
      return names.filter { $0.hasSuffix(suffix) && !$0.contains(".safety.") }.sorted(by: >)
    }

    /// Calls a method at a time; parameters are made then.
    func at(_ time: Double, _ method: String, _ parameters: @escaping (Rig) -> JSONValue = { _ in [:] }) {
      let number = requests.count
      requests.append((method, time))
      bench.hardware.steppers.append(
        AtTime(.at(time), bench) { [unowned self] _ in
          let request: JSONValue = [
            "jsonrpc": "2.0", "id": .integer(number), "method": .string(method), "params": parameters(self),
          ]
          port.type(request.text)
        })
    }

    /// What was answered: results by method, and the calls that failed.
    func answers() throws -> (results: [(method: String, result: JSONValue)], failures: [String]) {
      var results: [(String, JSONValue)] = []
      var failures: [String] = []
      var answered: Set<Int> = []
      for line in port.lines where line.hasPrefix("{") {
        let answer = try JSONValue(parsing: line)
        guard let number = answer["id"]?.integerValue else { continue }
        answered.insert(number)
        let (method, time) = requests[number]
        if let result = answer["result"] {
          results.append((method, result))
        } else {
          failures.append("\(method) at \(time): \(answer["error"]?.text ?? "")")
        }
      }
      for (number, request) in requests.enumerated() where !answered.contains(number) {
        failures.append("\(request.method) at \(request.time): no answer")
      }
      return (results, failures)
    }
  }

  @Test("Every method of the table answers on the running device as its published schema says, field for field")
  func everyMethod() throws {
    let rig = try Rig()
    Self.lookAround(rig)
    Self.record(rig)
    Self.play(rig)
    Self.capture(rig)
    Self.dub(rig)
    Self.feed(rig)
    Self.sign(rig)
    Self.plan(rig)
    rig.at(70, "events.subscribe") { _ in ["topics": ["onMark", "onBudget"]] }
    rig.at(70.1, "events.unsubscribe")
    rig.at(70.15, "log.follow")
    rig.at(70.2, "session.end")
    rig.at(70.3, "session.human")
    rig.at(70.35, "session.page") { _ in ["lines": 30] }
    rig.at(70.4, "clock.get")
    rig.at(70.5, "clock.set") { _ in ["time": "12:00", "zone": "Europe/Berlin"] }
    rig.at(70.6, "settings.set") { _ in ["ui.voice": true] }
    rig.at(70.7, "panel.press") { _ in ["button": "DOWN"] }
    rig.at(73, "panel.state")
    rig.at(74, "trial.tone") { _ in ["seconds": 1] }
    rig.at(73, "system.info")
    rig.at(73.1, "system.bundle")
    rig.at(73.2, "update.status")
    rig.at(73.3, "update.confirm") { rig in
      rig.bench.devices.system.tell(UpdateReport(.trial, text: "0.2.0"))
      return [:]
    }
    rig.at(73.35, "update.cancel")
    rig.at(73.4, "update.install") { _ in ["file": "/var/lib/mynah/mynah.raucb"] }
    // Whole at last, behind all that would play or list it.
    rig.at(77, "files.write") { _ in
      ["name": "whole.wav", "total": .integer(Self.wave.count), "data": .string(Data(Self.wave).base64EncodedString())]
    }
    // What is not there, then a stick that is full.
    rig.at(74.1, "export.start") { _ in ["ids": ["none.m4a"], "format": "asIs"] }
    rig.at(75.6, "export.status")
    rig.at(75.7, "fault.inject") { _ in ["fault": "stick full"] }
    rig.at(75.8, "export.start")
    rig.at(77.8, "export.status")
    rig.at(78, "system.powerOff")
    // Nothing is open: it is asked before the run ends.
    rig.at(78, "system.reboot")
    try #require(try rig.bench.run("80 quit") == nil)

    let (results, failures) = try rig.answers()
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    let document = DeviceTable.catalogue.openRPC(version: "test")
    var schemas: [String: JSONValue] = [:]
    for method in document["methods"]?.arrayValue ?? [] {
      schemas[method["name"]?.stringValue ?? ""] = method["result"]?["schema"]
    }
    #expect(Set(schemas.keys) == Set(results.map(\.method)))
    var check = SchemaCheck()
    for (method, result) in results { check.check(result, against: schemas[method] ?? .null, at: method) }
    #expect(check.complaints.isEmpty, "\(Set(check.complaints).sorted().joined(separator: "\n"))")
    let unseen = check.unseen.filter { path in
      !Self.isFaultOfAnOrder(path) && !Self.notHere.contains { path.hasPrefix($0) }
    }
    #expect(unseen.isEmpty, "\(unseen.sorted().joined(separator: "\n"))")
  }

  /// What a simulated device in virtual time, or a healthy one, has no occasion to say.
  private static let notHere = [
    // A processor that cannot keep up.
    "library.show.receipt.coderSteps",
    // The best that there is, is heard.
    "dub.receipt.reason",
    // The board is at ease, and virtual time takes nothing of the processor's.
    "library.show.receipt.longestStepMilliseconds", "clips.receipt.longestStepMilliseconds",
    "library.show.receipt.governor", "clips.receipt.governor", "governor.status.lastStep",
    "governor.status.costPercent",
    "governor.status.spared[]",
    // Readings of the process and the board, which virtual time does not take.
    "clips.telemetry.readings[].temperature", "clips.telemetry.readings[].cpuPercent",
    "clips.telemetry.readings[].rssKB",
    // Of the machine below, which virtual time does not look at.
    "system.info.machine.",
    // Of a recording that was cut off or changed.
    "proof.verify.seconds",
    // Nothing was pressed that meant nothing, nothing was wrong.
    "panel.state.notice", "library.verify.problems[]", "library.repair.problems[]",
    // Of clips that were lost, joined or made by an operator, and of takes that another one continues.
    "clips.receipt.inProgress", "clips.receipt.gaps[]", "clips.receipt.operator", "clips.receipt.continues",
    "library.show.operator", "operators.list.operators[].failures", "audit.tail.problem",
    "clips.receipt.timeLapseSeconds", "library.show.linkedTake", "library.show.loudness", "library.show.receipt.part",
    "library.show.receipt.sources",
    "library.list.takes[].parts", "library.tag.failed[]", "library.favourite.failed[]",
    // The dub was stopped, and nothing was wrong with it.
    "dub.receipt.fault",
    // What is opened is still asked for when the answer is sent.
    "feed.open.item", "feed.open.kind", "feed.open.title",
    // The devices run as the strategy has it.
    "session.status.forcedRate", "session.status.captureProblem", "session.status.playbackProblem",
    "session.status.clients",
    // The voice works.
    "system.info.voice.problem",
    // No schedule records, and nothing has crashed.
    "schedule.list.running", "log.crash.reports[]", "log.crash.path", "log.crash.lines[]",
  ]

  /// An order to the feed is answered before its outcome is known; feed.status tells the fault.
  private static func isFaultOfAnOrder(_ path: String) -> Bool {
    path.hasPrefix("feed.") && !path.hasPrefix("feed.status.") && (path.hasSuffix(".code") || path.hasSuffix(".reason"))
  }

  private static func lookAround(_ rig: Rig) {
    rig.at(0.5, "settings.set") { _ in
      [
        "recording.preRecordSeconds": 1, "recording.safetyTake": true, "recording.sign": true,
        "clips.durationSeconds": 2,
        "clips.postRollSeconds": 2,
      ]
    }
    let methods = [
      "panel.state", "panel.screen", "recorder.status", "recorder.meters", "recorder.sources", "player.status",
      "settings.get",
      "budget.report", "governor.status", "log.tail", "events.recent", "system.info", "system.doctor",
      "system.selftest", "rpc.methods",
      "session.help", "session.status", "session.strategy", "session.talkBack",
    ]
    for (index, method) in methods.enumerated() { rig.at(0.6 + Double(index) / 100, method) }
    rig.at(0.8, "panel.press") { _ in ["button": "STOP"] }
    rig.at(0.9, "trial.show") { _ in ["led": "REC", "pattern": "chess", "seconds": 1] }
    rig.at(0.92, "trial.key") { _ in ["seconds": 1] }
    rig.at(1, "panel.press") { _ in ["button": "UP"] }
    rig.at(1.2, "trial.note") { _ in ["check": "key UP", "outcome": "ok"] }
  }

  private static func record(_ rig: Rig) {
    rig.at(1.5, "recorder.start")
    rig.at(2, "recorder.mark") { _ in ["title": "here"] }
    rig.at(2.2, "fault.inject") { _ in ["fault": "microphone overrun 0.3"] }
    rig.at(3, "recorder.pause")
    rig.at(3.2, "recorder.resume")
    rig.at(3.5, "recorder.status")
    rig.at(4, "recorder.stop")
    rig.at(5, "library.list")
    // It has looked at the board by then.
    rig.at(5.05, "governor.status")
    for method in ["library.verify", "library.repair"] { rig.at(5.1, method) }
    rig.at(5.15, "proof.key")
    rig.at(5.15, "proof.verify") { ["id": .string($0.names("recordings", ".m4a")[0])] }
    rig.at(5.2, "library.rename") { ["id": .string($0.names("recordings", ".m4a")[0]), "name": "One"] }
  }

  private static func play(_ rig: Rig) {
    rig.at(6, "player.play") { ["id": .string($0.names("recordings", ".m4a")[0])] }
    rig.at(6.4, "session.status")
    rig.at(6.5, "player.pause")
    rig.at(6.6, "player.seek") { _ in ["seconds": 0.5] }
    rig.at(6.65, "player.loop") { _ in ["from": 0.25, "to": 0.75] }
    rig.at(6.7, "player.status")
    rig.at(6.75, "player.skip") { _ in ["to": "previous"] }
    rig.at(6.8, "player.stop")
    func take(_ rig: Rig) -> JSONValue { .string(rig.names("recordings", ".m4a")[0]) }
    rig.at(6.9, "marks.set") { ["id": take($0), "seconds": 0.5, "title": "half", "note": "to be heard again"] }
    rig.at(7, "marks.move") { ["id": take($0), "number": 1, "seconds": 0.25] }
    rig.at(7.1, "marks.list") { ["id": take($0)] }
    rig.at(7.2, "library.show") { ["id": take($0)] }
    rig.at(7.3, "marks.remove") { ["id": take($0), "number": 2] }
    rig.at(7.4, "library.protect") { ["id": .string($0.names("recordings", ".m4a")[0])] }
    rig.at(7.5, "library.show") { ["id": .string($0.names("recordings", ".m4a")[0])] }
    rig.at(7.6, "library.protect") { ["id": .string($0.names("recordings", ".m4a")[0]), "protected": false] }
    rig.at(8, "library.delete") { ["id": .string($0.names("recordings", ".m4a")[0])] }
    rig.at(8.5, "library.undelete")
    rig.at(8.7, "library.copy") { ["id": take($0)] }
    rig.at(9, "library.tag") { ["id": take($0), "add": ["radio"]] }
    rig.at(9.1, "library.tags")
    rig.at(9.1, "library.favourite") { ["id": take($0)] }
    rig.at(9.1, "files.list") { ["id": take($0)] }
    rig.at(9.2, "files.read") { ["id": take($0)] }
    rig.at(9.2, "files.read") { ["id": take($0), "notes": true] }
    rig.at(9.2, "files.write") { _ in ["name": "sent.wav", "total": 300] }
    rig.at(9.2, "files.write") { _ in ["name": "sent.wav", "total": 300, "data": "AAAA"] }
    rig.at(9.25, "fault.inject") { _ in ["fault": "stick in"] }
    rig.at(9.3, "library.cancel")
    rig.at(9.35, "stick.status")
    rig.at(9.36, "library.export") { ["ids": [take($0)]] }
    rig.at(9.4, "library.delete") { ["ids": ["none.m4a", take($0)]] }
  }

  /// 64 samples of silence at 8 kHz, as a WAV of 16 bits.
  private static let wave: [UInt8] =
    Array("RIFF".utf8) + [164, 0, 0, 0] + Array("WAVEfmt ".utf8)
    + [16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x80, 0x3E, 0, 0, 2, 0, 16, 0] + Array("data".utf8) + [128, 0, 0, 0]
    + [UInt8](repeating: 0, count: 128)

  private static func capture(_ rig: Rig) {
    func newest(_ rig: Rig) -> JSONValue { .string(rig.names("clips", ".mp4").first ?? "") }
    rig.at(10, "panel.mode") { _ in ["mode": "clips"] }
    rig.at(14, "clips.trigger")
    rig.at(14.5, "clips.status")
    rig.at(14.6, "clips.endPostRoll")
    rig.at(17, "clips.receipt") { ["id": newest($0)] }
    rig.at(17.2, "clips.snapshot")
    rig.at(18, "clips.continuous")
    rig.at(18.5, "clips.status")
    rig.at(19, "clips.endPostRoll")
    rig.at(21, "clips.timeLapse") { _ in ["seconds": 0.5] }
    rig.at(24, "clips.endPostRoll")
    rig.at(26, "clips.list")
    rig.at(26.1, "clips.protect") { ["id": newest($0)] }
    rig.at(26.2, "clips.trim") { ["id": .string($0.names("clips", ".mp4").last ?? ""), "start": 0.5, "end": 1.5] }
    rig.at(28, "clips.receipt") { ["id": newest($0)] }
    rig.at(28.1, "clips.concat") { rig in
      let clip = JSONValue.string(rig.names("clips", ".mp4").last ?? "")
      return ["ids": [clip, clip]]
    }
    rig.at(30, "clips.receipt") { ["id": newest($0)] }
    rig.at(30.1, "clips.delete") { ["id": newest($0)] }
    rig.at(31, "clips.telemetry")
    rig.at(31.1, "clips.status")
    rig.at(32, "clips.trigger") { _ in ["wait": true] }
  }

  private static func sign(_ rig: Rig) {
    rig.at(50, "auth.status")
    rig.at(50.1, "operators.add") { _ in ["name": "ann", "role": "technician", "password": "a good sentence"] }
    rig.at(50.2, "system.version")
    rig.at(50.3, "auth.login") { _ in ["name": "ann", "password": "a good sentence"] }
    rig.at(50.4, "auth.status")
    rig.at(50.5, "operators.list")
    rig.at(50.6, "operators.password") { _ in ["name": "ann", "password": "a better sentence"] }
    rig.at(50.7, "auth.login") { _ in ["name": "ann", "password": "a better sentence"] }
    rig.at(50.8, "audit.tail")
    rig.at(50.9, "auth.logout")
    rig.at(51, "auth.login") { _ in ["name": "ann", "password": "a better sentence"] }
    rig.at(51.1, "operators.remove") { _ in ["name": "ann"] }
  }

  private static func plan(_ rig: Rig) {
    rig.at(60, "settings.set") { _ in ["clock.place": "52.52,13.405"] }
    rig.at(60.1, "schedule.add") { _ in ["when": "daily 03:00 04:00"] }
    rig.at(60.2, "schedule.list")
    rig.at(60.3, "schedule.enable") { _ in ["number": 1, "on": false] }
    rig.at(60.4, "schedule.remove") { _ in ["number": 1] }
    rig.at(60.5, "log.crash")
  }

  private static func dub(_ rig: Rig) {
    rig.at(40, "panel.mode") { _ in ["mode": "dub"] }
    rig.at(41, "dub.sources")
    rig.at(41.5, "dub.start") { ["source": .string($0.names("clips", ".mp4").last ?? "")] }
    rig.at(42.5, "dub.status")
    rig.at(42.6, "dub.pause")
    rig.at(42.7, "dub.resume")
    rig.at(42.8, "dub.seek") { _ in ["seconds": -1] }
    for method in ["dub.language", "dub.volume", "dub.enable"] { rig.at(42.9, method) }
    rig.at(43, "dub.stop")
    for method in ["dub.receipts", "dub.receipt"] { rig.at(43.5, method) }
  }

  private static func feed(_ rig: Rig) {
    rig.at(44, "feed.open") { _ in ["source": "local"] }
    rig.at(45.5, "feed.status")
    for (index, method) in ["feed.next", "feed.previous", "feed.mute", "feed.pause", "feed.resume"].enumerated() {
      rig.at(46 + Double(index) / 2, method)
    }
    rig.at(48.6, "feed.seek") { _ in ["seconds": 1] }
    for method in ["feed.favourite", "feed.status", "feed.refresh"] { rig.at(48.7, method) }
    rig.at(49.2, "feed.stop")
    // Nobody is there.
    rig.at(49.25, "feed.open") { _ in ["source": "http://192.0.2.1/feed.json"] }
    rig.at(49.35, "feed.status")
    rig.at(49.4, "panel.mode") { _ in ["mode": "dub"] }
  }
}
