public import Hardware

/// What is played: a stream or a local clip, decoded as far as its sound, with its subtitles and pictures beside it.
///
/// All times of a programme count frames at `Programme.sampleRate` from where it was started: one timeline, on which the
/// original and every dub lie. Where the source's own time stamps jump (EXT-X-DISCONTINUITY, a live window that was
/// missed), a new epoch begins, and the timeline goes on without a hole. One thread, which it never blocks.
public protocol Programme: AnyObject {
  /// Frames a second of all times and of the sound: stereo, interleaved.
  static var sampleRate: Int { get }
  /// Fetches, demuxes and decodes what is due; bounded work a call.
  ///
  /// - Returns: when to call again at the latest.
  func step(now: Instant) -> Instant?
  var status: ProgrammeStatus { get }
  /// The next sound, in order and without holes; `nil` if none is decoded yet, or at the end.
  func nextSound() -> SoundBlock?
  /// Subtitles that became known, in the order of their beginnings.
  func nextCue() -> SubtitleCue?
  /// The next picture, as a compressed access unit, in decoding order.
  func nextPicture() -> ProgrammePicture?
  /// The sound of another rendition as a programme of its own on the same timeline, or `nil` if there is none.
  ///
  /// It is loaded from `frame` on (what is heard now), or from as near to it as there is; `seek` is this programme's. It
  /// is stepped like a programme of its own, from the same lane.
  func rendition(language: String, from frame: Int) -> (any Programme)?
  /// Goes elsewhere; sound goes on from there as a new epoch. Live: only within the window.
  func seek(to frame: Int)
  /// Subtitles in this language, where there are any, from `frame` on (what is heard now); else they stay as they are.
  ///
  /// - Returns: whether there are.
  func selectSubtitles(language: String, from frame: Int) -> Bool
  /// The board is throttled or on battery: a lower variant from the next segment on will do.
  func setLowPower(_ isLow: Bool)
  /// What went wrong, or was passed over, without stopping anything; each once, for the log.
  func nextRemark() -> String?
  func close()
}

extension Programme {
  public func selectSubtitles(language: String, from frame: Int) -> Bool { false }
  public func setLowPower(_ isLow: Bool) {}
  public func nextRemark() -> String? { nil }
  public static var sampleRate: Int { 48_000 }
}

/// Decoded sound of a programme.
public struct SoundBlock: Hashable, Sendable {
  /// Number of the epoch, from 0.
  public var epoch: Int
  /// Place of the first frame on the programme's timeline.
  public var start: Int
  /// Interleaved stereo, −1…1.
  public var samples: [Float]
  /// Time of the first frame in the source's own clock, in 90 kHz ticks, for what is aligned by it (WebVTT, services).
  public var sourceTime: Int64

  public init(epoch: Int, start: Int, samples: [Float], sourceTime: Int64) {
    self.epoch = epoch
    self.start = start
    self.samples = samples
    self.sourceTime = sourceTime
  }

  public var frames: Int { samples.count / 2 }
}

/// A subtitle.
public struct SubtitleCue: Hashable, Sendable {
  public var epoch: Int
  /// Place on the programme's timeline, in frames.
  public var start: Int
  public var end: Int
  /// Without markup; lines separated by line feeds.
  public var text: String
  /// Language of the text, as in the playlist (`es`), or empty.
  public var language: String

  public init(epoch: Int, start: Int, end: Int, text: String, language: String) {
    self.epoch = epoch
    self.start = start
    self.end = end
    self.text = text
    self.language = language
  }
}

/// A picture that is not decoded yet.
public struct ProgrammePicture: Sendable {
  public var epoch: Int
  /// When it is shown, on the programme's timeline, in frames.
  public var start: Int
  /// H.264 in Annex B.
  public var bytes: [UInt8]
  public var isKeyframe: Bool
  /// Pictures between the one before it and this one for which there was no room.
  public var lostBefore: Int

  public init(epoch: Int, start: Int, bytes: [UInt8], isKeyframe: Bool, lostBefore: Int = 0) {
    self.epoch = epoch
    self.start = start
    self.bytes = bytes
    self.isKeyframe = isKeyframe
    self.lostBefore = lostBefore
  }
}

/// What plays from a frame of the timeline on, as the source says it; empty: it does not say.
public struct ProgrammeTitle: Hashable, Sendable {
  public var frame: Int
  public var text: String

  public init(frame: Int, text: String) {
    self.frame = frame
    self.text = text
  }
}

/// Where a programme stands.
public struct ProgrammeStatus: Hashable, Sendable {
  public enum Phase: Hashable, Sendable {
    /// Nothing to hear yet.
    case opening
    case running
    /// There is more, but it does not come.
    case stalled(String)
    case ended
    case failed(StreamFault)
  }

  public var phase = Phase.opening
  /// Why it ends, or has ended, before it should; `nil` where nothing is known of that.
  public var breaksOff: StreamFault?
  /// What plays, as the source says it, in the order of its frames: the last ones, as far as there is sound of it.
  public var titles: [ProgrammeTitle] = []
  public var isLive = false
  /// Whether one can go elsewhere in it.
  public var canSeek = true
  /// Length on the timeline in frames, where it is known.
  public var length: Int?
  /// Frames decoded and not taken yet.
  public var decodedFrames = 0
  /// Frames between what was decoded last and the live edge; `nil` if not live.
  public var behindLive: Int?
  /// Where on the timeline sound of what is live was left out last, and how many frames of it: what is heard before is
  /// farther behind by them.
  public var leftOutAt: Int?
  public var leftOut = 0
  /// Frames of sound that should have been there and did not come, or could not be decoded, so far: silence stands for
  /// them, or they are left out.
  public var lost = 0
  /// Whole segments that have been fetched and not been decoded.
  public var segments = 0
  /// Languages of the renditions and of the subtitles that there are.
  public var soundLanguages: [String] = []
  public var subtitleLanguages: [String] = []
  /// Why there is nothing of the subtitles that were chosen, or of those that there are; `nil`: some have been read, or nothing
  /// is known yet.
  public var subtitleProblem: String?
  /// Bits a second: of the variant in use, and measured on the way.
  public var variantBandwidth = 0
  public var measuredBandwidth = 0
  /// Of a rendition: it comes from a file beside what is played.
  public var isBeside = false
  /// Of a rendition: why sound of it was left out last, and the frame at which it goes on behind that.
  public var missed: StreamFault?
  public var missedUntil = 0
  /// Of a rendition that fails: another one of its language may be had in its place.
  public var hasOther = false

  public init() {}

  /// What plays at a frame of the timeline; empty if the source does not say it.
  public func title(at frame: Int) -> String { titles.last { $0.frame <= frame }?.text ?? "" }
}
