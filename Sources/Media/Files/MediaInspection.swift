public import Hardware

/// A stretch of a recording of which nothing is there, or can be read any more.
public struct MediaGap: Hashable, Sendable {
  /// Pictures are missing, or else sound.
  public var isPictures: Bool
  /// From the first frame that is heard on, in frames; of pictures from the first that is shown on, in ticks.
  public var range: Range<Int>
  /// Frames or ticks in a second.
  public var timescale: Int
  /// It was there. Else the camera gave no pictures.
  public var isDamage = true

  /// In seconds.
  public var start: Double { Double(range.lowerBound) / Double(max(1, timescale)) }
  public var seconds: Double { Double(range.count) / Double(max(1, timescale)) }
}

/// What a recording's file is found to be.
public struct MediaInspection: Hashable, Sendable {
  public enum Condition: Hashable, Sendable {
    /// Whole and in its final form; nothing needs doing.
    case finished
    /// `MediaRepair` can finish it. The text says what is wrong.
    case unfinished(String)
    /// A file that is not ours, and not obviously broken: left alone.
    case foreign
    /// Cannot be repaired in place. The text says why, in a sentence.
    case damaged(String)
  }

  public var condition: Condition
  /// `nil` where not even that can be told.
  public var format: TakeFormat?
  /// Of the sound; `nil` unless the header could be read, and where there is none.
  public var pcm: PCMFormat?
  /// Length of the readable sound, gaps included, without priming.
  public var frames: Int
  /// How long it plays.
  public var seconds = 0.0
  /// Pictures in it (the skipped ones too), and those of them with which decoding can begin.
  public var pictures = 0
  public var keyframes = 0
  /// What can be seen and heard of a finished file with pictures.
  public var facts: MediaFacts?
  /// What is missing in between, of an MP4 that was or can be mended: the first ones, if there are very many.
  public var gaps: [MediaGap] = []
  /// Bytes that hold nothing readable although they should.
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
    if let pcm, pcm.sampleRate > 0 { seconds = Double(frames) / Double(pcm.sampleRate) }
  }
}
