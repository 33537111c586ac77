// The list of modes: the only place outside of a mode's own folder that has to know it.

/// Which of the device's modes the keys and the screens belong to. The raw value is the word of `panel.mode`.
public enum Mode: String, Hashable, Sendable, CaseIterable {
  case dictaphone
  /// Camera and microphone fill a ring; a trigger keeps what is in it.
  case clips
  /// A stream or a clip is played, its sound in another language.
  case dub
  /// Clips, takes or a feed from elsewhere, one item after another.
  case feed

  /// Its options menu, from the top: groups of rows, and rows that are in none.
  public var optionsMenu: [OptionsRow] {
    switch self {
    case .dictaphone: DictaphoneState.optionsMenu
    case .clips: ClipsState.optionsMenu
    case .dub: DubState.optionsMenu
    case .feed: FeedState.optionsMenu
    }
  }

  /// All rows of its options, in the order of the groups.
  public var optionsRows: [OptionsRow] { optionsMenu.flatMap { $0.rows.isEmpty ? [$0] : $0.rows } }
}

/// What each mode knows.
public struct Modes: Hashable, Sendable {
  public var dictaphone = DictaphoneState()
  public var clips = ClipsState()
  public var dub = DubState()
  public var feed = FeedState()

  public init() {}

  subscript(mode: Mode) -> any ModeRules {
    get {
      switch mode {
      case .dictaphone: dictaphone
      case .clips: clips
      case .dub: dub
      case .feed: feed
      }
    }
    set {
      switch newValue {
      case let state as DictaphoneState: dictaphone = state
      case let state as ClipsState: clips = state
      case let state as DubState: dub = state
      case let state as FeedState: feed = state
      default: break
      }
    }
  }

  /// A word of the console, to the mode that is taken up, or that it is always for.
  mutating func obey(_ command: Command, _ transition: inout Transition) {
    switch command {
    case .enableDub(let isOn): dub.handle(.enable(isOn), &transition)
    default: self[transition.mode].obey(command, &transition)
    }
  }

  /// What a feature reports, to the mode that it works for.
  ///
  /// - Returns: whether it is such a report.
  mutating func handle(_ event: Event, _ transition: inout Transition) -> Bool {
    switch event {
    case .recorder(let report): dictaphone.handle(.recorder(report), &transition)
    case .player(let report):
      if transition.modeOfPlayer == .clips {
        clips.handle(.player(report), &transition)
      } else {
        dictaphone.handle(.player(report), &transition)
      }
    case .library(let report): for mode in Mode.allCases { self[mode].hear(report, &transition) }
    case .clip(let report): clips.handle(.recorder(report), &transition)
    case .clipTrigger(_, let source): clips.triggered(by: source, &transition)
    case .dub(let report, let run): dub.handle(.player(report, run: run), &transition)
    case .dubSources(let sources): dub.handle(.sources(sources), &transition)
    case .feed(let report): feed.handle(.report(report), &transition)
    case .gesture, .command, .deviceLost, .deviceReturned, .sourceChanged, .storage, .storageRefuses, .schedule, .clock,
      .update, .pinMistakes, .timer:
      return false
    }
    return true
  }

  /// Has a mode do what a key asks of it.
  mutating func perform(_ action: KeyAction, _ transition: inout Transition) {
    switch action {
    case .panel: break
    case .dictaphone(let event): dictaphone.handle(event, &transition)
    case .clips(let event): clips.handle(event, &transition)
    case .dub(let event): dub.handle(event, &transition)
    case .feed(let event): feed.handle(event, &transition)
    }
  }

  /// Takes up another mode. Nothing that is open is ever left behind: what is being recorded comes first.
  mutating func take(_ mode: Mode, _ transition: inout Transition) {
    if let device = self[mode].absence {
      transition.refuse(.notOnBoard(device))
      return
    }
    if let work = openWork {
      transition.refuse(work)
      return
    }
    self[transition.mode].leave(&transition)
    transition.change(to: mode)
    transition.showMain()
    self[mode].enter(&transition)
  }

  /// Why a word that takes up a mode to play something cannot; `nil` if it can, as far as that is known without waiting,
  /// or if the mode cannot be taken up anyway.
  func refusal(
    of command: Command, in mode: Mode, _ settings: Settings, _ health: Health
  ) -> IgnoredReason? {
    guard let target = command.takesUp, self[target].absence == nil, target == mode || openWork == nil else {
      return nil
    }
    return switch command {
    case .startDub(let name, _):
      dub.refusal(toStart: dub.wanted(name, settings, isTakenUp: mode == .dub), health)
    case .openFeed(let name?): FeedSources(settings).refusal(toOpen: name, settings)
    default: nil
    }
  }

  /// Sets several keys as one change: all of them, or none.
  mutating func set(_ values: [String: SettingValue], _ transition: inout Transition) {
    var changed = transition.settings
    do { try changed.set(values) } catch {
      transition.refuse(.refused(error))
      return
    }
    adopt(changed, naming: Set(values.keys), &transition)
  }

  /// Takes over settings, unless a mode cannot now; `named` are told of although they do not differ.
  mutating func adopt(_ changed: Settings, naming named: Set<String> = [], _ transition: inout Transition) {
    let before = transition.settings
    if let reason = refusal(of: changed, since: before) {
      transition.refuse(reason)
      return
    }
    if changed.panelPin != before.panelPin { transition.pin = PinGate() }
    transition.adopt(changed, naming: named)
    self[transition.mode].follow(changed, since: before, &transition)
  }

  /// What a key's action is called in the guide; `nil`: nothing to speak of.
  func meaning(of action: KeyAction) -> Translated? {
    switch action {
    case .panel(let event): event.meaning
    case .dictaphone(let event): dictaphone.meaning(of: event)
    case .clips(let event): clips.meaning(of: event)
    case .dub(let event): dub.meaning(of: event)
    case .feed(let event): feed.meaning(of: event)
    }
  }

  /// The modes that this board has, in the order in which a held STOP goes through them.
  var available: [Mode] { Mode.allCases.filter { self[$0].absence == nil } }

  /// The mode that a held STOP takes up; `nil`: this board has no other.
  func next(after mode: Mode) -> Mode? {
    let available = available
    let place = available.firstIndex(of: mode) ?? 0
    return available.count > 1 ? available[(place + 1) % available.count] : nil
  }

  /// What is open in whatever mode, and has to be completed first.
  var openWork: IgnoredReason? { Mode.allCases.lazy.compactMap { self[$0].openWork }.first }

  /// Why settings that are valid by themselves cannot be taken now.
  func refusal(of changed: Settings, since settings: Settings) -> IgnoredReason? {
    Mode.allCases.lazy.compactMap { self[$0].refusal(of: changed, since: settings) }.first
  }
}

/// What a key does in some state. The machine and the guide are both made of this one vocabulary.
enum KeyAction: Hashable, Sendable {
  case panel(PanelEvent)
  case dictaphone(DictaphoneEvent)
  case clips(ClipsEvent)
  case dub(DubEvent)
  case feed(FeedEvent)
}

extension Command {
  /// Whether something is recorded or played from then on.
  var begins: Bool {
    switch self {
    case .record, .resume, .play, .trigger, .continuous, .timeLapse, .startDub, .openFeed: true
    default: false
    }
  }

  /// The mode that the word takes up first.
  public var takesUp: Mode? {
    switch self {
    case .take(let mode): mode
    case .startDub: .dub
    case .openFeed: .feed
    default: nil
    }
  }
}
