import Hardware
import JSON
import SimulatedHardware
import TestSupport
import Testing

/// REC while the take before is still being saved, on a whole device.
@Suite struct QueuedTakeTests {
  /// Seconds of the takes that were saved, by what ended them.
  private static func saved(_ bench: RuntimeBench) -> [(reason: String, seconds: Double)] {
    bench.events("onTakeSaved").map(\.data).map { data in
      let rate = Double(data["sampleRate"]?.integerValue ?? 1)
      return (data["stopReason"]?.stringValue ?? "", Double(data["frames"]?.integerValue ?? 0) / rate)
    }
  }

  private static func run(_ rest: String, preRecord: Int = 0, stall: Int) throws -> RuntimeBench {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      0 call settings.set {"recording.preRecordSeconds":\(preRecord)}
      0.5 press REC
      4.9 fault storage stall \(stall)
      5.0 press STOP
      5.2 press REC
      \(rest)
      """)
    #expect(failure == nil)
    return bench
  }

  @Test(
    "A take is heard from its press to its end, however long the card does not answer", arguments: [6, 10, 20, 60],
    [0, 5])
  func stalls(stall: Int, preRecord: Int) throws {
    for end in [6.4, 5 + Double(stall) + 5] {
      let bench = try Self.run("\(end) press STOP\n80 quit", preRecord: preRecord, stall: stall)
      let saved = Self.saved(bench)
      try #require(saved.map(\.reason) == ["user", "user"])
      #expect(abs(saved[1].seconds - (end - 5.2 + Double(preRecord))) < 0.05, "\(saved)")
      #expect(bench.events("onGap").isEmpty)
      #expect(bench.events("onTakeStarted").count == 2)
      // What is played in memory has no path.
      let errors = bench.events("onError").filter { $0.data["message"]?.stringValue?.hasPrefix("cannot play") != true }
      #expect(errors.isEmpty, "\(errors.map(\.data))")
    }
  }

  @Test("Programs hear of it once the one before is over, however soon its file was there", arguments: [0, 6])
  func order(stall: Int) throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      0.5 press REC
      \(stall > 0 ? "4.9 fault storage stall \(stall)" : "")
      5.0 press STOP
      5.0 press REC
      8.0 fault microphone overrun 0.3
      15 press STOP
      17 quit
      """)
    #expect(failure == nil)
    let topics = bench.events.map(\.topic)
    let takes = topics.filter { ["onTakeStarted", "onTakeSaved"].contains($0) }
    #expect(takes == ["onTakeStarted", "onTakeSaved", "onTakeStarted", "onTakeSaved"])
    // A gap says not of which take it is.
    let saved = try #require(topics.firstIndex(of: "onTakeSaved"))
    #expect(try saved < #require(topics.firstIndex(of: "onGap")))
  }

  @Test("A microphone that is unplugged meanwhile leaves what was heard")
  func unplugged() throws {
    let bench = try Self.run("14 fault microphone unplug\n28 call panel.state\n30 quit", stall: 20)
    let saved = Self.saved(bench)
    try #require(saved.map(\.reason) == ["user", "device-lost"], "\(saved)")
    #expect(abs(saved[1].seconds - 8.8) < 0.2, "\(saved)")
    #expect(bench.results("panel.state").last?["mode"] == "dictaphone.idle")
  }

  @Test(
    "The power or the program may go meanwhile: both takes are saved before",
    arguments: ["call system.powerOff", "quit"])
  func shutDown(order: String) throws {
    let bench = try Self.run("7 \(order)\n\(order == "quit" ? "" : "12 quit")", stall: 3)
    let saved = Self.saved(bench)
    try #require(saved.map(\.reason) == ["user", "power"], "\(saved)")
    #expect(abs(saved[1].seconds - 1.8) < 0.05, "\(saved)")
  }

  @Test(
    "A mark and a pause once the one before is safe are at their place, and a third REC before says that it has to wait"
  )
  func goesOn() throws {
    let bench = try Self.run(
      """
      5.6 press REC
      5.7 call panel.state
      14 mark
      15 press REC
      16 press REC
      18 press STOP
      20 quit
      """, stall: 6)
    let saved = Self.saved(bench)
    try #require(saved.map(\.reason) == ["user", "user"])
    #expect(abs(saved[1].seconds - 11.8) < 0.05, "\(saved)")
    #expect(bench.results("panel.state").first?["notice"]?["code"] == "busy")
    let mark = try #require(bench.events("onMark").first?.data)
    let metadata = try #require(bench.metadata().last)
    #expect(metadata["bookmarks"]?.arrayValue?.count == 1)
    let frame = try #require(mark["frame"]?.integerValue)
    let rate = bench.events("onTakeSaved").last?.data["sampleRate"]?.integerValue ?? 1
    #expect(abs(Double(frame) / Double(rate) - 8.8) < 0.05, "\(mark)")
  }

  @Test("It has the settings of its press, also if they came in the same moment as the STOP before")
  func settings() throws {
    let bench = try RuntimeBench()
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    bench.hardware.steppers.append(
      AtTime(.at(3), bench) { _ in
        port.type(#"{"jsonrpc":"2.0","method":"recorder.stop"}"#)
        let wanted = #"{"recording.format":"flac","recording.sampleRate":44100}"#
        port.type(#"{"jsonrpc":"2.0","method":"settings.set","params":\#(wanted)}"#)
        port.type(#"{"jsonrpc":"2.0","method":"recorder.start"}"#)
      })
    #expect(try bench.run("0.5 press REC\n6 press STOP\n8 quit") == nil)
    let begun = bench.events("onTakeStarted").map(\.data)
    try #require(begun.count == 2, "\(begun)")
    #expect(begun[1]["id"]?.stringValue?.hasSuffix(".flac") == true, "\(begun)")
    let saved = Self.saved(bench)
    #expect(saved.map(\.reason) == ["user", "user"] && (saved.last?.seconds ?? 0) > 2.7, "\(saved)")
  }

  @Test("Settings of behind its press are for the take after it, also while the microphone is opened anew for it")
  func laterSettings() throws {
    let bench = try RuntimeBench()
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    bench.hardware.steppers.append(
      AtTime(.at(3), bench) { _ in
        let wanted = #"{"recording.format":"flac","recording.sampleRate":44100}"#
        let later = #"{"recording.format":"wav","recording.sampleRate":16000}"#
        port.type(#"{"jsonrpc":"2.0","method":"recorder.stop"}"#)
        port.type(#"{"jsonrpc":"2.0","method":"settings.set","params":\#(wanted)}"#)
        port.type(#"{"jsonrpc":"2.0","method":"recorder.start"}"#)
        port.type(#"{"jsonrpc":"2.0","method":"settings.set","params":\#(later)}"#)
      })
    #expect(try bench.run("0.5 press REC\n6 press STOP\n8 press REC\n9 press STOP\n11 quit") == nil)
    let begun = bench.events("onTakeStarted").map(\.data)
    #expect(begun.compactMap { $0["id"]?.stringValue?.suffix(4) } == [".m4a", "flac", ".wav"], "\(begun)")
  }

  @Test("With no room in memory it has the settings of its press all the same, where its sound is as they want it")
  func settingsOnAStuckCard() throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      0 call settings.set {"recording.preRecordSeconds":0,"recording.format":"wav"}
      0.5 press REC
      4.9 fault storage stall 60
      30 press STOP
      31 call settings.set {"recording.format":"flac"}
      45 press REC
      70 press STOP
      72 quit
      """)
    #expect(failure == nil)
    let begun = bench.events("onTakeStarted").compactMap { $0.data["id"]?.stringValue?.suffix(4) }
    #expect(begun == [".wav", "flac"])
  }

  @Test("Its lamp is lit, its gaps are its own, and a held STOP ends it under the lock")
  func beside() throws {
    let bench = try Self.run(
      """
      7 call panel.state
      8 fault microphone overrun 0.3
      9 call recorder.status
      26 call recorder.status
      28 quit
      """, stall: 20)
    let lamps = bench.results("panel.state").first?["leds"]
    #expect(lamps?["REC"] == "on" && lamps?["STATUS"] == "blink-fast")
    #expect(bench.results("recorder.status").map { $0["gaps"]?.integerValue } == [0, 1])
    let locked = try RuntimeBench()
    let failure = try locked.run(
      """
      0 call settings.set {"recording.preRecordSeconds":0,"lock.stopWorks":true}
      0.5 press REC
      4.9 fault storage stall 20
      5.0 press STOP
      5.2 press REC
      7 press LOCK
      10 hold STOP 1
      28 quit
      """)
    #expect(failure == nil)
    let saved = Self.saved(locked)
    try #require(saved.map(\.reason) == ["user", "user"], "\(saved)")
    #expect((4.7...5.9).contains(saved[1].seconds), "\(saved)")
  }
}
