/// How original and dub are put together; the raw value is the setting's word.
public enum DubMix: String, Hashable, Sendable, CaseIterable {
  /// Where there is a dub, the original is not heard.
  case replace
  /// Both, each at its volume.
  case mix
  /// Both, and the original steps back while somebody speaks in the dub.
  case duck
}

/// What happens to dubbing when the board is hot or its battery low; the raw value is the setting's word.
public enum DubLowPower: String, Hashable, Sendable, CaseIterable {
  /// Nothing is spared.
  case off
  /// The stream's smallest rendition, and the dub goes on.
  case keep
  /// The stream's smallest rendition, and the original alone.
  case drop
}

/// How much of the OLED the picture of what plays gets; the raw value is the setting's word.
public enum DubPicture: String, Hashable, Sendable, CaseIterable {
  /// None, and none is decoded for it.
  case off
  /// A corner.
  case small
  /// All but what has to be read beside it.
  case large
}
