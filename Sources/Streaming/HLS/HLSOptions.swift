/// How a stream is played.
public struct HLSOptions: Hashable, Sendable {
  /// Segments that are held in memory at most: the one that is being decoded and one that is being fetched included.
  public var segments: Int
  /// A larger segment is left out.
  public var segmentBytes: Int
  /// Frames that are decoded ahead at most.
  public var decodedFrames: Int
  /// Whether pictures are wanted too.
  public var pictures: Bool
  /// Lines that pictures need: variants with more of them are left out if there are others.
  public var mostLines: Int
  /// The variant with the least bits is played.
  public var isLowPower: Bool
  /// Languages of subtitles, the most welcome first; empty: whatever the stream suggests.
  public var subtitleLanguages: [String]
  /// Decides the jitter of retries.
  public var seed: UInt64

  public init(
    segments: Int = 2, segmentBytes: Int = 12 << 20, decodedFrames: Int = 2 * 48_000, pictures: Bool = false,
    mostLines: Int = .max, isLowPower: Bool = false, subtitleLanguages: [String] = [], seed: UInt64 = 0
  ) {
    self.segments = max(1, segments)
    self.segmentBytes = segmentBytes
    self.decodedFrames = decodedFrames
    self.pictures = pictures
    self.mostLines = mostLines
    self.isLowPower = isLowPower
    self.subtitleLanguages = subtitleLanguages
    self.seed = seed
  }
}

/// What is read at most.
struct HLSLimits: Hashable, Sendable {
  var segmentBytes: Int
  var playlist = PlaylistLimits()
}

/// Languages as RFC 5646 writes them. Pure.
enum LanguageTag {
  /// Whether somebody who asks for `wanted` is served by `offered`: `es` by `es-MX`, and the other way round; `spa` by `es`.
  static func matches(_ wanted: String, _ offered: String) -> Bool {
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
