import Board
import Console
import Hardware
import JSON
import Runtime
import SimulatedHardware
import Testing

/// The parts of an appliance, put together and let go.
@Suite struct BootTests {
  @Test("After a run nothing keeps its parts: no part keeps the scheduler that keeps it")
  func partsAreLetGo() throws {
    weak var scheduler: VirtualScheduler?
    weak var runtime: ApplianceRuntime?
    do {
      let clock = VirtualClock()
      let devices = try SimulatedHardware(SimulationOptions(clock: clock, storage: MemoryStorage(clock: clock)))
      var options = RuntimeOptions(board: try Boards.load(builtIn: "simulator"), version: "test")
      options.script = try Script(
        parsing: Array("1 press REC\n2 press STOP\n4 quit\n".utf8), name: "test", table: DeviceTable.catalogue)
      let strong = VirtualScheduler { clock.advance(to: $0) }
      let run = try ApplianceRuntime(hardware: devices.hardwareSet, scheduler: strong, options: options)
      scheduler = strong
      runtime = run
      #expect(run.run() == nil)
    }
    #expect(runtime == nil)
    #expect(scheduler == nil)
  }

  @Test("A board without camera, speaker, display and keys still starts, records and ends")
  func withoutMost() throws {
    let bench = try RuntimeBench()
    bench.hardware.camera = nil
    bench.hardware.speaker = nil
    bench.hardware.display = nil
    bench.hardware.lamps = nil
    bench.hardware.buttons = []
    let failure = try bench.run(
      """
      1 call recorder.start
      2 call recorder.stop
      3 expect takes 1
      3 call clips.status
      3 call dub.status
      4 quit
      """)
    #expect(failure == nil)
    #expect(bench.results("recorder.start").first?["code"] == nil)
  }

  @Test("Mistakes in the board's settings are on the screen and told by the console; REC records all the same")
  func mistakesAreTold() throws {
    let bench = try RuntimeBench(onDisk: true)
    let line = "mynah.toml:7: camera: unknown key wrong"
    bench.mistakes = [line, "mynah.toml:9: a value stands in quotes: name = \"…\""]
    let failure = try bench.run(
      """
      1 call panel.state
      2 press REC
      3 press STOP
      5 expect takes 1
      6 quit
      """)
    #expect(failure == nil)
    #expect(bench.events("onError").compactMap { $0.data["message"]?.stringValue } == bench.mistakes)
    let notice = try #require(bench.results("panel.state").first?["notice"])
    #expect(notice["code"]?.stringValue == "board-settings")
    #expect(notice["text"]?.stringValue == "\(line) And 1 more: doctor.")
  }
}
