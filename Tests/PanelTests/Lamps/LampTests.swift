import Appliance
import Hardware
import TestSupport
import Testing

@testable import Panel

@Suite struct LampTests {
  @Test("The lamps tell the truth of any state")
  func truth() {
    var generator = SeededGenerator(seed: 3)
    for case_ in 0..<20_000 {
      let state = generator.state()
      let lies = Self.lies(state, LampTable.patterns(for: state))
      guard lies.isEmpty else {
        Issue.record("case \(case_): \(lies)")
        return
      }
    }
  }

  /// The numbers of the rules that are broken.
  private static func lies(_ state: State, _ lamps: LampPatterns) -> [Int] {
    let isFaulty =
      state.notice?.severity == .error || state.health.isStorageFull || state.health.isStorageMissing
    let isClips = state.mode == .clips
    let isCapturing = isClips && state.clips.activity == .capturing
    let isDub = state.mode == .dub
    let dub = state.dub
    let isFeed = state.mode == .feed
    let feed = state.feed
    let isFeedSounding = isFeed && feed.activity == .playing && !feed.isPaused
    let isFeedOut = isFeed && feed.activity == .failed
    let isQueued = state.dictaphone.recording.queued?.isStopped == false
    let isRecording = isCapturing || (state.mode == .dictaphone && (state.activity == .recording || isQueued))
    let isPaused = state.mode == .dictaphone && state.activity == .paused
    let isDubbing = isDub && dub.activity == .playing && !dub.isPaused
    let isSaving = state.activity == .saving || state.clips.open.contains(where: \.isSaving)
    let rules = [
      (lamps.rec == .on) == isRecording,
      (lamps.rec == .blinkSlow) == isPaused,
      (lamps.rec == .off) == (!isRecording && !isPaused),
      (lamps.lock == .on) == state.isLocked,
      (lamps.lock == .off) == !state.isLocked,
      (lamps.status == .blinkFast) == isSaving,
      (lamps.status == .doubleFlash)
        == ((isFaulty || isFeedOut) && !isSaving),
      lamps.status != .on || state.isArmed,
      !state.isArmed || isFaulty || state.health.isStorageLow || lamps.status == .on,
      lamps.status != .wink
        || (isDub ? isDubbing && dub.isDubbed : isFeed ? isFeedSounding && !feed.isMuted : state.activity == .playing),
      lamps.status != .doubleWink || (isDubbing && !dub.isDubbed) || (isFeedSounding && feed.isMuted),
      lamps.status != .quickFlash || (isDub && dub.activity == .buffering && !dub.isPaused)
        || (isFeed && [.loading, .buffering].contains(feed.activity)),
      lamps.status != .flash
        || (isDub ? dub.isBusy && dub.isPaused : isFeed ? feed.isPaused : state.activity == .playbackPaused),
      lamps.status != .glimmer
        || (isDub ? !dub.isBusy : isFeed ? !feed.isBusy : state.activity == .idle && !state.isArmed),
      // A lost link is told whatever plays, unless something worse is.
      (lamps.status == .tripleFlash) == (isDub && dub.isBusy && dub.isLinkLost && !isFaulty && !isSaving),
      !isDub && !isFeed || lamps.status != .on,
      // What is being captured is told by REC alone, unless something is wrong.
      !isCapturing || [.off, .blinkFast, .doubleFlash, .blinkSlow].contains(lamps.status),
    ]
    return rules.indices.filter { !rules[$0] }
  }

  @Test("Recording, paused, armed, saving, locked, error, storage low, playing and the rest all differ")
  func distinct() {
    var states: [State] = Activity.allCases.map { SampleScreens.state($0) }
    states.append(SampleScreens.state { $0.isLocked = true })
    states.append(SampleScreens.state { $0.notice = Notice(severity: .error, code: "x", text: "x") })
    states.append(SampleScreens.state { $0.health.isStorageLow = true })
    states.append(SampleScreens.state { $0.health.hasMicrophone = false })
    states += Activity.allCases.dropFirst().map { activity in SampleScreens.state(activity) { $0.isLocked = true } }
    states.append(SampleScreens.state(.recording) { $0.health.isStorageLow = true })
    states.append(SampleScreens.state(.recording) { $0.notice = Notice(severity: .error, code: "x", text: "x") })
    #expect(Set(states.map { LampTable.patterns(for: $0) }).count == states.count)
  }

  @Test("In clip mode buffering, capturing, saving, both at once and a missing camera all differ")
  func clips() {
    let running = OpenClip(number: 1, ends: .zero)
    var saving = running
    saving.isSaving = true
    let states = [
      SampleScreens.clipState(), SampleScreens.clipState { $0.clips.captures = Captures(open: [running]) },
      SampleScreens.clipState { $0.clips.captures = Captures(open: [saving]) },
      SampleScreens.clipState { $0.clips.captures = Captures(open: [saving, running]) },
      SampleScreens.clipState { $0.health.hasCamera = false },
      SampleScreens.clipState { $0.notice = Notice(severity: .error, code: "x", text: "x") },
    ]
    #expect(Set(states.map { LampTable.patterns(for: $0) }).count == states.count)
    #expect(LampTable.patterns(for: states[0]).rec == .off)
    #expect(LampTable.patterns(for: states[1]) == LampPatterns(rec: .on, status: .off, lock: .off))
  }

  @Test("In dubbed playback the list, buffering, the dub, the original, a pause and a lost link all differ")
  func dubbing() {
    let states = [
      SampleScreens.dubState(), SampleScreens.dubState(.buffering), SampleScreens.dubState(.playing),
      SampleScreens.dubState(.playing) { $0.dub.isOn = false },
      SampleScreens.dubState(.playing) { $0.dub.play?.isPaused = true },
      SampleScreens.dubState(.playing) { $0.dub.play?.isLinkLost = true },
      SampleScreens.dubState { $0.notice = Notice(severity: .error, code: "x", text: "x") },
    ]
    #expect(Set(states.map { LampTable.patterns(for: $0) }).count == states.count)
    #expect(states.allSatisfy { LampTable.patterns(for: $0).rec == .off })
  }

  @Test("Patterns light for as long as they say", arguments: LampPattern.allCases)
  func dutyCycle(pattern: LampPattern) {
    let length = pattern.period.isEmpty ? 1000 : pattern.period.reduce(0, +)
    let lit = (0..<length).filter { pattern.isLit(at: Instant(nanoseconds: $0 * 1_000_000)) }.count
    let stated = stride(from: 0, to: pattern.period.count, by: 2).reduce(0) { $0 + pattern.period[$1] }
    #expect(Int64(lit) == (pattern == .on ? length : stated))
  }

  @Test("The next change is the next change, from any time", arguments: LampPattern.allCases)
  func nextChange(pattern: LampPattern) {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<2000 {
      let now = Instant(nanoseconds: Int64.random(in: -5_000_000_000...1_000_000_000_000, using: &generator))
      guard let change = pattern.nextChange(after: now) else {
        #expect(pattern == .on || pattern == .off)
        return
      }
      #expect(change > now)
      #expect(pattern.isLit(at: change) != pattern.isLit(at: now))
      #expect(pattern.isLit(at: Instant(nanoseconds: change.nanoseconds - 1)) == pattern.isLit(at: now))
    }
  }

  @Test("The times at both ends of the clock do not trap", arguments: LampPattern.allCases)
  func ends(pattern: LampPattern) {
    for now in [Instant.distantFuture, Instant(nanoseconds: .min), .zero] {
      _ = pattern.isLit(at: now)
      _ = pattern.nextChange(after: now)
    }
  }

  @Test("All lamps' next change is the earliest of them")
  func earliest() {
    let patterns = LampPatterns(rec: .blinkSlow, status: .blinkFast, lock: .on)
    #expect(patterns.nextChange(after: .zero) == Instant(nanoseconds: 100_000_000))
    #expect(patterns.lit(at: Instant(nanoseconds: 150_000_000)) == [.rec, .lock])
    #expect(LampPatterns(rec: .on, status: .off, lock: .off).nextChange(after: .zero) == nil)
  }
}
