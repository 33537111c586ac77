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
