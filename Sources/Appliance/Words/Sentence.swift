public import Hardware

/// What notices say: what happened, to what, what to do.
///
/// A value, for it is in the state long before anybody reads it, and in whatever language. A pointer, for the state is copied
/// in each step.
public indirect enum Sentence: Hashable, Sendable {
  // Takes and clips, by their display names.
  case deleted(String, number: Int, comesBack: Bool)
  case restored(String, number: Int)
  /// What was done to several takes.
  case worked(TakesWork, done: Int, failed: Int)
  case copied(String)
  /// On the stick, which may be pulled out.
  case exported(String, count: Int)
  case stick(StickTrouble)
  case unnoted(String)
  case noted(String)
  case stopping(StopReason)
  case safe(String, StopReason)
  case gap(reason: String)
  case picturesMissing(Int, reason: String)
  case snapshotSaved
  case clipKept(String)

  // Marks; places are whole seconds.
  case mark(number: Int?, at: Int)
  case markDeleted(number: Int)
  /// Tenths of a second.
  case loop([Int])

  // Devices.
  case microphoneLost(isTaking: Bool)
  case microphoneLostInClips
  case cameraLost(isCapturing: Bool)
  case speakerLost(Mode, isPlaying: Bool)
  case networkLost
  case storageLost
  case keysLost
  case storageLow
  case storageFull(Mode)
  case sourceChanged(to: String, from: String, SourceChangeReason)
  case noOtherSource
  case linkLost(String)
  case linkRestored
  case feedOffline
  /// Somebody likes an item of a feed, or no longer.
  case favourite(String, Bool)

  /// REC, while the take before is being saved.
  case queued
  /// How long the clips to come are.
  case clipLength(seconds: Int)

  // Schedules and settings.
  case nextSchedule(Translated)
  case nothingPlanned
  case nothingWithinYear
  case placeUnknown
  case clockUnset
  case scheduleMissed(number: Int, at: Translated, reason: Translated)
  case scheduleDeleted(Translated)
  case notKept(SettingError)
  /// What is wrong in the file that a person has put on the card for the board, and how many more such lines there are.
  case boardMistake(String, more: Int)

  case voice(isOn: Bool)
  /// The panel's PIN can be tried again in so many seconds.
  case wrongPin(seconds: Int)
  /// The clock shows this.
  case clockSet(Translated)
  case zoneSet(String)
  case clockNotSet(isPossible: Bool)
  /// The stick has this update.
  case updateFound(String)
  case update(UpdateReport)
  case refused(Refusal)
  /// What another room has said, in English, and its code.
  case told(code: String, String)
}

extension Sentence: Wording {
  public var words: Translated {
    switch self {
    case .deleted(let name, let number, let comesBack): Self.deleted(name, number, comesBack)
    case .restored(let name, let number):
      number > 1
        ? Translated("\(number) takes are back.", "Возвращено: \(Self.takes(number)).")
        : Translated("\(TakeNames.shown(name)) is back.", "Возвращено: \(Self.russian(name)).")
    case .worked(let work, let done, let failed): Self.worked(work, done, failed)
    case .copied(let name): Translated("\(TakeNames.shown(name)) is there.", "Скопировано: \(Self.russian(name)).")
    case .exported(let name, let count):
      count == 1
        ? Translated(
          "\(TakeNames.shown(name)) is on the stick. It is safe to remove.",
          "На флешке: \(Self.russian(name)). Её можно вынимать.")
        : Translated(
          "\(count) takes are on the stick. It is safe to remove.",
          "На флешке \(Russian.count(count, "запись", "записи", "записей")). Её можно вынимать.")
    case .stick(let trouble): trouble.words
    case .unnoted(let name):
      Translated(
        "\(TakeNames.shown(name)): the sound is kept, its notes and marks not yet. Make room: they are tried again.",
        "\(Self.russian(name)): звук сохранён, метки ещё нет. Освободите место, и они запишутся.")
    case .noted(let name):
      Translated("\(TakeNames.shown(name)) is safe, notes and all.", "Сохранено с метками: \(Self.russian(name)).")
    case .stopping(.deviceLost):
      Translated("Microphone lost: the take is being saved.", "Микрофон отключён: запись сохраняется.")
    case .stopping(.storageFull):
      Translated("Storage is full: the take is being saved.", "Карта заполнена: запись сохраняется.")
    case .stopping:
      Translated("Recording failed: what there is is being saved.", "Сбой записи: то, что есть, сохраняется.")
    case .safe(let name, .deviceLost):
      Translated(
        "Microphone lost: \(TakeNames.shown(name)) is safe up to there.",
        "Микрофон отключён. Сохранено до этого места: \(Self.russian(name)).")
    case .safe(let name, .storageFull):
      Translated(
        "Storage is full: \(TakeNames.shown(name)) is safe. Delete takes to go on.",
        "Карта заполнена. Сохранено: \(Self.russian(name)). Удалите записи, чтобы продолжить.")
    case .safe(let name, _):
      Translated(
        "Recording failed: \(TakeNames.shown(name)) is safe up to there.",
        "Сбой записи. Сохранено до этого места: \(Self.russian(name)).")
    case .gap(let reason):
      Translated(
        "Sound was lost and became silence: \(reason).", "Часть звука потеряна, на её месте тишина.")
    case .picturesMissing(let number, let reason):
      Translated(
        "\(Self.pictures(number)): \(reason).",
        "Потеря: \(Russian.count(number, "кадр", "кадра", "кадров")).")
    case .snapshotSaved: Translated("Picture saved.", "Снимок сохранён.")
    case .clipKept(let name):
      Translated("\(TakeNames.shown(name)) kept.", "Сохранено: \(Self.russian(name)).")
    case .mark(let number, let seconds):
      Translated(
        "Mark\(number.map { " \($0)" } ?? "") at \(Self.place(seconds, .english)).",
        "Метка\(number.map { " \($0)" } ?? ""): \(Self.place(seconds, .russian)).")
    case .markDeleted(let number):
      Translated(
        "Mark \(number) is deleted: hold RIGHT brings it back.", "Метка \(number) удалена. Вернуть: долго RIGHT.")
    case .loop(let places): Self.loop(places)
    case .microphoneLost(true):
      Translated("Microphone lost: what was recorded is safe.", "Микрофон отключён: записанное сохранено.")
    case .microphoneLost(false): Translated("Microphone lost: no recording.", "Микрофон отключён: записи не будет.")
    case .microphoneLostInClips:
      Translated("Microphone lost: clips go on without sound.", "Микрофон отключён: клипы будут без звука.")
    case .cameraLost(true):
      Translated("Camera lost: the clip goes on with sound.", "Камера отключена: клип идёт дальше со звуком.")
    case .cameraLost(false): Translated("Camera lost: plug it in.", "Камера отключена: подключите её.")
    case .speakerLost(.clips, _): Translated("Speaker lost: clips are still kept.", "Нет динамика: клипы сохраняются.")
    case .speakerLost(.dub, true), .speakerLost(.feed, true):
      Translated("Speaker lost: paused. CENTRE goes on.", "Нет динамика: пауза. Дальше: CENTRE.")
    case .speakerLost: Translated("Speaker lost: recording still works.", "Нет динамика: записывать можно.")
    case .networkLost: Translated("No network: what is here can be played.", "Нет сети: то, что на карте, играет.")
    case .storageLost: Translated("Storage lost: put the card back.", "Нет карты: вставьте её снова.")
    case .keysLost: Translated("Some keys do not work.", "Некоторые кнопки не работают.")
    case .storageLow: Translated("Storage is nearly full.", "Карта почти заполнена.")
    case .storageFull(.clips):
      Translated("Storage is full: delete clips to capture.", "Карта заполнена: удалите клипы, чтобы снимать.")
    case .storageFull:
      Translated("Storage is full: delete takes to record.", "Карта заполнена: удалите записи, чтобы записывать.")
    case .sourceChanged(let name, let before, .lost):
      Translated("Microphone \(before) is lost: \(name) is heard.", "Микрофон \(before) отключён: работает \(name).")
    case .sourceChanged(let name, _, .returned):
      Translated("Microphone \(name) is back, and heard.", "Микрофон \(name) снова работает.")
    case .sourceChanged(let name, let before, .absent):
      Translated("Microphone \(before) is not there: \(name) is heard.", "Микрофона \(before) нет: работает \(name).")
    case .sourceChanged(let name, _, .chosen): Translated("Microphone: \(name).", "Микрофон: \(name).")
    case .noOtherSource: Translated("There is no other microphone.", "Другого микрофона нет.")
    case .linkLost(let text):
      // What is long loses its end.
      Translated(
        "Link lost, tried again by itself"
          + (text.isEmpty ? "." : ": \(PlainWords.of(text))\(text.hasSuffix(".") ? "" : ".")"),
        "Связь потеряна. Попытки повторяются сами.")
    case .linkRestored: Translated("The link is back.", "Связь восстановлена.")
    case .feedOffline: Translated("No network: what was kept plays.", "Нет сети: играет сохранённое.")
    case .favourite(let name, true):
      Translated("Favourite: \(TakeNames.shown(name)).", "В избранном: \(Self.russian(name)).")
    case .favourite(let name, false):
      Translated("No favourite any more: \(TakeNames.shown(name)).", "Не в избранном: \(Self.russian(name)).")
    case .queued:
      Translated(
        "The next take has begun. This one is being saved.", "Новая запись началась. Прежняя сохраняется.")
    case .clipLength(let seconds): Translated("Clips of \(seconds) s.", "Длина клипа: \(seconds) с.")
    case .nextSchedule(let time):
      Translated("Next: \(time.english).", "Следующая запись: \(time.text(in: .russian)).")
    case .nothingWithinYear: Translated("Nothing is planned within a year.", "На год вперёд ничего не запланировано.")
    case .placeUnknown:
      Translated(
        "Where the sun rises is not known: set zone and place.",
        "Неизвестно, где восходит солнце: задайте пояс и место.")
    case .clockUnset:
      Translated("The clock is not set: schedules wait until it is.", "Часы не установлены: расписание ждёт.")
    case .scheduleMissed(let number, let time, let reason):
      Translated(
        "Schedule \(number) of \(time.english) was missed: \(reason.english).",
        "Пропущена запись по расписанию \(number), \(time.text(in: .russian)): \(reason.text(in: .russian)).")
    case .scheduleDeleted(let title):
      Translated(
        "\(title.english) is deleted: hold RIGHT brings it back.",
        "Удалено: \(title.text(in: .russian)). Вернуть: долго RIGHT.")
    case .notKept(let error): Translated("Not kept: \(error).", "Не сохранено: \(error.words.text(in: .russian)).")
    case .boardMistake(let text, let more):
      Translated(
        text + (more > 0 ? " And \(more) more: doctor." : ""),
        "Ошибка: \(text)" + (more > 0 ? " И ещё \(more): doctor." : ""))
    case .nothingPlanned: Translated("Nothing is planned.", "Ничего не запланировано.")
    case .clockSet(let time):
      Translated("The clock shows \(time.english).", "На часах \(time.text(in: .russian)).")
    case .zoneSet(let zone): Translated("Zone: \(zone).", "Пояс: \(zone).")
    case .clockNotSet(true):
      Translated("The clock was not set: try again, or see the log.", "Часы не поставлены: попробуйте ещё раз.")
    case .clockNotSet(false):
      Translated("Nothing here can set the clock.", "Здесь часы поставить нечем.")
    case .wrongPin(let seconds):
      Translated("Wrong PIN. Try again in \(seconds) s.", "Неверный ПИН-код. Повторите через \(seconds) с.")
    case .voice(true): Translated("The voice is on.", "Голос включён.")
    case .voice(false): Translated("The voice is off.", "Голос выключен.")
    case .updateFound(let name):
      Translated("Update on the stick, \(name): RIGHT installs it.", "На флешке обновление \(name). Установить: RIGHT.")
    case .update(let report): report.words
    case .refused(let refusal): refusal.words
    case .told(let code, let text):
      Translated(PlainWords.of(text), Faults.russian(code) ?? PlainWords.of(text))
    }
  }

  private static func deleted(_ name: String, _ number: Int, _ comesBack: Bool) -> Translated {
    let what = number > 1 ? "\(number) takes are" : "\(TakeNames.shown(name)) is"
    let russian = number > 1 ? Russian.count(number, "запись", "записи", "записей") : Self.russian(name)
    return comesBack
      ? Translated(
        "\(what) deleted: LEFT brings \(number > 1 ? "them" : "it") back.", "Удалено: \(russian). Вернуть: LEFT.")
      : Translated("\(what) deleted.", "Удалено: \(russian).")
  }

  private static func takes(_ number: Int) -> String { Russian.count(number, "запись", "записи", "записей") }

  private static func worked(_ work: TakesWork, _ done: Int, _ failed: Int) -> Translated {
    let count = done == 1 ? "1 take" : "\(done) takes"
    let said =
      switch work {
      case .delete: Translated("\(count) deleted", "Удалено: \(takes(done))")
      case .favourite(true): Translated("\(count) made favourite", "В избранном: \(takes(done))")
      case .favourite(false): Translated("\(count) no favourite now", "Не в избранном: \(takes(done))")
      case .protect(true): Translated("\(count) protected", "Защищено: \(takes(done))")
      case .protect(false): Translated("\(count) not protected now", "Без защиты: \(takes(done))")
      case .export: Translated("\(count) on the stick", "На флешке: \(takes(done))")
      }
    let rest = failed > 0 ? Translated(", \(failed) not", ", не вышло: \(failed)") : Translated("")
    return Translated("\(said.english)\(rest.english).", said.text(in: .russian) + rest.text(in: .russian) + ".")
  }

  private static func loop(_ places: [Int]) -> Translated {
    let (english, russian) = (
      places.map { Amounts(.english).place(tenths: $0) }, places.map { Amounts(.russian).place(tenths: $0) }
    )
    guard let start = english.first, let begin = russian.first else {
      return Translated("A-B off.", "Повтор A-B выключен.")
    }
    guard let end = english.dropFirst().first, let last = russian.dropFirst().first else {
      return Translated("A at \(start).", "A: \(begin).")
    }
    return Translated("\(start) to \(end).", "Повтор: \(begin) – \(last).")
  }

  private static func pictures(_ number: Int) -> String {
    number == 1 ? "A picture is missing" : "\(number) pictures are missing"
  }

  private static func russian(_ name: String) -> String { TakeNames.shown(name, in: .russian) }

  private static func place(_ seconds: Int, _ language: Language) -> String {
    Amounts(language).timer(Double(seconds))
  }
}
