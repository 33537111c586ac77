import Hardware
import Recording
import TestSupport
import Testing

@testable import Clips

@Suite struct TriggerTests {
  @Test func soundFiresOnceUntilItHasBeenQuiet() {
    var trigger = SoundTrigger()
    trigger.thresholdDBFS = -20
    var fired: [Double] = []
    for index in 0..<200 {
      let time = Double(index) * 0.05
      // Loud from 1 to 2 s, a hole of half a second, loud until 3 s, then quiet, then loud at 6 s.
      let isLoud = (1..<2).contains(time) || (2.5..<3).contains(time) || (6..<6.2).contains(time)
      if trigger.add(peak: isLoud ? 0.2 : 0.01, at: .at(time)) { fired.append(time) }
    }
    #expect(fired.count == 2)
    #expect(abs(fired[0] - 1) < 0.051 && abs(fired[1] - 6) < 0.051)
    // 0.1 is −20 dBFS exactly.
    var edge = SoundTrigger()
    edge.thresholdDBFS = -20
    let below = edge.add(peak: 0.0999, at: .at(0))
    let above = edge.add(peak: 0.1001, at: .at(1))
    #expect(!below && above)
  }

  @Test func motionFiresOnLargerPicturesAndNotOnKeyframesOrNoise() {
    var dice = SeededGenerator(seed: 2)
    var trigger = MotionTrigger()
    trigger.ratio = 2.5
    var fired: [Double] = []
    for index in 0..<1800 {
      let time = Double(index) / 30
      let isKeyframe = index % 15 == 0
      let isMoving = (30..<33).contains(time) || (45..<46).contains(time)
      let usual = isKeyframe ? 40_000 : 3000
      let bytes = (isMoving && !isKeyframe ? 12_000 : usual) + Int.random(in: -800...800, using: &dice)
      if trigger.add(bytes: bytes, isKeyframe: isKeyframe, codec: .h264, at: .at(time)) { fired.append(time) }
    }
    #expect(fired.count == 2)
    #expect(fired.first.map { $0 >= 30 && $0 < 30.5 } ?? false)
    #expect(fired.last.map { $0 >= 45 && $0 < 45.5 } ?? false)
  }

  @Test func switchedOffTriggersStaySilent() {
    var sound = SoundTrigger()
    var motion = MotionTrigger()
    for index in 0..<200 {
      let heard = sound.add(peak: 1, at: .at(Double(index)))
      let seen = motion.add(bytes: index * 1000, isKeyframe: false, codec: .h264, at: .at(Double(index)))
      #expect(!heard && !seen)
    }
  }
}
