import Foundation
import Hardware
import JSON
import Runtime
import SimulatedHardware
import Synchronization
import TestSupport
import Testing

/// The panel in the hands of somebody who tests it: what it shows, which keys come, what the microphone hears.
@Suite struct TrialTests {
  private static func bench(
    others: [(name: String, source: any SoundSource)] = []
  ) throws -> (bench: RuntimeBench, port: FakePort) {
    let bench = try RuntimeBench(others: others)
    bench.selftest = { [SelftestResult(name: "encoding", isGood: true, detail: "came back", milliseconds: 1)] }
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    return (bench, port)
  }

  /// Types at a time.
  private static func type(_ text: String, at time: Double, _ bench: RuntimeBench, _ port: FakePort) {
    bench.hardware.steppers.append(AtTime(.at(time), bench) { _ in port.type(text) })
  }

  @Test func `A technician is asked for what is seen, presses every key, and gets a report`() throws {
    let (bench, port) = try Self.bench()
    Self.type("selftest all", at: 0.5, bench, port)
    // Four lamps and three pictures; of one he is not sure, one is dark.
    for (index, answer) in ["y", "n", "s", "y", "y", "y", "y"].enumerated() {
      Self.type(answer, at: 1 + Double(index), bench, port)
    }
    var lit: [String] = []
    var frames: [Int] = []
    for index in 0..<7 {
      bench.hardware.steppers.append(
        AtTime(.at(0.9 + Double(index)), bench) { bench in
          lit.append(Lamp.allCases.filter { bench.devices.lamps.isLit($0) }.map(\.rawValue).joined())
          frames.append(bench.devices.display.frame.pages.reduce(0) { $0 + $1.nonzeroBitCount })
        })
    }
    let keys = ["REC", "STOP", "UP", "DOWN", "LEFT", "RIGHT", "CENTRE"]
    let presses = keys.enumerated().map { "\(8 + $0.offset) press \($0.element)" }.joined(separator: "\n")
    // For LOCK another key comes, for MARK none within 15 s.
    #expect(
      try bench.run(
        """
        \(presses)
        15.5 press UP
        16.5 expect mode dictaphone.idle
        40 expect takes 0
        40 expect locked no
        40 press REC
        41 expect mode dictaphone.recording
        42 press STOP
        45 quit
        """) == nil)
    #expect(lit == ["REC", "STATUS", "LOCK", "BUZZER", "", "", ""])
    #expect(frames[4] == 128 * 64 && frames[5] == 128 * 64 / 2 && (400..<800).contains(frames[6]))
    let text = port.text
    #expect(text.contains("Is REC lit, and no other LED? [y/n/s] y"))
    #expect(text.contains("press REC (15 s)"))
    let report = try #require(text.components(separatedBy: "Self-test of a Mynah").last)
    func row(_ check: String) -> String? {
      report.split(whereSeparator: \.isNewline).map(String.init).first { $0.dropFirst(9).hasPrefix(check + " ") }
    }
    #expect(row("led REC")?.hasPrefix("ok ") == true)
    #expect(row("led STATUS")?.hasPrefix("FAILED ") == true)
    #expect(row("led LOCK")?.hasPrefix("skipped ") == true || report.contains("skipped  led LOCK"))
    #expect(row("screen chess")?.hasPrefix("ok ") == true)
    for key in keys { #expect(row("key \(key)")?.hasSuffix("pressed") == true, "\(key)") }
    #expect(row("key LOCK")?.hasSuffix("UP came instead") == true)
    #expect(row("key MARK")?.hasSuffix("not pressed within 15 s") == true)
    #expect(row("tone")?.contains("not heard") == true)
    #expect(row("encoding")?.hasSuffix("came back") == true)
    // The devices as the doctor knows them.
    #expect(row("microphone")?.hasPrefix("ok ") == true, "\(report)")
    #expect(report.contains("Tested by ____"))
    for line in report.split(whereSeparator: \.isNewline) { #expect(line.count <= 80) }
    // The log has it, for whoever gets the support bundle.
    #expect(bench.log.contains { $0.contains("selftest") && $0.contains("led STATUS: failed") })
    // Lamps and picture are the device's own again.
    #expect(bench.devices.lamps.history.contains { $0.at >= .at(40) && $0.lamp == .rec && $0.isLit })
  }

  @Test func `What is typed ahead answers, and an interrupt ends it all`() throws {
    let (bench, port) = try Self.bench()
    Self.type("selftest all\nyyyy", at: 0.5, bench, port)
    Self.type("\u{3}version", at: 1, bench, port)
    #expect(try bench.run("60 quit") == nil)
    #expect(port.text.contains("Is LOCK lit, and no other LED? [y/n/s] y"))
    #expect(port.text.contains("Are all dots of the screen lit? [y/n/s] ^C"))
    #expect(port.text.contains("version     test"))
    #expect(!port.text.contains("Tested by"))
  }

  @Test func `A tone that reaches the microphone is measured`() throws {
    let loop = FunctionSource(format: PCMFormat(sampleRate: 8000, channels: 1)) { frame, _ in
      let seconds = Double(frame) / 8000
      return (3.1..<4.9).contains(seconds) ? Float(frame % 8 < 4 ? 0.25 : -0.25) : Float(frame % 2) * 0.001
    }
    let (bench, _) = try Self.bench(others: [("loop", loop)])
    // The tone as the speaker has it: sign changes, and the highest sample, of the part in its middle.
    let played = Mutex((changes: 0, last: Float(0), frames: 0, peak: Float(0)))
    bench.devices.speaker?.listen { at, samples, format in
      guard at >= .at(3.5), at < .at(4.5) else { return }
      played.withLock { played in
        for index in stride(from: 0, to: samples.count, by: format.channels) {
          if samples[index] * played.last < 0 { played.changes += 1 }
          if samples[index] != 0 { played.last = samples[index] }
          played.peak = max(played.peak, abs(samples[index]))
          played.frames += 1
        }
      }
    }
    #expect(
      try bench.run(
        """
        0.5 call settings.set {"recording.source":"loop"}
        3 call trial.tone
        8 quit
        """) == nil)
    let heard = try #require(bench.results("trial.tone").first)
    #expect(heard["heard"]?.boolValue == true, "\(heard)")
    let (quiet, loud) = (heard["quietDecibels"]?[0]?.numberValue ?? 0, heard["toneDecibels"]?[0]?.numberValue ?? 0)
    #expect(quiet < -55 && (-14 ... -10).contains(loud), "\(heard)")
    // The speaker had a tone of the frequency and the level that were asked for.
    let (changes, frames, peak) = played.withLock { ($0.changes, $0.frames, $0.peak) }
    #expect((1980...2020).contains(changes), "\(changes) changes of sign in \(frames) frames")
    #expect((0.24...0.26).contains(peak))
  }

  @Test func `A key that is waited for means nothing else, then keys do what they do`() throws {
    let (bench, port) = try Self.bench()
    // A script waits for what it calls; a console does not.
    for (number, (time, seconds)) in [(1.0, 5), (4.0, 1)].enumerated() {
      let call = #"{"jsonrpc":"2.0","id":\#(number),"method":"trial.key","params":{"seconds":\#(seconds)}}"#
      Self.type(call, at: time, bench, port)
    }
    #expect(
      try bench.run(
        """
        2 press REC
        3 expect mode dictaphone.idle
        6 call trial.show {"led":"all","pattern":"white","seconds":600}
        7 press REC
        8 expect mode dictaphone.recording
        8 expect led REC on
        9 call trial.show {"led":"all"}
        10 press STOP
        13 quit
        """) == nil)
    let answers = port.lines.filter { $0.hasPrefix("{") && $0.contains("result") }
    #expect(answers.count == 2 && answers[0].contains(#"{"key":"REC"}"#) && answers[1].contains(#""result":{}"#))
    let shown = bench.results("trial.show")
    try #require(shown.count == 2)
    #expect(shown[0]["keys"]?.arrayValue?.count == 9)
    #expect(shown[0]["leds"]?.arrayValue?.compactMap(\.stringValue) == ["REC", "STATUS", "LOCK", "BUZZER"])
    #expect(shown[1]["code"]?.stringValue == "busy", "\(shown[1])")
    // A recording takes lamps and picture back.
    #expect(
      bench.devices.lamps.history.contains { $0.lamp == .buzzer && !$0.isLit && $0.at < .at(8) && $0.at > .at(6.5) })
  }

  @Test func `A key that bounces is one press for who waits for it, and means nothing else`() throws {
    let (bench, port) = try Self.bench()
    for (number, time) in [1.0, 2.0005].enumerated() {
      let call = #"{"jsonrpc":"2.0","id":\#(number),"method":"trial.key","params":{"seconds":\#(3 - 2 * number)}}"#
      Self.type(call, at: time, bench, port)
    }
    for (offset, isPressed) in [(0, true), (1, false), (2, true), (100, false), (102, true), (104, false)] {
      let at = Instant.at(2) + .milliseconds(offset)
      bench.hardware.steppers.append(
        AtTime(at, bench) { $0.devices.buttons.push(ButtonEdge(.rec, isPressed: isPressed, at: at)) })
    }
    let script = "5 expect mode dictaphone.idle\n5 expect takes 0\n6 press REC\n7 expect led REC on\n8 quit"
    #expect(try bench.run(script) == nil)
    let answers = port.lines.filter { $0.hasPrefix("{") && $0.contains("result") }
    #expect(answers.count == 2 && answers[0].contains(#"{"key":"REC"}"#) && answers[1].contains(#""result":{}"#))
  }

  @Test func `A press counts while somebody holds the key for a test that is over`() throws {
    let (bench, port) = try Self.bench()
    Self.type(#"{"jsonrpc":"2.0","id":1,"method":"trial.key","params":{"seconds":3}}"#, at: 1, bench, port)
    bench.hardware.steppers.append(AtTime(.at(2), bench) { $0.devices.buttons.press(.rec, for: .seconds(10)) })
    let script = "5 press REC\n6 expect mode dictaphone.recording\n14 expect mode dictaphone.recording\n15 quit"
    #expect(try bench.run(script) == nil)
  }
}
