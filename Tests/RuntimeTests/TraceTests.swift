import Console
import Hardware
import JSON
import Runtime
import TestSupport
import Testing

/// What has happened is told afterwards, too.
@Suite struct TraceTests {
  @Test("events.recent has the latest events, of the kinds that are asked for, without telemetry")
  func recent() throws {
    let bench = try RuntimeBench()
    try bench.run(
      "1 press REC\n2 press CENTRE\n3 press CENTRE\n4 press STOP\n"
        + "6 call events.recent {\"count\":200}\n7 call events.recent {\"topics\":[\"onMark\",\"onTakeSaved\"],\"count\":2}\n"
        + "9 quit")
    let results = bench.results("events.recent")
    let all = results.first?["events"]?.arrayValue ?? []
    let told = bench.events.filter {
      $0.topic != "onTelemetryUpdate" && $0.topic != "result"
    }
    #expect(all.compactMap { $0["topic"]?.stringValue } == told.prefix(all.count).map(\.topic))
    #expect(all.contains { $0["topic"] == "onTakeStarted" } && all.contains { $0["topic"] == "onMark" })
    let some = results.dropFirst().first?["events"]?.arrayValue ?? []
    #expect(some.compactMap { $0["topic"]?.stringValue } == ["onMark", "onTakeSaved"])
    #expect(some.last?["data"]?["path"] == told.last { $0.topic == "onTakeSaved" }?.data["path"])
  }

  @Test("trace tells people the same")
  func word() throws {
    let bench = try RuntimeBench()
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    bench.hardware.steppers.append(AtTime(.at(5), bench) { _ in port.type("trace 5 onMark onTakeStarted") })
    try bench.run("1 press REC\n2 press CENTRE\n4 press STOP\n7 quit")
    let told = port.lines.filter { $0.contains("onMark") || $0.contains("onTakeStarted") }.filter { $0.contains("] ") }
    #expect(told.count == 2, "\(port.lines)")
    #expect(told.last?.hasPrefix("[2.100] onMark") == true, "\(told)")
  }

  @Test("A console has every word that people rely on")
  func words() {
    let relied = [
      "status", "meters", "press", "hold", "mode", "rec", "stop", "play", "mark", "list", "show", "find", "rename",
      "copy", "delete", "undelete", "tag", "export", "settings", "clip", "dub", "feed", "session", "budget", "doctor",
      "log", "trace", "selftest", "login", "logout", "reboot", "version",
    ]
    let words = DeviceTable.catalogue.words.flatMap { [$0.name] + $0.aliases }
    #expect(relied.filter { !words.contains($0) } == [])
  }
}
