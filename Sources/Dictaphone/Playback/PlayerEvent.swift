internal import Sound

// What others hear and see of the player.
extension Player {
  /// What the player tells the control loop.
  public enum Event: Sendable {
    /// A file is open at `frame`.
    case loaded(id: String, frames: Int, sampleRate: Int, frame: Int)
    /// It ends before the file says that it does, and why; told before the end.
    case brokeOff(code: String, text: String)
    /// It has been heard to its end.
    case ended
    /// What is repeated, in frames; without an end, only its beginning is known yet.
    case looped(start: Int?, end: Int?)
    case failed(code: String, text: String)
  }

  /// What is shown of the player, any time.
  public struct Status: Hashable, Sendable {
    public var id: String?
    /// The frame now at the speaker.
    public var frame = 0
    public var frames = 0
    public var sampleRate = 0
    public var isPlaying = false
    public var codec = ""
    public var channels = 0
    /// A and B, in frames.
    public var loopStart: Int?
    public var loopEnd: Int?
    /// Peaks of the file, 0…1, as many of its 128 columns as are known so far.
    public var overview: [Float] = []
    /// The frames that these columns are of; empty: all.
    public var overviewFrames = 0..<0

    public init() {}
  }
}

/// How takes are played.
public struct PlaybackSettings: Hashable, Sendable {
  /// 0.5…2.
  public var rate: Double
  /// −1200…1200.
  public var pitchCents: Int
  /// A factor, 0…2.
  public var volume: Double
  /// Of each channel, in dB.
  public var leftDb: Int
  public var rightDb: Int
  /// Long pauses are left out.
  public var skipsSilence: Bool
  /// Of the take's picture; 0: all of it is in it.
  public var timelineSeconds: Int

  public init(
    rate: Double = 1, pitchCents: Int = 0, volume: Double = 1, leftDb: Int = 0, rightDb: Int = 0,
    skipsSilence: Bool = false, timelineSeconds: Int = 0
  ) {
    (self.rate, self.pitchCents, self.volume) = (rate, pitchCents, volume)
    (self.leftDb, self.rightDb, self.skipsSilence) = (leftDb, rightDb, skipsSilence)
    self.timelineSeconds = timelineSeconds
  }

  func factor(_ decibels: Int) -> Float { Float(volume * Decibels.amplitude(Double(decibels))) }
}
