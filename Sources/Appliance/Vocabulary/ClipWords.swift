public import Hardware

/// Which of the device's modes the keys and the screens belong to. The raw value is the word of `panel.mode`.
public enum Mode: String, Hashable, Sendable, CaseIterable {
  case dictaphone
  /// Camera and microphone fill a ring; a trigger keeps what is in it.
  case clips
  /// A stream or a clip is played, its sound in another language.
  case dub
}

/// What clip capture is doing. The raw value follows `clips.` in the mode's name.
public enum ClipActivity: String, Hashable, Sendable, CaseIterable {
  /// The ring is being filled: what happens now is already kept for a while.
  case buffering
  /// A trigger has come, and the clip's post-roll is running.
  case capturing
  /// The last picture is in; a clip is being completed on the storage.
  case saving
}

/// What set a clip off; the raw value is in receipts and events.
public enum TriggerSource: String, Hashable, Sendable, CaseIterable {
  case key
  case console
  /// A GPIO input of the board file.
  case input
  /// The sound was louder than `clips.soundTriggerDecibels`.
  case sound
  /// Something moved in the picture.
  case motion
  /// Recording without end, and what a split goes on with.
  case continuous
  /// A picture every so often.
  case timeLapse = "time-lapse"

  /// Whether the machine asked for the clip; the others come from the recorder itself.
  public var isOrdered: Bool { self == .key || self == .console || self == .input }
}

/// A clip between its trigger and the moment it is durable.
public struct OpenClip: Hashable, Sendable {
  /// Counts the clips of this run; the file's name comes only when it is saved.
  public var number: Int
  /// When its post-roll is over.
  public var ends: Instant
  /// The post-roll is over, and the file is being completed.
  public var isSaving = false

  public init(number: Int, ends: Instant) {
    self.number = number
    self.ends = ends
  }
}

/// What the machine knows of clip capture.
public struct ClipsState: Hashable, Sendable {
  /// The board has a camera, and room for its pictures.
  public var isAvailable = false
  /// Seconds of pictures that the board's ring can hold at most.
  public var largestSeconds = 60
  /// Triggers that the recorder has not answered yet.
  public var unanswered = 0
  /// Clips that are not durable yet, the oldest first.
  public var open: [OpenClip] = []
  /// The ring holds all that it is to hold.
  public var isReady = false
  /// Pictures have come since the mode was entered.
  public var hasPictures = false
  /// The clip that was saved last, for CENTRE.
  public var last: TakeReference?
  /// What the player had in it for the mode, of the dictaphone's and this one, that it is not devoted to.
  public var loadedElsewhere: TakeReference?

  public init() {}

  /// Triggers that may wait for an answer at a time; the recorder answers within milliseconds.
  public static let mostUnanswered = 64
  /// The window's lengths that RIGHT steps through, in seconds.
  public static let windowSteps = [5, 10, 20, 30, 60]

  /// What is going on: the clip that is still being captured counts before those that are being saved.
  public var activity: ClipActivity {
    if unanswered > 0 || open.contains(where: { !$0.isSaving }) { return .capturing }
    return open.isEmpty ? .buffering : .saving
  }

  /// A clip has been asked for and is not durable yet.
  public var isBusy: Bool { activity != .buffering }

  /// When the last post-roll that is running will be over.
  public var captureEnds: Instant? { open.lazy.filter { !$0.isSaving }.map(\.ends).max() }
}

/// What the clip recorder is told.
public enum ClipOrder: Hashable, Sendable {
  /// Opens the camera and fills the ring.
  case arm
  /// Gives the camera back and forgets what is in the ring. Never while a clip is open.
  case disarm
  /// Keeps what is in the ring and what comes in the post-roll. Answered by exactly one of `started`, `joined`,
  /// `bounced` and `refused`.
  case trigger(at: Instant, source: TriggerSource)
  /// Records without end, in clips that join without a seam, until `endPostRoll`.
  case continuous(at: Instant)
  /// Keeps a picture every so many milliseconds in one clip without sound, until `endPostRoll`.
  case timeLapse(milliseconds: Int, at: Instant)
  /// Ends every post-roll that is running.
  case endPostRoll(at: Instant)
  /// Keeps the picture of this time.
  case snapshot(at: Instant)
}

/// What the clip recorder reports back.
public enum ClipReport: Hashable, Sendable {
  /// The ring holds `seconds` of pictures, all that it is to hold.
  case bufferReady(seconds: Double)
  /// A trigger has begun a clip.
  case started(number: Int, source: TriggerSource, at: Instant, ends: Instant)
  /// A trigger has become part of a clip that was open.
  case joined(number: Int, source: TriggerSource, at: Instant, ends: Instant)
  /// It came so soon after the one before that it is one with it.
  case bounced(source: TriggerSource)
  /// A trigger could not be obeyed.
  case refused(source: TriggerSource, code: String, text: String)
  /// The post-roll is over.
  case ended(number: Int)
  /// The clip is complete and durable.
  case completed(number: Int, TakeReference)
  /// No clip came of it, or it could not be completed.
  case failed(number: Int, code: String, text: String)
  /// Pictures of an open clip are missing.
  case dropped(frames: Int, reason: String)
  /// A picture was kept, at this path in the data directory.
  case snapshotSaved(path: String)
  /// Something that was asked for did not come about, and no clip is touched by it.
  case trouble(code: String, text: String)
}
