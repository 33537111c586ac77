import Foundation
import JSON
import Runtime
import TestSupport
import Testing

@Suite struct RestoreTests {
  /// Cuts the power, and starts again on the same storage.
  private static func cut(_ bench: RuntimeBench, _ script: String, at time: Double) throws -> RuntimeBench {
    // Lines go in order of time.
    let lines = script.split(separator: "\n").filter { line in
      line.split(separator: " ").first.flatMap { Double($0) }.map { $0 < time } ?? true
    }
    _ = try bench.run(lines.joined(separator: "\n") + "\n\(time) fault power cut")
    return try RuntimeBench(onDisk: true, continuing: bench)
  }

  @Test func `Mode, take, position and settings come back after a cut at any time`() throws {
    var dice = SeededGenerator(seed: 17)
    for round in 0..<12 {
      let bench = try RuntimeBench(onDisk: true)
      let time = Double(Int.random(in: 4100...17_900, using: &dice)) / 1000
      let again = try Self.cut(
        bench,
        """
        0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0,"recording.gainDb":3}
        0.5 press REC
        3.5 press STOP
        4 call settings.set {"recording.gainDb":5}
        4.5 press REC
        16.5 press STOP
        """, at: time)
      let failure = try again.run("3 call player.status\n3 call settings.get\n3 call library.list\n4 quit")
      #expect(failure == nil)
      let takes = again.results("library.list")[0]["takes"]?.arrayValue ?? []
      #expect(takes.count == (time > 4.7 ? 2 : 1), "round \(round), cut at \(time)")
      #expect(again.results("settings.get")[0]["recording.gainDb"]?.integerValue == 5, "cut at \(time)")
      // Of the take that was being recorded nobody had got to the player yet.
      let loaded = again.results("player.status")[0]["id"]?.stringValue
      guard !(16.4...17.3).contains(time) else { continue }
      #expect(loaded?.hasPrefix(time > 17.2 ? "000002" : "000001") == true, "cut at \(time): \(loaded ?? "nothing")")
    }
  }

  @Test func `A mode is kept right behind the answer that it was taken up`() throws {
    let bench = try RuntimeBench(onDisk: true)
    let again = try Self.cut(bench, #"1 call panel.mode {"mode":"dub"}"#, at: 1.02)
    #expect(bench.results("panel.mode").first?["mode"]?.stringValue == "dub.idle")
    #expect(try again.run("1 expect mode dub.idle\n2 quit") == nil)
  }

  @Test func `What played is there again, at most 5 s before where it was cut off`() throws {
    for time in [12.3, 15.7, 19.1] {
      let bench = try RuntimeBench(onDisk: true)
      let again = try Self.cut(
        bench,
        """
        0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}
        0.5 press REC
        10.5 press STOP
        11 press CENTRE
        """, at: time)
      #expect(try again.run("1 call player.status\n1.5 press CENTRE\n2 call player.status\n3 quit") == nil)
      let found = again.results("player.status")
      let seconds = try #require(found[0]["seconds"]?.numberValue)
      #expect(seconds <= time - 11 && seconds >= time - 11 - 5.2, "\(seconds) for \(time)")
      #expect(found[0]["state"]?.stringValue == "stopped" && found[1]["state"]?.stringValue == "playing")
    }
  }

  @Test func `A take that was cut off goes on as a linked one, if that is set`() throws {
    for resumes in [false, true] {
      let bench = try RuntimeBench()
      _ = try bench.run(
        """
        0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0,"recording.resume":\(resumes)}
        0.5 press REC
        3 fault power cut
        """)
      let again = try RuntimeBench(continuing: bench)
      #expect(try again.run("2 expect mode dictaphone.\(resumes ? "recording" : "idle")\n3 press STOP\n5 quit") == nil)
      let takes = try again.metadata()
      #expect(takes.count == (resumes ? 2 : 1))
      guard resumes else { continue }
      #expect(takes[1]["linkedTake"]?.stringValue == takes[0]["id"]?.stringValue)
      // Ended by hand it has ended.
      let third = try RuntimeBench(continuing: again)
      #expect(try third.run("2 expect mode dictaphone.idle\n3 quit") == nil)
    }
  }

  @Test func `Clip mode comes back, too`() throws {
    let bench = try RuntimeBench()
    _ = try bench.run("1 call panel.mode {\"mode\":\"clips\"}\n3 fault power cut")
    let again = try RuntimeBench(continuing: bench)
    #expect(try again.run("2 expect mode clips.buffering\n3 quit") == nil)
  }
}
