/// What other rooms report, in Russian. They say it in English, with what failed and why; where their code tells enough, a
/// sentence of the catalogue stands for it, else theirs is shown.
enum Faults {
  static func russian(_ code: String) -> String? {
    switch code {
    case "storage-full": "Карта заполнена: освободите место."
    case "device-lost": "Устройство отключено: подключите его снова."
    case "not-found": "Такого файла нет."
    case "busy": "Занято: повторите чуть позже."
    case "denied": "Нет доступа."
    case "empty": "Запись слишком короткая: ничего не сохранено."
    case "unsupported": "Это не поддерживается."
    case "safety-ended": "Страховочная запись прервана, основная идёт дальше."
    case "encoder-behind": "Процессор не успевает: звук кодируется проще."
    case "encoder-recovered": "Процессор успевает: звук снова кодируется как прежде."
    case "sealed": "Зашифровано: открыть можно только с ключом."
    case "encrypted": "Источник зашифрован: его не открыть."
    case "not-hls": "По этому адресу нет потока."
    case "feed-endless": "Лента шлёт пустые страницы: считаем, что она кончилась."
    case "feed-circle": "Лента идёт по кругу: считаем, что она кончилась."
    case "feed-malformed": "Это не лента: ответ сервера не разобрать."
    case "feed-silent": "В этом нечего слушать."
    case "not-ready": "За 3 с ничего не пришло."
    case "unreachable": "Сервер недоступен."
    default: code.hasPrefix("http-") ? "Сервер ответил ошибкой \(code.dropFirst(5))." : nil
    }
  }
}
