import Foundation
import TestSupport
import Testing

@testable import Dubbing

@Suite("Slot fitting")
struct SlotFitterTests {
  private let second = 48_000

  @Test func `What fits is left as it is, and never slowed down`() {
    #expect(
      SlotFitter.plan(voice: second, own: 3 * second, slot: 4 * second) == .init(speed: 1, frames: second, isCut: false)
    )
  }

  @Test func `The pause is borrowed before anything is spoken faster`() {
    let plan = SlotFitter.plan(voice: 3 * second, own: 2 * second, slot: 6 * second)
    #expect(plan == .init(speed: 1, frames: 3 * second, isCut: false))
  }

  @Test func `Then it is spoken faster by a quarter at most, then the whole pause is used, then two fifths`() {
    let first = SlotFitter.plan(voice: 4 * second, own: 2 * second, slot: 10 * second)
    #expect(first.speed > 1 && first.speed <= 1.25 && first.frames == 2 * second + 72_000)
    let whole = SlotFitter.plan(voice: 8 * second, own: 2 * second, slot: 8 * second)
    #expect(whole.speed > 1 && whole.speed <= 1.25 && whole.frames == 307_200)
    let last = SlotFitter.plan(voice: 4 * second, own: 2 * second, slot: 3 * second)
    #expect(last.speed > 1.25 && last.speed <= 1.4 && !last.isCut)
  }

  @Test func `What is still too long is faded away`() {
    let plan = SlotFitter.plan(voice: 6 * second, own: second, slot: 2 * second)
    #expect(plan == .init(speed: 1.4, frames: 2 * second - SlotFitter.breathFrames, isCut: true))
    let voice = (0..<(6 * second)).map { Float(0.5 * sin(Double($0) * 0.03)) }
    let fitted = SlotFitter.fit(voice, own: second, slot: 2 * second)
    #expect(fitted.samples.count == plan.frames)
    #expect(abs(fitted.samples.last ?? 1) < 0.001)
    #expect((fitted.samples.suffix(480).map(abs).max() ?? 1) < 0.1)
  }

  @Test func `Silence at the ends is taken off, silence alone is nothing`() {
    let voice =
      [Float](repeating: 0, count: 30_000) + (0..<9000).map { Float(0.4 * sin(Double($0) * 0.05)) }
      + [Float](repeating: 0, count: 20_000)
    #expect(SlotFitter.fit(voice, own: second, slot: second).samples.count <= 9000 + 960)
    #expect(SlotFitter.fit([Float](repeating: 0, count: 5000), own: second, slot: second).samples.isEmpty)
    #expect(SlotFitter.fit([], own: 1, slot: 1).samples.isEmpty)
  }

  @Test func `No plan is outside its slot or its speeds`() {
    var dice = SeededGenerator(seed: 1)
    var broken: [SlotFitter.Plan] = []
    for _ in 0..<50_000 {
      let voice = Int.random(in: 0...(20 * second), using: &dice)
      let own = Int.random(in: 1...(10 * second), using: &dice)
      let slot = Int.random(in: 1...(15 * second), using: &dice)
      let plan = SlotFitter.plan(voice: voice, own: own, slot: slot)
      let fits = plan.frames <= max(1, slot - SlotFitter.breathFrames) && plan.frames <= max(1, voice)
      let isWhole = plan.isCut || abs(Double(plan.frames) * plan.speed - Double(voice)) < 2
      if !(1...1.4).contains(plan.speed) || !fits || !isWhole { broken.append(plan) }
    }
    #expect(broken.isEmpty)
  }
}
