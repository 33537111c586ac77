public import Hardware
public import Speech
public import Streaming

/// What the dubbing player is told; orders are carried out in sequence.
public enum DubPlayerOrder: Sendable {
  /// Plays `source` (a stream's address or a file's path), dubbed into `language` (`es`; empty: not dubbed).
  case start(source: String, language: String)
  case stop
  /// Holds the sound through a short fade; the position stays.
  case pause
  case resume
  /// Moves by seconds; within the window of a live stream.
  case seek(seconds: Double)
  /// Dubs into this language: a track as soon as it is loaded, a voice from the next utterance on.
  case language(String)
  /// Dub or original, at once.
  case dubbing(Bool)
  /// The board is throttled or on battery.
  case lowPower(Bool)
  case configure(DubSettings)
  /// Gives everything back; the process ends.
  case shutDown
}

/// What the dubbing player tells.
public enum DubEvent: Hashable, Sendable {
  /// The first sound of `source` is on its way to the speaker.
  case started(source: String, languages: [String])
  /// A lower rung plays, and why.
  case fellBack(to: DubRung, reason: String)
  /// A higher rung plays again.
  case returned(to: DubRung)
  /// Nothing comes any more: from the dubbing service or from the stream.
  case linkLost(reason: String)
  case linkRestored
  /// The language that is dubbed into changed.
  case language(String)
  /// It has been heard to its end.
  case ended
  /// It cannot be played: a code, and a sentence for people.
  case failed(StreamFault)
  /// Something was wrong or passed over, and stops nothing; for the log.
  case remark(String)
}

/// A picture of the dubbing player, for screens, consoles and receipts.
public struct DubStatus: Hashable, Sendable {
  public enum Phase: String, Hashable, Sendable {
    case idle
    case buffering
    case playing
    case paused
  }

  public var phase = Phase.idle
  public var source = ""
  /// What plays, as the source says it; empty if it does not.
  public var title = ""
  /// The language that is wanted; empty: the original.
  public var language = ""
  /// Languages that can be wanted: those of the service, of renditions and of voices for the subtitles there are.
  public var languages: [String] = []
  /// What is heard at this utterance.
  public var rung = DubRung.original
  public var isDubbing = true
  public var isLive = false
  public var isLowPower = false
  /// The frame at the speaker, and the length where it is known; 48 kHz.
  public var frame = 0
  public var length: Int?
  /// Utterances that were due, and of these dubbed at their time by the best rung that was wanted.
  public var utterances = 0
  public var utterancesOnTime = 0
  /// 100 while nothing was due.
  public var percentOnTime = 100.0
  /// Utterances that each rung played, and those for which it was wanted and not ready.
  public var played: [DubRung: Int] = [:]
  public var late: [DubRung: Int] = [:]
  /// Why what is heard is not the best that was wanted, for people; empty if it is.
  public var reason = ""
  /// How far the speaker is from where it should be, in milliseconds; positive: ahead.
  public var driftMilliseconds = 0.0
  /// Of the speaker's clock against the system's, in parts per million.
  public var speakerPPM = 0.0
  /// Sound that is decoded and not heard yet.
  public var bufferedSeconds = 0.0
  /// Whole segments that are fetched and not decoded.
  public var bufferedSegments = 0
  /// Behind the live edge, where there is one.
  public var liveOffsetSeconds: Double?
  /// How often a lower rung had to play.
  public var fallbacks = 0
  /// Sound of the programme that was missing when it was decoded, in seconds: silence, or left out.
  public var lostSeconds = 0.0
  /// Longest silence that the speaker had to play for want of sound, in milliseconds.
  public var longestGapMilliseconds = 0.0
  /// Whether the dubbing service can be reached; `nil` if there is none.
  public var serviceConnected: Bool?
  public var serviceFaults = ServiceFaults()
  /// Utterance in the original's place and the one after it, for the screen.
  public var caption = ""
  /// From the order to play to the first sound.
  public var startMilliseconds: Int?
  public var variantBandwidth = 0
  public var measuredBandwidth = 0

  public init() {}
}

/// What the dubbing player is put together from.
public struct DubParts {
  /// Opens a stream or a file. It does not block; what goes wrong is told by the programme's status.
  public typealias Opener = (_ source: String, _ lowPower: Bool, _ wake: @escaping @Sendable () -> Void) ->
    any Programme

  public var open: Opener
  /// The way to the dubbing service; `nil`: none.
  public var network: (any Network)?
  /// Speaks texts, on a lane of its own; `nil`: there is no voice.
  public var speech: SpeechQueue?
  /// Makes voices ready, on a lane of its own.
  public var preparer: VoicePreparer
  public var speaker: (any Speaker)?
  /// Gets the pictures; `nil`: nobody ever looks.
  public var pictures: (any PictureTaker)?
  /// Period and buffer of the speaker, at 48 kHz.
  public var request: SoundRequest
  /// Seed of what is left to chance: the jitter of retries.
  public var seed: UInt64

  public init(
    open: @escaping Opener,
    network: (any Network)?, speech: SpeechQueue?, preparer: VoicePreparer, speaker: (any Speaker)?,
    request: SoundRequest,
    seed: UInt64 = 1
  ) {
    self.open = open
    self.network = network
    self.speech = speech
    self.preparer = preparer
    self.speaker = speaker
    self.request = request
    self.seed = seed
  }
}
