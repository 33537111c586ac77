public import Hardware

/// What a take's file is found to be.
public struct TakeInspection: Hashable, Sendable {
  public enum Condition: Hashable, Sendable {
    /// Whole and in its final form, ours or not; nothing needs doing.
    case finished
    /// `TakeRepair.repair` can finish it. The text says what is wrong.
    case unfinished(String)
    /// A sound file that is not ours, and not obviously broken: left alone.
    case foreign
    /// Cannot be repaired in place. The text says why, in a sentence.
    case damaged(String)
  }

  public var condition: Condition
  /// `nil` where not even that can be told.
  public var format: TakeFormat?
  /// `nil` unless the header could be read.
  public var pcm: PCMFormat?
  /// Length of the readable sound, gaps included, without priming.
  public var frames: Int
  /// Bytes that hold no readable sound although they should.
  public var unreadableBytes: Int

  public init(
    _ condition: Condition, format: TakeFormat? = nil, pcm: PCMFormat? = nil, frames: Int = 0,
    unreadableBytes: Int = 0
  ) {
    self.condition = condition
    self.format = format
    self.pcm = pcm
    self.frames = frames
    self.unreadableBytes = unreadableBytes
  }
}
