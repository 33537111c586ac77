public import Hardware
internal import Media

/// Everything that is known of a recording: of a clip `clips/000043_….json` and the data of `onCaptureCompleted`, of a take
/// a part of its notes.
///
/// Instants are on the monotonic clock, in the file as seconds; `anchors` say what the wall clock showed.
public struct Receipt: Hashable, Sendable {
  /// One trigger whose range is in the clip.
  public struct Cause: Hashable, Sendable {
    public var trigger: Trigger
    /// `started`, `joined`.
    public var outcome: String

    public init(trigger: Trigger, outcome: String) {
      self.trigger = trigger
      self.outcome = outcome
    }
  }

  /// Something that is not in the clip although it was asked for.
  public struct Gap: Hashable, Sendable {
    /// `picture`, `sound`.
    public var track: String
    /// Seconds from the clip's start.
    public var start: Double
    public var seconds: Double
    /// `camera-lost`, `camera-missed`, `camera-changed`, `microphone-lost`, `microphone-rate` (AAC has not its rate),
    /// `overrun`, `source`, `prompt`, `storage`, `processor`.
    public var reason: String

    public init(track: String, start: Double, seconds: Double, reason: String) {
      self.track = track
      self.start = start
      self.seconds = seconds
      self.reason = reason
    }
  }

  /// What the wall clock showed at an instant: an annotation; it may jump between two of them.
  public struct Anchor: Hashable, Sendable {
    public var instant: Instant
    public var wall: WallTime

    public init(instant: Instant, wall: WallTime) {
      self.instant = instant
      self.wall = wall
    }
  }

  /// The picture track.
  public struct Pictures: Hashable, Sendable {
    /// `h264`, `mjpeg`.
    public var codec = ""
    public var width = 0
    public var height = 0
    /// Pictures to be seen, and keyframes in the file.
    public var captured = 0
    public var keyframes = 0
    /// In the file for others to be decoded with, and not whole themselves: behind a loss, where pictures are refreshed bit
    /// by bit. They are not captured.
    public var unseen = 0
    /// Lost, by cause: skipped by the device; broken ones that it marked; no room between driver and worker; waiting
    /// for a keyframe after a loss; gone from the ring because the storage was too slow.
    public var missedByDevice = 0
    public var droppedInQueue = 0
    public var droppedBeforeKeyframe = 0
    public var droppedForStorage = 0
    /// Pictures that came more than half their duration away from their turn.
    public var late = 0
    /// Longest time from one picture to the next, seconds.
    public var longestDelta = 0.0
    /// Most that a picture's time was moved to take out jitter of its time stamp, seconds.
    public var largestSmoothing = 0.0

    public init() {}
  }

  /// The sound track; `channels` is 0 if there is none.
  public struct Sound: Hashable, Sendable {
    public var sampleRate = 0
    /// What the settings asked the microphone for. Takes.
    public var requestedRate = 0
    /// What the microphone's device ran at; the file has `sampleRate`. Takes.
    public var grantedRate = 0
    public var channels = 0
    /// Frames, exactly.
    public var frames = 0
    /// Of these, frames of silence that stand for lost sound. Takes.
    public var lostFrames = 0
    public var bitrateKbps = 0
    /// What AAC was coded with in the end, and how often a busy processor had it coded with less work, and then with more
    /// again; a file that WAV follows counts that, too. Takes.
    public var coder: String?
    public var coderFalls = 0
    public var coderClimbs = 0
    /// Where other microphones begin. Takes.
    public var changes: [SourceChange] = []

    public init() {}
  }

  /// Another microphone from a frame on.
  public struct SourceChange: Hashable, Sendable {
    public var frame: Int
    public var source: String

    public init(frame: Int, source: String) {
      self.frame = frame
      self.source = source
    }
  }

  /// Something that gave way while this was recorded, because the board was under strain, or came back.
  public struct GovernorNote: Hashable, Sendable {
    public var at: Instant
    /// `display`, `preview`, …; `down` or `up`; the reading, or `calm`.
    public var rung: String
    public var direction: String
    public var reason: String
    /// What was read, and its limit, in the reading's unit.
    public var value: Double
    public var limit: Double

    public init(at: Instant, rung: String, direction: String, reason: String, value: Double, limit: Double) {
      (self.at, self.rung, self.direction) = (at, rung, direction)
      (self.reason, self.value, self.limit) = (reason, value, limit)
    }
  }

  /// Times that sound was lost on its way to the recorder, by cause: the device was read too late; no room between the
  /// driver and the recorder.
  public struct Xruns: Hashable, Sendable {
    public var device = 0
    public var ring = 0

    public init() {}
  }

  /// File name in its directory; empty until it has one.
  public var id = ""
  /// The recorder's own number of it, as in its news.
  public var number = 0
  public var causes: [Cause] = []
  /// The range that was asked for.
  public var requestedStart = Instant.zero
  public var requestedEnd = Instant.zero
  /// The range that is in the file: it begins with the picture that was to be seen at the requested start.
  public var start = Instant.zero
  public var end = Instant.zero
  /// Exact length of the media, seconds.
  public var duration = 0.0
  public var pictures = Pictures()
  public var sound = Sound()
  public var gaps: [Gap] = []
  public var governor: [GovernorNote] = []
  /// The longest step of the lanes that record while it was open, milliseconds of the processor by name of the lane; empty where
  /// it is not measured.
  public var longestSteps: [String: Double] = [:]
  /// Of takes.
  public var xruns = Xruns()
  /// Of a take in several files, which one, from 1 on.
  public var part = 1
  /// When a take was asked for.
  public var pressedAt: Instant?
  /// When the first sound of a take was durable.
  public var firstDurableAt: Instant?
  /// Seconds between the pictures of a time-lapse, which are shown at 30 a second; `nil` for other clips.
  public var timeLapseSeconds: Double?
  /// Units of time that a picture of a time-lapse is shown.
  public static let lapseTicks = PictureTrack.timescale / 30
  /// Number of the clip whose end is this one's start.
  public var continues: Int?
  /// How far the sound's clock is off the kernel's, parts per million, as measured.
  public var soundDriftPPM = 0.0
  /// Largest distance between where a picture is in the file and where its own time puts it on the sound, seconds.
  public var largestSkew = 0.0
  public var anchors: [Anchor] = []
  /// When the last picture and sound were in the pipe, when the file was whole and durable.
  public var lastMediaAt = Instant.zero
  public var durableAt = Instant.zero
  /// `user`, `post-roll`, `split`, `device-lost`, `storage-full`, `recovered`, `error`.
  public var stopReason = ""
  public var fileBytes = 0
  /// Not to be removed by retention.
  public var isProtected = false
  /// Who was logged in.
  public var operatorName: String?

  public init() {}

  /// Has it say what can be seen and heard of the file that was written.
  mutating func state(_ facts: MediaFacts) {
    pictures.captured = max(0, facts.pictures - pictures.unseen)
    pictures.keyframes = facts.keyframes
    pictures.longestDelta = max(facts.longestStep, pictures.longestDelta)
    sound.frames = facts.frames
    duration = facts.duration
    gaps = gaps.compactMap { gap in
      var kept = gap
      kept.seconds = min(gap.seconds, facts.duration - gap.start)
      return kept.seconds > 0 ? kept : nil
    }
  }

  /// When the (first) trigger was.
  public var triggeredAt: Instant? { causes.first?.trigger.time ?? pressedAt }
}
