internal import Hardware

extension Settings {
  /// The table of all settings, in the order in which they are listed: key, property, values, meaning, from when on a
  /// change is felt, who is told of it, and its row in the options menu. The default is the property's.
  public static let table: [Setting] =
    recordingRows + clipRows + playbackRows + dubRows + feedRows + clockRows + deviceRows

  /// The table's row of a key; `nil` if there is no such setting.
  public static func row(of key: String) -> Setting? { table.first { $0.key == key } }

  private static let seconds = [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]

  private static let recordingRows: [Setting] = [
    Setting(
      "recording.format", \.recordingFormat, .words(of: RecordingFormat.self), "file format of the next take",
      .nextTake, .recorder, menu: SettingMenu(.format) { .name($0.recordingFormat.text) }),
    Setting(
      "recording.bitrateKbps", \.recordingBitrateKbps, .integer(128...320),
      "AAC bit rate of the next take in kbit/s", .nextTake, [.recorder, .clips],
      menu: SettingMenu(
        .bitRate, steps: [128, 160, 192, 224, 256, 320], isOffered: { $0.recordingFormat == .aac }
      ) { $0.takeBitrateKbps.map { .kilobits($0) } ?? .lossless }),
    Setting(
      "recording.opusKbps", \.opusKbps, .integer(24...256), "Opus bit rate of the next take in kbit/s", .nextTake,
      .recorder,
      menu: SettingMenu(
        .opusRate, steps: [24, 32, 48, 64, 96, 128, 160, 192, 256], isOffered: { $0.recordingFormat == .opus }
      ) { .kilobits($0.opusKbps) }),
    Setting(
      "recording.bitDepth", \.recordingBitDepth, .integerChoice([0, 16, 24, 32]),
      "bits of a sample in WAV, FLAC and ALAC; 32 is float, in WAV, else 24; 0: as the board's microphone", .nextTake,
      .recorder,
      menu: SettingMenu(.bitDepth, steps: [0, 16, 24, 32], isOffered: { $0.recordingFormat.isLossless }) {
        switch $0.recordingBitDepth {
        case 0: .ofBoard
        case 32: $0.recordingFormat == .wav ? .float : .name("24")
        default: .name("\($0.recordingBitDepth)")
        }
      }),
    Setting(
      "recording.sampleRate", \.recordingSampleRate, .integerChoice([8000, 16_000, 44_100, 48_000]),
      "sample rate of the next take in Hz; 8000 and 16000 are for voices", .nextTake, [.recorder, .clips],
      menu: SettingMenu(.sampleRate) { .kilohertz($0.recordingSampleRate) }),
    Setting(
      "recording.channels", \.recordingChannels, .integerChoice([1, 2]),
      "channels of the next take: 1 mono, 2 stereo", .nextTake, [.recorder, .clips],
      menu: SettingMenu(.channels) { $0.recordingChannels == 1 ? .mono : .stereo }),
    Setting(
      "recording.preRecordSeconds", \.preRecordSeconds, .integer(0...60),
      "seconds before the REC press that a take begins with", .nextTake, .recorder,
      menu: SettingMenu(.preRecord, steps: seconds) { .secondsOrOff($0.preRecordSeconds) }),
    Setting(
      "recording.splitSeconds", \.splitSeconds, .integer(0...86_400),
      "seconds after which a take goes on in a new file; 0: never", .nextTake, .recorder),
    Setting(
      "recording.splitMB", \.splitMB, .integer(0...1_048_576),
      "MiB of which a take's file is not to be larger: it goes on in a new one; 0: never", .nextTake, .recorder),
    Setting(
      "recording.source", \.sources, .form(.sources),
      "microphones by name, best first, with commas between; the board's own is board, and behind all that are named",
      .atOnce, .recorder, menu: SettingMenu(.source) { .name($0.sourceNames.first ?? MicrophoneOrder.board) }),
    Setting(
      "recording.sourceReturn", \.sourceReturn, .words(of: SourceReturn.self),
      "when a better microphone that is there again is heard: idle not before a take is over, always in it, too",
      .atOnce,
      .recorder),
    Setting(
      "recording.gainDb", \.inputGain, .integer(inputGains),
      "gain of the microphone in dB, also by LEFT/RIGHT while recording; 0 leaves samples untouched", .atOnce, .recorder
    ),
    Setting(
      "recording.lowCutHz", \.lowCutHz, .integerChoice([0, 80, 120, 160]),
      "low-cut against rumble and wind, 24 dB an octave below so many Hz; 0: none", .nextTake, .recorder,
      menu: SettingMenu(.lowCut) { $0.lowCutHz == 0 ? .off : .hertz($0.lowCutHz) }),
    Setting(
      "recording.limiter", \.hasLimiter, .flag,
      "holds true peaks below -1 dBFS, 5 ms ahead of them, instead of clipping", .nextTake, .recorder,
      menu: SettingMenu(.limiter) { .flag($0.hasLimiter || $0.hasAutomaticGain) }),
    Setting(
      "recording.agc", \.hasAutomaticGain, .flag,
      "brings near and far voices to one level, -12 to +30 dB, by themselves; with the limiter", .nextTake, .recorder,
      menu: SettingMenu(.automaticGain) { .flag($0.hasAutomaticGain) }),
    Setting(
      "recording.safetyTake", \.hasSafetyTake, .flag,
      "a second file beside the take, 12 dB lower and before AGC and limiter: what clips in the take is whole there",
      .nextTake, .recorder, menu: SettingMenu(.safetyTake) { .flag($0.hasSafetyTake) }),
    Setting(
      "recording.sign", \.signsRecordings, .flag,
      "takes and clips are signed by the device's own key while they are written: mynah verify says whether they are whole",
      .nextTake, .proofs),
    Setting(
      "recording.encryptTo", \.encryptTo, .form(.recipients),
      "takes and clips are sealed to these keys of age while they are written: the device cannot read them any more, mynah "
        + "decrypt and age can; empty: they are open", .nextTake, .proofs),
    Setting(
      "recording.voiceOperated", \.voiceOperation, .words(of: VoiceOperation.self),
      "silence in a take: off keeps it, cut leaves it out, mark marks the voice after it", .nextTake, .recorder,
      menu: SettingMenu(.silence) {
        switch $0.voiceOperation {
        case .off: .kept
        case .cut: .leftOut
        case .mark: .marked
        }
      }),
    Setting(
      "recording.voiceHoldSeconds", \.voiceHoldSeconds, .integer(1...600),
      "seconds without a voice after which that is done", .nextTake, .recorder),
    Setting(
      "recording.voicePreRollSeconds", \.voicePreRollSeconds, .integer(0...3),
      "seconds before the next voice that are kept", .nextTake, .recorder),
    Setting(
      "recording.resume", \.resumesRecording, .flag,
      "a take that the power has cut off goes on by itself, as another one that is linked to it", .nextTake,
      menu: SettingMenu(.afterCut) { $0.resumesRecording ? .goesOn : .waits }),
    Setting(
      "recording.autoMarks", \.automaticMarks, .words(of: AutomaticMarks.self),
      "marks that a take gets by itself: gaps where sound is missing or another microphone begins, all where it is too "
        + "loud, too, every 5 s at most",
      .nextTake, .recorder,
      menu: SettingMenu(.ownMarks) {
        switch $0.automaticMarks {
        case .off: .off
        case .gaps: .gaps
        case .all: .gapsAndClips
        }
      }),
    Setting(
      "recording.operatorInName", \.hasOperatorInName, .flag,
      "names of files of takes and clips end with the operator who has started them at a console", .nextTake),
    Setting(
      "export.format", \.exportFormat, .words(of: ExportFormat.self),
      "what takes become on a stick: asIs, the files themselves; else one file each, with name, date and marks in it "
        + "(alaw, mulaw: nothing but samples)",
      .atOnce,
      menu: SettingMenu(.stickFormat) {
        $0.exportFormat == .asIs ? .asItIs : .name($0.exportFormat.text)
      }),
  ]

  private static let clipRows: [Setting] = [
    Setting(
      "clips.durationSeconds", \.clipDurationSeconds, .integer(1...60),
      "seconds before the trigger that a clip begins with", .nextClip, [.clips, .retention],
      menu: SettingMenu(.clipLength, steps: Array(seconds.dropFirst())) { .seconds($0.clipDurationSeconds) }),
    Setting(
      "clips.postRollSeconds", \.clipPostRollSeconds, .integer(0...60),
      "seconds after the trigger that a clip goes on", .nextClip, .clips,
      menu: SettingMenu(.postRoll, steps: seconds) { .secondsOrOff($0.clipPostRollSeconds) }),
    Setting(
      "clips.overlap", \.clipOverlap, .words(of: ClipOverlap.self), "what a trigger during a clip does", .nextClip,
      .clips, menu: SettingMenu(.overlap) { .overlap($0.clipOverlap) }),
    Setting(
      "clips.ring", \.clipRing, .words(of: ClipRing.self),
      "where the last seconds are; on the disk as well, a power cut takes half a second of them", .nextClip, .clips),
    Setting(
      "clips.soundTrigger", \.hasSoundTrigger, .flag, "a loud sound keeps a clip", .nextClip, .clips,
      menu: SettingMenu(.bySound) { $0.hasSoundTrigger ? .decibels($0.soundTriggerDecibels) : .off }),
    Setting(
      "clips.soundTriggerDecibels", \.soundTriggerDecibels, .integer(-60 ... -1),
      "how loud, in dB below full scale", .nextClip, .clips),
    Setting(
      "clips.motionTrigger", \.hasMotionTrigger, .flag, "something that moves in the picture keeps a clip",
      .nextClip, .clips,
      menu: SettingMenu(.byMotion) { $0.hasMotionTrigger ? .factor($0.motionTriggerRatio) : .off }),
    Setting(
      "clips.motionTriggerRatio", \.motionTriggerRatio, .number(1.2...50),
      "how many times as busy as usual the picture has to be", .nextClip, .clips),
    Setting(
      "clips.inputTrigger", \.hasInputTrigger, .flag, "the board's trigger input keeps a clip", .atOnce,
      menu: SettingMenu(.byInput) { .flag($0.hasInputTrigger) }),
    Setting(
      "clips.quotaMB", \.clipQuotaMB, .integer(0...1_048_576),
      "MiB of own clips beyond which the oldest unprotected ones go; 0: only a full card", .nextClip, .retention),
  ]

  private static let playbackRows: [Setting] = [
    Setting(
      "playback.skip", \.skip, .words(of: Skip.self), "where LEFT and RIGHT go: 10 s back and forward, or to marks",
      .atOnce, menu: SettingMenu(.skip) { $0.skip == .marks ? .marks : .seconds(10) }),
    Setting(
      "playback.timelineSeconds", \.timelineSeconds, .integerChoice([0, 5, 15, 60, 300]),
      "seconds of a take in the player's picture, around what is heard; 0: all of it", .atOnce, .player,
      menu: SettingMenu(.timeline) { $0.timelineSeconds == 0 ? .whole : .seconds($0.timelineSeconds) }),
    Setting(
      "marks.tick", \.ticksAtMarks, .flag, "a tick in the speaker when a mark is set in what plays; never in a take",
      .atOnce, menu: SettingMenu(.markTicks) { .flag($0.ticksAtMarks) }),
    Setting(
      "playback.rate", \.playbackRate, .number(0.5...2.0), "speed of playback at the same pitch, 1.0 as recorded",
      .atOnce, .player,
      menu: SettingMenu(.speed, steps: [0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1, 1.1, 1.2, 1.25, 1.3, 1.4, 1.5, 1.75, 2]) {
        .factor($0.playbackRate)
      }),
    Setting(
      "playback.pitchCents", \.playbackPitchCents, .integer(-1200...1200),
      "pitch of playback in cents, 0 as recorded, 100 a semitone", .atOnce, .player,
      menu: SettingMenu(.pitch, steps: Array(stride(from: -1200, through: 1200, by: 100))) {
        .cents($0.playbackPitchCents)
      }),
    Setting(
      "playback.skipSilence", \.skipsSilence, .flag,
      "pauses of more than 0.7 s are played as 0.3 s, except from A to B",
      .atOnce, .player, menu: SettingMenu(.skipSilence) { .flag($0.skipsSilence) }),
    Setting(
      "playback.volume", \.playbackVolume, .number(0...2),
      "volume of playback as a factor; peaks are limited, never clipped", .atOnce, .player,
      menu: SettingMenu(.volume, steps: (0...20).map { Double($0) / 10 }) { .factor($0.playbackVolume) }),
    Setting(
      "playback.leftDb", \.playbackLeftDb, .integer(-40...12), "gain of the left channel in dB, beside the volume",
      .atOnce, .player, menu: SettingMenu(.left, steps: gains) { .decibels($0.playbackLeftDb) }),
    Setting(
      "playback.rightDb", \.playbackRightDb, .integer(-40...12), "gain of the right channel in dB, beside the volume",
      .atOnce, .player, menu: SettingMenu(.right, steps: gains) { .decibels($0.playbackRightDb) }),
  ]

  private static let clockRows: [Setting] = [
    Setting(
      "recording.schedules", \.schedules, .form(.schedules),
      "when the device records by itself; see schedules", .atOnce, .schedules),
    Setting(
      "clock.zone", \.zone, .form(.zone), "zone of the clock on the screens and of schedules, with its summer time",
      .atOnce, .schedules),
    Setting(
      "clock.place", \.place, .form(.place), "where the device is, for schedules by the sun", .atOnce,
      .schedules),
  ]

  private static let dubRows: [Setting] = [
    Setting(
      "dub.language", \.dubLanguage, .languageTag, "language of the dub", .atOnce,
      menu: SettingMenu(.dubLanguage, steps: DubState.spokenLanguages) { .spoken($0.dubLanguage) }),
    Setting(
      "dub.mode", \.dubMix, .words(of: DubMix.self), "how original and dub are put together", .atOnce, .dub,
      menu: SettingMenu(.original) {
        switch $0.dubMix {
        case .replace: .replaced
        case .mix: .mixedIn
        case .duck: .stepsBack
        }
      }),
    Setting(
      "dub.originalVolumeDb", \.dubOriginalVolume, .integer(dubVolumes),
      "volume of the original beside a dub, in dB", .atOnce, .dub,
      menu: SettingMenu(.originalVolume, steps: volumes) { .decibels($0.dubOriginalVolume) }),
    Setting(
      "dub.dubVolumeDb", \.dubVolume, .integer(dubVolumes), "volume of the dub in dB", .atOnce, .dub,
      menu: SettingMenu(.dubVolume, steps: volumes) { .decibels($0.dubVolume) }),
    Setting(
      "dub.sources", \.dubSources, .addresses(schemes: ["http", "https"]),
      "streams beside the board's own, with blanks between: Name=address", .atOnce, .dub),
    Setting(
      "dub.service", \.dubService, .address(schemes: ["ws", "wss"]),
      "address of the service that dubs; empty: the board's", .nextConnection, .dub),
    Setting(
      "dub.serviceToken", \.dubServiceToken, .secret,
      "token that the service knows us by; kept, and never shown again", .nextConnection, .dub),
    Setting(
      "dub.lowPower", \.dubLowPower, .words(of: DubLowPower.self),
      "dubbing when hot or on a low battery: off spares nothing", .atOnce, .dub,
      menu: SettingMenu(.lowPower) {
        switch $0.dubLowPower {
        case .off: .sparesNothing
        case .keep: .smallStream
        case .drop: .noDub
        }
      }),
    Setting(
      "dub.picture", \.dubPicture, .words(of: DubPicture.self), "picture of what plays on the OLED", .atOnce, .dub,
      menu: SettingMenu(.picture) { .picture($0.dubPicture) }),
    Setting(
      "dub.proxy", \.dubProxy, .address(schemes: ["http", "https", "socks5", "socks5h"]),
      "proxy on the way to streams and service; or empty", .nextConnection, .dub),
    Setting(
      "dub.caFile", \.dubCAFile, .path,
      "file of the authorities whose certificates count, PEM; empty: the system's", .nextConnection, .dub),
  ]

  private static let feedRows: [Setting] = [
    Setting(
      "feed.sources", \.feedSources, .addresses(schemes: ["http", "https"]),
      "feeds beside clips and takes, with blanks between: Name=address", .atOnce),
    Setting(
      "feed.source", \.feedSource, .address(schemes: ["http", "https"]),
      "address of the feed that is browsed; empty: clips and takes", .atOnce,
      menu: SettingMenu(.feedSource, steps: [""]) { .feed(FeedSources.name(of: $0.feedSource, $0)) }),
    Setting(
      "feed.startMuted", \.feedStartMuted, .flag, "a feed that is opened plays without sound until CENTRE", .atOnce,
      menu: SettingMenu(.startMuted) { .flag($0.feedStartMuted) }),
    Setting(
      "feed.cacheMB", \.feedCacheMB, .integer(0...16_384),
      "items kept for when there is no network, in MB at most; 0: none", .atOnce, .feed),
    Setting(
      "feed.cacheDays", \.feedCacheDays, .integer(1...365), "days after which a kept item goes", .atOnce, .feed),
  ]

  private static let deviceRows: [Setting] = [
    Setting(
      "ui.language", \.language, .words(of: Language.self), "language of the screens", .atOnce,
      menu: SettingMenu(.language) { .own($0.language) }),
    Setting(
      "ui.largeText", \.hasLargeText, .flag, "larger letters on the screens, fewer of them at a time", .atOnce,
      menu: SettingMenu(.largeText) { .flag($0.hasLargeText) }),
    Setting(
      "ui.voice", \.hasVoice, .flag, "screens, what is highlighted and what keys do are said in the speaker", .atOnce,
      menu: SettingMenu(.voice) { .flag($0.hasVoice) }),
    Setting(
      "ui.voiceRate", \.voiceRate, .integer(80...450), "how fast they are said, in words a minute", .atOnce,
      menu: SettingMenu(.voiceRate, steps: [80, 100, 125, 150, 175, 200, 225, 250, 300, 350, 400, 450]) {
        .name("\($0.voiceRate)")
      }),
    Setting(
      "ui.voiceVolume", \.voiceVolume, .integer(1...100), "how loud they are, in % of full scale", .atOnce,
      menu: SettingMenu(.voiceVolume, steps: [5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]) { .percent($0.voiceVolume) }),
    Setting(
      "ui.voiceWhileRecording", \.speaksWhileRecording, .flag,
      "they are said during takes and clips, too: for headphones only, else they are in the recording", .atOnce,
      menu: SettingMenu(.voiceInTakes) { .flag($0.speaksWhileRecording) }),
    Setting(
      "ui.buzzer", \.hasBuzzer, .flag, "the buzzer tells how dubbed playback goes, on a board that has one", .atOnce),
    Setting(
      "ui.brightness", \.brightness, .integer(0...100),
      "brightness of the display in %; 0: what the board file says", .atOnce,
      menu: SettingMenu(.brightness, steps: [0, 1, 10, 25, 50, 75, 100]) {
        $0.brightness == 0 ? .ofBoard : .percent($0.brightness)
      }),
    Setting(
      "ui.invert", \.isInverted, .flag, "dark on light", .atOnce, menu: SettingMenu(.inverted) { .flag($0.isInverted) }),
    Setting(
      "session.strategy", \.sessionStrategy, .words(of: SessionChoice.self),
      "how the sound hardware's rate is settled: as the board file says, or by a strategy (see sessions)", .nextTake,
      [.recorder, .session],
      menu: SettingMenu(.session) { .session($0.sessionStrategy) }),
    Setting(
      "session.rateHz", \.sessionRate, .integerChoice([0] + SessionRates.all),
      "what forced-rate runs the hardware at, in Hz; 0: what the board file says", .nextTake, [.recorder, .session],
      menu: SettingMenu(.sessionRate, steps: [0] + SessionRates.all, isOffered: { $0.sessionStrategy == .forcedRate }) {
        $0.sessionRate == 0 ? .ofBoard : .kilohertz($0.sessionRate)
      }),
    Setting(
      "session.talkBack", \.talksBack, .flag,
      "what the microphone hears is heard on the speaker at once, with a guard against howling; a take hears it, too",
      .atOnce, .session, menu: SettingMenu(.talkBack) { .flag($0.talksBack) }),
    Setting(
      "operators.timeoutMinutes", \.operatorTimeoutMinutes, .integer(0...1440),
      "minutes without a key after which an operator is logged out at a console; 0: never", .atOnce),
    Setting(
      "lock.stopWorks", \.lockedStopWorks, .flag, "a held STOP ends the take while locked", .atOnce,
      menu: SettingMenu(.lockedStop) { .flag($0.lockedStopWorks) }),
    Setting(
      "lock.pin", \.panelPin, .pin,
      "digits that the panel asks for before it is unlocked; with them it is locked after a start", .atOnce),
    Setting(
      "log.level", \.logLevel, .words(of: LogLevel.self), "least severe level that is logged", .atOnce, .log),
    Setting(
      "log.names", \.hasNamesInLog, .flag, "names of takes, and addresses, in the log and in crash reports", .atOnce,
      .log),
  ]

  private static let volumes = [-40, -30, -24, -21, -18, -15, -12, -9, -6, -3, 0]
  private static let gains = volumes + [3, 6, 9, 12]
}
