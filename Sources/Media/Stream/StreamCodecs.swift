internal import CFFmpeg

/// What the words of a playlist's CODECS mean here (RFC 6381). Any thread.
public enum StreamCodecs {
  /// By the beginning of the word, the longer ones first; `nil`: nothing decodes it.
  private static let sounds: [(prefix: String, codec: AVCodecID?)] = [
    ("mp4a.40.42", nil), ("mp4a.40.34", AV_CODEC_ID_MP3), ("mp4a.69", AV_CODEC_ID_MP3), ("mp4a.6b", AV_CODEC_ID_MP3),
    ("mp4a.a5", AV_CODEC_ID_AC3), ("mp4a.a6", AV_CODEC_ID_EAC3), ("mp4a.a9", AV_CODEC_ID_DTS),
    ("mp4a", AV_CODEC_ID_AAC), ("ac-3", AV_CODEC_ID_AC3), ("ec-3", AV_CODEC_ID_EAC3), ("ac-4", nil),
    ("opus", AV_CODEC_ID_OPUS), ("flac", AV_CODEC_ID_FLAC), ("alac", AV_CODEC_ID_ALAC), ("mp3", AV_CODEC_ID_MP3),
    ("vorbis", AV_CODEC_ID_VORBIS), ("dts", AV_CODEC_ID_DTS), ("mha", nil), ("mhm", nil),
  ]

  private static func sound(_ word: String) -> (prefix: String, codec: AVCodecID?)? {
    let lower = word.lowercased()
    return sounds.first { lower.hasPrefix($0.prefix) }
  }

  /// Whether it is sound.
  public static func isSound(_ word: String) -> Bool { sound(word) != nil }

  /// Whether it is sound that nothing here decodes.
  public static func isRefused(_ word: String) -> Bool {
    guard let sound = sound(word) else { return false }
    return sound.codec.map { avcodec_find_decoder($0) == nil } ?? true
  }

  /// Whether it is pictures that can be shown: H.264.
  public static func isPicture(_ word: String) -> Bool { word.lowercased().hasPrefix("avc") }
}
