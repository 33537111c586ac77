/// What languages are called on the screens.
enum LanguageNames {
  private static let english = [
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "it": "Italian",
    "ja": "Japanese", "ko": "Korean", "nb": "Norwegian", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian",
    "zh": "Chinese",
  ]

  /// `Spanish`, `Portuguese BR`; the tag itself for a language that has no name here.
  static func name(of tag: String) -> String {
    let parts = tag.split(separator: "-")
    guard let first = parts.first, let name = english[first.lowercased()] else { return tag }
    guard parts.count > 1, let region = parts.dropFirst().first(where: { $0.count == 2 }) else { return name }
    return "\(name) \(region.uppercased())"
  }
}
