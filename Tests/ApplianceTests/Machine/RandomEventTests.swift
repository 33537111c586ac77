import Appliance
import Hardware
import Testing

@Suite struct RandomEventTests {
  @Test(arguments: [1, 20_261_121, 0xDEAD_BEEF, 77] as [UInt64])
  func `A hundred thousand random events keep every promise`(seed: UInt64) {
    var events = RandomEvents(seed: seed)
    var machine = Machine(state: Self.withCamera)
    var now = Instant.ms(1000)
    var seen: [Activity: Int] = [:]
    var seenOfClips: [ClipActivity: Int] = [:]
    var seenOfDubs: [DubActivity: Int] = [:]
    var seenOfFeeds: [FeedActivity: Int] = [:]
    for round in 0..<100_000 {
      now = now + events.pause()
      let before = machine.state
      let event = events.next(before, at: now)
      let effects = machine.handle(event, at: now)
      let invariants = Invariants(before: before, after: machine.state, event: event, effects: effects, now: now)
      if let broken = invariants.broken {
        Issue.record("seed \(seed), event \(round): \(broken)\n\(event)\n\(effects)\n\(before)")
        return
      }
      seen[machine.state.activity, default: 0] += 1
      if machine.state.mode == .clips { seenOfClips[machine.state.clips.activity, default: 0] += 1 }
      if machine.state.mode == .dub { seenOfDubs[machine.state.dub.activity, default: 0] += 1 }
      if machine.state.mode == .feed { seenOfFeeds[machine.state.feed.activity, default: 0] += 1 }
      if round % 1000 == 0, !canStillRecord(machine, at: now) {
        Issue.record("seed \(seed), event \(round): REC no longer records\n\(before)")
        return
      }
    }
    // The stream is worth something only if it gets about.
    #expect(Activity.allCases.allSatisfy { seen[$0, default: 0] > 5 }, "\(seen)")
    #expect(DubActivity.allCases.allSatisfy { seenOfDubs[$0, default: 0] > 30 }, "\(seenOfDubs)")
    #expect(FeedActivity.allCases.allSatisfy { seenOfFeeds[$0, default: 0] > 10 }, "\(seenOfFeeds)")
    #expect(ClipActivity.allCases.allSatisfy { seenOfClips[$0, default: 0] > 10 }, "\(seenOfClips)")
  }

  private static var withCamera: State {
    var state = State()
    state.clips.isAvailable = true
    state.dub.isAvailable = true
    state.feed.isAvailable = true
    return state
  }

  @Test func `The same events give the same effects and states`() {
    var machines = (Machine(state: Self.withCamera), Machine(state: Self.withCamera))
    var events = RandomEvents(seed: 9)
    var now = Instant.zero
    for _ in 0..<20_000 {
      now = now + events.pause()
      let event = events.next(machines.0.state, at: now)
      let same = machines.0.handle(event, at: now) == machines.1.handle(event, at: now)
      if !same || machines.0.state != machines.1.state {
        Issue.record("two machines parted at \(event)")
        return
      }
    }
  }

  /// Whatever happened, a healthy and unlocked device records when REC is pressed.
  private func canStillRecord(_ machine: Machine, at now: Instant) -> Bool {
    var machine = machine
    _ = machine.handle(.command(.shutDown), at: now)
    for clip in machine.state.clips.open {
      _ = machine.handle(.clip(.completed(number: clip.number, .clip(1))), at: now)
    }
    while machine.state.clips.captures.unanswered > 0 {
      _ = machine.handle(.clip(.refused(source: .key, code: "power", text: "")), at: now)
    }
    for source in machine.state.clips.captures.awaited {
      _ = machine.handle(.clip(.refused(source: source, code: "power", text: "")), at: now)
    }
    if !canStillTrigger(machine, at: now) || !canStillDub(machine, at: now) { return false }
    _ = machine.handle(.command(.take(.dictaphone)), at: now)
    while machine.state.hasOpenTake { _ = machine.handle(.recorder(.saved(.take(2), .user)), at: now) }
    if machine.state.isLocked { _ = machine.handle(.command(.unlock), at: now) }
    _ = machine.handle(.deviceReturned(.microphone, text: ""), at: now)
    _ = machine.handle(.deviceReturned(.storage, text: ""), at: now)
    _ = machine.handle(.storage(.ample), at: now)
    let effects = machine.handle(.gesture(Gesture(.press, .rec, pressedAt: now)), at: now)
    return effects.contains(.recorder(.start(at: now))) && machine.state.activity == .recording
  }

  /// Whatever happened, a healthy device plays a stream with a dub when the console asks for it.
  private func canStillDub(_ machine: Machine, at now: Instant) -> Bool {
    var machine = machine
    while machine.state.hasOpenTake { _ = machine.handle(.recorder(.saved(.take(2), .user)), at: now) }
    _ = machine.handle(.deviceReturned(.speaker, text: ""), at: now)
    _ = machine.handle(.deviceReturned(.network, text: ""), at: now)
    _ = machine.handle(.command(.startDub(source: "http://b.example/x.m3u8", language: nil)), at: now)
    let run = machine.state.dub.run
    guard machine.state.modeName == "dub.buffering" else { return false }
    _ = machine.handle(.dub(.playing, run: run), at: now)
    return machine.state.modeName == "dub.playing"
  }

  /// In clip mode a healthy and unlocked device keeps a clip when REC is pressed.
  private func canStillTrigger(_ machine: Machine, at now: Instant) -> Bool {
    guard machine.state.mode == .clips else { return true }
    var machine = machine
    if machine.state.isLocked { _ = machine.handle(.command(.unlock), at: now) }
    _ = machine.handle(.deviceReturned(.camera, text: ""), at: now)
    _ = machine.handle(.deviceReturned(.storage, text: ""), at: now)
    _ = machine.handle(.storage(.ample), at: now)
    let effects = machine.handle(.gesture(Gesture(.press, .rec, pressedAt: now)), at: now)
    return effects.contains(.clip(.trigger(at: now, source: .key))) && machine.state.modeName == "clips.capturing"
  }
}
