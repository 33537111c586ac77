import Hardware
import JSON
import Testing

/// Schedules on a whole device in virtual time, which begins on Friday 2026-11-20 at 21:54:00 UTC.
@Suite struct ScheduleRunTests {
  private func add(_ when: String, at seconds: Double = 0.5) -> String {
    "\(seconds) call schedule.add {\"when\":\"\(when)\"}\n"
  }

  private func told(_ bench: RuntimeBench) -> [String] {
    bench.events("onSchedule").compactMap { $0.data["what"]?.stringValue }
  }

  @Test("A schedule begins its take, ends it, and says so; the screen tells of the next one")
  func beginsAndEnds() throws {
    let bench = try RuntimeBench()
    let script =
      add("daily 21:55 21:56") + """
        3 call panel.state
        62 expect mode dictaphone.recording
        70 call schedule.list
        125 expect mode dictaphone.idle
        126 call schedule.list
        130 fault clock jump -100
        160 expect mode dictaphone.idle
        170 quit
        """
    #expect(try bench.run(script) == nil)
    #expect(told(bench) == ["begun", "ended"])
    let saved = try #require(bench.events("onTakeSaved").first?.data)
    #expect(bench.events("onTakeSaved").count == 1 && saved["stopReason"] == "schedule")
    // A minute, and the pre-record.
    let seconds = Double(saved["frames"]?.integerValue ?? 0) / Double(saved["sampleRate"]?.integerValue ?? 1)
    #expect((64...67).contains(seconds), "\(seconds)")
    let texts = bench.results("panel.state").first?["texts"]?.arrayValue?.compactMap(\.stringValue) ?? []
    #expect(texts.contains("next Fri 21:55"), "\(texts)")
    let lists = bench.results("schedule.list")
    #expect(lists.first?["running"] == 1 && lists.last?["running"] == nil)
    #expect(lists.last?["next"] == "2026-11-21T21:55:00Z")
    #expect(lists.last?["schedules"]?.arrayValue?.first?["when"] == "daily 21:55 21:56")
  }

  @Test("STOP by hand ends the occurrence; a take by hand comes first, and is not ended by the schedule")
  func byHand() throws {
    let bench = try RuntimeBench()
    let stop =
      add("daily 21:55 21:57")
      + "80 press STOP\n90 expect mode dictaphone.idle\n170 expect mode dictaphone.idle\n190 quit"
    #expect(try bench.run(stop) == nil)
    #expect(told(bench) == ["begun"])
    let other = try RuntimeBench()
    let hand = add("daily 21:55 21:56") + "30 press REC\n130 expect mode dictaphone.recording\n140 press STOP\n150 quit"
    #expect(try other.run(hand) == nil)
    #expect(told(other) == ["missed"])
    #expect(other.events("onTakeSaved").compactMap { $0.data["stopReason"]?.stringValue } == ["user"])
  }

  @Test("Of two one behind the other, and of one whose time comes while a take is being saved, nothing is missing")
  func oneBehindTheOther() throws {
    let none = "0 call settings.set {\"recording.preRecordSeconds\":0}\n"
    for (script, reasons) in [
      (add("daily 21:56 21:57", at: 0.6), ["schedule", "schedule"]),
      ("20 press REC\n58.9 fault storage stall 10\n59 press STOP\n", ["user", "schedule"]),
    ] {
      let bench = try RuntimeBench()
      #expect(try bench.run(none + add("daily 21:55 21:56") + script + "190 quit") == nil)
      let saved = bench.events("onTakeSaved").map(\.data)
      try #require(saved.compactMap { $0["stopReason"]?.stringValue } == reasons, "\(saved)")
      let seconds = Double(saved[1]["frames"]?.integerValue ?? 0) / Double(saved[1]["sampleRate"]?.integerValue ?? 1)
      #expect(abs(seconds - 60) < 0.1, "\(saved)")
      #expect(told(bench) == (reasons[0] == "user" ? ["begun", "ended"] : ["begun", "ended", "begun", "ended"]))
    }
  }

  @Test("After a power cut it goes on; what was missed meanwhile is told")
  func powerCut() throws {
    let bench = try RuntimeBench()
    #expect(try bench.run(add("daily 21:55 22:30") + "90 fault power cut\n91 quit") == nil)
    let after = try RuntimeBench(continuing: bench)
    #expect(try after.run("0.1 fault clock jump +120\n5 expect mode dictaphone.recording\n8 quit") == nil)
    #expect(told(after) == ["begun"])
    let late = try RuntimeBench(continuing: after)
    #expect(try late.run("0.1 fault clock jump +7200\n5 expect mode dictaphone.idle\n8 quit") == nil)
    #expect(told(late) == ["missed"])
  }

  @Test("What the power has cut off of a schedule does not go on behind its time, where nobody would end it")
  func notResumed() throws {
    let bench = try RuntimeBench()
    let resumes = "0 call settings.set {\"recording.resume\":true}\n"
    #expect(try bench.run(resumes + add("daily 21:55 22:30") + "90 fault power cut\n91 quit") == nil)
    let late = try RuntimeBench(continuing: bench)
    #expect(try late.run("0.1 fault clock jump +7200\n5 expect mode dictaphone.idle\n8 quit") == nil)
    #expect(told(late) == ["missed"])
    // One by hand does.
    let hand = try RuntimeBench(continuing: late)
    #expect(try hand.run("1 press REC\n9 fault power cut\n10 quit") == nil)
    let again = try RuntimeBench(continuing: hand)
    #expect(try again.run("5 expect mode dictaphone.recording\n8 press STOP\n10 quit") == nil)
  }

  @Test("A board that sleeps is woken 90 s before the next one, and not for one that is off")
  func wakesTheBoard() throws {
    let bench = try RuntimeBench()
    let alarm = KeptAlarm()
    bench.hardware.wakeAlarm = alarm
    let script =
      add("daily 21:55 21:56") + """
        130 call schedule.enable {"number":1,"on":false}
        140 quit
        """
    #expect(try bench.run(script) == nil)
    #expect(alarm.times.map { $0?.iso8601 } == ["2026-11-20T21:53:30Z", "2026-11-21T21:53:30Z", nil])
  }

  @Test("It is begun from any mode and screen, and while something plays")
  func fromAnywhere() throws {
    let bench = try RuntimeBench(onDisk: true)
    let script =
      add("daily 21:55 21:56") + """
        1 press REC
        30 press STOP
        50 press CENTRE
        55 expect mode dictaphone.playing
        61 expect mode dictaphone.recording
        130 quit
        """
    #expect(try bench.run(script) == nil)
    #expect(told(bench) == ["begun", "ended"])
  }

  @Test("What cannot be planned is refused with the reason, and the list is what is kept")
  func refused() throws {
    let bench = try RuntimeBench()
    let script =
      add("daily sunrise 09:00") + add("whenever", at: 1) + """
        2 call settings.set {"clock.place":"52.52,13.405","clock.zone":"Europe/Berlin"}
        3 call schedule.add {"when":"daily sunrise 09:00"}
        4 call schedule.enable {"number":1,"on":false}
        5 call schedule.remove {"number":7}
        6 call settings.get {"key":"recording.schedules"}
        7 call schedule.remove {"number":1}
        8 call schedule.list
        9 quit
        """
    #expect(try bench.run(script) == nil)
    let added = bench.results("schedule.add")
    #expect(added.map { $0["message"]?.stringValue?.contains("clock.place") ?? false } == [true, false, false])
    #expect(bench.results("settings.get").first?["recording.schedules"] == "1 off daily sunrise 09:00")
    #expect(bench.results("schedule.remove").first?["code"] == "not-found")
    #expect(bench.results("schedule.list").first?["schedules"] == [])
  }

  @Test("With the eight keys alone a schedule is added, whose take begins by itself; the screen says what comes next")
  func byKeys() throws {
    let bench = try RuntimeBench()
    let script = """
      0.5 hold CENTRE 0.7
      1.3 press DOWN
      1.5 press CENTRE
      1.7 hold DOWN 2
      8.5 press CENTRE
      9 press CENTRE
      9.5 press DOWN
      10 press DOWN
      10.5 hold LEFT 3.7
      15 press LEFT
      16 press DOWN
      16.5 press DOWN
      17 hold LEFT 4.1
      22 call panel.state
      22.5 press STOP
      23 call panel.state
      23.5 call settings.get {"key":"recording.schedules"}
      24 press STOP
      62 expect mode dictaphone.recording
      370 expect mode dictaphone.idle
      380 quit
      """
    #expect(try bench.run(script) == nil)
    #expect(bench.results("settings.get").first?["recording.schedules"] == "1 on daily 21:55 22:00")
    let screens = bench.results("panel.state").map { $0["texts"]?.arrayValue?.compactMap(\.stringValue) ?? [] }
    #expect(screens.first?.contains("◀ 22:00 ▶") == true, "\(screens)")
    #expect(screens.last?.contains("Next: Fri 21:55.") == true, "\(screens)")
    #expect(told(bench) == ["begun", "ended"])
    #expect(bench.events("onTakeSaved").count == 1)
  }
}

/// A clock that keeps what it was told.
private final class KeptAlarm: WakeAlarm {
  private(set) var times: [WallTime?] = []
  func set(_ time: WallTime?) throws(DeviceError) { times.append(time) }
}
