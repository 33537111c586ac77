import Board
import TestSupport
import Testing

@testable import Budget

@Suite struct GovernorTests {
  private static let second: Int64 = 1_000_000_000

  private static func rules(fall: Int = 4, calm: Int = 8) -> GovernorDescription {
    GovernorDescription(
      rungs: GovernorRung.allCases, sampleSeconds: 2, fallSeconds: fall, calmSeconds: calm
    ) { _ in 80 }
  }

  private static func heat(_ degrees: Double) -> [GovernorValue] { [GovernorValue(.temperature, degrees, limit: 80)] }

  /// Looks every two seconds, and keeps the steps.
  private static func walk(
    _ governor: inout Governor, from start: Int64 = 0, seconds: Int64, _ degrees: Double
  ) -> [GovernorStep] {
    stride(from: start, through: start + seconds, by: 2).compactMap { governor.look(heat(degrees), at: $0 * second) }
  }

  @Test func aRungGivesWayWhenStrainHasLastedAndSaysWhy() {
    var governor = Governor(Self.rules())
    #expect(governor.look(Self.heat(85), at: 0) == nil)
    #expect(governor.look(Self.heat(85), at: 2 * Self.second) == nil)
    let step = governor.look(Self.heat(86), at: 4 * Self.second)
    #expect(
      step
        == GovernorStep(
          at: 4 * Self.second, rung: .display, direction: .down, reason: "temperature", value: 86, limit: 80))
    #expect(governor.isSpared(.display) && !governor.isSpared(.preview))
    // The next one waits as long.
    #expect(governor.look(Self.heat(86), at: 6 * Self.second) == nil)
    #expect(governor.look(Self.heat(86), at: 8 * Self.second)?.rung == .preview)
  }

  @Test func strainThatDoesNotLastAndTheMarginChangeNothing() {
    var governor = Governor(Self.rules())
    for turn in 0..<200 {
      let step = governor.look(Self.heat(turn % 2 == 0 ? 90 : 40), at: Int64(turn) * 2 * Self.second)
      #expect(step == nil)
    }
    #expect(Self.walk(&governor, from: 400, seconds: 4, 90).count == 1)
    // Between nine tenths of the limit and the limit it neither falls nor climbs.
    #expect(Self.walk(&governor, from: 406, seconds: 2000, 78).isEmpty)
    #expect(governor.place == 1)
  }

  @Test func itClimbsAfterACalmThatIsLongerAfterEachFall() {
    var governor = Governor(Self.rules())
    var now: Int64 = 0
    var waits: [Int64] = []
    for _ in 0..<7 {
      _ = Self.walk(&governor, from: now, seconds: 4, 90)
      now += 6
      let began = now
      while governor.place > 0 {
        _ = governor.look(Self.heat(40), at: now * Self.second)
        now += 2
      }
      waits.append(now - 2 - began)
    }
    #expect(waits == [8, 16, 32, 64, 128, 128, 128])
    // After a very long calm it is as at the beginning.
    _ = Self.walk(&governor, from: now, seconds: 200, 40)
    #expect(governor.patience == 8 * Self.second)
  }

  @Test func whatTheBoardHasNotIsPassedOver() {
    var governor = Governor(Self.rules()) { $0 != .display && $0 != .ring }
    #expect(governor.rungs == [.preview, .dubbing, .waveform, .bitrate, .framerate])
    #expect(Self.walk(&governor, seconds: 4, 90).map(\.rung) == [.preview])
  }

  @Test func aBatteryIsAStrainWhenItIsLow() {
    var governor = Governor(Self.rules())
    func look(_ percent: Double, _ seconds: Int64) -> GovernorStep? {
      governor.look([GovernorValue(.battery, percent, limit: 15)], at: seconds * Self.second)
    }
    #expect(look(15.1, 0) == nil && look(15.1, 4) == nil)
    #expect(look(14, 6) == nil)
    #expect(look(14, 10)?.reason == "battery")
  }

  @Test func numbersThatAreNoneAndLimitsThatAreNotSetAreNoStrain() {
    var governor = Governor(Self.rules())
    for (turn, value) in [Double.nan, .infinity, -.infinity, -1].enumerated() {
      _ = governor.look([GovernorValue(.temperature, value, limit: 80)], at: Int64(turn) * 4 * Self.second)
    }
    _ = governor.look([GovernorValue(.memory, 1e9, limit: 0)], at: 20 * Self.second)
    _ = governor.look([GovernorValue(.memory, 1e9, limit: 0)], at: 40 * Self.second)
    #expect(governor.place == 0)
  }

  @Test(arguments: 0..<40) func whateverIsReadTheLadderIsWalkedOneRungAtATime(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let rules = Self.rules(fall: Int.random(in: 2...10, using: &random), calm: Int.random(in: 2...20, using: &random))
    var governor = Governor(rules)
    var (now, lastStep): (Int64, Int64) = (0, -1000 * Self.second)
    var degrees = 60.0
    var steps: [GovernorStep] = []
    for _ in 0..<2000 {
      now += Int64.random(in: 1...5, using: &random) * Self.second
      degrees = min(110, max(30, degrees + Double.random(in: -12...12, using: &random)))
      let before = governor.place
      let step = governor.look(Self.heat(degrees), at: now)
      guard let step else {
        #expect(governor.place == before)
        continue
      }
      let isDown = step.direction == .down
      #expect(governor.place == before + (isDown ? 1 : -1))
      #expect(step.rung == governor.rungs[min(before, governor.place)])
      #expect(now - lastStep >= Int64(isDown ? rules.fallSeconds : rules.calmSeconds) * Self.second || steps.isEmpty)
      #expect(isDown ? degrees >= 80 && step.value == degrees : degrees < 72 && step.value >= step.limit)
      lastStep = now
      steps.append(step)
    }
    #expect(governor.falls - governor.climbs == governor.place)
    #expect(governor.falls + governor.climbs == steps.count)
  }
}
