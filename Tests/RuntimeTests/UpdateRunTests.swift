import Hardware
import JSON
import SimulatedHardware
import Testing

/// Updates on a whole device in virtual time; the system that carries them out is simulated.
@Suite struct UpdateRunTests {
  @Test func `An update is asked for once, and not while another is on its way`() throws {
    let bench = try RuntimeBench()
    let script = """
      3 call update.status
      4 call update.install
      5 call update.status
      6 call update.install {"file":"/var/lib/mynah/other.raucb"}
      7 quit
      """
    #expect(try bench.run(script) == nil)
    #expect(bench.results("update.status").map { $0["phase"] } == ["none", "checking"])
    let answers = bench.results("update.install")
    #expect(answers.count == 2 && answers.last?["code"] == "busy", "\(answers)")
  }

  @Test func `An update on the stick is offered by the screen, and installed by RIGHT; its progress is shown`() throws {
    let bench = try RuntimeBench()
    bench.devices.stick.carry(update: "mynah-0.2.raucb")
    let script = """
      3 fault stick in
      5 call panel.state
      6 press RIGHT
      7 call update.status
      8 call panel.state
      9 fault stick out
      10 fault stick in
      12 call panel.state
      13 quit
      """
    #expect(try bench.run(script) == nil)
    let notices = bench.results("panel.state").map { $0["notice"]?["text"]?.stringValue }
    #expect(
      notices == [
        "Update on the stick, mynah-0.2.raucb: RIGHT installs it.", "The update is being checked.",
        "The update is being checked.",
      ])
    #expect(bench.results("update.status").first?["phase"] == "checking")
    #expect(bench.devices.system.sources == [.stick])
  }

  @Test func `A version on trial is confirmed, and nothing else is`() throws {
    let bench = try RuntimeBench()
    #expect(try bench.run("2 call update.confirm\n3 quit") == nil)
    #expect(bench.results("update.confirm").first?["code"] == "busy")
    let trial = try RuntimeBench()
    trial.devices.system.tell(UpdateReport(.trial, text: "0.2.0"))
    #expect(try trial.run("2 call update.confirm\n4 call update.status\n5 quit") == nil)
    #expect(trial.results("update.confirm").first?["code"] == nil)
    #expect(trial.results("update.status").first?["phase"] == "good")
  }

  @Test func `Never while a take is open, and no path that is none`() throws {
    let bench = try RuntimeBench()
    let script = """
      3 call update.install {"file":"mynah.raucb"}
      6 press REC
      8 call update.install
      10 press STOP
      14 call update.status
      15 quit
      """
    #expect(try bench.run(script) == nil)
    #expect(bench.results("update.install").map { $0["code"] } == ["bad-argument", "busy"])
    #expect(bench.results("update.status").first?["phase"] == "none")
    #expect(bench.events("onTakeSaved").count == 1)
  }
}
