public import Hardware
public import Sealing

/// File formats of takes; the raw value is the setting's word.
public enum RecordingFormat: String, Hashable, Sendable, CaseIterable {
  /// AAC-LC in .m4a.
  case aac
  /// PCM in .wav (BWF; RF64 past 4 GiB).
  case wav
  case flac
  case alac
  /// Opus in .opus, at 48 kHz.
  case opus
  /// G.711 in .wav, for telephones.
  case alaw, mulaw

  /// Whether the samples come back as they were.
  public var isLossless: Bool { self == .wav || self == .flac || self == .alac }

  /// Bits of a sample in a file, of a microphone that gives so many; 32 are float, which only WAV has.
  ///
  /// - Parameter depth: the bits that are wished; 0: as the microphone.
  public func fileBits(of microphoneBits: Int, depth: Int) -> Int {
    if self == .alaw || self == .mulaw { return 8 }
    return depth == 0 ? microphoneBits : min(depth, self == .wav ? 32 : 24)
  }

  /// The format's name for people.
  public var text: String {
    switch self {
    case .opus: "Opus"
    case .alaw: "A-law"
    case .mulaw: "u-law"
    case .aac, .wav, .flac, .alac: rawValue.uppercased()
    }
  }
}

/// What becomes of the silence in a take.
public enum VoiceOperation: String, Hashable, Sendable, CaseIterable {
  case off
  /// It is left out.
  case cut
  /// The voice after it gets a mark.
  case mark
}

/// What gets a mark in a take by itself.
public enum AutomaticMarks: String, Hashable, Sendable, CaseIterable {
  case off
  /// Where sound is missing.
  case gaps
  /// That, and where the input was too loud.
  case all
}

/// When a better microphone that is there again is heard.
public enum SourceReturn: String, Hashable, Sendable, CaseIterable {
  /// At once, but in a take or a clip only behind it.
  case idle
  case always
}

/// What takes become on a stick.
public enum ExportFormat: String, Hashable, Sendable, CaseIterable {
  /// The files themselves, with their notes.
  case asIs
  case m4a
  case flac
  case wav
  case mp3
  /// G.711, raw.
  case alaw, mulaw

  /// The format's name for people.
  var text: String { RecordingFormat(rawValue: rawValue)?.text ?? rawValue.uppercased() }
}

/// Where LEFT and RIGHT go in what is played.
public enum Skip: String, Hashable, Sendable, CaseIterable {
  /// By 10 s.
  case seconds
  case marks
}

/// What a trigger during a clip does.
public enum ClipOverlap: String, Hashable, Sendable, CaseIterable {
  /// It is noted in the clip, whose end moves to a whole post-roll after it.
  case merge
  /// It moves the clip's end, and no more.
  case extend
  /// It begins a clip of its own, with a whole pre-roll; the two share pictures.
  case independent
}

/// Where the last seconds of pictures and sound are.
public enum ClipRing: String, Hashable, Sendable, CaseIterable {
  /// A power cut takes what no trigger has made a clip of.
  case memory
  /// A copy goes to the card all the time, and a power cut takes half a second.
  case disk
}

/// How the rate of the sound hardware is settled: by the board file, or by a strategy of the user's own.
public enum SessionChoice: String, Hashable, Sendable, CaseIterable {
  case board
  case baseline
  case preInitialised = "pre-initialised"
  case forcedRate = "forced-rate"
  case locked

  /// The strategy.
  ///
  /// - Parameter board: what the board file says.
  public func strategy(board: SessionStrategy) -> SessionStrategy { SessionStrategy(rawValue: rawValue) ?? board }
}

/// Log levels, the most severe first.
public enum LogLevel: String, Hashable, Sendable, CaseIterable {
  case error
  case warning
  case info
  case debug
}

/// Everything the user can set: a plain value that is only ever valid, because all writing goes through `set`. Key,
/// values and meaning of each are in its row of the table.
public struct Settings: Hashable, Sendable {
  public internal(set) var recordingFormat = RecordingFormat.aac
  /// `recording.bitrateKbps`: 128…320, default 192 (preset Medium: transparent for speech and most music in AAC-LC).
  public internal(set) var recordingBitrateKbps = 192
  public internal(set) var opusKbps = 96
  /// `recording.sampleRate`: 8000, 16000, 44100 or 48000 Hz; 48000 because microphones of such boards run at it natively.
  public internal(set) var recordingSampleRate = 48_000
  public internal(set) var recordingChannels = 2
  /// `recording.bitDepth`: 0 is the board's own.
  public internal(set) var recordingBitDepth = 0
  public internal(set) var preRecordSeconds = 5
  public internal(set) var splitSeconds = 0
  public internal(set) var splitMB = 0
  /// `recording.gainDb`: 0 leaves the samples untouched.
  public internal(set) var inputGain = 0
  public internal(set) var lowCutHz = 0
  public internal(set) var hasLimiter = false
  public internal(set) var hasAutomaticGain = false
  public internal(set) var hasSafetyTake = false
  /// Whether recordings are signed while they are written.
  public internal(set) var signsRecordings = false
  /// `recording.encryptTo`: keys with commas between; empty: takes are open.
  public internal(set) var encryptTo = ""
  public internal(set) var voiceOperation = VoiceOperation.off
  public internal(set) var resumesRecording = false
  /// `recording.source`: names with commas between, best first; empty is the board's own.
  public internal(set) var sources = ""
  public internal(set) var sourceReturn = SourceReturn.idle
  public internal(set) var automaticMarks = AutomaticMarks.gaps
  public internal(set) var exportFormat = ExportFormat.asIs
  public internal(set) var skip = Skip.seconds
  public internal(set) var timelineSeconds = 0
  public internal(set) var ticksAtMarks = false
  public internal(set) var voiceHoldSeconds = 3
  public internal(set) var voicePreRollSeconds = 1
  public internal(set) var clipDurationSeconds = 5
  public internal(set) var clipPostRollSeconds = 0
  public internal(set) var clipOverlap = ClipOverlap.merge
  public internal(set) var clipRing = ClipRing.memory
  public internal(set) var hasSoundTrigger = false
  public internal(set) var soundTriggerDecibels = -20
  public internal(set) var hasMotionTrigger = false
  public internal(set) var motionTriggerRatio = 2.0
  public internal(set) var hasInputTrigger = true
  public internal(set) var clipQuotaMB = 0
  public internal(set) var playbackRate = 1.0
  public internal(set) var playbackPitchCents = 0
  public internal(set) var skipsSilence = false
  public internal(set) var playbackVolume = 1.0
  public internal(set) var playbackLeftDb = 0
  public internal(set) var playbackRightDb = 0
  public internal(set) var dubLanguage = "en"
  public internal(set) var dubMix = DubMix.duck
  public internal(set) var dubOriginalVolume = 0
  public internal(set) var dubVolume = 0
  public internal(set) var dubSources = ""
  public internal(set) var dubService = ""
  /// `lock.pin`: a secret.
  public internal(set) var panelPin = ""
  /// `dub.serviceToken`: a secret.
  public internal(set) var dubServiceToken = ""
  public internal(set) var dubLowPower = DubLowPower.keep
  public internal(set) var dubPicture = DubPicture.small
  public internal(set) var dubProxy = ""
  public internal(set) var dubCAFile = ""
  public internal(set) var feedSources = ""
  /// Address of the feed that is browsed; empty: clips and takes.
  public internal(set) var feedSource = ""
  public internal(set) var feedStartMuted = true
  /// Megabytes of items that are kept for when there is no network; 0: none.
  public internal(set) var feedCacheMB = 64
  public internal(set) var feedCacheDays = 30
  public internal(set) var language = Language.english
  public internal(set) var hasLargeText = false
  public internal(set) var hasVoice = false
  /// Words a minute.
  public internal(set) var voiceRate = 175
  /// 1…100 % of full scale.
  public internal(set) var voiceVolume = 60
  /// Prompts are said while something is recorded, too: whoever sets this wears headphones.
  public internal(set) var speaksWhileRecording = false
  public internal(set) var hasBuzzer = true
  /// 1…100 % of the brightest; 0: as the board file has it.
  public internal(set) var brightness = 0
  /// Dark on light.
  public internal(set) var isInverted = false
  public internal(set) var talksBack = false
  public internal(set) var sessionStrategy = SessionChoice.board
  /// `session.rateHz`: 0 is the board's own.
  public internal(set) var sessionRate = 0
  /// Minutes after which whoever has logged in at a console and types nothing is logged out; 0: never.
  public internal(set) var operatorTimeoutMinutes = 15
  public internal(set) var hasOperatorInName = false
  /// `lock.stopWorks`: off by default, because what a pocket presses, it holds.
  public internal(set) var lockedStopWorks = false
  /// `recording.schedules`, as text; see `Schedules`.
  public internal(set) var schedules = ""
  public internal(set) var zone = "UTC"
  public internal(set) var place = ""
  public internal(set) var logLevel = LogLevel.info
  public internal(set) var hasNamesInLog = true

  /// Gains of the microphone in dB.
  public static let inputGains = -20...20

  /// How loud original and dub may be, in dB.
  public static let dubVolumes = -40...0

  /// The defaults.
  public init() {}

  /// The value of a key in its own type, as it may be shown; `nil` if there is no such setting.
  public func value(of key: String) -> SettingValue? { Self.row(of: key)?.shown(in: self) }

  /// Sets a key. Numbers and flags may come as text. On an error nothing has changed.
  public mutating func set(_ key: String, to value: SettingValue) throws(SettingError) {
    guard let row = Self.row(of: key) else { throw .unknownKey(key) }
    var changed = self
    try row.put(value, into: &changed)
    try changed.checkTogether(key)
    self = changed
  }

  /// Sets several keys: all of them, or none and the error of the first by name.
  public mutating func set(_ values: [String: SettingValue]) throws(SettingError) {
    var changed = self
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      guard let row = Self.row(of: key) else { throw .unknownKey(key) }
      try row.put(value, into: &changed)
    }
    for key in values.keys.sorted() { try changed.checkTogether(key) }
    self = changed
  }

  /// What cannot be so together: what is signed is what the storage gets, and of a sealed file that is not what people hear.
  private func checkTogether(_ key: String) throws(SettingError) {
    guard signsRecordings, !encryptTo.isEmpty else { return }
    switch key {
    case "recording.sign": throw .excluded(key: key, by: "recording.encryptTo", hint: "empty that first")
    case "recording.encryptTo": throw .excluded(key: key, by: "recording.sign", hint: "turn that off first")
    default: return
    }
  }

  /// Whom recordings are sealed to.
  public var recipients: [AgeRecipient] { AgeRecipient.list(encryptTo) ?? [] }

  /// Names of microphones, best first.
  public var sourceNames: [String] { sources.split(separator: ",").map(String.init) }

  /// When to record by itself.
  var planned: Schedules { Schedules(schedules) ?? Schedules() }

  /// The same, by which clocks, and where.
  public var scheduleBasis: ScheduleBasis {
    ScheduleBasis(planned, zone: Zone(zone) ?? .utc, place: Place(place))
  }

  /// Bits of a sample in a file, of a microphone that gives so many.
  public func fileBits(of microphoneBits: Int) -> Int {
    recordingFormat.fileBits(of: microphoneBits, depth: recordingBitDepth)
  }

  /// The bit rate that the AAC encoder is really given, in kbit/s.
  ///
  /// AAC-LC carries at most 6144 bits a channel in a block of 1024 samples (ISO/IEC 14496-3, 4.5.3.3), that is
  /// 6 bits a sample: 320 kbit/s does not fit into one channel.
  public var encoderBitrateKbps: Int {
    min(recordingBitrateKbps, recordingChannels * recordingSampleRate * 6 / 1000)
  }

  /// The bit rate of takes, kbit/s; `nil` where the sound decides.
  public var takeBitrateKbps: Int? {
    switch recordingFormat {
    case .aac: encoderBitrateKbps
    case .opus: opusKbps
    case .wav, .flac, .alac, .alaw, .mulaw: nil
    }
  }
}
