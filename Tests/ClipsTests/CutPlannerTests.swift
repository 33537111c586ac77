import Hardware
import Recording
import TestSupport
import Testing

@testable import Clips

@Suite struct CutPlannerTests {
  private func rules(
    _ overlap: ClipSettings.Overlap, pre: Double = 5, post: Double = 5, longest: Double = 3600
  ) -> CutPlanner.Rules {
    CutPlanner.Rules(
      preRoll: .nanoseconds(Int64(pre * 1e9)), postRoll: .nanoseconds(Int64(post * 1e9)), overlap: overlap,
      debounce: .milliseconds(50), longest: .nanoseconds(Int64(longest * 1e9)))
  }

  /// Plays triggers in the order in which they are told, closing clips when their time has come; the clips made.
  private func play(
    _ planner: inout CutPlanner, _ triggers: [(told: Double, time: Double, cause: TriggerSource)]
  ) -> (made: [CutPlanner.Cut], outcomes: [(Trigger, TriggerOutcome)]) {
    var made: [CutPlanner.Cut] = []
    var outcomes: [(Trigger, TriggerOutcome)] = []
    func close(until now: Instant) {
      for cut in planner.open where cut.end <= now {
        if let whole = planner[cut.number] { made.append(whole) }
        planner.close(cut.number, at: planner[cut.number]?.end ?? cut.end)
      }
    }
    for trigger in triggers.sorted(by: { $0.told < $1.told }) {
      close(until: .at(trigger.told))
      let (number, outcome, _) = planner.trigger(at: .at(trigger.time), cause: trigger.cause)
      outcomes.append((number, outcome))
    }
    close(until: .at(1e9))
    return (made, outcomes)
  }

  @Test(arguments: ClipSettings.Overlap.allCases, 0..<5) func noneOfAThousandTriggersIsMissing(
    overlap: ClipSettings.Overlap, seed: Int
  ) {
    var dice = SeededGenerator(seed: UInt64(seed))
    let (pre, post) = (Double.random(in: 1...10, using: &dice), Double.random(in: 0...10, using: &dice))
    var planner = CutPlanner(rules: rules(overlap, pre: pre, post: post))
    var time = 100.0
    var told: [(told: Double, time: Double, cause: TriggerSource)] = []
    for _ in 0..<1000 {
      switch Int.random(in: 0..<10, using: &dice) {
      case 0: time += Double.random(in: 0...0.02, using: &dice)
      case 1...5: time += Double.random(in: 0...3, using: &dice)
      default: time += Double.random(in: 0...30, using: &dice)
      }
      // Told up to 20 ms late, each in its own time.
      told.append(
        (
          time + Double.random(in: 0...0.02, using: &dice), time,
          TriggerSource.allCases.randomElement(using: &dice) ?? .key
        ))
    }
    let (made, outcomes) = play(&planner, told)
    #expect(outcomes.count == 1000)
    #expect(planner.open.isEmpty)
    let tolerance = CutPlanner.tolerance
    for (trigger, outcome) in outcomes {
      if case .bounced(let of) = outcome {
        let other = outcomes.first { $0.0.number == of }
        #expect(other.map { trigger.time - $0.0.time < .milliseconds(50) && $0.0.cause == trigger.cause } ?? false)
        continue
      }
      // Every instant of its range is in a clip.
      let start = trigger.time - .nanoseconds(Int64(pre * 1e9))
      let end = trigger.time + .nanoseconds(Int64(post * 1e9))
      var covered = start
      for cut in made.sorted(by: { $0.start < $1.start }) where cut.start - tolerance <= covered && cut.end > covered {
        covered = cut.end
      }
      #expect(covered >= end, "trigger \(trigger)")
      if overlap != .merge {
        #expect(made.contains { $0.start - tolerance <= start && $0.end >= end && $0.triggers.contains(trigger) })
      }
    }
    let sorted = made.sorted { $0.start < $1.start }
    if overlap == .merge {
      // And in one only.
      #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $0.end <= $1.start })
      #expect(sorted.filter { $0.continues != nil }.count > 10)
    }
    #expect(Set(made.map(\.number)).count == made.count)
    #expect(made.allSatisfy { $0.end > $0.start || $0.end == $0.start && post == 0 })
  }

  @Test func mergingTriggersMakeOneClip() {
    var planner = CutPlanner(rules: rules(.merge))
    let (made, outcomes) = play(&planner, [(100, 100, .key), (103, 103, .key), (107, 107, .motion)])
    #expect(made.count == 1)
    #expect(made[0].start == .at(95))
    #expect(made[0].end == .at(112))
    #expect(made[0].triggers.count == 3)
    #expect(outcomes.map(\.1) == [.started(clip: 1, continues: nil), .joined(clip: 1), .joined(clip: 1)])
  }

  @Test func aTriggerAfterTheEndGoesOnWhereTheClipEnded() {
    var planner = CutPlanner(rules: rules(.merge))
    let (made, outcomes) = play(&planner, [(100, 100, .key), (108, 108, .key)])
    #expect(made.map(\.start) == [.at(95), .at(105)])
    #expect(outcomes[1].1 == .started(clip: 2, continues: 1))
    planner = CutPlanner(rules: rules(.extend))
    #expect(play(&planner, [(100, 100, .key), (108, 108, .key)]).made.map(\.start) == [.at(95), .at(103)])
  }

  @Test(arguments: [false, true])
  func `What the storage did not take is in the next clip`(_ isOpen: Bool) {
    var planner = CutPlanner(rules: rules(.merge, pre: 10, post: 2))
    _ = planner.trigger(at: .at(100), cause: .key)
    if isOpen {
      // It is still being ended when the next trigger comes.
      planner.refuse(1, at: .at(101))
      #expect(planner[1]?.end == .at(101))
    }
    planner.close(1, at: .at(102))
    planner.refuse(1, at: .at(102.5))
    #expect(planner.trigger(at: .at(104), cause: .key).1 == .started(clip: 2, continues: nil))
    #expect(planner[2]?.start == .at(94))
  }

  @Test func `A clip that waits for the end of one that was refused has all before its trigger`() {
    var planner = CutPlanner(rules: rules(.merge, pre: 10, post: 2))
    _ = planner.trigger(at: .at(100), cause: .key)
    #expect(planner.trigger(at: .at(103), cause: .key).1 == .started(clip: 2, continues: 1))
    planner.refuse(1, at: .at(103.1))
    planner.close(1, at: .at(102))
    #expect(planner[2]?.continues == nil)
    #expect(planner[2]?.start == .at(93))
  }

  @Test func `After a clip with a shorter time before its trigger the next one has all of its own`() {
    var planner = CutPlanner(rules: rules(.merge, pre: 2, post: 0))
    _ = planner.trigger(at: .at(20), cause: .key)
    planner.close(1, at: .at(20))
    planner.rules = rules(.merge, pre: 5, post: 0)
    #expect(planner.trigger(at: .at(22), cause: .key).1 == .started(clip: 2, continues: nil))
    #expect(planner[2]?.start == .at(17))
    planner.close(2, at: .at(22))
    #expect(planner.trigger(at: .at(23), cause: .key).1 == .started(clip: 3, continues: 2))
  }

  @Test func `A clip that goes on from one that is deleted meanwhile has not what that one had`() {
    var planner = CutPlanner(rules: rules(.merge, pre: 10, post: 2))
    _ = planner.trigger(at: .at(20), cause: .key)
    planner.close(1, at: .at(22))
    #expect(planner.trigger(at: .at(23), cause: .key).1 == .started(clip: 2, continues: 1))
    planner.forgetKept()
    planner.close(2, at: .at(25))
    #expect(planner.trigger(at: .at(26), cause: .key).1 == .started(clip: 3, continues: nil))
    #expect(planner[3]?.start == .at(16))
  }

  @Test func `A trigger in a clip that goes on from a deleted one has all of its pre-roll`() {
    var planner = CutPlanner(rules: rules(.merge, pre: 10, post: 2))
    _ = planner.trigger(at: .at(20), cause: .key)
    planner.close(1, at: .at(22))
    #expect(planner.trigger(at: .at(23), cause: .key).1 == .started(clip: 2, continues: 1))
    #expect(planner.trigger(at: .at(23.5), cause: .key).1 == .joined(clip: 2))
    planner.forgetKept()
    #expect(planner.trigger(at: .at(24), cause: .key).1 == .started(clip: 3, continues: nil))
    // What the open one has is not told again.
    #expect(planner[3]?.start == .at(14) && planner[3]?.end == .at(22))
    #expect(planner[2]?.start == .at(22) && planner[2]?.end == .at(26))
  }

  @Test func `In the first seconds of a run a clip that goes on takes triggers as well`() {
    var planner = CutPlanner(rules: rules(.merge, pre: 10, post: 2))
    let (made, outcomes) = play(&planner, [(2, 2, .key), (4.5, 4.5, .key), (5.5, 5.5, .key)])
    #expect(made.map(\.start) == [.at(-8), .at(4)])
    #expect(made.last?.end == .at(7.5))
    #expect(outcomes.last?.1 == .joined(clip: 2))
  }

  /// A card that does not answer holds clips open beyond their ends.
  @Test func `A trigger whose range lies in two clips that wait for the card makes no empty one between them`() {
    var planner = CutPlanner(rules: rules(.merge, pre: 5, post: 1))
    #expect(planner.trigger(at: .at(20), cause: .key).1 == .started(clip: 1, continues: nil))
    #expect(planner.trigger(at: .at(22), cause: .key).1 == .started(clip: 2, continues: 1))
    let (_, outcome, new) = planner.trigger(at: .at(24.5), cause: .key)
    #expect(outcome == .joined(clip: 2) && new == nil)
    #expect(planner[2]?.start == .at(21) && planner[2]?.end == .at(25.5) && planner[2]?.triggers.count == 2)
  }

  @Test func independentClipsOverlap() {
    var planner = CutPlanner(rules: rules(.independent))
    let (made, _) = play(&planner, [(100, 100, .key), (102, 102, .key), (103, 103, .key)])
    #expect(made.sorted { $0.number < $1.number }.map(\.start) == [.at(95), .at(97), .at(98)])
  }

  @Test func bouncesAreOneTriggerAndOtherCausesAreNot() {
    var planner = CutPlanner(rules: rules(.merge))
    let presses: [(Double, TriggerSource)] = [(10, .key), (10.03, .key), (10.03, .input), (10.06, .key)]
    let outcomes = presses.map { planner.trigger(at: .at($0), cause: $1).1 }
    #expect(
      outcomes == [.started(clip: 1, continues: nil), .bounced(of: 1), .joined(clip: 1), .joined(clip: 1)])
  }

  @Test func stopEndsThePostRollButNeverBeforeTheTrigger() {
    var planner = CutPlanner(rules: rules(.merge))
    _ = planner.trigger(at: .at(10), cause: .key)
    planner.endAll(at: .at(12))
    #expect(planner.open.first?.end == .at(12))
    planner.endAll(at: .at(9))
    #expect(planner.open.first?.end == .at(10))
  }

  @Test(arguments: [10, 10.02])
  func `Recording without end that was ended begins anew, however soon`(_ again: Double) {
    var planner = CutPlanner(rules: rules(.merge))
    _ = planner.startContinuous(at: .at(10))
    planner.endAll(at: .at(10))
    #expect(!planner.isContinuous)
    _ = planner.startContinuous(at: .at(again))
    #expect(planner.isContinuous)
    // While it goes on a second order is one with the first.
    #expect(planner.startContinuous(at: .at(again + 0.01)).1 == .bounced(of: again > 10 ? 2 : 1))
  }

  @Test func continuousRecordingIsSplitWithoutASeam() {
    var planner = CutPlanner(rules: rules(.merge, longest: 60))
    let (_, _, first) = planner.startContinuous(at: .at(100))
    #expect(first?.end == .distantFuture)
    #expect(first.map { planner.split(of: $0) } == .at(155))
    let second = planner.split(1, at: .at(155.4))
    #expect(second?.start == .at(155.4))
    #expect(second?.continues == 1)
    #expect(second?.isContinuous == true)
    #expect(planner[1]?.end == .at(155.4))
    // A trigger meanwhile belongs to the one that runs.
    let meanwhile = planner.trigger(at: .at(156), cause: .key).1
    #expect(meanwhile == .joined(clip: 2))
    // And is not what the next one was begun for.
    #expect(planner.split(2, at: .at(165))?.triggers.map(\.cause) == [.continuous])
    planner.endAll(at: .at(170))
    #expect(planner[3]?.end == .at(170))
    #expect(!planner.isContinuous)
  }
}
