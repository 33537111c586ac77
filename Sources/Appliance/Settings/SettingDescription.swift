/// One row of the table of settings: what `settings` lists and what every value is checked against.
public struct SettingDescription: Hashable, Sendable {
  /// Which values of `kind` this firmware honours.
  public enum Support: Hashable, Sendable {
    case full
    /// All but these words, which are reserved for what is not built.
    case without([String])
    /// The default only: what the setting steers is not built.
    case defaultOnly
  }

  /// Dotted name, stable: tests and scripts rely on it.
  public let key: String
  public let kind: SettingKind
  public let defaultValue: SettingValue
  /// One line for people, with the unit.
  public let summary: String
  public let support: Support

  /// The values that are taken now, for people.
  public var allowed: String {
    switch (support, kind) {
    case (.defaultOnly, _): defaultValue.description
    case (.without(let words), .choice(let values)):
      values.filter { !words.contains($0) }.joined(separator: "|")
    default: kind.allowed
    }
  }

  /// The value in the setting's own type, if it is one that is taken.
  func check(_ value: SettingValue) throws(SettingError) -> SettingValue {
    switch kind.read(value) {
    case .wrongType: throw .wrongType(key: key, value: value, allowed: allowed)
    case .outOfRange: throw .outOfRange(key: key, value: value, allowed: allowed)
    case .value(let read):
      guard supports(read) else { throw .unsupported(key: key, value: value, allowed: allowed) }
      return read
    }
  }

  private func supports(_ value: SettingValue) -> Bool {
    switch support {
    case .full: true
    case .without(let words): !words.contains(value.description)
    case .defaultOnly: value == defaultValue
    }
  }
}

/// The settings by name. The raw values are a contract.
enum SettingKey: String, CaseIterable {
  case recordingFormat = "recording.format"
  case recordingBitrate = "recording.bitrateKbps"
  case recordingSampleRate = "recording.sampleRate"
  case recordingChannels = "recording.channels"
  case recordingPreRecord = "recording.preRecordSeconds"
  case recordingSplit = "recording.splitSeconds"
  case clipsDuration = "clips.durationSeconds"
  case clipsPostRoll = "clips.postRollSeconds"
  case clipsOverlap = "clips.overlap"
  case clipsRing = "clips.ring"
  case clipsSoundTrigger = "clips.soundTrigger"
  case clipsSoundLevel = "clips.soundTriggerDecibels"
  case clipsMotionTrigger = "clips.motionTrigger"
  case clipsMotionRatio = "clips.motionTriggerRatio"
  case clipsInputTrigger = "clips.inputTrigger"
  case clipsQuota = "clips.quotaMB"
  case playbackRate = "playback.rate"
  case playbackPitch = "playback.pitchCents"
  case dubLanguage = "dub.language"
  case dubMode = "dub.mode"
  case dubOriginalVolume = "dub.originalVolumeDb"
  case dubVolume = "dub.dubVolumeDb"
  case dubSources = "dub.sources"
  case dubService = "dub.service"
  case dubLowPower = "dub.lowPower"
  case dubPicture = "dub.picture"
  case dubProxy = "dub.proxy"
  case dubCAFile = "dub.caFile"
  case uiLanguage = "ui.language"
  case uiVoice = "ui.voice"
  case uiBuzzer = "ui.buzzer"
  case sessionStrategy = "session.strategy"
  case lockStopWorks = "lock.stopWorks"
  case logLevel = "log.level"

  /// The table. A row that becomes true moves from `.defaultOnly` to `.full`.
  var described: SettingDescription {
    switch self {
    case .recordingFormat:
      row(
        .choice(RecordingFormat.allCases.map(\.rawValue)), "file format of the next take",
        .without([RecordingFormat.flac.rawValue, RecordingFormat.alac.rawValue]))
    case .recordingBitrate: row(.integer(128...320), "AAC bit rate of the next take in kbit/s")
    case .recordingSampleRate: row(.integerChoice([44_100, 48_000]), "sample rate of the next take in Hz")
    case .recordingChannels: row(.integerChoice([1, 2]), "channels of the next take: 1 mono, 2 stereo")
    case .recordingPreRecord: row(.integer(0...60), "seconds before the REC press that a take begins with")
    case .recordingSplit:
      row(.integer(0...86_400), "seconds after which a take goes on in a new file; 0: never", .defaultOnly)
    case .clipsDuration: row(.integer(1...60), "seconds before the trigger that a clip begins with")
    case .clipsPostRoll: row(.integer(0...60), "seconds after the trigger that a clip goes on")
    case .clipsOverlap:
      row(.choice(ClipOverlap.allCases.map(\.rawValue)), "what a trigger during a clip does")
    case .clipsRing:
      row(
        .choice(ClipRing.allCases.map(\.rawValue)),
        "where the last seconds are; on the disk as well, a power cut takes half a second of them")
    case .clipsSoundTrigger: row(.flag, "a loud sound keeps a clip")
    case .clipsSoundLevel: row(.integer(-60 ... -1), "how loud, in dB below full scale")
    case .clipsMotionTrigger: row(.flag, "something that moves in the picture keeps a clip")
    case .clipsMotionRatio: row(.number(1.2...50), "how many times as busy as usual the picture has to be")
    case .clipsInputTrigger: row(.flag, "the board's trigger input keeps a clip")
    case .clipsQuota:
      row(.integer(0...1_048_576), "MiB of clips beyond which the oldest unprotected ones go; 0: only a full card")
    case .playbackRate: row(.number(0.5...2.0), "speed of playback, 1.0 as recorded", .defaultOnly)
    case .playbackPitch: row(.integer(-1200...1200), "pitch of playback in cents, 0 as recorded", .defaultOnly)
    case .dubLanguage: row(.languageTag, "language of the dub")
    case .dubMode: row(.choice(DubMix.allCases.map(\.rawValue)), "how original and dub are put together")
    case .dubOriginalVolume: row(.integer(Settings.dubVolumes), "volume of the original beside a dub, in dB")
    case .dubVolume: row(.integer(Settings.dubVolumes), "volume of the dub in dB")
    case .dubSources:
      row(.addresses(schemes: ["http", "https"]), "streams beside the board's own, with blanks between: Name=address")
    case .dubService:
      row(.address(schemes: ["ws", "wss"]), "address of the service that dubs; empty: the board's")
    case .dubLowPower:
      row(.choice(DubLowPower.allCases.map(\.rawValue)), "dubbing when hot or on a low battery: off spares nothing")
    case .dubPicture: row(.choice(DubPicture.allCases.map(\.rawValue)), "picture of what plays on the OLED")
    case .dubProxy:
      row(
        .address(schemes: ["http", "https", "socks5", "socks5h"]), "proxy on the way to streams and service; or empty")
    case .dubCAFile: row(.path, "file of the authorities whose certificates count, PEM; empty: the system's")
    case .uiLanguage: row(.choice(["en", "ru"]), "language of the screens", .without(["ru"]))
    case .uiVoice: row(.flag, "spoken prompts", .defaultOnly)
    case .uiBuzzer: row(.flag, "the buzzer tells how dubbed playback goes, on a board that has one")
    case .sessionStrategy:
      row(
        .choice(SessionStrategy.allCases.map(\.rawValue)), "how the sound hardware's rate is settled", .defaultOnly)
    case .lockStopWorks: row(.flag, "a held STOP ends the take while locked")
    case .logLevel: row(.choice(LogLevel.allCases.map(\.rawValue)), "least severe level that is logged")
    }
  }

  private func row(
    _ kind: SettingKind, _ summary: String, _ support: SettingDescription.Support = .full
  ) -> SettingDescription {
    SettingDescription(
      key: rawValue, kind: kind, defaultValue: Settings()[self], summary: summary, support: support)
  }
}
