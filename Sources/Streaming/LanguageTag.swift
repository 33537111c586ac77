/// Languages as RFC 5646 writes them. Pure.
public enum LanguageTag {
  /// Whether somebody who asks for `wanted` is served by `offered`: `es` by `es-MX`, and the other way round; `spa` by `es`.
  public static func matches(_ wanted: String, _ offered: String) -> Bool {
    let left = primary(wanted)
    return !left.isEmpty && left == primary(offered)
  }

  /// ISO 639-2 codes (as MP4 and FFmpeg have them) of common languages, as ISO 639-1.
  private static let short: [String: String] = [
    "eng": "en", "spa": "es", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "ita": "it", "por": "pt",
    "rus": "ru", "nld": "nl", "dut": "nl", "pol": "pl", "ukr": "uk", "jpn": "ja", "zho": "zh", "chi": "zh",
    "kor": "ko", "ara": "ar", "hin": "hi", "tur": "tr", "swe": "sv", "dan": "da", "nor": "no", "fin": "fi",
    "ces": "cs", "cze": "cs", "ell": "el", "gre": "el", "heb": "he", "hun": "hu", "ron": "ro", "rum": "ro",
  ]

  static func primary(_ tag: String) -> String {
    let first = tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
    return short[first] ?? (first == "und" ? "" : first)
  }
}
