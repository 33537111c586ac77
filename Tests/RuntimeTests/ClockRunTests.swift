import Hardware
import JSON
import SimulatedHardware
import Testing

/// Clock and power on a whole device in virtual time, which begins on Friday 2026-11-20 at 21:54:00 UTC.
@Suite struct ClockRunTests {
  @Test func `The clock is set by a time with its zone, by the zone's clocks, and by a time of today`() throws {
    let bench = try RuntimeBench()
    let script = """
      1 call clock.set {"time":"2027-03-01T12:00:00Z"}
      2 call clock.set {"zone":"Europe/Berlin"}
      3 call clock.set {"time":"2027-07-01 08:30"}
      4 call clock.set {"time":"23:59:30"}
      5 call clock.get
      6 quit
      """
    #expect(try bench.run(script) == nil)
    let set = bench.results("clock.set")
    #expect(
      set.map { $0["time"]?.stringValue } == [
        "2027-03-01T12:00:00Z", "2027-03-01T12:00:01Z", "2027-07-01T06:30:00Z", "2027-07-01T21:59:30Z",
      ])
    let got = try #require(bench.results("clock.get").first)
    #expect(got["local"] == "2027-07-01T23:59:31+02:00" && got["zone"] == "Europe/Berlin")
    #expect(got["set"] == true && got["kept"] == false)
    #expect(bench.results("clock.set").count == 4)
  }

  @Test func `What is no time, out of the range of clocks, or no zone is refused, and nothing changes`() throws {
    let bench = try RuntimeBench()
    let wrong = [
      #"{}"#, #"{"time":"soon"}"#, #"{"time":"1999-01-01T00:00:00Z"}"#, #"{"time":"2101-01-01T00:00:00Z"}"#,
      #"{"time":"25:00"}"#, #"{"zone":"Mars/Olympus"}"#, #"{"time":"2027-01-01T00:00:00Z","zone":"?"}"#,
      #"{"time":"2027-02-31T99:00"}"#,
    ]
    let script =
      wrong.enumerated().map { "\($0.offset + 1) call clock.set \($0.element)\n" }.joined()
      + "20 call clock.get\n21 quit"
    #expect(try bench.run(script) == nil)
    let answers = bench.results("clock.set")
    #expect(answers.count == wrong.count && answers.allSatisfy { $0["code"] == "bad-argument" })
    let now = bench.results("clock.get").first
    #expect(now?["time"] == "2026-11-20T21:54:20Z" && now?["zone"] == "UTC", "\(now ?? .null)")
  }

  @Test func `A clock that is set while a take is recorded costs the take nothing`() throws {
    let bench = try RuntimeBench()
    let script = """
      6 press REC
      10 call clock.set {"time":"2030-01-01T00:00:00Z"}
      12 call clock.set {"time":"2025-06-01T00:00:00Z"}
      16 press STOP
      18 quit
      """
    #expect(try bench.run(script) == nil)
    let saved = try #require(bench.events("onTakeSaved").first?.data)
    #expect(bench.events("onGap").isEmpty)
    let seconds = Double(saved["frames"]?.integerValue ?? 0) / Double(saved["sampleRate"]?.integerValue ?? 1)
    #expect((14.5...15.5).contains(seconds), "\(seconds)")
  }

  @Test func `A take that waits for its date costs the next one nothing, and is dated behind it`() throws {
    let bench = try RuntimeBench()
    let script = """
      1 fault clock jump -1795000000
      2 press REC
      4 press STOP
      6 press REC
      30 fault clock jump +1795000000
      40 press STOP
      60 call library.list
      61 quit
      """
    // In virtual time a lane that comes back at once without end is fatal.
    #expect(try bench.run(script) == nil)
    let takes = bench.results("library.list").first?["takes"]?.arrayValue ?? []
    #expect(takes.count == 2)
    #expect(takes.allSatisfy { $0["createdAt"]?.stringValue?.hasPrefix("2026-11-20") == true })
  }

  @Test func `A system that refuses, or does nothing, is told of`() throws {
    let bench = try RuntimeBench()
    bench.devices.system.refuse(
      DeviceError(.denied, device: "/run/mynah-system", operation: "ask", hint: "install the package"))
    #expect(try bench.run("1 call clock.set {\"time\":\"12:00\"}\n2 call system.reboot\n3 quit") == nil)
    #expect(bench.results("clock.set").first?["code"] == "denied")
    #expect(bench.results("system.reboot").first?["code"] == "denied")
    let other = try RuntimeBench()
    other.devices.system.goDeaf()
    #expect(try other.run("1 call clock.set {\"time\":\"12:00\"}\n9 quit") == nil)
    #expect(other.results("clock.set").first?["code"] == "internal")
  }

  @Test(arguments: [("system.reboot", PowerChange.reboot), ("system.powerOff", .powerOff)])
  func `The board goes only when the take that was being recorded is complete`(method: String, change: PowerChange)
    throws
  {
    let bench = try RuntimeBench()
    // The run ends by itself, long before the script would end it.
    #expect(try bench.run("6 press REC\n10 call \(method)\n600 quit") == nil)
    #expect(bench.clock.now.seconds < 60)
    #expect(bench.devices.system.changes == [change])
    let saved = try #require(bench.events("onTakeSaved").first?.data)
    let seconds = Double(saved["frames"]?.integerValue ?? 0) / Double(saved["sampleRate"]?.integerValue ?? 1)
    #expect((8.5...9.5).contains(seconds), "\(seconds)")
    #expect(try bench.metadata().first?["state"] != "inProgress")
  }

  @Test(arguments: [0, 0.004, 3])
  func `A take that is begun in the moment in which the board goes is there, even before the first sound`(at: Double)
    throws
  {
    let bench = try RuntimeBench()
    let settings = #"call settings.set {"recording.preRecordSeconds":0}"#
    // At the very start no microphone is open yet.
    let script = "\(at) \(settings)\n\(at) call recorder.start\n\(at) call system.powerOff\n600 quit"
    #expect(try bench.run(script) == nil)
    #expect(bench.clock.now.seconds < 60 && bench.devices.system.changes == [.powerOff])
    #expect(bench.results("recorder.start") == [[:]] && bench.results("system.powerOff") == [[:]])
    let saved = try #require(bench.events("onTakeSaved").first?.data, "\(bench.log)")
    #expect((saved["frames"]?.integerValue ?? 0) > 0 && saved["stopReason"] == "power")
    #expect(try bench.metadata().count == 1 && bench.events("onError").isEmpty)
  }

  @Test(arguments: [true, false])
  func `Takes that began before the clock was set are dated when it is, by hand or by the network`(byHand: Bool) throws
  {
    let bench = try RuntimeBench()
    let sets = byHand ? "call clock.set {\"time\":\"2026-11-23T12:00:00Z\"}" : "fault clock jump +1795435200"
    let script = """
      0.5 fault clock jump -1795211640
      6 press REC
      8 mark here
      10 press STOP
      20 call library.list
      30 \(sets)
      60 call library.list
      61 press REC
      63 press STOP
      65 quit
      """
    #expect(try bench.run(script) == nil)
    let lists = bench.results("library.list").compactMap { $0["takes"]?.arrayValue?.first }
    #expect(lists.count == 2 && lists[0]["createdAt"]?.stringValue?.hasPrefix("1970-01-01T00:00:0") == true)
    // 24 s before, and the pre-record of five.
    let dated = try #require(lists[1]["createdAt"]?.stringValue.flatMap { WallTime(iso8601: $0) })
    let set = byHand ? "2026-11-23T12:00:00Z" : "2026-11-23T12:00:30Z"
    let early = try #require(WallTime(iso8601: set)).seconds - dated.seconds
    #expect((23...30).contains(early), "\(lists[1])")
    #expect(lists[0]["id"] == lists[1]["id"])
    let takes = try bench.metadata()
    #expect(takes.count == 2)
    for take in takes {
      let marks = take["bookmarks"]?.arrayValue ?? []
      #expect(
        ([take] + marks).allSatisfy {
          $0["createdAt"]?.stringValue.flatMap { WallTime(iso8601: $0) }?.isPlausible == true
        }, "\(take)")
    }
  }
}
