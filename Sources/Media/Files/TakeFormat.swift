/// The file formats that a take can be recorded in.
public enum TakeFormat: String, Hashable, Sendable, CaseIterable {
  /// AAC-LC in MP4.
  case aac
  /// Linear PCM in Broadcast Wave, RF64 past 4 GiB.
  case wav

  /// Without the dot.
  public var fileExtension: String {
    switch self {
    case .aac: "m4a"
    case .wav: "wav"
    }
  }
}
