// What others hear and see of the player.
extension Player {
  /// What the player tells the control loop.
  public enum Event: Sendable {
    /// A file is open at `frame`.
    case loaded(id: String, frames: Int, sampleRate: Int, frame: Int)
    /// It has been heard to its end.
    case ended
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
    /// Peaks of the whole file, 0…1, as many of its 128 columns as are known so far.
    public var overview: [Float] = []

    public init() {}
  }
}
