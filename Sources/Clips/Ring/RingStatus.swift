/// What the ring holds at the moment.
public struct RingStatus: Hashable, Sendable {
  /// Seconds from the first picture that a clip could begin with to the newest.
  public var seconds = 0.0
  /// Seconds that were asked for.
  public var wantedSeconds = 0.0
  /// Pictures held, and how many of them are keyframes.
  public var pictures = 0
  public var keyframes = 0
  /// Bytes of pictures held, of the arena, and of everything beside pictures (headers, index).
  public var bytes = 0
  public var capacity = 0
  public var overheadBytes = 0
  /// Pictures that had to go before their time because the arena was full. Only grows.
  public var crowdedOut = 0

  /// Whether the whole window is held.
  public var isFull: Bool { wantedSeconds > 0 && seconds >= wantedSeconds - 0.000_5 }
}
