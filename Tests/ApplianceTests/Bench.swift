import Appliance
import Hardware

extension Instant {
  /// A point in milliseconds of the test's clock.
  static func ms(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
}

extension TakeReference {
  /// A take of a minute.
  static func take(_ number: Int) -> TakeReference {
    TakeReference(id: "take\(number).m4a", displayName: "Take \(number)", frames: 2_880_000, sampleRate: 48_000)
  }
}

extension TakeReference {
  /// A clip of ten seconds.
  static func clip(_ number: Int) -> TakeReference {
    TakeReference(id: "clip\(number).mp4", displayName: "Clip \(number)", frames: 480_000, sampleRate: 48_000)
  }
}

/// A machine with fingers on its keys: edges go through the gesture recogniser, as on the device.
struct Bench {
  var machine: Machine
  var fingers = GestureRecogniser()
  var now = Instant.ms(10_000)
  /// All effects of the last action.
  var effects: [Effect] = []

  var state: State { machine.state }

  /// A healthy device, with whatever the test wants different.
  init(_ change: (inout State) -> Void = { _ in }) {
    var state = State()
    state.health.hasMicrophone = true
    state.health.hasSpeaker = true
    state.health.hasDisplay = true
    change(&state)
    machine = Machine(state: state)
  }

  /// A healthy device doing something, with a take in the player where that needs one.
  static func doing(_ activity: Activity, screen: Screen = .main) -> Bench {
    Bench { state in
      state.screen = screen
      state.dictaphone = DictaphoneState(
        activity, take: .take(2), loaded: .take(1), files: FileList(count: 3, window: [.take(3), .take(2), .take(1)]))
    }
  }

  /// A healthy device in clip mode, its ring full.
  static func clips(screen: Screen = .main, _ change: (inout State) -> Void = { _ in }) -> Bench {
    Bench { state in
      state.mode = .clips
      state.screen = screen
      state.clips = ClipsState(
        isAvailable: true, isReady: true, hasPictures: true,
        files: FileList(of: .clips, count: 3, window: [.clip(3), .clip(2), .clip(1)]), last: .clip(3))
      state.health.hasCamera = true
      change(&state)
    }
  }

  static let sources = [
    DubSource(id: "http://a.example/live.m3u8", name: "Event", kind: .stream),
    DubSource(id: "clip3.mp4", name: "Clip 3", kind: .clip), DubSource(id: "take1.m4a", name: "Take 1", kind: .take),
  ]

  /// A healthy device in dubbed playback, doing something there.
  static func dubbing(
    _ activity: DubActivity = .playing, screen: Screen = .main, _ change: (inout State) -> Void = { _ in }
  ) -> Bench {
    Bench { state in
      state.mode = .dub
      state.screen = screen
      state.health.hasNetwork = true
      var play: DubPlay?
      if activity != .idle {
        play = DubPlay(of: sources[0])
        play?.isBuffering = activity == .buffering
        play?.rung = .service
        play?.languages = ["en", "es", "de"]
      }
      state.dub = DubState(isAvailable: true, sources: SourceList(sources), run: 7, play: play)
      change(&state)
    }
  }

  @discardableResult
  mutating func send(_ event: Event) -> [Effect] {
    effects = machine.handle(event, at: now)
    return effects
  }

  /// In the options: to the row of this label, by keys.
  ///
  /// - Returns: whether there is one.
  mutating func goTo(option label: String) -> Bool {
    hold(.centre, 700)
    let menu = state.options.rows
    for group in menu.indices {
      if state.options.row.title.words.english == label { return true }
      if !state.options.row.rows.isEmpty {
        tap(.centre)
        for row in state.options.rows.indices {
          if row > 0 { tap(.down) }
          if state.options.row.title.words.english == label { return true }
        }
        tap(.stop)
      }
      if group < menu.count - 1 { tap(.down) }
    }
    return false
  }

  /// A key goes down and comes up after 80 ms.
  @discardableResult
  mutating func tap(_ button: Button) -> [Effect] { hold(button, 80) }

  /// A key is held for some milliseconds.
  @discardableResult
  mutating func hold(_ button: Button, _ milliseconds: Int64) -> [Effect] {
    var all = down(button)
    all += wait(milliseconds)
    all += up(button)
    now = now + .milliseconds(100)
    effects = all
    return all
  }

  @discardableResult
  mutating func down(_ button: Button) -> [Effect] { edge(button, isPressed: true) }

  @discardableResult
  mutating func up(_ button: Button) -> [Effect] { edge(button, isPressed: false) }

  /// Lets time pass, with what the keys that are down come to.
  @discardableResult
  mutating func wait(_ milliseconds: Int64) -> [Effect] {
    let end = now + .milliseconds(milliseconds)
    var all: [Effect] = []
    while let due = fingers.nextDeadline, due <= end {
      now = due
      for gesture in fingers.advance(to: due) { all += machine.handle(.gesture(gesture), at: now) }
    }
    now = end
    effects = all
    return all
  }

  private mutating func edge(_ button: Button, isPressed: Bool) -> [Effect] {
    effects = []
    for gesture in fingers.accept(ButtonEdge(button, isPressed: isPressed, at: now)) {
      effects += machine.handle(.gesture(gesture), at: now)
    }
    return effects
  }
}

extension [Effect] {
  /// What the world's parts are ordered, without timers, announcements and excuses.
  var orders: [Effect] {
    filter { effect in
      switch effect {
      case .recorder, .player, .library, .clip, .dub, .feed, .update: true
      default: false
      }
    }
  }

  var announcements: [Announcement] {
    compactMap { effect in
      if case .announce(let announcement) = effect { announcement } else { nil }
    }
  }

  var ignored: [IgnoredReason] {
    compactMap { effect in
      if case .ignored(let reason) = effect { reason } else { nil }
    }
  }
}
