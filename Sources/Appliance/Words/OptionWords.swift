internal import Hardware

/// What the rows of the options, and the groups of them, are called.
public enum OptionTitle: String, Hashable, Sendable, CaseIterable {
  case quality, format, bitRate, opusRate, bitDepth, sampleRate, channels, preRecord, source, lowCut, limiter
  case automaticGain, safetyTake, silence, afterCut, ownMarks, stickFormat
  case clipLength, postRoll, overlap, bySound, byMotion, byInput
  case skip, timeline, markTicks, speed, pitch, skipSilence, volume, left, right
  case dubLanguage, original, originalVolume, dubVolume, lowPower, picture
  case session, sessionRate, talkBack
  case feedSource, startMuted
  case schedules, lockedStop, brightness, inverted, language, largeText
  case voice, voiceRate, voiceVolume, voiceInTakes
  case sound, recording, microphone, playing, clip, triggers, dubbing, screenAndVoice, device, clock
}

extension OptionTitle: Wording {
  public var words: Translated {
    switch self {
    case .quality: Translated("Quality", "Качество")
    case .format: Translated("Format", "Формат")
    case .bitRate: Translated("Bit rate", "Битрейт")
    case .opusRate: Translated("Opus rate", "Opus")
    case .bitDepth: Translated("Bit depth", "Разрядность")
    case .sampleRate: Translated("Sample rate", "Частота")
    case .channels: Translated("Channels", "Каналы")
    case .preRecord: Translated("Pre-record", "Предзапись")
    case .source: Translated("Source", "Источник")
    case .lowCut: Translated("Low-cut", "Срез НЧ")
    case .limiter: Translated("Limiter", "Лимитер")
    case .automaticGain: Translated("AGC", "АРУ")
    case .safetyTake: Translated("Safety take", "Страховка")
    case .silence: Translated("Silence", "Тишина")
    case .afterCut: Translated("After a cut", "После сбоя")
    case .ownMarks: Translated("Own marks", "Автометки")
    case .stickFormat: Translated("On the stick", "На флешке")
    case .clipLength: Translated("Clip length", "Длина клипа")
    case .postRoll: Translated("Post-roll", "Дозапись")
    case .overlap: Translated("Overlap", "Наложение")
    case .bySound: Translated("By sound", "По звуку")
    case .byMotion: Translated("By motion", "По движению")
    case .byInput: Translated("By input", "По входу")
    case .skip: Translated("Left, right", "Шаг влево, вправо")
    case .timeline: Translated("Timeline", "На экране")
    case .markTicks: Translated("Mark ticks", "Щелчок на метке")
    case .speed: Translated("Speed", "Скорость")
    case .pitch: Translated("Pitch", "Тон")
    case .skipSilence: Translated("Skip silence", "Без пауз")
    case .volume: Translated("Volume", "Громкость")
    case .left: Translated("Left", "Левый")
    case .right: Translated("Right", "Правый")
    case .dubLanguage: Translated("Language", "Язык")
    case .original: Translated("Original", "Оригинал")
    case .originalVolume: Translated("Orig. volume", "Громк. ориг.")
    case .dubVolume: Translated("Dub volume", "Громк. дубл.")
    case .lowPower: Translated("Low power", "Экономия")
    case .picture: Translated("Picture", "Картинка")
    case .session: Translated("Session", "Сеанс")
    case .sessionRate: Translated("Forced rate", "Своя частота")
    case .talkBack: Translated("Talk-back", "На динамик")
    case .feedSource: Translated("Feed", "Лента")
    case .startMuted: Translated("Start muted", "Без звука")
    case .schedules: Translated("Schedules", "Расписание")
    case .lockedStop: Translated("Locked STOP", "STOP в блоке")
    case .brightness: Translated("Brightness", "Яркость")
    case .inverted: Translated("Inverted", "Инверсия")
    case .language: Translated("UI language", "Язык экрана")
    case .largeText: Translated("Large text", "Крупный текст")
    case .voice: Translated("Voice", "Голос")
    case .voiceRate: Translated("Voice rate", "Темп голоса")
    case .voiceVolume: Translated("Voice volume", "Громк. голоса")
    case .voiceInTakes: Translated("Voice in takes", "Голос в записи")
    case .sound: Translated("Sound", "Звук")
    case .recording: Translated("Recording", "Запись")
    case .microphone: Translated("Microphone", "Микрофон")
    case .playing: Translated("Playing", "Слушать")
    case .clip: Translated("Clip", "Клип")
    case .triggers: Translated("Triggers", "Запуск")
    case .dubbing: Translated("Dubbing", "Дубляж")
    case .screenAndVoice: Translated("Screen, voice", "Экран, голос")
    case .clock: Translated("Date, time", "Дата, время")
    case .device: Translated("Device", "Устройство")
    }
  }
}

/// What the rows of the options say, beside figures.
enum OptionValue: Hashable, Sendable {
  case on, off, mono, stereo, lossless, ofBoard, float, whole
  case kept, leftOut, marked, goesOn, waits, gaps, gapsAndClips, marks
  case asItIs, replaced, mixedIn, stepsBack, sparesNothing, smallStream, noDub, original
  /// Names and abbreviations, the same everywhere.
  case name(String)
  case kilobits(Int)
  case kilohertz(Int)
  case hertz(Int)
  case seconds(Int)
  case decibels(Int)
  case percent(Int)
  case cents(Int)
  case factor(Double)
  case overlap(ClipOverlap)
  case session(SessionChoice)
  case picture(DubPicture)
  case preset(RecordingPreset?)
  /// The language of a dub, by its tag.
  case spoken(String)
  /// A feed by its name.
  case feed(String)
  case schedules(on: Int)
  /// How many there are in a group.
  case rows(Int)
  /// A language in its own words: whoever has lost the way finds it.
  case own(Language)

  static func flag(_ isOn: Bool) -> OptionValue { isOn ? .on : .off }

  static func secondsOrOff(_ seconds: Int) -> OptionValue { seconds == 0 ? .off : .seconds(seconds) }
}

extension OptionValue: Wording {
  var words: Translated {
    switch self {
    case .on: Translated("On", "вкл")
    case .off: Translated("Off", "выкл")
    case .mono: Translated("Mono", "моно")
    case .stereo: Translated("Stereo", "стерео")
    case .lossless: Translated("Lossless", "без потерь")
    case .ofBoard: Translated("Board's", "как у платы")
    case .whole: Translated("all of it", "вся запись")
    case .float: Translated("32 float", "32 плав.")
    case .kept: Translated("kept", "остаётся")
    case .leftOut: Translated("left out", "вырезать")
    case .marked: Translated("marked", "отмечать")
    case .goesOn: Translated("goes on", "продолжать")
    case .waits: Translated("waits", "ждать")
    case .gaps: Translated("gaps", "пропуски")
    case .gapsAndClips: Translated("gaps, clips", "и перегрузки")
    case .marks: Translated("marks", "метки")
    case .asItIs: Translated("as it is", "как есть")
    case .replaced: Translated("replaced", "заменён")
    case .mixedIn: Translated("mixed in", "вместе")
    case .stepsBack: Translated("steps back", "тише")
    case .sparesNothing: Translated("full", "нет")
    case .smallStream: Translated("small stream", "малый поток")
    case .noDub: Translated("no dub", "без дубляжа")
    case .original: Translated("original", "оригинал")
    case .name(let name): Translated(name)
    case .kilobits(let rate): Translated("\(rate) kbit/s", "\(rate) кбит/с")
    case .kilohertz(let rate): Translated(Amounts(.english).kilohertz(rate), Amounts(.russian).kilohertz(rate))
    case .hertz(let rate): Translated("\(rate) Hz", "\(rate) Гц")
    case .seconds(let seconds): Translated("\(seconds) s", "\(seconds) с")
    case .decibels(let gain): Translated(Amounts(.english).gain(gain), Amounts(.russian).gain(gain))
    case .percent(let share): Translated("\(share) %")
    case .cents(let pitch): Translated(Self.signed(pitch) + " ct", Self.signed(pitch) + " ц")
    case .factor(let factor): Translated("x\(factor)", "x" + "\(factor)".map { $0 == "." ? "," : String($0) }.joined())
    case .session(.board): Translated("Board's", "по плате")
    case .session(.baseline): Translated("granted", "как даёт")
    case .session(.preInitialised): Translated("early", "заранее")
    case .session(.forcedRate): Translated("forced", "своя")
    case .session(.locked): Translated("locked", "удержание")
    case .overlap(.merge): Translated("merge", "слить")
    case .overlap(.extend): Translated("extend", "продлить")
    case .overlap(.independent): Translated("independent", "отдельно")
    case .picture(.off): Translated("off", "нет")
    case .picture(.small): Translated("small", "малая")
    case .picture(.large): Translated("large", "большая")
    case .preset(.low): Translated("Low", "низкое")
    case .preset(.medium): Translated("Medium", "среднее")
    case .preset(.high): Translated("High", "высокое")
    case .preset(nil): Translated("Custom", "своё")
    case .spoken(let tag): LanguageNames.words(of: tag)
    case .feed(FeedSources.ownName): Phrase.ownFeed.words
    case .feed(let name): Translated(name)
    case .own(.english): Translated("English")
    case .own(.russian): Translated("Русский")
    case .rows(let number):
      Translated(number == 1 ? "1 row" : "\(number) rows", Russian.count(number, "строка", "строки", "строк"))
    case .schedules(0): Translated("none", "нет")
    case .schedules(let number): Translated("\(number) on", "\(number) вкл")
    }
  }

  private static func signed(_ number: Int) -> String { (number > 0 ? "+" : "") + "\(number)" }
}
