internal import Hardware

/// What is only ever said, and stands on no screen; Russian with stress marks where the synthesiser would err.
enum PromptWords: Hashable, Sendable {
  case mode(Mode)
  case ready, recording, stopped, ended, kept, unlocked, space, rubOut, otherLetters, nothingTyped, copying, copyStopped
  case clipsReady, capturing, buffering, sources, receipt
  case recordingPaused(Double)
  /// The place of a digit in a PIN.
  case digit(Int)
  case playing(String)
  case playbackPaused(String, at: Double)
  case saved(String, seconds: Double, marks: Int)
  case place(Int, of: Int)
  case found(Int)
  case menu(of: String)
  case mark(number: Int, title: String)
  case at(Double)
  case lasting(Double)
  case left(Double)
  case seek(Double)
  case scrub(Int)
  case skip(Int)
  case name(String)
  case favourite, protected, marked, working
  case markedTakes(Int)
}

extension PromptWords: Wording {
  var words: Translated {
    switch self {
    case .mode(.dictaphone): Translated("Dictaphone", "Диктофо́н")
    case .mode(.clips): Translated("Clips", "Клипы")
    case .mode(.dub): Translated("Dubbing", "Дубля́ж")
    case .mode(.feed): Translated("Feed", "Лента")
    case .ready: Translated("Ready", "Готов к записи")
    case .recording: Translated("Recording", "Запись идёт")
    case .stopped: Translated("Stopped", "Стоп")
    case .ended: Translated("The end", "Конец")
    case .kept: Translated("Kept", "Оставлено")
    case .unlocked: Translated("Unlocked", "Блокировка снята́")
    case .space: Translated("space", "пробел")
    case .rubOut: Translated("rub out", "стереть")
    case .otherLetters: Translated("other letters", "другие буквы")
    case .nothingTyped: Translated("nothing typed", "ничего не набрано")
    case .copying: Translated("Copying", "Копирую")
    case .copyStopped: Translated("Copy stopped", "Копирование остановлено")
    case .clipsReady: Translated("Ready for clips", "Готов снимать клипы")
    case .capturing: Translated("Capturing", "Съёмка")
    case .buffering: Translated("Buffering", "Буферизация")
    case .sources: Translated("Sources", "Источники")
    case .receipt: Translated("Facts of the clip", "Данные клипа")
    case .recordingPaused(let seconds): Self.joined(Translated("Recording paused", "Пауза записи"), .spoken(seconds))
    case .playing(let name): Self.joined(Translated("Playing", "Играет"), .takeName(name), " ")
    case .playbackPaused(let name, let seconds):
      Self.joined(Self.joined(Translated("Paused", "Пауза"), .takeName(name)), .spoken(seconds))
    case .saved(let name, let seconds, let marks): Self.saved(name, seconds, marks)
    case .place(let number, let count): Translated("\(number) of \(count)", "\(number) из \(count)")
    case .found(let count): Translated("\(count) found", "Найдено: \(count)")
    case .menu(let name): Self.joined(Translated("Menu", "Меню"), .takeName(name))
    case .mark(let number, let title):
      Self.joined(Translated("Mark \(number)", "Метка \(number)"), Translated(title))
    case .at(let seconds), .lasting(let seconds): .spoken(seconds)
    case .left(let seconds): Self.left(seconds)
    case .seek(let seconds):
      Self.joined(
        seconds < 0 ? Translated("Back", "Назад") : Translated("Forward", "Вперёд"), .spoken(seconds.magnitude), " ")
    case .scrub(let direction):
      direction < 0
        ? Translated("Scrubbing back", "Перемотка назад") : Translated("Scrubbing forward", "Перемотка вперёд")
    case .skip(let direction):
      direction < 0 ? Translated("Mark before", "Метка раньше") : Translated("Next mark", "Следующая метка")
    case .name(let name): .takeName(name)
    case .digit(let number): Translated("digit \(number)", "цифра \(number)")
    case .favourite: Translated("favourite", "в избранном")
    case .protected: Translated("protected", "защищён")
    case .marked: Translated("marked", "отмечено")
    case .working: Translated("Working", "Идёт работа")
    case .markedTakes(let count):
      Translated(
        count == 1 ? "1 take" : "\(count) takes",
        SpokenAmounts.russian(count, "запись", "записи", "записей", isShe: true))
    }
  }

  private static func saved(_ name: String, _ seconds: Double, _ marks: Int) -> Translated {
    let length = joined(.takeName(name), .spoken(seconds))
    let noted =
      marks > 0
      ? joined(
        length,
        Translated(
          marks == 1 ? "1 mark" : "\(marks) marks", SpokenAmounts.russian(marks, "метка", "метки", "меток", isShe: true)
        ))
      : length
    return Translated("Kept: \(noted.english)", "Сохранено: \(noted.speech(in: .russian))")
  }

  private static func left(_ seconds: Double) -> Translated {
    // To the minute: nobody counts the seconds of hours.
    let coarse = seconds >= 120 ? (seconds / 60).rounded(.down) * 60 : seconds
    let words = Translated.spoken(coarse)
    return Translated("\(words.english) left", "Осталось \(words.speech(in: .russian))")
  }

  private static func joined(_ one: Translated, _ other: Translated, _ separator: String = ", ") -> Translated {
    Translated.joined([one, other], separator)
  }
}

extension Translated {
  /// What a take or clip is called.
  static func takeName(_ name: String) -> Translated {
    Translated(TakeNames.shown(name), TakeNames.shown(name, in: .russian))
  }

  /// A length or a place in time, in words.
  static func spoken(_ seconds: Double) -> Translated {
    Translated(SpokenAmounts.duration(seconds, in: .english), SpokenAmounts.duration(seconds, in: .russian))
  }

  /// Those that are not empty, one after another.
  static func joined(_ parts: [Translated], _ separator: String = ". ") -> Translated {
    func text(_ language: Language) -> String {
      parts.map { $0.speech(in: language) }.filter { !$0.isEmpty }.reduce("") { text, part in
        guard let end = text.last else { return part }
        // A sentence that has ended gets no second full stop.
        return text + (".!?…".contains(end) ? " " : separator) + part
      }
    }
    return Translated(text(.english), text(.russian))
  }
}
