import Hardware
import Recording
import TestSupport
import Testing

@testable import Clips

@Suite struct PictureClockTests {
  private let period = 1.0 / 30

  @Test(arguments: [0.0, 0.001, 0.004, 0.008]) func jitterOfTimeStampsIsTakenOut(jitter: Double) {
    var dice = SeededGenerator(seed: 3)
    var clock = PictureClock(nominal: .nanoseconds(33_333_333))
    var deltas: [Double] = []
    var last: Instant?
    for index in 0..<3000 {
      // The camera's crystal is 80 ppm off.
      let exact = 100 + Double(index) * period * (1 + 80e-6)
      let measured = exact + Double.random(in: -jitter...jitter, using: &dice)
      let placed = clock.add(.at(measured))
      #expect(abs((placed.time - .at(measured)).inSeconds) <= period * PictureClock.largestShift * 1.002)
      #expect(placed.missing == 0)
      if index > 600 {
        if let last { deltas.append((placed.time - last).inSeconds) }
        // What comes out is nearer to the truth than what went in.
        #expect(abs((placed.time - .at(exact)).inSeconds) <= max(jitter * (jitter < 0.005 ? 0.5 : 1), 20e-6))
      }
      last = placed.time
    }
    // Under a twentieth of the jitter is left in the steps.
    let worst = deltas.map { abs($0 - period * (1 + 80e-6)) }.max() ?? 1
    #expect(worst <= max(jitter / (jitter < 0.005 ? 15 : 5), 2e-6))
  }

  @Test func missedPicturesAreHolesOfWholeTurns() {
    var clock = PictureClock(nominal: .nanoseconds(33_333_333))
    var number = 0
    var dice = SeededGenerator(seed: 5)
    var last: (Instant, Int)?
    for _ in 0..<1000 {
      let skipped = Int.random(in: 0..<10, using: &dice) == 0 ? Int.random(in: 1...40, using: &dice) : 0
      number += 1 + skipped
      let placed = clock.add(.at(Double(number) * period), skipped: skipped)
      #expect(placed.missing == (last == nil ? skipped : skipped))
      if let (time, before) = last {
        #expect(abs((placed.time - time).inSeconds - Double(number - before) * period) < 0.001)
      }
      last = (placed.time, number)
    }
  }

  @Test func aLatePictureOfADeviceThatNumbersItsPicturesIsLateAndNotAHole() {
    var clock = PictureClock(nominal: .nanoseconds(33_333_333))
    var dice = SeededGenerator(seed: 6)
    var late = 0
    var last: Instant?
    for number in 0..<3000 {
      // One in twenty comes up to two and a half turns late, the next ones in time or late themselves.
      let delay = Int.random(in: 0..<20, using: &dice) == 0 ? Double.random(in: 0.6...2.5, using: &dice) * period : 0
      let placed = clock.add(.at(Double(number) * period + delay), isCounted: true)
      #expect(placed.missing == 0)
      late += placed.isLate ? 1 : 0
      if let last { #expect(placed.time > last) }
      last = placed.time
    }
    #expect(late >= 100)
    // The rhythm is not led astray.
    #expect(abs(clock.period / 1e9 - period) < 0.001)
    #expect(clock.add(.at(3003 * period), skipped: 3, isCounted: true).missing == 3)
  }

  @Test func anotherRateIsAnotherRhythmAndNoLoss() {
    var clock = PictureClock(nominal: .nanoseconds(33_333_333))
    var time = 0.0
    var missing = 0
    for index in 0..<600 {
      // In the dark the camera halves its rate, then goes on at 24.
      time += index < 200 ? period : index < 400 ? 2 * period : 1.0 / 24
      missing += clock.add(.at(time)).missing
    }
    #expect(missing <= 4)
    #expect(abs(clock.period / 1e9 - 1.0 / 24) < 0.000_5)
  }

  @Test func timesIncreaseWhateverComes() {
    var dice = SeededGenerator(seed: 9)
    var clock = PictureClock(nominal: .nanoseconds(33_333_333))
    var last = Instant(nanoseconds: .min / 4)
    for _ in 0..<20_000 {
      let measured = Instant(nanoseconds: Int64.random(in: -2_000_000_000...2_000_000_000_000, using: &dice))
      let placed = clock.add(measured, skipped: Int.random(in: 0...3, using: &dice))
      #expect(placed.time > last)
      last = placed.time
    }
  }
}
