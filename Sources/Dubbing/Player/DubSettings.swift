/// What a person chooses about dubbing.
public struct DubSettings: Hashable, Sendable {
  /// What becomes of the original while a voice of the dub is heard.
  public enum Mode: String, CaseIterable, Hashable, Sendable {
    /// It is silent.
    case replace
    /// It stays as loud as it is.
    case mix
    /// It goes down as far as the voice needs.
    case duck
  }

  public var mode = Mode.duck
  /// Gain of the original, 0…1.
  public var originalVolume = 1.0
  /// Gain of the dub, 0…1.
  public var dubVolume = 1.0
  /// What the original is: a voice needs 10 LU over music, 15 LU over anything else.
  public var overMusic = false
  /// `ws://` or `wss://` address of the dubbing service; empty: none.
  public var serviceURL = ""
  /// What the service knows us by (RFC 6750), a secret; empty: none.
  public var serviceToken = ""
  /// Whether speech may be made on the device.
  public var synthesises = true
  /// Whether the dub is kept in low-power mode; the stream takes a lower rendition either way.
  public var dubsInLowPower = true
  /// Segments that may be buffered: 1, 2 or 3 by the board's memory.
  public var segments = 2

  public init() {}
}
