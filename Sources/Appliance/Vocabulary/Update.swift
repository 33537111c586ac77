public import Hardware

/// What is told of updates of the system.
public enum UpdateNews: Hashable, Sendable {
  /// A stick that was plugged in has this file, and the system takes updates.
  case found(String)
  /// How far it is, or what became of it.
  case told(UpdateReport)
}

/// What the panel asks of updates.
public enum UpdateOrder: Hashable, Sendable {
  /// Has the one on the stick checked and written.
  case install
  /// Starts the board anew, for the first time with what was installed.
  case restart
}

extension UpdateReport {
  /// As a notice says it, which has little room. All of what was refused is in `update.status`.
  var words: Translated {
    switch phase {
    case .none: Translated("")
    case .fetching: Translated("Update: \(percent) % has come.", "Обновление: получено \(percent) %.")
    case .checking: Translated("The update is being checked.", "Обновление проверяется.")
    case .writing: Translated("Update: \(percent) % is written.", "Обновление: записано \(percent) %.")
    case .installed:
      Translated("Update \(text) is installed: RIGHT restarts.", "Обновление \(text) готово. Перезапуск: RIGHT.")
    case .refused:
      Translated("No update: \(reason.english).", "Обновление отклонено: \(reason.text(in: .russian)).")
    case .failed:
      Translated("No update: the version from before runs.", "Обновления нет: работает прежняя версия.")
    case .trial: Translated("A new version is on trial for a minute.", "Новая версия: минута на проверку.")
    case .good: Translated("Updated to \(text).", "Обновлено до \(text).")
    }
  }

  /// By the word that the system begins with.
  private var reason: Translated {
    let code = text.prefix { $0 != ":" }
    return switch code {
    case "unsigned": Translated("it is not signed by who may", "нет нужной подписи")
    case "damaged": Translated("it is damaged, copy it anew", "файл повреждён, скопируйте заново")
    case "board": Translated("it is for another board", "оно для другой платы")
    case "older": Translated("it is older than what runs", "оно старее того, что работает")
    case "unreadable": Translated("there is none to be read", "файл не прочесть")
    case "certificate", "tls": Translated("its server is not to be trusted", "серверу нельзя доверять")
    case "too-large": Translated("it is too large", "файл слишком велик")
    case "storage-full": Translated("there is no room for it", "не хватает места")
    case "cancelled": Translated("it was ended", "загрузка прервана")
    case "no-such-host", "unreachable", "timeout", "interrupted":
      Translated("it does not come: \(code)", "не загрузилось: \(code)")
    case _ where code.hasPrefix("http-"): Translated("its server says \(code)", "ответ сервера: \(code)")
    default: Translated("not now, see update on the console", "не сейчас, см. update на консоли")
    }
  }
}
