public import Hardware

/// What the screens of clip mode show beside the machine's state.
public struct ClipReadings: Hashable, Sendable {
  /// Size, rate and coding: `720p30 H.264`.
  public var formatText = ""
  /// Seconds of pictures that a trigger would keep now, and how many are wanted.
  public var heldSeconds = 0.0
  public var windowSeconds = 0.0
  /// The ring has taken what it can: the camera sends more than the board has room for, for so many seconds.
  public var isCrowded: Bool { heldSeconds > 0 && heldSeconds < windowSeconds - 0.1 }
  /// Pictures a second as they really come; 0 while not known.
  public var framesPerSecond = 0.0
  /// Pictures that were lost since the mode was entered, for whatever reason.
  public var lostFrames = 0
  /// Seconds until the post-roll is over, and how long it is in all.
  public var secondsToGo = 0.0
  public var postRollSeconds = 0.0
  /// Length so far of the clip that is being captured or saved.
  public var clipSeconds = 0.0
  /// Triggers in that clip.
  public var triggers = 1
  /// What the camera sees; `nil` where nobody has decoded it.
  public var preview: GreyPicture?
  /// Clips of the list that more is known of, by id.
  public var cards: [String: ClipCard] = [:]
  /// The receipt of the highlighted clip: what and how much, in the language of the screen; six rows are shown.
  public var receipt: [MenuRow] = []

  public init() {}
}

/// What the list shows of a clip beside its name and length.
public struct ClipCard: Hashable, Sendable {
  /// When it was made; `nil`: its name does not say.
  public var made: WallTime?
  public var thumbnail: GreyPicture?

  public init(made: WallTime?, thumbnail: GreyPicture? = nil) {
    self.made = made
    self.thumbnail = thumbnail
  }
}
