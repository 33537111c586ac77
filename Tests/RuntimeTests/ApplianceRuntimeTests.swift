import Board
import Budget
import Console
import Foundation
import Hardware
import JSON
import Runtime
import SimulatedHardware
import Synchronization
import TestSupport
import Testing

/// The appliance as a whole, below the executable.
@Suite struct ApplianceRuntimeTests {
  private static let wav = #"0.0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}"# + "\n"

  @Test("panel.press answers once the key is up, and says why nothing happened if nothing did")
  func pressAnswers() throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      Self.wav + """
        1 call panel.press {"button":"STOP"}
        2 call panel.press {"button":"REC","ms":300}
        3 press LOCK
        4 call panel.press {"button":"REC"}
        5 hold LOCK 2.1
        8 call panel.press {"button":"STOP"}
        9 quit
        """)
    #expect(failure == nil)
    let answers = bench.events("result").filter { $0.data["method"]?.stringValue == "panel.press" }
    #expect(answers.count == 4)
    #expect(answers.map { ($0.time * 10).rounded() } == [11, 23, 41, 81])
    let ignored = answers.map { $0.data["result"]?["ignored"]?.stringValue }
    #expect(ignored[0]?.isEmpty == false)
    #expect(ignored[1] == nil)
    #expect(ignored[2]?.contains("ocked") == true)
    #expect(ignored[3] == nil)
    #expect(bench.events("onTakeSaved").count == 1)
  }

  @Test("Settings are set all or none, and unknown keys and ranges are told")
  func settings() throws {
    let bench = try RuntimeBench()
    try bench.run(
      """
      1 call settings.set {"recording.format":"wav","recording.preRecordSeconds":61}
      2 call settings.get {"key":"recording.format"}
      3 call settings.set {"recording.format":"wav","no.such":1}
      4 call settings.get {"key":"recording.format"}
      5 call settings.set {"recording.format":"wav","recording.preRecordSeconds":7}
      6 call settings.get
      7 quit
      """)
    let set = bench.results("settings.set")
    let read = bench.results("settings.get")
    #expect(set[0]["code"]?.stringValue == "bad-argument")
    #expect(set[0]["message"]?.stringValue?.contains("60") == true)
    #expect(set[1]["message"]?.stringValue?.contains("no.such") == true)
    #expect(read[0]["recording.format"]?.stringValue == "aac")
    #expect(read[1]["recording.format"]?.stringValue == "aac")
    #expect(read[2]["recording.format"]?.stringValue == "wav")
    #expect(read[2]["recording.preRecordSeconds"]?.integerValue == 7)

    let again = try RuntimeBench(continuing: bench)
    try again.run("1 call settings.get\n2 quit")
    #expect(again.results("settings.get")[0]["recording.preRecordSeconds"]?.integerValue == 7)
  }

  @Test("REC at the very start is a take from the microphone's first frame on")
  func pressAtStart() throws {
    let bench = try RuntimeBench()
    try bench.run(Self.wav + "0 press REC\n2 press STOP\n4 quit")
    let saved = try #require(bench.events("onTakeSaved").first)
    #expect(saved.data["frames"]?.integerValue == 16_000)
  }

  @Test("Settings and a press at the same instant find a microphone of the new rate")
  func rateAndPress() throws {
    let bench = try RuntimeBench(rate: nil)
    try bench.run(
      """
      1 call settings.set {"recording.sampleRate":44100,"recording.format":"wav","recording.preRecordSeconds":0}
      1 press REC
      3 press STOP
      5 quit
      """)
    let saved = try #require(bench.events("onTakeSaved").first)
    #expect(saved.data["sampleRate"]?.integerValue == 44_100)
    #expect(abs((saved.data["frames"]?.integerValue ?? 0) - 88_200) <= 1000)
  }

  @Test("Takes are listed, shown, renamed, deleted and brought back")
  func library() throws {
    let bench = try RuntimeBench()
    try bench.run(
      Self.wav + """
        1 press REC
        2 press STOP
        3 call library.list
        4 press REC
        4.5 call library.list
        5 quit
        """)
    let names = try bench.metadata().compactMap { $0["id"]?.stringValue }
    let files = try bench.memory.list("recordings").map(\.name).filter { $0.hasSuffix(".wav") }
    #expect(names.count == 2)
    let first = try #require(files.first)
    let again = try RuntimeBench(continuing: bench)
    let failure = try again.run(
      """
      1 call library.list
      1 call library.show {"id":"\(first)"}
      1.1 call library.rename {"id":"\(first)","name":"Interview"}
      1.2 call library.show {"id":"\(first)"}
      1.3 call library.show {"id":"no-such"}
      2 call library.delete {"id":"\(first)"}
      2.1 call library.list
      2.2 call library.undelete
      2.3 call library.list
      2.4 call library.delete {"id":"no-such"}
      2.5 call library.verify
      2.6 call library.list {"query":"interview","limit":1}
      3 quit
      """)
    #expect(failure == nil)
    let lists = again.results("library.list")
    #expect(lists.map { $0["total"]?.integerValue } == [2, 1, 2, 1])
    let shown = again.results("library.show")
    #expect(shown[1]["displayName"]?.stringValue == "Interview")
    #expect(shown[2]["code"]?.stringValue == "not-found")
    #expect(again.results("library.delete")[1]["code"]?.stringValue == "not-found")
    #expect(again.results("library.verify")[0]["problems"]?.arrayValue?.isEmpty == true)
  }

  @Test("A take that is being recorded cannot be deleted")
  func deleteOpenTake() throws {
    let bench = try RuntimeBench()
    bench.hardware.steppers.append(
      AtTime(.at(2), bench) { bench in
        let name = (try? bench.memory.list("recordings").map(\.name).first { $0.hasSuffix(".wav") }) ?? ""
        bench.console?.type(#"{"jsonrpc":"2.0","id":1,"method":"library.delete","params":{"id":"\#(name)"}}"#)
      })
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    bench.console = port
    try bench.run(Self.wav + "1 press REC\n3 press STOP\n5 quit")
    #expect(port.lines.contains { $0.contains(#""busy""#) }, "\(port.lines)")
    #expect(bench.events("onTakeSaved").count == 1)
  }

  @Test("Events are numbered without a hole and never go back in time")
  func sequence() throws {
    let bench = try RuntimeBench()
    try bench.run(
      Self.wav + """
        1 press REC
        1.5 mark
        2 fault microphone overrun 0.3
        3 press REC
        4 press REC
        5 press STOP
        6 press LOCK
        7 hold LOCK 2.1
        10 quit
        """)
    #expect(bench.events.count > 10)
    let numbers = bench.events.map(\.sequence)
    #expect(numbers == Array((numbers.first ?? 0)..<((numbers.first ?? 0) + numbers.count)))
    #expect(zip(bench.events, bench.events.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(bench.events("onGap").first?.data["frames"]?.integerValue == 2400)
  }

  @Test("Two runs of a script give the same events and the same bytes")
  func determinism() throws {
    let script =
      Self.wav + """
        1 press REC
        1.2 fault storage stall 2
        1.5 mark
        2 fault microphone overrun 0.3
        2.5 call panel.state
        3 press STOP
        3.1 press REC
        5 fault microphone unplug
        6 fault microphone replug
        8 press REC
        9 press STOP
        12 quit
        """
    let first = try RuntimeBench()
    let second = try RuntimeBench()
    try first.run(script)
    try second.run(script)
    #expect(
      first.events.map { "\($0.sequence) \($0.time) \($0.topic) \($0.data)" }
        == second.events.map { "\($0.sequence) \($0.time) \($0.topic) \($0.data)" })
    let names = try first.memory.list("recordings").map(\.name)
    #expect(names == (try second.memory.list("recordings").map(\.name)))
    for name in names {
      #expect(
        try first.memory.read("recordings/\(name)", limit: 1 << 30)
          == second.memory.read("recordings/\(name)", limit: 1 << 30), "\(name)")
    }
    #expect(first.events("onTakeSaved").count == 3)
  }

  @Test("The end of the run saves the open take, and says that it was the power", arguments: ["", "2 press REC\n"])
  func shutDown(pause: String) throws {
    let bench = try RuntimeBench()
    bench.hardware.steppers.append(AtTime(.at(3), bench) { $0.runtime?.requestShutDown() })
    try bench.run(Self.wav + "1 press REC\n\(pause)100 quit")
    #expect(bench.clock.now < .at(5))
    let saved = try #require(bench.events("onTakeSaved").first)
    #expect(saved.data["stopReason"]?.stringValue == "power")
    #expect(try bench.metadata().first?["stopReason"]?.stringValue == "power")
    #expect(abs((saved.data["frames"]?.integerValue ?? 0) - (pause.isEmpty ? 16_000 : 8000)) <= 160)
  }

  @Test("A shutdown during a storage stall waits for the storage")
  func shutDownInAStall() throws {
    let bench = try RuntimeBench()
    bench.hardware.steppers.append(AtTime(.at(3), bench) { $0.runtime?.requestShutDown() })
    try bench.run(Self.wav + "1 press REC\n2.5 fault storage stall 5\n100 quit")
    #expect(bench.events("onTakeSaved").first?.data["stopReason"]?.stringValue == "power")
    #expect(bench.clock.now >= .at(7.5) && bench.clock.now < .at(9))
  }

  @Test("A power cut ends the run at once; the next start finds the take but for half a second")
  func powerCut() throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(Self.wav + "1 press REC\n4 fault power cut\n20 quit")
    #expect(failure == nil)
    #expect(bench.clock.now == .at(4))
    #expect(bench.events("onTakeSaved").isEmpty)
    let again = try RuntimeBench(continuing: bench)
    try again.run("3 call library.list\n4 quit")
    let take = try #require(again.results("library.list").first?["takes"]?.arrayValue?.first)
    #expect(take["stopReason"]?.stringValue == "recovered")
    #expect((take["seconds"]?.numberValue ?? 0) >= 2.5)
  }

  @Test("A full storage ends the take, and its metadata are true")
  func fullStorage() throws {
    let bench = try RuntimeBench()
    try bench.run(
      Self.wav
        + "1 press REC\n2.95 fault storage full\n3.05 call recorder.mark\n4 expect mode dictaphone.idle\n5 fault storage ok\n8 quit"
    )
    let saved = try #require(bench.events("onTakeSaved").first)
    #expect(saved.data["stopReason"]?.stringValue == "storage-full")
    let meta = try #require(try bench.metadata().first)
    let seconds = try #require(meta["audio"]?["duration"]?.numberValue)
    #expect(seconds > 1.5 && seconds < 2.2)
    for mark in meta["bookmarks"]?.arrayValue ?? [] { #expect((mark["time"]?.numberValue ?? 99) <= seconds) }
  }

  @Test("log.tail tells what happened")
  func logTail() throws {
    let bench = try RuntimeBench()
    try bench.run(Self.wav + "1 press REC\n2 press STOP\n3 call log.tail\n4 quit")
    let text = "\(try #require(bench.results("log.tail").first))"
    #expect(text.contains("recording 000001"))
    #expect(text.contains("saved 000001"))
  }

  @Test("A console gets a session; a machine's line gets one answer; what hangs up is forgotten")
  func console() throws {
    let bench = try RuntimeBench()
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    bench.console = port
    bench.hardware.steppers.append(
      AtTime(.at(1), bench) {
        $0.console?.type(#"{"jsonrpc":"2.0","id":7,"method":"panel.press","params":{"button":"REC"}}"#)
      })
    bench.hardware.steppers.append(AtTime(.at(2), bench) { $0.console?.hangUp() })
    bench.hardware.steppers.append(AtTime(.at(3), bench) { $0.console?.type("status") })
    try bench.run("4 expect mode dictaphone.recording\n5 quit")
    #expect(port.lines.filter { $0.contains(#""id":7"#) }.count == 1)
    #expect(port.text.contains("Mynah test"))
    #expect(port.isStopped)
  }

  @Test("A budget that the rings do not fit refuses to start, with the table")
  func smallBudget() throws {
    let bench = try RuntimeBench()
    for index in bench.board.budget.lines.indices { bench.board.budget.lines[index].memoryKB = 1 }
    do {
      try bench.run("1 quit")
      Issue.record("it started")
    } catch let refusal as BudgetRefusal {
      #expect("\(refusal)".contains("audio"), "\(refusal)")
    }
  }

  @Test("The display's brightness and inversion are settings, and come back with it")
  func displayLook() throws {
    let bench = try RuntimeBench()
    try bench.run(
      """
      1 call settings.set {"ui.brightness":40,"ui.invert":true}
      2 fault display unplug
      4 fault display replug
      7 quit
      """)
    #expect(bench.devices.display.look == DisplayLook(brightness: 40, isInverted: true))
  }

  @Test("A display that is missing at the start stops nothing, and works when it comes")
  func missingDisplay() throws {
    let bench = try RuntimeBench()
    bench.devices.display.unplug()
    let failure = try bench.run(
      Self.wav + """
        1 call system.info
        1 press REC
        2 expect mode dictaphone.recording
        3 fault display replug
        5 call system.info
        6 press STOP
        8 quit
        """)
    #expect(failure == nil)
    let present = bench.results("system.info").map { $0["devices"]?["display"]?["present"]?.boolValue }
    #expect(present == [false, true])
    #expect(bench.events("onDeviceLost").filter { $0.data["device"]?.stringValue == "display" }.count == 1)
    #expect(bench.events("onTakeSaved").count == 1)
  }

  @Test("A take can be played at once, and its position is kept")
  func player() throws {
    let bench = try RuntimeBench(onDisk: true)
    let failure = try bench.run(
      Self.wav + """
        1 press REC
        5 press STOP
        6 expect mode dictaphone.idle
        6.1 call player.play
        6.5 call player.loop {"from":1}
        6.51 call player.loop {"from":1,"to":1}
        6.52 call player.loop {"from":2,"to":1}
        6.53 call player.loop {"from":100,"to":200}
        6.54 call player.loop {"from":1,"to":200}
        7.1 call player.status
        7.2 call player.seek {"seconds":1e300}
        7.3 call player.seek {"seconds":-3600}
        8.3 call player.pause
        8.4 call player.status
        9 expect mode dictaphone.playbackPaused
        9.1 call panel.press {"button":"STOP"}
        9.5 call player.status
        10 quit
        """)
    #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
    let seconds = bench.results("player.status").compactMap { $0["seconds"]?.numberValue }
    #expect(bench.results("player.seek").first?["code"]?.stringValue == "bad-argument")
    #expect(bench.results("player.loop").first?["message"]?.stringValue?.contains("from and to, or neither") == true)
    let loops = bench.results("player.loop")
    #expect(loops.count == 5 && loops.allSatisfy { $0["code"]?.stringValue == "bad-argument" })
    #expect(abs(seconds[0] - 1) < 0.05)
    #expect(abs(seconds[1] - 1) < 0.1)
    #expect(seconds[1] == seconds[2])
    #expect(bench.events("onError").isEmpty)
  }

  @Test("A failed expectation ends the run with the line that failed, and still saves the take")
  func failedScript() throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(Self.wav + "1 press REC\n2 expect mode dictaphone.idle\n3 quit")
    #expect(failure?.line == 3)
    #expect(bench.events("onTakeSaved").count == 1)
  }

  @Test("A take from dubbing begins with the press, and one after it with the way back to the dictaphone")
  func notArmedInDubbing() throws {
    let bench = try RuntimeBench(rate: nil)
    #expect(
      try bench.run(
        """
        3 call panel.mode {"mode":"dub"}
        8 call recorder.status
        8 press REC
        9 press STOP
        10 call panel.mode {"mode":"dub"}
        12 call panel.mode {"mode":"dictaphone"}
        14 press REC
        15 press STOP
        16 quit
        """) == nil)
    let status = try #require(bench.results("recorder.status").first)
    #expect(status["armed"]?.boolValue == false)
    #expect(status["preRecordedSeconds"]?.numberValue == 0)
    let preRecorded = try bench.metadata().map { $0["preRecordSeconds"]?.numberValue ?? -1 }
    #expect(preRecorded.count == 2)
    #expect(preRecorded.first == 0)
    #expect(abs((preRecorded.last ?? 0) - 2) < 0.1)
  }

  @Test("player.play of what is not there is an error, and no card")
  func playUnknown() throws {
    let bench = try RuntimeBench()
    #expect(
      try bench.run(
        """
        1 call player.play {"id":"000099_2026-11-20T21-54-00Z.m4a"}
        3 call panel.state
        3 expect mode dictaphone.idle
        4 quit
        """) == nil)
    #expect(bench.results("player.play").first?["code"]?.stringValue == "not-found")
    #expect(bench.results("panel.state").first?["screen"]?.stringValue != "notice")
  }

  @Test("player.play answers when the take is open; of what cannot be read the answer is the error")
  func playUnreadable() throws {
    let bench = try RuntimeBench(onDisk: true)
    let recordings = try #require(bench.folder).appendingPathComponent("recordings")
    try FileManager.default.createDirectory(at: recordings, withIntermediateDirectories: true)
    try Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }).write(to: recordings.appendingPathComponent("a.wav"))
    #expect(
      try bench.run(
        Self.wav + """
          6 call player.play {"id":"a.wav"}
          7 call player.status
          8 quit
          """) == nil)
    let answers = bench.results("player.play")
    #expect(answers.count == 1 && answers.first?["code"]?.stringValue != nil, "\(answers)")
    #expect(bench.results("player.status").first?["state"]?.stringValue == "stopped")
  }

  @Test("A rate that the microphone has not is told, and both are noted; one that AAC has not makes a WAV take")
  func otherRates() throws {
    let bench = try RuntimeBench(rate: 48_000)
    #expect(
      try bench.run(
        """
        1 call settings.set {"recording.sampleRate":44100,"recording.preRecordSeconds":0}
        3 press REC
        4 press STOP
        6 quit
        """) == nil)
    #expect(bench.events("onError").first?.data["message"]?.stringValue?.contains("48000 Hz, not 44100") == true)
    let meta = try #require(try bench.metadata().first)
    #expect(meta["audio"]?["sampleRate"]?.integerValue == 48_000)
    #expect(meta["receipt"]?["requestedSampleRate"]?.integerValue == 44_100)

    let fast = try RuntimeBench(rate: 192_000)
    #expect(try fast.run("3 press REC\n4 press STOP\n6 quit\n") == nil)
    let take = try #require(fast.events("onTakeSaved").first)
    #expect(take.data["path"]?.stringValue?.hasSuffix(".wav") == true)
    #expect(take.data["sampleRate"]?.integerValue == 192_000)
    #expect(fast.events("onError").first?.data["code"]?.stringValue == "unsupported")
  }

  @Test func `The screen tells the rate of what would be recorded, whatever was played before`() throws {
    let bench = try RuntimeBench(onDisk: true)
    let folder = try #require(bench.folder).appending(path: "recordings")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Tool.succeed(
      "sox", ["-n", "-r", "22050", "-b", "16", folder.appending(path: "talk.wav").path(), "synth", "1", "sine", "440"])
    let script = """
      1 call panel.state
      2 call player.play {"id":"talk.wav"}
      6 call player.status
      6.5 call panel.state
      7 quit
      """
    #expect(try bench.run(script) == nil)
    #expect(bench.results("player.status").first?["state"] == "stopped")
    let shown = bench.results("panel.state").map { $0["texts"]?.arrayValue?.compactMap(\.stringValue) ?? [] }
    #expect(shown.count == 2 && shown.allSatisfy { $0.contains { $0.hasSuffix(" 8k") } }, "\(shown)")
  }
}
