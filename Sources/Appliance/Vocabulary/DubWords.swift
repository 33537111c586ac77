/// What dubbed playback is doing. The raw value follows `dub.` in the mode's name.
public enum DubActivity: String, Hashable, Sendable, CaseIterable {
  /// Nothing plays; the list of what could is shown.
  case idle
  /// Something is chosen, and nothing of it can be heard yet, or not at the moment.
  case buffering
  /// Sound comes out of the speaker, or would if it were not paused.
  case playing
}

/// Where the dub that is heard comes from, the best first: the rungs of a ladder. The raw value is in events.
public enum DubRung: String, Hashable, Sendable, CaseIterable {
  /// A service that sends the dub as it is spoken.
  case service
  /// Another sound track of the stream.
  case rendition
  /// A sound file beside the clip.
  case sidecar
  /// Spoken here, from the subtitles.
  case synthesised
  /// No dub: the sound as it is.
  case original
}

/// How original and dub are put together; the raw value is the setting's word.
public enum DubMix: String, Hashable, Sendable, CaseIterable {
  /// Where there is a dub, the original is not heard.
  case replace
  /// Both, each at its volume.
  case mix
  /// Both, and the original steps back while somebody speaks in the dub.
  case duck
}

/// What happens to dubbing when the board is hot or its battery low; the raw value is the setting's word.
public enum DubLowPower: String, Hashable, Sendable, CaseIterable {
  /// Nothing is spared.
  case off
  /// The stream's smallest rendition, and the dub goes on.
  case keep
  /// The stream's smallest rendition, and the original alone.
  case drop
}

/// How much of the OLED the picture of what plays gets; the raw value is the setting's word.
public enum DubPicture: String, Hashable, Sendable, CaseIterable {
  /// None, and none is decoded for it.
  case off
  /// A corner.
  case small
  /// All but what has to be read beside it.
  case large
}

/// Something that can be played with a dub.
public struct DubSource: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case stream
    case clip
    case take
  }

  /// A stream's address; a clip's or take's file name.
  public var id: String
  /// Name for people.
  public var name: String
  public var kind: Kind

  public init(id: String, name: String, kind: Kind) {
    self.id = id
    self.name = name
    self.kind = kind
  }
}

/// What the machine knows of dubbed playback.
public struct DubState: Hashable, Sendable {
  /// The board grants dubbing its memory.
  public var isAvailable = false
  /// Other machines can be reached at all; without that, clips and takes only.
  public var hasNetwork = false
  /// What can be played: streams first, then the newest clips and takes.
  public var sources: [DubSource] = []
  /// The highlighted one, and the one that plays unless another was asked for by its address.
  public var selected = 0
  public var activity = DubActivity.idle
  /// CENTRE has stopped the sound for a while.
  public var isPaused = false
  /// A dub is wanted; if not, the original is what is asked for.
  public var isOn = true
  /// Counts what was started; what is reported of an earlier one means nothing.
  public var run = 0
  /// What plays.
  public var current: DubSource?
  /// What is heard of the ladder.
  public var rung = DubRung.original
  /// Why it buffers, or why nothing better is heard, in words; empty if there is nothing to say.
  public var reason = ""
  /// The stream or the service cannot be reached at the moment.
  public var isLinkLost = false
  /// Languages that can be heard of what plays; empty while not known.
  public var languages: [String] = []
  /// The highlighted row of the list of languages; 0 is the original.
  public var languageRow = 0

  public init() {}

  /// More sources are not shown.
  public static let mostSources = 128
  /// More languages are not offered.
  public static let mostLanguages = 32
  /// What can be spoken on the device itself; offered while a source has not said what it has.
  public static let spokenLanguages = ["en", "es", "de", "fr", "it", "pt", "ru"]

  /// The highlighted source.
  public var selection: DubSource? { sources.indices.contains(selected) ? sources[selected] : nil }

  /// What a person can choose from.
  public var offeredLanguages: [String] { languages.isEmpty ? Self.spokenLanguages : languages }

  /// Something was started and has not ended.
  public var isBusy: Bool { activity != .idle }

  /// A dub is what is heard, not the original.
  public var isDubbed: Bool { activity == .playing && isOn && rung != .original }
}

/// What the dub player is told.
public enum DubOrder: Hashable, Sendable {
  /// Asks for what can be played.
  case list
  /// Plays a source from its beginning, or at its live edge. Answered by reports with this number.
  case start(DubSource, language: String, isOn: Bool, run: Int)
  case stop
  case pause
  case resume
  /// Moves by so many seconds.
  case seek(by: Double)
  /// Steps back (−1) or forward (+1) as long as the key is held, until 0.
  case scrub(direction: Int)
  case language(String)
  /// How loud original and dub are, in dB, and how they are put together.
  case volume(original: Int, dub: Int, DubMix)
  /// Dub or original.
  case enable(Bool)
}

/// What the dub player reports of the run with the number that came with it.
public enum DubReport: Hashable, Sendable {
  /// Nothing can be heard: why.
  case buffering(String)
  /// Sound comes out.
  case playing
  /// What is heard of the ladder has changed, and why if it is not the best.
  case rung(DubRung, reason: String)
  /// Languages that there are.
  case languages([String])
  case linkLost(String)
  case linkRestored
  /// It has played to the end.
  case ended
  case failed(code: String, text: String)
}

/// What the world is told of dubbed playback with every change.
public struct DubbingStatus: Hashable, Sendable {
  public var activity: DubActivity
  public var isPaused: Bool
  public var isOn: Bool
  public var source: DubSource?
  public var language: String
  public var rung: DubRung
  public var isLinkLost: Bool
  public var reason: String
}

extension State {
  /// What is told of dubbed playback.
  public var dubbingStatus: DubbingStatus {
    DubbingStatus(
      activity: dub.activity, isPaused: dub.isPaused, isOn: dub.isOn, source: dub.current,
      language: settings.dubLanguage, rung: dub.rung, isLinkLost: dub.isLinkLost, reason: dub.reason)
  }
}
