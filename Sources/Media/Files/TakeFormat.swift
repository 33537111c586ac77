/// The file formats that a take can be recorded in.
public enum TakeFormat: String, Hashable, Sendable, CaseIterable {
  /// AAC-LC in MP4.
  case aac
  /// Apple Lossless in MP4.
  case alac
  case flac
  /// Opus in Ogg.
  case opus
  /// Linear PCM or 32-bit float in Broadcast Wave, RF64 past 4 GiB.
  case wav
  /// G.711 in Broadcast Wave.
  case alaw, mulaw

  /// Without the dot.
  public var fileExtension: String {
    switch self {
    case .aac, .alac: "m4a"
    case .flac, .opus, .wav: rawValue
    case .alaw, .mulaw: "wav"
    }
  }
}
