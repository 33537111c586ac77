/// How a language says what screens write short: keys, units, abbreviations, days.
struct SpokenLexicon: Sendable {
  private let language: Language
  private let words: [String: String]
  private let abbreviations: Set<String>
  private let units: [String: [String]]
  private let dayNames: [String: String]
  private let signs: (minus: String, plus: String)
  /// Between two times of the day.
  let until: String

  static func of(_ language: Language) -> SpokenLexicon {
    switch language {
    case .english: english
    case .russian: russian
    }
  }

  /// What stands for a word; `nil`: itself.
  func word(_ word: String) -> String? { words[word] ?? dayNames[word] }

  func isAbbreviation(_ word: String) -> Bool { abbreviations.contains(word) }

  func day(_ word: String) -> String? { dayNames[word] }

  /// `5` without a sign, `minus 5`, `plus 5`.
  func signed(_ figure: String) -> String {
    switch figure.first {
    case "-", "−": "\(signs.minus) \(figure.dropFirst())"
    case "+": "\(signs.plus) \(figure.dropFirst())"
    default: figure
    }
  }

  /// `x1.5`.
  func times(_ figure: String) -> String {
    let whole = figure.hasSuffix(".0") || figure.hasSuffix(",0") ? String(figure.dropLast(2)) : figure
    switch language {
    case .english: return whole == "1" ? "normal" : "times \(whole)"
    case .russian: return whole == "1" ? "обычная" : "в \(whole) раза"
    }
  }

  /// A unit behind a figure, inflected; `nil` if it is none.
  func unit(_ unit: String, behind figure: String) -> String? {
    guard let forms = units[unit], forms.count == 3 else { return nil }
    let digits = figure.drop { "+-−".contains($0) }
    guard let number = Int(digits.suffix(9)), digits.count <= 9 else { return forms[1] }
    if language == .english { return number == 1 ? forms[0] : forms[2] }
    let (tens, ones) = (number % 100 / 10, number % 10)
    if tens == 1 { return forms[2] }
    return ones == 1 ? forms[0] : (2...4).contains(ones) ? forms[1] : forms[2]
  }

  private static func english(_ one: String, _ many: String) -> [String] { [one, many, many] }

  private static let english = SpokenLexicon(
    language: .english,
    words: [
      "CENTRE": "centre", "LEFT": "left", "RIGHT": "right", "UP": "up", "DOWN": "down", "REC": "record",
      "STOP": "stop", "MARK": "mark", "LOCK": "lock", "AGC": "automatic gain", "Orig": "original", "mic": "microphone",
      "UI": "screen", "A-B": "A to B", "FLAC": "flack", "ALAC": "A lack", "Wi-Fi": "wifi", "min": "minutes",
      "daily": "every day", "rise": "sunrise",
    ],
    abbreviations: ["Orig"],
    units: [
      "s": english("second", "seconds"), "min": english("minute", "minutes"), "dB": english("decibel", "decibels"),
      "Hz": english("hertz", "hertz"), "kHz": english("kilohertz", "kilohertz"),
      "kbit/s": english("kilobit per second", "kilobits per second"), "ct": english("cent", "cents"),
      "%": english("percent", "percent"), "B": english("byte", "bytes"), "kB": english("kilobyte", "kilobytes"),
      "MB": english("megabyte", "megabytes"), "GB": english("gigabyte", "gigabytes"),
      "TB": english("terabyte", "terabytes"),
    ],
    dayNames: [
      "Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday", "Sat": "Saturday",
      "Sun": "Sunday", "Mo": "Monday", "Tu": "Tuesday", "We": "Wednesday", "Th": "Thursday", "Fr": "Friday",
      "Sa": "Saturday", "Su": "Sunday",
    ],
    signs: ("minus", "plus"), until: "to")

  private static let russian = SpokenLexicon(
    language: .russian,
    words: [
      "CENTRE": "центр", "LEFT": "влево", "RIGHT": "вправо", "UP": "вверх", "DOWN": "вниз", "REC": "рэк",
      "STOP": "стоп", "MARK": "метка", "LOCK": "кнопку блокировки", "АРУ": "автоматическое усиление",
      "НЧ": "низких частот", "вкл": "включено", "выкл": "выключено", "Громк": "громкость", "ориг": "оригинала",
      "дубл": "дубляжа", "предзап": "предзаписи", "микр": "микрофона", "плав": "с плавающей точкой",
      "ежедн": "ежедневно", "ост": "осталось", "восх": "восход", "зах": "закат", "A-B": "от А до Б",
      "A": "А", "Mynah": "Майна",
    ],
    abbreviations: ["Громк", "ориг", "дубл", "предзап", "микр", "плав", "ежедн", "ост"],
    units: [
      "с": ["секунда", "секунды", "секунд"], "мин": ["минута", "минуты", "минут"],
      "дБ": ["децибел", "децибела", "децибел"], "Гц": ["герц", "герца", "герц"],
      "кГц": ["килогерц", "килогерца", "килогерц"],
      "кбит/с": ["килобит в секунду", "килобита в секунду", "килобит в секунду"], "ц": ["цент", "цента", "центов"],
      "%": ["процент", "процента", "процентов"], "Б": ["байт", "байта", "байт"],
      "кБ": ["килобайт", "килобайта", "килобайт"], "МБ": ["мегабайт", "мегабайта", "мегабайт"],
      "ГБ": ["гигабайт", "гигабайта", "гигабайт"], "ТБ": ["терабайт", "терабайта", "терабайт"],
    ],
    dayNames: [
      "Пн": "понедельник", "Вт": "вторник", "Ср": "среда", "Чт": "четверг", "Пт": "пятница", "Сб": "суббота",
      "Вс": "воскресенье",
    ],
    signs: ("минус", "плюс"), until: "до")
}
