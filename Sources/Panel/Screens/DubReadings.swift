/// What the screens of dubbed playback show beside the machine's state.
public struct DubReadings: Hashable, Sendable {
  /// Where it plays, and how long it is, in seconds; a live stream has no length.
  public var positionSeconds = 0.0
  public var durationSeconds: Double?
  public var isLive = false
  /// What a station says that it plays; empty if it does not.
  public var title = ""
  /// Seconds between what is heard and the live edge; `nil` if that is not known.
  public var behindLiveSeconds: Double?
  /// Seconds that are ready to be heard, and how many are wanted before it starts.
  public var bufferSeconds = 0.0
  public var bufferGoalSeconds = 2.0
  /// Segments of the stream that wait, and how many may.
  public var segments = 0
  public var segmentLimit = 2
  /// How many of a hundred utterances had their dub in time; `nil` before the first one.
  public var onTimePercent: Double?
  /// The picture of now, where there is one.
  public var preview: GreyPicture?

  public init() {}
}
