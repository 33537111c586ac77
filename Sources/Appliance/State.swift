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
}

/// A take as the machine needs to know it: what to name it by and how long it is.
public struct TakeReference: Hashable, Sendable {
  /// File name in `recordings/`, the take's identity.
  public var id: String
  /// Name for people.
  public var displayName: String
  /// Length in frames at `sampleRate`.
  public var frames: Int
  public var sampleRate: Int

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

/// A message that covers the screen until a key is pressed or its time is over.
public struct Notice: Hashable, Sendable {
  public enum Severity: String, Hashable, Sendable {
    case information
    case warning
    /// Something the user relies on does not work.
    case error
  }

  public var severity: Severity
  /// Stable code for programs: `storage-full`, `device-lost`, `not-found`.
  public var code: String
  /// One sentence for people: what happened, to what, what to do.
  public var text: String
  /// When it goes away by itself; `nil`: stays until a key is pressed.
  public var expires: Instant?

  public init(severity: Severity, code: String, text: String, expires: Instant? = nil) {
    self.severity = severity
    self.code = code
    self.text = text
    self.expires = expires
  }
}

/// The parts of the device that can be absent, as far as the machine and the panel care.
public struct Health: Hashable, Sendable {
  public var hasMicrophone = false
  public var hasSpeaker = false
  public var hasDisplay = false
  public var isStorageLow = false
  public var isStorageFull = false

  public init() {}
}

/// The file list: a window on the library, which lives on the storage worker.
public struct FileList: Hashable, Sendable {
  /// Takes in the library.
  public var count = 0
  /// The highlighted one, 0 is the newest.
  public var selected = 0
  /// Index of the first of `window`.
  public var windowStart = 0
  /// The takes around the highlighted one; empty until the library has answered.
  public var window: [TakeReference] = []
  /// Set while the user is asked whether to delete the highlighted take.
  public var isConfirmingDelete = false

  public init() {}

  /// The highlighted take, if the library has told about it.
  public var selection: TakeReference? {
    window.indices.contains(selected - windowStart) ? window[selected - windowStart] : nil
  }
}

/// The options menu.
public struct OptionsMenu: Hashable, Sendable {
  /// Index into `OptionsMenu.rows`.
  public var selected = 0

  public init() {}
}

/// All that the machine knows. A plain value: equal states behave equally.
public struct State: Hashable, Sendable {
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
  /// Set between `startTake` and its saving: the id is empty until the recorder has named the file.
  public var openTake: TakeReference?
  public var files = FileList()
  public var options = OptionsMenu()
  public var settings = Settings()
  /// Input gain in dB, set by LEFT/RIGHT while recording; 0 leaves the samples untouched.
  public var inputGain = 0
  /// The direction of a held LEFT (−1) or RIGHT (+1) while scrubbing, else 0.
  public var scrubbing = 0

  public init() {}

  /// The mode's name in `panel.state`, events and scripts: what is done with sound comes before what is shown.
  public var modeName: String {
    switch (activity, screen) {
    case (.idle, .files), (.playing, .files), (.playbackPaused, .files): "dictaphone.files"
    case (.idle, .options), (.playing, .options), (.playbackPaused, .options): "dictaphone.options"
    default: "dictaphone.\(activity.rawValue)"
    }
  }

  /// Idle with the microphone running: what happens now is already being kept.
  public var isArmed: Bool { activity == .idle && health.hasMicrophone && !health.isStorageFull }
}
