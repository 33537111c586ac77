/// What a key does in some state. The machine and the guide are both made of this one vocabulary.
public enum KeyAction: String, Hashable, Sendable, CaseIterable {
  case record
  /// REC while a take is being saved: the next take starts as soon as that is done, from the press on.
  case recordNext
  case pauseRecording
  case resumeRecording
  case stopAndSave
  case stopNext
  case mark
  case levelDown
  case levelUp
  case play
  case pausePlayback
  case stopPlayback
  case seekBack
  case seekForward
  case scrubBack
  case scrubForward
  case openList
  case openOptions
  case openGuide
  case close
  case moveUp
  case moveDown
  case pageUp
  case pageDown
  case playSelected
  case askDelete
  case confirmDelete
  case cancelDelete
  case changeDown
  case changeUp
  case lock
  case unlock
  case triggerClip
  case endPostRoll
  case snapshot
  /// How many seconds before the trigger a clip begins with.
  case windowLength
  case playClip
  case openReceipt
  case protectClip
  case startDub
  case stopDub
  case pauseDub
  case resumeDub
  case previousSource
  case nextSource
  case nextLanguage
  case openLanguages
  case chooseLanguage
  /// From none to small to large, and round.
  case pictureSize
  case changeMode
  /// Something has to be finished first.
  case wait
  case waitForClip
  // Functions of the device that are not in this firmware.
  case speedAndPitch
  case loop
  case source

  /// False for what the device will do and this firmware does not.
  public var isBuilt: Bool {
    switch self {
    case .speedAndPitch, .loop, .source: false
    default: true
    }
  }

  /// Short name for the guide and for people.
  public var text: String {
    switch self {
    case .record: "record"
    case .recordNext: "record the next take"
    case .pauseRecording: "pause"
    case .resumeRecording: "go on"
    case .stopAndSave, .stopNext: "stop and save"
    case .mark: "mark"
    case .levelDown: "input level -1 dB"
    case .levelUp: "input level +1 dB"
    case .play: "play"
    case .pausePlayback: "pause"
    case .stopPlayback: "stop"
    case .seekBack: "back 10 s"
    case .seekForward: "forward 10 s"
    case .scrubBack: "scrub back"
    case .scrubForward: "scrub forward"
    case .openList: "list"
    case .openOptions: "options"
    case .openGuide: "guide"
    case .close: "close"
    case .moveUp: "up"
    case .moveDown: "down"
    case .pageUp: "page up"
    case .pageDown: "page down"
    case .playSelected: "play"
    case .askDelete: "delete"
    case .confirmDelete: "yes, delete"
    case .cancelDelete: "keep"
    case .changeDown: "less"
    case .changeUp: "more"
    case .lock: "lock"
    case .unlock: "unlock (2 s)"
    case .triggerClip: "keep a clip"
    case .endPostRoll: "end the clip now"
    case .snapshot: "keep the picture"
    case .windowLength: "length of clips"
    case .playClip: "play the last clip"
    case .openReceipt: "facts of the clip"
    case .protectClip: "protect, or not"
    case .startDub: "play"
    case .stopDub: "stop"
    case .pauseDub: "pause"
    case .resumeDub: "go on"
    case .previousSource: "play what is above"
    case .nextSource: "play what is below"
    case .nextLanguage: "next language"
    case .openLanguages: "languages"
    case .chooseLanguage: "take it"
    case .pictureSize: "size of the picture"
    case .changeMode: "other mode"
    case .wait, .waitForClip: "wait"
    case .speedAndPitch: "speed and pitch"
    case .loop: "A-B loop"
    case .source: "choice of source"
    }
  }
}

/// What one key does in one state.
public struct KeyBinding: Hashable, Sendable {
  /// How a tap takes effect.
  public enum Trigger: Hashable, Sendable {
    /// As the key goes down.
    case press
    /// As the key goes down, and again while it is held.
    case pressAndRepeat
    /// As the key comes up before it counts as held, because holding it means something else.
    case tap
  }

  public var tap: KeyAction?
  public var hold: KeyAction?
  public var trigger: Trigger

  /// A key that acts as it goes down, unless holding it has a meaning of its own.
  static func key(_ tap: KeyAction?, hold: KeyAction? = nil) -> KeyBinding {
    KeyBinding(tap: tap, hold: hold, trigger: hold == nil ? .press : .tap)
  }

  static func repeating(_ tap: KeyAction) -> KeyBinding {
    KeyBinding(tap: tap, hold: nil, trigger: .pressAndRepeat)
  }
}
