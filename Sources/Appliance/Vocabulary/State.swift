public import Hardware

/// What the dictaphone is doing with sound.
public enum Activity: String, Hashable, Sendable, CaseIterable {
  /// Stopped. The pre-record ring is being filled if the microphone is there ("armed").
  case idle
  case recording
  /// A take is open and receives nothing.
  case paused
  /// STOP was pressed; the take is being completed on the storage.
  case saving
  case playing
  case playbackPaused
}

/// What the OLED is devoted to.
public enum Screen: String, Hashable, Sendable, CaseIterable {
  case main
  case files
  case options
  /// Info and gesture guide.
  case guide
  /// The receipt of the highlighted clip, over the list.
  case receipt
  /// The languages of what is played with a dub.
  case languages
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

  public init(id: String, displayName: String, frames: Int, sampleRate: Int) {
    self.id = id
    self.displayName = displayName
    self.frames = frames
    self.sampleRate = sampleRate
  }

  public var seconds: Double { sampleRate > 0 ? Double(frames) / Double(sampleRate) : 0 }
}

/// Why a take ended; the raw value is in metadata and events.
public enum StopReason: String, Hashable, Sendable, CaseIterable {
  case user
  case storageFull = "storage-full"
  case deviceLost = "device-lost"
  case power
  case recovered
  case split
  case voice
  case error
}

/// The parts of the device that can be absent, as far as the machine and the panel care.
public struct Health: Hashable, Sendable {
  public var hasMicrophone = false
  /// The device has just started, and nobody has said yet whether the microphone opens.
  public var isMicrophoneOpening = false
  public var hasCamera = false
  /// The camera is being opened, and nobody has said yet whether that works.
  public var isCameraOpening = false
  public var hasSpeaker = false
  public var hasDisplay = false
  public var isStorageLow = false
  public var isStorageFull = false

  public init() {}
}

/// All that the machine knows. A plain value: equal states behave equally.
public struct State: Hashable, Sendable {
  /// Which mode the keys and screens belong to. No take is ever open but in the dictaphone's.
  public var mode: Mode = .dictaphone
  /// What is done with sound; in clip mode, with a clip in the player. Dubbed playback has an activity of its own.
  public var activity: Activity = .idle
  public var screen: Screen = .main
  /// Keys do nothing but unlock, and (by setting) a held STOP while recording.
  public var isLocked = false
  /// The "hold LOCK 2 s" hint is on the screen until this time.
  public var lockHintUntil: Instant?
  public var notice: Notice?
  public var health = Health()
  /// The take in the player; the one last recorded or chosen.
  public var loaded: TakeReference?
  /// The mode that what is in the player belongs to: the dictaphone's or the clips'.
  public var modeOfPlayer: Mode = .dictaphone
  /// Set between `startTake` and its saving: the id is empty until the recorder has named the file.
  public var openTake: TakeReference?
  public var files = FileList()
  public var options = OptionsMenu()
  public var clips = ClipsState()
  public var dub = DubState()
  public var settings = Settings()
  /// Input gain in dB, set by LEFT/RIGHT while recording; 0 leaves the samples untouched.
  public var inputGain = 0
  /// The direction of a held LEFT (−1) or RIGHT (+1) while scrubbing, else 0.
  public var scrubbing = 0
  /// A REC that was pressed while the take before was still being saved: the next take starts from then.
  public var queuedRecord: Instant?
  /// The STOP that ends the queued take, if that came before the saving was over, too.
  public var queuedStop: Instant?
  /// A take was chosen to be played and the player has not opened it yet: what it reports is of the take before.
  public var isLoading = false
  /// First line of the guide on the screen, index into `keyGuide`.
  public var guideLine = 0
  /// Keys whose present hold has had its effect (or had none, being locked): the rest of it means nothing.
  public var spentKeys = KeySet()
  /// Keys that act on press and go on acting while held.
  public var repeatingKeys = KeySet()

  public init() {}

  /// The mode's name in `panel.state`, events and scripts: what is done with sound comes before what is shown.
  public var modeName: String {
    switch mode {
    case .dictaphone: dictaphoneModeName
    case .clips: "clips.\(clips.activity.rawValue)"
    case .dub: "dub.\(dub.activity.rawValue)"
    }
  }

  private var dictaphoneModeName: String {
    switch (activity, screen) {
    case (.idle, .files), (.playing, .files), (.playbackPaused, .files): "dictaphone.files"
    case (.idle, .options), (.playing, .options), (.playbackPaused, .options): "dictaphone.options"
    case (.idle, _): "dictaphone.idle"
    case (.recording, _): "dictaphone.recording"
    case (.paused, _): "dictaphone.paused"
    case (.saving, _): "dictaphone.saving"
    case (.playing, _): "dictaphone.playing"
    case (.playbackPaused, _): "dictaphone.playbackPaused"
    }
  }

  /// Idle with the microphone (for clips: the camera) running: what happens now is already being kept.
  public var isArmed: Bool {
    guard activity == .idle, !health.isStorageFull else { return false }
    switch mode {
    case .dictaphone: return health.hasMicrophone
    case .clips: return health.hasCamera && !clips.isBusy
    case .dub: return false
    }
  }

  /// A take is open or being completed.
  public var hasOpenTake: Bool { activity == .recording || activity == .paused || activity == .saving }

  /// Something is open that must be completed before the power goes.
  public var hasOpenWork: Bool { hasOpenTake || clips.isBusy }
}
