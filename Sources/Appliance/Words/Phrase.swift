/// What the screens say by themselves: headings, hints, words beside figures. Tests see that each fits where it stands.
public enum Phrase: String, Hashable, Sendable, CaseIterable {
  case ready, noMicrophone, noMicrophoneAdvice, storageFull, storageFullAdvice, preRecord, preRecordOff, left
  case gain, nextSchedule, hintTakes, hintGuide, badgeRecording, badgePaused, badgeSaving, badgeScrub
  case hintResume, hintSave, silence, waitingForVoice, saving, savingAdvice, hintSeek, hintMarks, hintPlay
  case noSpeaker, takes, noTakes, noTakesAdvice, favourites, favourite, nothingFound, nothingFoundAdvice, menu
  case tags, newTag, renameTake, typedAll, information, search, order, newest, oldest, byName, longest, largest
  case shownTakes, all, copyTake, deleteTake, storage, press, stopIt, yes, no, date, length, format, size
  case gaps, files, ended, microphone, free, name, marks, noMarks, noMarksAdvice, schedules, schedule
  case soundIn, soundOut, addSchedule, zoneAndPlace, on, off, readingList, deleteQuestion, deleteYes, deleteNo, options,
    guide
  case locked, unlockAdvice, pin, pinAdvice, pinWrong, anyKey, preparing, filling, opening, noCamera, noCameraAdvice
  case storageFullClipAdvice, fits, noneLost, lost, noSound, seconds, endless, hintEndClip, clips, noClips
  case noClipsAdvice, deleteClip, dub, noSources, noSourcesAdvice, original, buffering, dubPaused, linkLost
  case live, onTime, hintStop, hintRecord, rungService, rungRendition, rungSidecar, rungSynthesised, hold
  case version, board, framesPerSecond
  case signingKey, sparing, memory, processor, card, heat, throttled, battery
  case exportTake, stick, noStick, noStickAdvice, stickReady, stickReadyAdvice, stickWait, stickWaitAdvice, stickSafe
  case stickUnusable, stickUnusableAdvice, exportAll, stickReadyForAllAdvice
  case markTakes, protectTake, noOrYes, deleteMany
  case dateAndTime, clockAdvice, clockWait
  case camera, pictures, sound, savedAfter, milliseconds
  case feed, ownFeed, feedLoading, feedEmpty, feedEmptyAdvice, feedFailed, muted, offline, hintRetry, hintUnmute,
    hintNext
  case storageMissing, storageMissingAdvice, storageRefuses, storageRefusesAdvice
}

extension Phrase: Wording {
  public var words: Translated {
    switch self {
    case .ready: Translated("Ready", "Готов")
    case .noMicrophone: Translated("No mic", "Нет микр.")
    case .noMicrophoneAdvice:
      Translated(
        "Plug in a microphone: it is used at once. Takes can be played.",
        "Подключите микрофон: он заработает сразу. Записи можно слушать.")
    case .storageFull: Translated("Card full", "Нет места")
    case .storageFullAdvice:
      Translated(
        "Delete takes (DOWN: list, hold RIGHT) or put in another card.",
        "Удалите записи (DOWN: список, долго RIGHT) или вставьте другую карту.")
    case .storageMissing: Translated("No card", "Нет карты")
    case .storageMissingAdvice:
      Translated(
        "Put it back: it is used at once. With another one, restart.",
        "Вставьте её снова: она заработает сразу. С другой включите заново.")
    case .storageRefuses: Translated("Read-only", "Нет записи")
    case .storageRefusesAdvice:
      Translated(
        "It takes no files, the log says why. Put in another card.",
        "На карту нельзя писать, причина в журнале. Вставьте другую.")
    case .preRecord: Translated("pre-record", "предзапись")
    case .preRecordOff: Translated("no pre-record", "без предзап.")
    case .left: Translated("left", "ост.")
    case .gain: Translated("gain", "усил.")
    case .nextSchedule: Translated("next", "след.")
    case .hintTakes: Translated("DOWN takes", "DOWN: все")
    case .hintGuide: Translated("hold UP guide", "долго UP: гид")
    case .badgeRecording: Translated("REC", "REC")
    case .badgePaused: Translated("PAUSED", "ПАУЗА")
    case .badgeSaving: Translated("SAVING", "СОХР.")
    case .badgeScrub: Translated("SCRUB", "ПОИСК")
    case .hintResume: Translated("REC goes on", "REC: дальше")
    case .hintSave: Translated("STOP saves", "STOP: конец")
    case .silence: Translated("Microphone lost", "Микрофон отключён")
    case .waitingForVoice: Translated("waiting for a voice", "ожидание голоса")
    case .saving: Translated("Saving…", "Сохранение…")
    case .savingAdvice: Translated("Leave card and power in", "Не снимать карту, питание")
    case .hintSeek: Translated("◀▶ 10 s, hold: scrub", "◀▶ 10с, долго: поиск")
    case .hintMarks: Translated("◀▶ marks, hold: scrub", "◀▶ метки, поиск")
    case .hintPlay: Translated("CENTRE plays", "CENTRE: пуск")
    case .noSpeaker: Translated("No speaker", "Нет динамика")
    case .takes: Translated("Takes", "Записи")
    case .noTakes: Translated("No takes yet", "Записей пока нет")
    case .noTakesAdvice: Translated("REC makes the first", "REC начнёт первую")
    case .favourites: Translated("Favourites", "Избранное")
    case .favourite: Translated("Favourite", "В избранном")
    case .nothingFound: Translated("No such take", "Ничего не найдено")
    case .nothingFoundAdvice: Translated("hold LEFT: search, show", "долго LEFT: поиск, показ")
    case .menu: Translated("Menu", "Меню")
    case .tags: Translated("Tags", "Теги")
    case .newTag: Translated("New tag", "Новый тег")
    case .renameTake: Translated("Rename", "Переименовать")
    case .typedAll: Translated("Done", "Готово")
    case .information: Translated("Info", "Сведения")
    case .search: Translated("Search", "Поиск")
    case .order: Translated("Sort", "Порядок")
    case .newest: Translated("newest", "новые")
    case .oldest: Translated("oldest", "старые")
    case .byName: Translated("name", "по имени")
    case .longest: Translated("longest", "длинные")
    case .largest: Translated("largest", "большие")
    case .shownTakes: Translated("Show", "Показать")
    case .all: Translated("all", "все")
    case .copyTake: Translated("Copy", "Копировать")
    case .deleteTake: Translated("Delete", "Удалить")
    case .storage: Translated("Card", "Карта")
    case .press: Translated("CENTRE", "CENTRE")
    case .stopIt: Translated("CENTRE stops", "CENTRE: стоп")
    case .yes: Translated("yes", "да")
    case .no: Translated("no", "нет")
    case .date: Translated("Date", "Дата")
    case .length: Translated("Length", "Длина")
    case .format: Translated("Format", "Формат")
    case .size: Translated("Size", "Размер")
    case .gaps: Translated("Gaps", "Пропуски")
    case .files: Translated("Files", "Файлы")
    case .ended: Translated("Ended by", "Завершение")
    case .microphone: Translated("Microphone", "Микрофон")
    case .free: Translated("Free", "Свободно")
    case .name: Translated("Name", "Имя")
    case .marks: Translated("Marks", "Метки")
    case .noMarks: Translated("No marks yet", "Меток пока нет")
    case .noMarksAdvice: Translated("REC sets one", "REC ставит метку")
    case .schedules: Translated("Schedules", "Расписание")
    case .schedule: Translated("Schedule", "Запись по времени")
    case .addSchedule: Translated("Add", "Добавить")
    case .zoneAndPlace: Translated("Zone and place", "Пояс и место")
    case .on: Translated("on", "вкл")
    case .off: Translated("off", "выкл")
    case .readingList: Translated("Reading the list…", "Чтение списка…")
    case .deleteQuestion: Translated("Delete take?", "Удалить?")
    case .deleteYes: Translated("CENTRE deletes it", "CENTRE: удалить")
    case .deleteNo: Translated("any other key keeps it", "другая кнопка: оставить")
    case .options: Translated("Options", "Настройки")
    case .guide: Translated("Keys and info", "Кнопки и сведения")
    case .locked: Translated("Locked", "Заперто")
    case .unlockAdvice: Translated("Hold LOCK 2 s to unlock", "Снять: держите LOCK 2 с")
    case .pin: Translated("PIN", "ПИН-код")
    case .pinAdvice: Translated("▶ next, CENTRE tries it", "▶ дальше, CENTRE: ввод")
    case .pinWrong: Translated("Wrong. Once more", "Неверно. Ещё раз")
    case .anyKey: Translated("any key: close", "любая кнопка: закрыть")
    case .preparing: Translated("New take", "Новая запись")
    case .filling: Translated("Filling…", "Копится…")
    case .opening: Translated("Camera…", "Камера…")
    case .noCamera: Translated("No camera", "Нет камеры")
    case .noCameraAdvice:
      Translated(
        "Plug in the camera: it is used at once. Clips can be played.",
        "Подключите камеру: она заработает сразу. Клипы можно смотреть.")
    case .storageFullClipAdvice:
      Translated(
        "Delete clips (DOWN: list, hold RIGHT) or put in another card.",
        "Удалите клипы (DOWN: список, долго RIGHT) или вставьте другую карту.")
    case .fits: Translated("fits", "есть")
    case .noneLost: Translated("none lost", "без потерь")
    case .lost: Translated("lost", "пот.")
    case .noSound: Translated("No sound", "Нет звука")
    case .seconds: Translated("s", "с")
    case .milliseconds: Translated("ms", "мс")
    case .camera: Translated("Camera", "Камера")
    case .pictures: Translated("Pictures", "Кадры")
    case .sound: Translated("Sound", "Звук")
    case .savedAfter: Translated("Safe after", "Сохранён за")
    case .endless: Translated("Till STOP", "До STOP")
    case .hintEndClip: Translated("STOP ends now", "STOP: конец")
    case .clips: Translated("Clips", "Клипы")
    case .noClips: Translated("No clips yet", "Клипов пока нет")
    case .noClipsAdvice: Translated("REC keeps the first", "REC сохранит первый")
    case .deleteClip: Translated("Delete clip?", "Удалить клип?")
    case .dub: Translated("Dub:", "Дубляж:")
    case .noSources: Translated("Nothing to play", "Нет источников")
    case .noSourcesAdvice: Translated("Takes and clips play here", "Здесь — записи и клипы")
    case .original: Translated("Original", "Оригинал")
    case .buffering: Translated("Buffering", "Буферизация")
    case .dubPaused: Translated("Paused", "Пауза")
    case .linkLost: Translated("link lost", "нет связи")
    case .live: Translated("LIVE", "ЭФИР")
    case .onTime: Translated("on time", "вовремя")
    case .hintStop: Translated("STOP ends it", "STOP: конец")
    case .hintRecord: Translated("REC records", "REC: запись")
    case .rungService: Translated("Live dub", "Дубляж")
    case .rungRendition: Translated("Track", "Дорожка")
    case .rungSidecar: Translated("Sidecar", "Файл рядом")
    case .rungSynthesised: Translated("Spoken here", "Синтез речи")
    case .hold: Translated("hold", "долго")
    case .version: Translated("Mynah", "Mynah")
    case .board: Translated("board", "плата")
    case .signingKey: Translated("signing key", "ключ подписи")
    case .sparing: Translated("sparing", "экономия")
    case .memory: Translated("memory", "память")
    case .processor: Translated("processor", "процессор")
    case .card: Translated("card", "карта")
    case .heat: Translated("heat", "нагрев")
    case .throttled: Translated("throttled", "медленно")
    case .battery: Translated("battery", "батарея")
    case .soundIn: Translated("sound in", "звук: вход")
    case .soundOut: Translated("sound out", "звук: выход")
    case .framesPerSecond: Translated("fps", "к/с")
    case .exportTake: Translated("To stick", "На флешку")
    case .exportAll: Translated("All to stick", "Всё на флешку")
    case .stick: Translated("Stick", "Флешка")
    case .noStick: Translated("No stick", "Нет флешки")
    case .noStickAdvice: Translated("Put a USB stick in", "Вставьте USB-флешку")
    case .stickReady: Translated("Stick is in", "Флешка вставлена")
    case .stickReadyAdvice: Translated("CENTRE copies the take", "CENTRE: копировать")
    case .stickReadyForAllAdvice: Translated("CENTRE copies all", "CENTRE: всё на неё")
    case .stickWait: Translated("Leave the stick in", "Не вынимайте флешку")
    case .stickWaitAdvice: Translated("CENTRE stops", "CENTRE: стоп")
    case .stickSafe: Translated("Safe to remove", "Можно вынимать")
    case .markTakes: Translated("Mark several", "Отметить")
    case .protectTake: Translated("Protect", "Защита")
    case .noOrYes: Translated("no / yes", "нет / да")
    case .deleteMany: Translated("Delete them?", "Удалить все?")
    case .dateAndTime: Translated("Date and time", "Дата и время")
    case .clockAdvice: Translated("CENTRE sets the clock", "CENTRE: поставить")
    case .clockWait: Translated("The clock is being set", "Часы ставятся")
    case .stickUnusable: Translated("Stick not usable", "Флешка не подходит")
    case .stickUnusableAdvice: Translated("Format it as exFAT", "Отформатируйте в exFAT")
    case .feed: Translated("Feed", "Лента")
    case .ownFeed: Translated("clips, takes", "клипы, записи")
    case .feedLoading: Translated("Loading…", "Загрузка…")
    case .feedEmpty: Translated("Nothing here", "Здесь пусто")
    case .feedEmptyAdvice: Translated("CENTRE loads anew", "CENTRE: обновить")
    case .feedFailed: Translated("Cannot play", "Не играет")
    case .muted: Translated("MUTED", "БЕЗ ЗВУКА")
    case .offline: Translated("OFFLINE", "БЕЗ СЕТИ")
    case .hintRetry: Translated("CENTRE tries again", "CENTRE: повторить")
    case .hintUnmute: Translated("CENTRE: sound on", "CENTRE: звук")
    case .hintNext: Translated("UP, DOWN: others", "UP, DOWN: другие")
    }
  }
}
