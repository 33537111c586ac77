/// What the ring holds at the moment.
public struct RingStatus: Hashable, Sendable {
  /// Seconds from the first picture that a clip could begin with to the newest.
  public var seconds: Double
  /// Seconds that were asked for.
  public var wantedSeconds: Double
  /// Pictures held, and how many of them are keyframes.
  public var pictures: Int
  public var keyframes: Int
  /// Bytes of pictures held, of the arena, and of everything beside pictures (headers, index).
  public var bytes: Int
  public var capacity: Int
  public var overheadBytes: Int
  /// Pictures that had to go before their time because the arena was full. Only grows.
  public var crowdedOut: Int

  public init(
    seconds: Double = 0, wantedSeconds: Double = 0, pictures: Int = 0, keyframes: Int = 0, bytes: Int = 0,
    capacity: Int = 0, overheadBytes: Int = 0, crowdedOut: Int = 0
  ) {
    self.seconds = seconds
    self.wantedSeconds = wantedSeconds
    self.pictures = pictures
    self.keyframes = keyframes
    self.bytes = bytes
    self.capacity = capacity
    self.overheadBytes = overheadBytes
    self.crowdedOut = crowdedOut
  }

  /// Whether the whole window is held.
  public var isFull: Bool { wantedSeconds > 0 && seconds >= wantedSeconds - 0.000_5 }
}
