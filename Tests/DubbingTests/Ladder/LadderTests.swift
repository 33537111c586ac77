import TestSupport
import Testing

@testable import Dubbing

@Suite("Ladder")
struct LadderTests {
  private let all: Set<DubRung> = [.service, .rendition, .synthesised]

  @Test func `The highest rung that is ready plays, from the first utterance on`() {
    var ladder = Ladder()
    #expect(ladder.decide(wanted: all, ready: all).rung == .service)
    #expect(
      ladder.decide(wanted: all, ready: [.rendition, .synthesised]) == .init(rung: .rendition, change: .fellBack))
    #expect(ladder.decide(wanted: all, ready: []) == .init(rung: .original, change: .fellBack))
    #expect(ladder.counters.fallbacks == 2)
    // What stands in for the best rung is not it.
    #expect(ladder.counters.percentOnTime == 100.0 / 3)
    #expect(ladder.counters.played == [.service: 1, .rendition: 1, .original: 1])
  }

  @Test func `It returns after two utterances on time`() {
    var ladder = Ladder()
    _ = ladder.decide(wanted: all, ready: all)
    _ = ladder.decide(wanted: all, ready: [.synthesised])
    #expect(ladder.decide(wanted: all, ready: [.service, .synthesised]) == .init(rung: .synthesised, change: .none))
    #expect(ladder.decide(wanted: all, ready: [.service, .synthesised]) == .init(rung: .service, change: .returned))
  }

  @Test func `What broke off must be on time twice as well`() {
    var ladder = Ladder()
    _ = ladder.decide(wanted: [.rendition], ready: [.rendition])
    #expect(ladder.broke(.rendition) == .init(rung: .original, change: .fellBack))
    #expect(ladder.broke(.rendition).change == .none)
    #expect(ladder.decide(wanted: [.rendition], ready: [.rendition]).rung == .original)
    #expect(ladder.decide(wanted: [.rendition], ready: [.rendition]).rung == .rendition)
  }

  @Test func `What is only being loaded loses no trust, and may join when it is there`() {
    var ladder = Ladder()
    #expect(ladder.decide(wanted: [.rendition], ready: [], starting: [.rendition]).rung == .original)
    // Nothing was due yet: what has just been asked for is not late.
    #expect(ladder.counters.utterances == 0 && ladder.counters.played[.original] == 1)
    let hasJoined = ladder.join(.rendition)
    #expect(hasJoined)
    #expect(ladder.current == .rendition)
    #expect(ladder.decide(wanted: [.rendition], ready: [.rendition]) == .init(rung: .rendition, change: .none))
    // What broke off has to wait for its utterances, and nothing that plays is pushed aside.
    _ = ladder.broke(.rendition)
    let joinsAgain = ladder.join(.rendition)
    #expect(!joinsAgain)
    ladder.restart()
    _ = ladder.decide(wanted: [.service, .rendition], ready: [.service])
    let joinsAbove = ladder.join(.rendition)
    #expect(!joinsAbove)
  }

  @Test func `With random delays it never plays what is not ready, and never returns early`() {
    for seed in 0..<200 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      var ladder = Ladder()
      var history: [Set<DubRung>] = []
      var before: DubRung?
      var onTime = 0
      for _ in 0..<60 {
        let ready = all.filter { _ in Int.random(in: 0...3, using: &dice) > 0 }
        let decision = ladder.decide(wanted: all, ready: ready)
        history.append(ready)
        #expect(decision.rung == .original || ready.contains(decision.rung))
        if decision.rung == .service { onTime += 1 }
        // Upwards only to what was ready the time before as well.
        if let before, decision.rung < before, history.count > 1 {
          #expect(history[history.count - 2].contains(decision.rung))
          #expect(decision.change == .returned)
        }
        if let before, decision.rung > before { #expect(decision.change == .fellBack) }
        before = decision.rung
      }
      #expect(ladder.counters.onTime == onTime)
      #expect(ladder.counters.utterances == 60)
    }
  }
}
