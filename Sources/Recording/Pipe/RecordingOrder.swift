public import Hardware
public import Media

/// What is being recorded.
public enum RecordingKind: String, Hashable, Sendable, CaseIterable {
  /// Sound. Its file has its name from the first moment.
  case take
  /// Pictures and sound. Its file appears when it is whole.
  case clip
  /// A piece of the ring's copy on the storage: a clip that nobody hears of.
  case spool
  /// The same sound as a take's, lower, in a file beside it: a take that nobody hears of.
  case safety

  /// The word that people read.
  var word: String { self == .take ? "take" : self == .safety ? "safety take" : "clip" }
  /// Whether it is sound alone.
  var isTake: Bool { self == .take || self == .safety }
  /// Whether people hear what becomes of it.
  var isHeard: Bool { self == .take || self == .clip }
}

/// How the sound of a recording is coded.
public enum TakeEncoding: String, Hashable, Sendable { case aac, wav, flac, alac, opus, alaw, mulaw }

/// What is only known of takes when they begin.
public struct TakeOpening: Hashable, Sendable {
  /// The press on the monotonic clock, and by the wall clock.
  public var pressedInstant: Instant
  public var pressedAt: WallTime
  /// Frames from before the press.
  public var preRecordedFrames: Int
  /// Name of the microphone.
  public var source: String

  public init(pressedInstant: Instant, pressedAt: WallTime, preRecordedFrames: Int, source: String) {
    self.pressedInstant = pressedInstant
    self.pressedAt = pressedAt
    self.preRecordedFrames = preRecordedFrames
    self.source = source
  }
}

/// How a recording begins: everything the storage lane needs to make its file.
public struct RecordingOpening: Sendable {
  /// Unique among the open recordings of a pipe; of a safety take that of its take, and `safety`.
  public var number: Int
  public var kind: RecordingKind
  public static let safety = 1 << 30
  public var encoding = TakeEncoding.aac
  public var pictures: PictureTrack?
  /// PCM has neither configuration nor priming.
  public var sound: SoundTrack?
  /// Ticks from the first picture in the file to the first that is shown.
  public var skippedTicks = 0
  /// Wall time of the first frame or picture.
  public var createdAt: WallTime
  /// Pictures come so seldom that each is written at once.
  public var isSlow = false
  /// Number of the recording whose end is this one's start.
  public var continues: Int?
  /// What is known so far.
  public var receipt: Receipt
  /// Of takes.
  public var take: TakeOpening?

  public init(number: Int, kind: RecordingKind, sound: SoundTrack?, createdAt: WallTime, receipt: Receipt) {
    self.number = number
    self.kind = kind
    self.sound = sound
    self.createdAt = createdAt
    self.receipt = receipt
  }

  /// The format of the sound; of a recording without sound, none that counts.
  public var pcm: PCMFormat { sound?.pcm ?? PCMFormat(sampleRate: PictureTrack.timescale, channels: 0) }
}

/// How a recording ends.
public struct RecordingEnding: Sendable {
  public var number: Int
  public var reason: StopReason
  /// Exact length of the sound in frames; 0 without sound.
  public var frames: Int
  /// Ticks from the first picture in the file at which the last one ends; 0 without pictures.
  public var endTick = 0
  public var receipt: Receipt
  /// LUFS over the whole take, gated; `nil` when too short or silent.
  public var integratedLUFS: Double?
  /// dBTP; `nil` for silence.
  public var truePeakDBTP: Double?
  /// Bytes of the file; known once it is complete.
  public var fileBytes = 0
  /// Why the file could not be completed; nil: it is whole.
  public var unfinished: String?

  public init(number: Int, reason: StopReason, frames: Int, receipt: Receipt) {
    self.number = number
    self.reason = reason
    self.frames = frames
    self.receipt = receipt
  }
}

/// Pictures of which one is to be kept as a JPEG.
public struct SnapshotOrder: Sendable {
  /// From the keyframe on that the wanted one is decoded from, up to itself; none if the camera has delivered none.
  public var pictures: [[UInt8]]
  /// How many of them are seen after it.
  public var later = 0
  /// How many may come before another one and be seen behind it.
  public var depth = 0
  public var codec: VideoCodec
  public var takenAt: WallTime

  public init(pictures: [[UInt8]], codec: VideoCodec, takenAt: WallTime) {
    self.pictures = pictures
    self.codec = codec
    self.takenAt = takenAt
  }
}

/// Work for the storage lane that is no recording.
public enum RecordingTask: Sendable {
  case snapshot(SnapshotOrder)
  /// The spool is not needed any more.
  case clearSpool
}

/// Told when a mark is on the storage, or why it is not; on the storage lane, or the media lane where there is no take.
public typealias MarkReply = @Sendable (_ failure: (code: String, text: String)?) -> Void

/// What travels through the pipe beside samples.
public enum RecordingOrder: Sendable {
  case begin(RecordingOpening)
  case mark(recording: Int, frame: Int, title: String?, told: MarkReply? = nil)
  case gap(recording: Int, CaptureGap)
  case end(RecordingEnding)
  case task(RecordingTask)
}
