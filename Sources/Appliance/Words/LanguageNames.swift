internal import Hardware

/// Languages of dubs as screens call them.
public enum LanguageNames {
  /// `Spanish`, `испанский`; a language that has no Russian name here keeps the English one, or its tag.
  public static func words(of tag: String) -> Translated {
    let english = Languages.name(of: tag)
    guard let russian = russian(Languages.primary(tag)) else { return Translated(english) }
    let region = english.split(separator: " ").dropFirst().joined(separator: " ")
    return Translated(english, region.isEmpty ? russian : "\(russian) \(Self.region(region))")
  }

  private static func region(_ english: String) -> String {
    switch english {
    case "LatAm": "ЛатАм"
    case "simpl.": "упр."
    case "trad.": "трад."
    default: english
    }
  }

  private static func russian(_ code: String) -> String? {
    switch code {
    case "ar": "арабский"
    case "bg": "болгарский"
    case "bn": "бенгальский"
    case "ca": "каталанский"
    case "cs": "чешский"
    case "da": "датский"
    case "de": "немецкий"
    case "el": "греческий"
    case "en": "английский"
    case "es": "испанский"
    case "et": "эстонский"
    case "eu": "баскский"
    case "fa": "персидский"
    case "fi": "финский"
    case "fr": "французский"
    case "he": "иврит"
    case "hi": "хинди"
    case "hr": "хорватский"
    case "hu": "венгерский"
    case "id": "индонезийский"
    case "is": "исландский"
    case "it": "итальянский"
    case "ja": "японский"
    case "ko": "корейский"
    case "lt": "литовский"
    case "lv": "латышский"
    case "ms": "малайский"
    case "nl": "нидерландский"
    case "no": "норвежский"
    case "pl": "польский"
    case "pt": "португальский"
    case "ro": "румынский"
    case "ru": "русский"
    case "sk": "словацкий"
    case "sl": "словенский"
    case "sr": "сербский"
    case "sv": "шведский"
    case "th": "тайский"
    case "tr": "турецкий"
    case "uk": "украинский"
    case "vi": "вьетнамский"
    case "zh": "китайский"
    default: nil
    }
  }
}
