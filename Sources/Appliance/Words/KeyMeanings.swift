// What keys do, in a few words for the guide; `nil`: nothing to speak of.

extension PanelEvent {
  var meaning: Translated? {
    switch self {
    case .openList: Translated("list", "список")
    case .openMarks: Translated("marks", "метки")
    case .openOptions: Translated("options", "настройки")
    case .openSpeed: Translated("speed, pitch", "скорость, тон")
    case .openGuide: Translated("guide", "гид")
    case .close: Translated("close", "закрыть")
    case .enterOption: Translated("open, close", "открыть, закрыть")
    case .schedule(let key): key.meaning
    case .clock(let key): key.meaning
    case .move(-1): Translated("up", "вверх")
    case .move(1): Translated("down", "вниз")
    case .move(let rows): rows < 0 ? Translated("page up", "страница вверх") : Translated("page down", "страница вниз")
    case .changeOption(let direction):
      direction < 0 ? Translated("less, back", "меньше, назад") : Translated("more, open", "больше, открыть")
    case .lock: Translated("lock", "блокировка")
    case .unlock: Translated("unlock (2 s)", "снять (2 с)")
    case .changeMode, .wait: nil
    }
  }
}

extension ScheduleKey {
  var meaning: Translated {
    switch self {
    case .edit: Translated("edit", "изменить")
    case .enable(true): Translated("on", "вкл")
    case .enable(false): Translated("off", "выкл")
    case .remove: Translated("delete", "удалить")
    case .restore: Translated("bring back", "вернуть")
    case .change(let direction, false): .step(direction)
    case .change(let direction, true):
      direction < 0 ? Translated("much less", "намного меньше") : Translated("much more", "намного больше")
    case .leave: Translated("keep, list", "сохранить, список")
    }
  }
}

extension ClockKey {
  var meaning: Translated {
    switch self {
    case .change(let direction, _): .step(direction)
    case .go(let step): step < 0 ? Translated("left", "влево") : Translated("right", "вправо")
    case .set: Translated("set the clock", "поставить часы")
    case .leave: Translated("leave as it is", "не менять")
    }
  }
}

extension BrowseKey {
  var meaning: Translated {
    switch self {
    case .open: Translated("menu, search", "меню, поиск")
    case .enter: Translated("choose", "выбрать")
    case .change(let direction): .step(direction)
    case .letter(let direction): direction < 0 ? Translated("left", "влево") : Translated("right", "вправо")
    case .neighbour(let direction):
      direction < 0 ? Translated("take above", "запись выше") : Translated("take below", "запись ниже")
    case .copyToStick: Translated("to the stick, stop", "на флешку, стоп")
    case .leave: Translated("back", "назад")
    case .mark: Translated("mark, unmark", "отметить, снять")
    case .endMarking: Translated("mark none", "снять отметки")
    case .cancelWork: Translated("stop the work", "прервать")
    }
  }
}

extension DictaphoneState {
  func meaning(of event: DictaphoneEvent) -> Translated? {
    switch event {
    case .record where activity == .saving: Translated("record the next take", "начать следующую запись")
    case .record: .record
    case .pause: .pause
    case .resume: .resume
    case .stop: recording.take == nil ? .stop : Translated("stop and save", "стоп и сохранить")
    case .mark: Translated("mark", "метка")
    case .level(let step):
      Translated(
        "input level \(step < 0 ? "-" : "+")\(abs(step)) dB", "уровень \(step < 0 ? "-" : "+")\(abs(step)) дБ")
    case .source: Translated("source", "источник")
    case .play, .open, .playSelected: .play
    case .seek(let seconds): .seek(seconds)
    case .skip(let direction):
      direction < 0
        ? Translated("back 10 s, mark", "назад 10 с, метка") : Translated("forward 10 s, mark", "вперёд 10 с, метка")
    case .goToMark: Translated("go to it", "перейти к ней")
    case .moveMark(let steps):
      steps < 0 ? Translated("0.1 s earlier", "на 0,1 с раньше") : Translated("0.1 s later", "на 0,1 с позже")
    case .removeMark: Translated("delete mark", "удалить метку")
    case .restoreMark: Translated("bring it back", "вернуть её")
    case .scrub(let direction): .scrub(direction)
    case .loop: Translated("repeat A-B", "повтор A-B")
    case .browse(let key): key.meaning
    case .askDelete: .delete
    case .confirmDelete: .confirmDelete
    case .cancelDelete: .keep
    case .recorder, .player: nil
    }
  }
}

extension ClipsState {
  func meaning(of event: ClipsEvent) -> Translated? {
    switch event {
    case .trigger: Translated("keep a clip", "сохранить клип")
    case .continuous: Translated("clips without end", "клипы без конца")
    case .timeLapse: Translated("time-lapse", "покадровая съёмка")
    case .endPostRoll: Translated("end the clip now", "закончить клип")
    case .snapshot: Translated("keep the picture", "сделать снимок")
    case .stepWindow: Translated("length of clips", "длина клипов")
    case .playLast: Translated("play the last clip", "последний клип")
    case .play, .open, .playSelected: .play
    case .pause: .pause
    case .stop: .stop
    case .seek(let seconds): seconds < 0 ? Translated("back", "назад") : Translated("forward", "вперёд")
    case .openReceipt: Translated("facts of the clip", "данные клипа")
    case .closeReceipt: Translated("close", "закрыть")
    case .toggleProtection: Translated("protect, or not", "защита вкл, выкл")
    case .askDelete: .delete
    case .confirmDelete: .confirmDelete
    case .cancelDelete: .keep
    case .recorder, .player: nil
    }
  }
}

extension DubState {
  func meaning(of event: DubEvent) -> Translated? {
    switch event {
    case .start, .startNamed: .play
    case .startNeighbour(let step):
      step < 0 ? Translated("play what is above", "играть верхнее") : Translated("play what is below", "играть нижнее")
    case .stop: .stop
    case .pause: .pause
    case .resume: .resume
    case .seek(let seconds): .seek(seconds)
    case .scrub(let direction): .scrub(direction)
    case .stepPicture: Translated("size of the picture", "размер картинки")
    case .enable(true): Translated("dub", "дубляж")
    case .enable(false): Translated("original", "оригинал")
    case .record: isBusy ? Translated("end this, record", "прервать, записать") : .record
    case .sources, .player: nil
    }
  }
}

extension FeedState {
  func meaning(of event: FeedEvent) -> Translated? {
    switch event {
    case .open: Translated("open the feed", "открыть ленту")
    case .start: fault == nil ? .play : Translated("try again", "повторить")
    case .step(let step):
      step < 0 ? Translated("the one before", "предыдущее") : Translated("the next one", "следующее")
    case .refresh: Translated("load the feed anew", "обновить ленту")
    case .stop: .stop
    case .leave: Mode.dictaphone.goTo
    case .pause: .pause
    case .resume: .resume
    case .unmute: Translated("sound on", "включить звук")
    case .seek(let seconds): .seek(seconds)
    case .scrub(let direction): .scrub(direction)
    case .toggleFavourite: Translated("favourite, or not", "избранное вкл, выкл")
    case .record: isBusy ? Translated("end this, record", "прервать, записать") : .record
    case .report: nil
    }
  }
}

extension Mode {
  /// What the guide says of the key that takes it up.
  var goTo: Translated {
    switch self {
    case .dictaphone: Translated("go to dictaphone", "диктофон")
    case .clips: Translated("go to clips", "клипы")
    case .dub: Translated("go to dubbing", "дубляж")
    case .feed: Translated("go to the feed", "лента")
    }
  }
}

extension KeyGuideLine {
  static let voice = Translated("voice on, off (3 s)", "голос вкл, выкл (3 с)")
  static let undoDelete = Translated("after delete: undo", "после удаления: вернуть")
}

/// What several modes say.
extension Translated {
  fileprivate static let record = Translated("record", "запись")
  fileprivate static let play = Translated("play", "воспроизвести")
  fileprivate static let pause = Translated("pause", "пауза")
  fileprivate static let resume = Translated("go on", "дальше")
  fileprivate static let stop = Translated("stop", "стоп")
  fileprivate static let delete = Translated("delete", "удалить")
  fileprivate static let confirmDelete = Translated("yes, delete", "да, удалить")
  fileprivate static let keep = Translated("keep", "оставить")

  fileprivate static func step(_ direction: Int) -> Translated {
    direction < 0 ? Translated("less", "меньше") : Translated("more", "больше")
  }

  fileprivate static func seek(_ seconds: Double) -> Translated {
    seconds < 0 ? Translated("back 10 s", "назад 10 с") : Translated("forward 10 s", "вперёд 10 с")
  }

  fileprivate static func scrub(_ direction: Int) -> Translated {
    direction < 0 ? Translated("scrub back", "перемотка назад") : Translated("scrub forward", "перемотка вперёд")
  }
}
