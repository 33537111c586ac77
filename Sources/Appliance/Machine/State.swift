import Hardware

/// What modes share, each part with a type of its own.
struct Shared: Hashable, Sendable {
  var settings = Settings()
  var health = Health()
  var notices = Notices()
  var lock = Lock()
  var holds = KeyHolds()
  var shown = ShownScreen()
  /// The mode that what is in the player belongs to: the dictaphone or the clips.
  var modeOfPlayer = Mode.dictaphone
}

/// All that the machine knows. A plain value: equal states behave equally.
///
/// What can be set from outside is what a device starts with, and what pictures and tests of screens are made from.
public struct State: Hashable, Sendable {
  /// The mode that the keys and screens belong to. No take is ever open but in the dictaphone's.
  public var mode: Mode
  var modes: Modes
  var shared: Shared

  public init() { self.init(mode: .dictaphone, modes: Modes(), shared: Shared()) }

  init(mode: Mode, modes: Modes, shared: Shared) {
    self.mode = mode
    self.modes = modes
    self.shared = shared
  }

  // MARK: Modes

  public var dictaphone: DictaphoneState {
    get { modes.dictaphone }
    set { modes.dictaphone = newValue }
  }
  public var clips: ClipsState {
    get { modes.clips }
    set { modes.clips = newValue }
  }
  public var dub: DubState {
    get { modes.dub }
    set { modes.dub = newValue }
  }
  public var feed: FeedState {
    get { modes.feed }
    set { modes.feed = newValue }
  }

  /// The mode's name in `panel.state`, events and scripts: what is done with sound comes before what is shown.
  public var modeName: String { "\(mode.rawValue).\(modes[mode].activityName(on: screen))" }

  /// What the dictaphone does with sound; in clip mode, what is done with a clip in the player. Dubbed playback has an
  /// activity of its own.
  public var activity: Activity { mode == .clips ? Activity(clips.playback.phase) : dictaphone.activity }

  /// The take or clip in the player; the one last recorded or chosen.
  public var loaded: TakeReference? { playback.loaded }

  private var playback: Playback { shared.modeOfPlayer == .clips ? clips.playback : dictaphone.playback }

  /// The take that is being made: the id is empty until the recorder has named the file.
  public var openTake: TakeReference? { dictaphone.recording.take }

  /// The direction of a held LEFT (−1) or RIGHT (+1) while scrubbing, else 0.
  public var scrubbing: Int {
    switch mode {
    case .dub: dub.play?.scrubbing ?? 0
    case .feed: feed.play?.scrubbing ?? 0
    case .dictaphone, .clips: playback.scrubbing
    }
  }

  /// The list of takes, or in clip mode of clips.
  public var files: FileList { modes[mode].files }

  /// Idle with the microphone (for clips: the camera) running: what happens now is already being kept.
  public var isArmed: Bool { health.refusalToStore(in: mode) == nil && modes[mode].isArmed(health) }

  /// What the microphone hears is kept, for what may be recorded next. What is not armed is not kept.
  public var isListening: Bool { hasOpenWork || modes[mode].isListening(health) }

  /// A take is open or being completed.
  public var hasOpenTake: Bool { dictaphone.recording.take != nil }

  /// Something is open that must be completed before the power goes.
  public var hasOpenWork: Bool { modes.openWork != nil }

  // MARK: What modes share

  public var settings: Settings {
    get { shared.settings }
    set { shared.settings = newValue }
  }
  public var health: Health {
    get { shared.health }
    set { shared.health = newValue }
  }
  public var notice: Notice? {
    get { shared.notices.shown }
    set { shared.notices = Notices(showing: newValue) }
  }
  /// The lock, and its hint.
  public var lock: Lock {
    get { shared.lock }
    set { shared.lock = newValue }
  }
  /// Keys do nothing but unlock, and (by setting) a held STOP while recording.
  public var isLocked: Bool {
    get { lock.isLocked }
    set { lock = Lock(isLocked: newValue) }
  }
  /// The screen that is shown, and the place in it.
  public var shown: ShownScreen {
    get { shared.shown }
    set { shared.shown = newValue }
  }
  public var screen: Screen {
    get { shown.screen }
    set { shown = ShownScreen(newValue, options: OptionsMenu(of: mode)) }
  }
  public var options: OptionsMenu { shown.options }
  /// An option's value for people, with its unit.
  public func words(of row: OptionsRow) -> Translated { modes[mode].words(of: row) ?? row.words(in: settings) }
  /// Keys that are held, and what they have come to: book-keeping of fingers, nothing that shows.
  public var holds: KeyHolds {
    get { shared.holds }
    set { shared.holds = newValue }
  }

  /// Why settings that are valid by themselves cannot be taken now: the board's ring has no room for such a window, or
  /// a clip is open that needs the one there is.
  public func refusal(of changed: Settings) -> IgnoredReason? { modes.refusal(of: changed, since: settings) }
}

/// A take or a clip as the machine needs to know it: what to name it by and how long it is.
public struct TakeReference: Hashable, Sendable {
  /// File name in `recordings/` or `clips/`, the identity.
  public var id: String
  /// Name for people.
  public var displayName: String
  /// Length in frames at `sampleRate`.
  public var frames: Int
  public var sampleRate: Int
  /// A clip that is not to be deleted, neither by hand nor to make room.
  public var isProtected = false
  public var isFavourite = false
  /// The state holds several of these, and is copied and compared in each step: what is seldom there is a pointer.
  private var lines: Apart<String>?

  public init(id: String, displayName: String, frames: Int, sampleRate: Int) {
    self.id = id
    self.displayName = displayName
    self.frames = frames
    self.sampleRate = sampleRate
  }

  /// What is in it only who has the key can hear or see: it cannot be played here.
  public var isSealed: Bool { id.hasSuffix(".age") }

  /// Its tags, each in a line.
  public var tags: String {
    get { if case .value(let lines) = lines { lines } else { "" } }
    set { lines = newValue.isEmpty ? nil : .value(newValue) }
  }

  /// Whether it has a tag, in whatever case.
  public func has(_ tag: String) -> Bool {
    tags.split(separator: "\n").contains { $0.lowercased() == tag.lowercased() }
  }

  /// What people have said of it.
  mutating func keepWords(of other: TakeReference) {
    displayName = other.displayName
    isProtected = other.isProtected
    isFavourite = other.isFavourite
    tags = other.tags
  }

  /// What people call it: `Take 42`, until somebody names it.
  public func shownName(in language: Language = .english) -> String { TakeNames.shown(displayName, in: language) }

  public var seconds: Double { sampleRate > 0 ? Double(frames) / Double(sampleRate) : 0 }
}
