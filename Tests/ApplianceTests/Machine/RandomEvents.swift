import Appliance
import Hardware
import TestSupport

/// Makes up events: fingers that press keys as fingers do, devices that answer as they should, and now and then
/// whatever comes to mind. Deterministic by seed.
struct RandomEvents {
  private var random: SeededGenerator
  private var isDown = Array(repeating: false, count: Button.allCases.count)
  /// A key that has just been pressed and comes up before anything else happens, as of most taps.
  private var tapped: Button?
  private let buttons = Button.allCases
  private let takes: [TakeReference] =
    (0..<6).map { .take($0) } + [.init(id: "", displayName: "", frames: -1, sampleRate: 0)]
  private let reasons = StopReason.allCases
  private let devices = Device.allCases
  private let values: [(String, SettingValue)] = [
    ("lock.stopWorks", .flag(true)), ("lock.stopWorks", .flag(false)), ("recording.format", .text("wav")),
    ("recording.format", .text("flac")), ("recording.preRecordSeconds", .integer(61)), ("nonsense", .number(.nan)),
    ("recording.bitrateKbps", .integer(200)), ("clips.soundTrigger", .flag(true)), ("clips.motionTrigger", .flag(true)),
    ("clips.soundTrigger", .flag(false)), ("clips.durationSeconds", .integer(60)),
    ("clips.durationSeconds", .integer(1)), ("dub.language", .text("de")), ("dub.language", .text("es")),
    ("feed.source", .text("http://f.example/a")), ("feed.source", .text("")), ("feed.startMuted", .flag(false)),
    ("feed.sources", .text("A=http://f.example/a B=http://f.example/b")),
    ("dub.originalVolumeDb", .integer(-12)), ("dub.mode", .text("mix")), ("dub.service", .text("http://x")),
    ("recording.schedules", .text("1 on daily 06:00 07:00; 7 off sat,sun sunrise-30 09:01 every 15 for 2")),
    ("recording.schedules", .text("")), ("clock.place", .text("52.52,13.405")),
  ]
  private var clipNumber = 10
  private let names: [String?] = [
    nil, "s1", "S 2", "3", "http://a.example/1.m3u8", "es", "", "take1.m4a", "../x.mp4",
  ]
  private let numbers = [0, 1, 3, 31, 5000, -1, .max, .min]

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func chance(_ percent: Int) -> Bool { random.below(100) < percent }

  /// How much time passes before the next event.
  mutating func pause() -> Duration { .milliseconds(random.below(300)) }

  mutating func next(_ state: State, at now: Instant) -> Event {
    if let key = tapped {
      tapped = nil
      return .gesture(Gesture(.short, key, pressedAt: now))
    }
    // Nothing is kept meanwhile: a card comes back soon.
    if state.health.isStorageMissing, chance(10) { return .deviceReturned(.storage, text: "") }
    // A key in eight leaves these modes: what they do has to come quickly.
    let plays = state.mode == .dub || state.mode == .feed
    if plays, chance(40) { return likelyOfMode(state, now) }
    return switch random.below(100) {
    case 0..<58: .gesture(finger(at: now, leaving: !plays || chance(50)))
    case 58..<62: .gesture(nonsenseGesture(at: now))
    case 62..<70: .command(command(now))
    case 70..<80: likelyOfMode(state, now)
    case 80..<82: .recorder(nonsenseReport())
    case 82..<83: .clip(nonsenseClipReport(now))
    case 83..<84 where chance(50): .dub(dubReport(), run: chance(50) ? state.dub.run : pick(numbers))
    case 83..<84 where chance(50): .feed(feedReport(state))
    case 83..<84: .clipTrigger(at: now, source: pick(TriggerSource.allCases))
    case 84..<88: .player(playerReport(state))
    case 88..<92: .library(libraryReport())
    case 92..<94: .deviceReturned(pick(devices), text: "")
    case 94..<95 where state.screen == .clock: .clock(clockReport(now))
    case 94..<95: .deviceLost(pick(devices), text: "")
    case 95..<97: .storage(chance(70) ? .ample : chance(50) ? .low : .full)
    default: .timer(chance(50) ? .noticeExpires : .lockHintExpires)
    }
  }

  private mutating func likelyOfMode(_ state: State, _ now: Instant) -> Event {
    switch state.mode {
    case .dictaphone: .recorder(likelyReport(state))
    case .clips: .clip(likelyClipReport(state, now))
    case .dub: chance(10) ? .dubSources(sources()) : .dub(dubReport(), run: state.dub.run)
    case .feed: .feed(feedReport(state))
    }
  }

  private mutating func feedReport(_ state: State) -> FeedReport {
    let request = chance(80) ? state.feed.presenter.request?.number ?? 0 : pick(numbers)
    let isAsked = state.feed.presenter.request != nil
    switch random.below(12) {
    case isAsked ? 0..<8 : 0..<4:
      let items = (0..<random.below(4)).map { _ in
        FeedItem(
          id: "f\(random.below(20))", title: "", kind: pick(FeedItem.Kind.allCases),
          address: "http://f/\(random.below(20))")
      }
      return .page(
        FeedPage(items: items, next: chance(60) ? "p\(random.below(9))" : nil, isOffline: chance(10)), request: request)
    case isAsked ? 8 : 4:
      return .pageFailed(FeedFault(code: "http-500", text: ""), request: request)
    case 5: return .favourites(["http://f/1"])
    case 6: return .remembered(item: "f3")
    default: return .player(dubReport(), run: chance(90) ? state.feed.run : pick(numbers))
    }
  }

  private mutating func sources() -> [DubSource] {
    (0..<random.below(9)).map { DubSource(id: "s\($0)", name: "S \($0)", kind: pick(DubSource.Kind.allCases)) }
  }

  private mutating func dubReport() -> DubReport {
    switch random.below(20) {
    case 0..<5: .playing
    case 5..<9: .buffering(chance(50) ? "" : "late")
    case 9..<14: .rung(pick(HeardRung.allCases), reason: chance(50) ? "" : "late")
    case 14..<16: .languages(chance(50) ? [] : ["es", "de", "", "es", "fr"])
    case 16: .linkLost("")
    case 17: .linkRestored
    case 18: .ended
    default: .failed(code: chance(50) ? "not-found" : "device-lost", text: "")
    }
  }

  private mutating func protectedTake() -> TakeReference {
    var take = pick(takes)
    take.isProtected = chance(50)
    return take
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }

  /// The next thing a finger could do with some key; REC is what leaves modes that only play.
  private mutating func finger(at now: Instant, leaving: Bool) -> Gesture {
    var index = random.below(buttons.count)
    // LOCK is left alone mostly, or the machine would be locked most of the time.
    if buttons[index] == .lock, chance(80) { index = slot(of: .rec) }
    if buttons[index] == .rec, !leaving { index = slot(of: .centre) }
    let key = buttons[index]
    guard isDown[index] else {
      isDown[index] = true
      if chance(50) { tapped = key }
      return Gesture(.press, key, pressedAt: now)
    }
    let kind: GestureKind
    switch random.below(10) {
    case 0..<3: kind = .short
    case 3..<5: kind = .long
    case 5: kind = .repeat
    case 6: kind = .veryLong
    default:
      kind = .release
      isDown[index] = false
    }
    return Gesture(kind, key, pressedAt: now - .milliseconds(random.below(2500)))
  }

  private func slot(of key: Button) -> Int { buttons.firstIndex(of: key) ?? 0 }

  private mutating func nonsenseGesture(at now: Instant) -> Gesture {
    Gesture(
      pick(GestureKind.allCases), pick(buttons), pressedAt: chance(90) ? now : .distantFuture, chord: [.rec, .stop])
  }

  private mutating func command(_ now: Instant) -> Command {
    switch random.below(48) {
    case 33..<35, 46..<48: .take(.dub)
    case 35..<37: .startDub(source: pick(names), language: chance(50) ? nil : pick(names))
    case 37: .stopDub
    case 38: .enableDub(chance(60))
    case 39: .resume
    case 40..<46: feedCommand()
    case 32: chance(50) ? .continuous : .timeLapse(milliseconds: pick(numbers))
    case 24..<26: .take(.clips)
    case 26..<29: .take(.dictaphone)
    case 29: .trigger
    case 30: .endPostRoll
    case 31: .snapshot
    case 0..<3: .record
    case 3: .pause
    case 4: .resume
    case 5..<7: .stop
    case 7: .mark(title: nil)
    case 8: .play(id: chance(50) ? nil : pick(takes).id)
    case 9: .seek(seconds: chance(50) ? 5 : .infinity)
    case 10..<13: .showScreen(pick(Screen.allCases))
    case 13: .lock
    case 14..<21: .unlock
    case 21: .shutDown
    default: set()
    }
  }

  private mutating func feedCommand() -> Command {
    switch random.below(8) {
    case 0: .stepFeed(1)
    case 1: .refreshFeed
    case 2: .muteFeed(chance(50))
    case 3: .likeItem
    case 4: .openFeed(source: pick(names))
    default: .take(.feed)
    }
  }

  private mutating func set() -> Command {
    let (key, value) = pick(values)
    return .set([key: value])
  }

  /// What a recorder would report in this state.
  private mutating func likelyReport(_ state: State) -> RecorderReport {
    guard let open = state.openTake else { return nonsenseReport() }
    if open.id.isEmpty { return chance(90) ? .started(pick(takes), preRecorded: 0) : .failed(code: "io", text: "") }
    if state.activity == .saving {
      return chance(95) ? .saved(open, chance(90) ? .user : pick(reasons)) : .failed(code: "io", text: "")
    }
    switch random.below(12) {
    case 0: return .stopping(pick(reasons))
    case 1: return .gap(frame: 1, frames: 1, reason: "overrun")
    default: return .marked(frame: 1)
    }
  }

  private mutating func nonsenseReport() -> RecorderReport {
    switch random.below(20) {
    case 0..<4: .started(pick(takes), preRecorded: pick(numbers))
    case 4: .paused
    case 5: .resumed
    case 6: .marked(frame: pick(numbers))
    case 7: .gap(frame: pick(numbers), frames: pick(numbers), reason: "")
    case 8: .stopping(pick(reasons))
    case 9..<14: .saved(pick(takes), pick(reasons))
    case 14: .notBegun(code: chance(50) ? "internal" : "device-lost", text: "")
    default: .failed(code: chance(50) ? "io" : "device-lost", text: "")
    }
  }

  private mutating func playerReport(_ state: State) -> PlayerReport {
    switch random.below(10) {
    case 9: .brokeOff(code: "damaged", text: "")
    case 0..<4: .loaded(chance(70) ? state.loaded ?? pick(takes) : pick(takes), frame: pick(numbers))
    case 4: .marked(frame: pick(numbers))
    case 5..<7: .ended
    case 7: .looped(start: chance(70) ? pick(numbers) : nil, end: chance(50) ? pick(numbers) : nil)
    default: .failed(code: chance(50) ? "not-found" : "device-lost", text: "")
    }
  }

  /// What a clip recorder would report in this state.
  private mutating func likelyClipReport(_ state: State, _ now: Instant) -> ClipReport {
    if state.clips.captures.unanswered > 0, chance(70) {
      let joined = state.clips.open.first { !$0.isSaving }
      if let joined, chance(50) { return .joined(number: joined.number, source: .key, at: now, ends: now) }
      clipNumber += 1
      return chance(90)
        ? .started(number: clipNumber, source: .key, at: now, ends: now)
        : .refused(source: .key, code: "busy", text: "")
    }
    if let source = state.clips.captures.awaited.sorted(by: { $0.rawValue < $1.rawValue }).first, chance(70) {
      clipNumber += 1
      return chance(90)
        ? .started(number: clipNumber, source: source, at: now, ends: .distantFuture)
        : .refused(source: source, code: "busy", text: "")
    }
    guard let open = state.clips.open.first else {
      return chance(50)
        ? .bufferReady(seconds: 5) : chance(50) ? .snapshotSaved(path: "clips/1.jpg") : .dropped(frames: 1, reason: "")
    }
    if !open.isSaving, chance(50) { return .ended(number: open.number) }
    return chance(90)
      ? .completed(number: open.number, pick(takes)) : .failed(number: open.number, code: "io", text: "")
  }

  private mutating func nonsenseClipReport(_ now: Instant) -> ClipReport {
    switch random.below(8) {
    case 0: .started(number: pick(numbers), source: pick(TriggerSource.allCases), at: now, ends: now)
    case 1: .joined(number: pick(numbers), source: .sound, at: now, ends: .distantFuture)
    case 2: .refused(source: pick(TriggerSource.allCases), code: "device-lost", text: "")
    case 3: .ended(number: pick(numbers))
    case 4: .completed(number: pick(numbers), pick(takes))
    case 5: .failed(number: pick(numbers), code: "io", text: "")
    case 6: .dropped(frames: pick(numbers), reason: "")
    default: chance(50) ? .bounced(source: pick(TriggerSource.allCases)) : .trouble(code: "io", text: "")
    }
  }

  private mutating func clockReport(_ now: Instant) -> ClockReport {
    switch random.below(4) {
    case 0..<2: .shows(WallTime(seconds: pick([0, 1_795_211_640, 4_000_000_000, -5])))
    case 2: .set(WallTime(seconds: 1_795_211_640))
    default: .failed(code: chance(50) ? "unsupported" : "internal", text: "")
    }
  }

  private mutating func libraryReport() -> LibraryReport {
    switch random.below(22) {
    case 20: .working(pick([0, 37, 100]))
    case 21: .worked(pick([.delete, .protect(true), .favourite(false)]), done: 3, failed: pick([0, 2]))
    case 12: .renewed(pick(takes))
    case 13: .tags(["night", "radio"])
    case 14: .copying(pick([nil, 5]))
    case 16: .stick(pick(StickState.Condition.allCases))
    case 17: .exporting(pick([nil, 5]))
    case 18: .exported(count: pick([1, 7]), name: "000001_2026-11-20T21-54-00Z")
    case 19: .exportFailed(pick(StickTrouble.allCases), text: "")
    case 15: .restored(pick(takes))
    case 8: .clipWindow(start: chance(80) ? 0 : pick(numbers), clips: takes, count: chance(80) ? 7 : pick(numbers))
    case 9: .clipsChanged(count: pick(numbers), last: chance(80) ? pick(takes) : nil)
    case 10: .protected(protectedTake())
    case 11: .clipWindow(start: 0, clips: takes, count: 7)
    case 0..<5: .window(start: chance(80) ? 0 : pick(numbers), takes: takes, count: chance(80) ? 7 : pick(numbers))
    case 5: .changed(count: pick(numbers))
    case 6: .deleted(pick(takes))
    default: .failed(code: "io", text: "")
    }
  }
}
