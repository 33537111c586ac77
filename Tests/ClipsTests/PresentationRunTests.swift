import Testing

@testable import Clips

@Suite struct PresentationRunTests {
  @Test(arguments: [-150.0, -20, 0, 20, 150]) func stepsAreEvenToATickAndNeverDriftAway(ppm: Double) {
    var run = PresentationRun(rate: 48_000, firstFrame: 1_000_000)
    var ticks: [Int] = []
    for index in 0..<108_000 {
      // An hour of a camera whose clock is off against the sound's.
      let frame = 1_000_000 + Int((Double(index) * 1600 * (1 + ppm * 1e-6)).rounded())
      ticks.append(run.tick(frame: frame, period: 33_333_333))
    }
    let steps = Set(zip(ticks, ticks.dropFirst()).map { $1 - $0 })
    #expect(steps.isSubset(of: [2999, 3000, 3001]))
    #expect(run.largestSkew <= 0.001)
    let last = Double(ticks[107_999]) / 90_000
    #expect(abs(last - 107_999 / 30.0 * (1 + ppm * 1e-6)) <= 0.001)
  }

  @Test func aHoleIsAsLongAsItIs() {
    var run = PresentationRun(rate: 48_000, firstFrame: 0)
    // The third comes 2.03 s after the second, out of rhythm.
    let ticks = [0, 1600, 1600 + 97_440].map { run.tick(frame: $0, period: 33_333_333.3) }
    #expect(ticks == [0, 3000, 3000 + 182_700])
    #expect(run.frame(ofTick: 3000) == 1600)
  }
}
