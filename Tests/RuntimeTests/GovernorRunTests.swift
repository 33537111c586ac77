import Board
import Hardware
import JSON
import SimulatedHardware
import TestSupport
import Testing

@testable import Runtime

/// The governor in a running device, in virtual time.
@Suite struct GovernorRunTests {
  private static func bench(rate: Int? = 8000, _ change: (inout GovernorDescription) -> Void = { _ in }) throws
    -> RuntimeBench
  {
    let bench = try RuntimeBench(rate: rate)
    change(&bench.board.governor)
    return bench
  }

  @Test("On a board at ease nothing gives way, whatever is done")
  func atEase() throws {
    let bench = try Self.bench()
    let failure = try bench.run(
      """
      1 press REC
      20 press STOP
      30 call governor.status
      30 call system.doctor
      31 quit
      """)
    #expect(failure == nil)
    #expect(bench.events("onGovernorStep").isEmpty)
    let status = bench.results("governor.status")[0]
    #expect(status["rung"] == JSONValue.null && status["spared"] == [] && status["lastStep"] == nil)
    let readings = status["readings"]?.arrayValue?.compactMap { $0["reading"]?.stringValue } ?? []
    #expect(readings == ["cpu-pressure", "memory-pressure", "io-pressure", "temperature", "throttled", "storage"])
    let finding = bench.results("system.doctor")[0]["checks"]?.arrayValue?.first { $0["device"] == "governor" }
    #expect(finding?["verdict"] == "works")
    #expect(try bench.metadata()[0]["receipt"]?["governor"] == nil)
  }

  @Test("What gives way is the board file's, in its order, told in the log, by doctor and on the guide")
  func ladder() throws {
    let bench = try Self.bench {
      $0.rungs = [.waveform, .display]
      $0[.temperature] = 60
    }
    let failure = try bench.run(
      """
      1 fault board heat 61
      18 call governor.status
      18 call system.doctor
      18 hold UP 1
      20.0 press DOWN
      20.3 press DOWN
      20.6 press DOWN
      20.75 call panel.state
      20.9 press DOWN
      21.2 press DOWN
      21.5 press DOWN
      21.65 call panel.state
      21.8 press DOWN
      22.1 press DOWN
      22.4 press DOWN
      22.55 call panel.state
      22.7 press DOWN
      23.0 press DOWN
      23.3 press DOWN
      23.45 call panel.state
      23.6 press DOWN
      23.9 press DOWN
      24.2 press DOWN
      24.35 call panel.state
      24.5 press DOWN
      24.8 press DOWN
      25.1 press DOWN
      25.25 call panel.state
      25.4 press DOWN
      25.7 press DOWN
      26.0 press DOWN
      26.15 call panel.state
      26.3 press DOWN
      26.6 press DOWN
      26.9 press DOWN
      27.05 call panel.state
      28 quit
      """)
    #expect(failure == nil)
    #expect(bench.events("onGovernorStep").map { $0.data["rung"] } == ["waveform", "display"])
    #expect(bench.events("onGovernorStep")[0].data["limit"]?.numberValue == 60)
    #expect(bench.results("governor.status")[0]["spared"] == ["waveform", "display"])
    let finding = bench.results("system.doctor")[0]["checks"]?.arrayValue?.first { $0["device"] == "governor" }
    #expect(finding?["verdict"] == "limited")
    let texts = bench.results("panel.state").flatMap { $0["texts"]?.arrayValue?.compactMap(\.stringValue) ?? [] }
    #expect(texts.contains { $0.hasSuffix("2/2 heat") }, "\(texts)")
    #expect(bench.log.contains { $0.contains("waveform gives way: temperature is 61.0, limit 60.0") })
  }

  @Test("The display shows fewer pictures while its rung is spared, and as many again after")
  func displayRate() throws {
    let bench = try Self.bench(rate: nil) { $0.rungs = [.display] }
    bench.framesPerSecond = 30
    var shown: [Int] = []
    for time in [10.0, 20, 30, 70, 80] {
      bench.hardware.steppers.append(
        AtTime(.at(time), bench) { bench in shown.append(bench.devices.display.framesShown) })
    }
    try bench.run(
      """
      0 call settings.set {"recording.format":"wav"}
      1 press REC
      11 fault board heat 90
      31 fault board cool
      81 quit
      """)
    try #require(shown.count == 5)
    let (usual, spared, again) = (shown[1] - shown[0], shown[2] - shown[1], shown[4] - shown[3])
    #expect(usual > 100 && spared < usual / 3 && again > usual * 9 / 10, "\(shown)")
  }

  @Test("A dub is played with less power while its rung is spared, unless the setting forbids it")
  func dubbing() throws {
    let bench = try RuntimeBench(onDisk: true, rate: nil)
    bench.board.governor.rungs = [.dubbing]
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    bench.hardware.steppers.append(
      AtTime(.at(32), bench) { bench in
        let names = (try? bench.hardware.storage.list("recordings").map(\.name)) ?? []
        let take = names.first { $0.hasSuffix(".wav") } ?? ""
        port.type(#"{"jsonrpc":"2.0","id":1,"method":"dub.start","params":{"source":"\#(take)"}}"#)
      })
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"wav"}
      1 press REC
      30 press STOP
      31 call panel.mode {"mode":"dub"}
      33 call dub.status
      33.5 fault board throttle
      45 call dub.status
      46 call settings.set {"dub.lowPower":"off"}
      47 call dub.status
      48 quit
      """)
    #expect(failure == nil)
    #expect(bench.results("dub.status").map { $0["lowPower"]?.boolValue } == [false, true, false])
    #expect(bench.events("onGovernorStep").map { $0.data["reason"] } == ["throttled"])
  }

  @Test("How long the medium lets the storage lane wait is the longest step, or stall, since somebody asked")
  func pace() {
    var pace = StoragePace()
    #expect(pace.take(at: .at(1)) == .zero)
    pace.begin(at: .at(1))
    #expect(pace.take(at: .at(3)) == .seconds(2))
    pace.end(at: .at(4), isStalled: false)
    #expect(pace.take(at: .at(5)) == .seconds(3))
    #expect(pace.take(at: .at(6)) == .zero)
    pace.begin(at: .at(10))
    pace.end(at: .at(10), isStalled: true)
    #expect(pace.take(at: .at(12)) == .seconds(2))
    pace.begin(at: .at(13))
    pace.end(at: .at(13), isStalled: true)
    pace.begin(at: .at(15))
    pace.end(at: .at(15), isStalled: false)
    #expect(pace.take(at: .at(16)) == .seconds(5))
    #expect(pace.take(at: .at(17)) == .zero)
  }
}
