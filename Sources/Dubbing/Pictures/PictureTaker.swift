public import Hardware
public import Streaming

/// What the dubbing player hands its pictures to, and by which clock they are shown. Called on the dubbing lane; nothing
/// of it blocks.
public protocol PictureTaker: AnyObject, Sendable {
  /// Whether anybody looks. If not, pictures are thrown away where they come from. Any thread.
  var isWanted: Bool { get }
  /// Takes a picture, in decoding order, some time before it is due.
  func take(_ picture: ProgrammePicture)
  /// What was taken is void: another place, another programme, or none (`isPlaying` false).
  func restart(isPlaying: Bool)
  /// Tells what is heard.
  func follow(_ clock: HeardClock)
}

/// Which frame of the timeline is at the speaker: the clock of pictures.
public struct HeardClock: Hashable, Sendable {
  /// The frame at `at`, 48,000 a second.
  public var frame: Double
  public var at: Instant
  /// Whether it moves.
  public var isRunning: Bool
  /// No more pictures come.
  public var isEnding = false

  /// The frame that is heard at `time`.
  public func frame(at time: Instant) -> Double {
    isRunning ? frame + Double((time - at).nanoseconds) * 48e-6 : frame
  }

  /// When `frame` is heard; in the past if it was, `nil` if the clock stands before it.
  public func time(of frame: Double) -> Instant? {
    guard isRunning || frame <= self.frame else { return nil }
    guard isRunning else { return at }
    let nanoseconds = (frame - self.frame) / 48e-6
    return at + .nanoseconds(Int64(max(-1e15, min(1e15, nanoseconds.rounded(.up)))))
  }
}

/// What became of pictures since the start; only grows.
public struct PictureCounters: Hashable, Sendable {
  /// Shown, on a screen or as a preview.
  public var shown = 0
  /// Due, and passed by because a newer one was due as well.
  public var dropped = 0
  /// Of those shown: more than a refresh and a half after their sound.
  public var late = 0
  /// That could not be decoded.
  public var damaged = 0

  public init() {}
}

/// A picture for a small display.
public struct PicturePreview: Hashable, Sendable {
  public var width: Int
  public var height: Int
  /// 0 is black, 255 white; line by line.
  public var luma: [UInt8]
  /// Its place on the timeline, in frames.
  public var frame: Int
}
