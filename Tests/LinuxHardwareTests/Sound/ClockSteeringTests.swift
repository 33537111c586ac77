import Testing

@testable import LinuxHardware

/// A PCM at the other end's clock, in virtual time.
@Suite struct ClockSteeringTests {
  /// Frames that wait, from the second minute to the tenth, and the speeds asked for in the last.
  private func run(ppm: Double, burst: Int) -> (filled: ClosedRange<Int>, speeds: ClosedRange<Int>) {
    let (rate, room) = (48_000, 9600)
    var steering = ClockSteering(rate: rate, target: room / 2)
    var (filled, speed) = (Double(room / 2), 1_000_000)
    var (least, most, slowest, fastest) = (Double.infinity, 0.0, Int.max, 0)
    // What comes does so in bursts of packets of 480 frames.
    for turn in 0..<(600 * rate / (480 * burst)) {
      filled -= Double(480 * burst) * (1 + ppm / 1e6) * Double(speed) / 1e6
      least = turn * burst > 6000 ? min(least, filled) : least
      for _ in 0..<burst {
        speed = steering.speed(filled: Int(filled + 240))
        filled += 480
      }
      most = turn * burst > 6000 ? max(most, filled) : most
      if turn * burst > 54_000 { (slowest, fastest) = (min(slowest, speed), max(fastest, speed)) }
    }
    return (Int(least)...Int(most), slowest...fastest)
  }

  @Test(arguments: [-300.0, 0, 300], [1, 2, 10])
  func `Never too much nor too little waits, whatever the other clock does`(ppm: Double, burst: Int) {
    let (filled, speeds) = run(ppm: ppm, burst: burst)
    // Bursts and what is left of the difference, 3 ms.
    let slack = 240 * burst + 480
    #expect(filled.lowerBound >= 4800 - slack && filled.upperBound <= 4800 + slack, "\(filled)")
    // As fast as the difference, to 100 ppm: a sixth of a cent.
    #expect(abs(Double(speeds.lowerBound) - 1e6 + ppm) <= 50, "\(speeds)")
    #expect(abs(Double(speeds.upperBound) - 1e6 + ppm) <= 50, "\(speeds)")
  }

  @Test func `It asks for no more than a card can do`() {
    var steering = ClockSteering(rate: 48_000, target: 4800)
    for _ in 0..<10_000 { #expect((996_000...1_004_000).contains(steering.speed(filled: 9600))) }
    for _ in 0..<10_000 { #expect((996_000...1_004_000).contains(steering.speed(filled: 0))) }
  }
}
