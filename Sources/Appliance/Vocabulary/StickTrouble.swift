/// Why nothing, or not all, was copied to a stick; the raw value is the code of the message on the screen.
public enum StickTrouble: String, Hashable, Sendable, CaseIterable {
  case absent = "stick-absent"
  case unusable = "stick-unusable"
  case full = "stick-full"
  case readOnly = "stick-read-only"
  /// Pulled out while it was written to.
  case lost = "stick-lost"
  /// Longer than its file system takes.
  case tooLong = "stick-file-too-long"
  /// What it gives back is not what was written.
  case unfaithful = "stick-unfaithful"
  /// Something on it stands where the copy is to be.
  case blocked = "stick-blocked"
  /// A take could not be read.
  case unreadable = "stick-source"
  /// All is on it, and it cannot be let go of.
  case held = "stick-held"
}

extension StickTrouble: Wording {
  public var words: Translated {
    switch self {
    case .absent: Translated("No stick: put a USB stick in.", "Флешки нет: вставьте её.")
    case .unusable:
      Translated(
        "The stick cannot be used: format it as exFAT.", "Флешку не прочитать: отформатируйте её в exFAT.")
    case .full:
      Translated("The stick is full: make room on it.", "На флешке нет места: освободите его.")
    case .readOnly:
      Translated("The stick is write-protected.", "Флешка защищена от записи.")
    case .lost:
      Translated(
        "The stick has gone: put it in, copy again.", "Флешку вынули: вставьте её и скопируйте ещё раз.")
    case .tooLong:
      Translated(
        "The take is too long for this stick: format it as exFAT.",
        "Запись велика для флешки: отформатируйте её в exFAT.")
    case .unfaithful:
      Translated("The stick is faulty: take another one.", "Флешка неисправна: возьмите другую.")
    case .blocked:
      Translated("\"Mynah\" on the stick is in the way: rename it.", "На флешке мешает \"Mynah\": переименуйте.")
    case .unreadable: Translated("The take cannot be read: not copied.", "Запись не читается: она не скопирована.")
    case .held: Translated("It is copied; switch off, then pull the stick.", "Скопировано. Выключите и выньте флешку.")
    }
  }
}
