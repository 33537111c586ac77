import Foundation
import Hardware
import SimulatedHardware
import TestSupport
import Testing

@testable import Runtime

/// The meters of a device that stands armed: drawn by the display's own lane, while the one that decides sleeps.
@Suite struct StandingPictureTests {
  /// What had been shown at each of these times, and how often the control lane had gone round.
  private final class Log {
    var pictures: [Double: Int] = [:]
    var turns: [Double: Int] = [:]
    var frames: [Double: Frame] = [:]
  }

  private static func bench(_ log: Log, at times: [Double]) throws -> RuntimeBench {
    // A level that is another one every tenth of a second.
    let bench = try RuntimeBench(rate: 48_000) { Float($0 % 100) / 700 * Float($0 / 4800 % 7) }
    bench.framesPerSecond = 30
    for time in times {
      bench.hardware.steppers.append(
        AtTime(.at(time), bench) { bench in
          log.pictures[time] = bench.devices.display.framesShown
          log.frames[time] = bench.devices.display.frame
          log.turns[time] = bench.runtime?.parts.control.loop.turns
        })
    }
    return bench
  }

  private static func rate(_ counts: [Double: Int], _ from: Double, _ to: Double) -> Double {
    Double((counts[to] ?? 0) - (counts[from] ?? 0)) / (to - from)
  }

  @Test func `Meters move twenty times a second, and the control lane turns a few times`() throws {
    let log = Log()
    let bench = try Self.bench(log, at: [2, 4, 8, 18])
    #expect(try bench.run("20 quit") == nil)
    #expect(Self.rate(log.pictures, 2, 4) > 24 && Self.rate(log.turns, 2, 4) > 24)
    #expect((19...25).contains(Self.rate(log.pictures, 8, 18)), "\(Self.rate(log.pictures, 8, 18))")
    #expect(Self.rate(log.turns, 8, 18) < 6, "\(Self.rate(log.turns, 8, 18))")
  }

  @Test func `A key is seen at once, and so is a setting; then it stands again`() throws {
    let log = Log()
    let bench = try Self.bench(log, at: [9.9, 10.15, 11, 20, 21.2, 25, 30])
    #expect(
      try bench.run(
        """
        10 press UP
        12 press STOP
        21 call settings.set {"ui.invert":true}
        31 quit
        """) == nil)
    #expect(log.frames[9.9] != log.frames[10.15] && Self.rate(log.pictures, 20, 25) > 15)
    #expect(bench.devices.display.look.isInverted)
    #expect(Self.rate(log.turns, 25, 30) < 6 && Self.rate(log.pictures, 25, 30) > 15)
  }

  @Test func `A display that was gone shows meters again`() throws {
    let log = Log()
    let bench = try Self.bench(log, at: [12, 16])
    bench.hardware.steppers.append(AtTime(.at(8), bench) { $0.devices.display.unplug() })
    bench.hardware.steppers.append(AtTime(.at(9), bench) { $0.devices.display.replug() })
    #expect(try bench.run("20 quit") == nil)
    #expect(Self.rate(log.pictures, 12, 16) > 15)
  }
}
