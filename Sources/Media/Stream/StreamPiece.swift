/// Sound out of a segment: 48 kHz, interleaved stereo, −1…1.
public struct StreamSound: Hashable, Sendable {
  /// Time of the first frame in 90 kHz ticks, without the fold at 2³³ since the run began.
  public var time: Int64
  public var samples: [Float]

  public var frames: Int { samples.count / 2 }
}

/// A picture out of a segment: one access unit of H.264 in Annex B.
public struct StreamPicture: Hashable, Sendable {
  /// When it is shown, in 90 kHz ticks folded to 33 bits.
  public var time: Int64
  public var bytes: [UInt8]
  public var isKeyframe: Bool
}

/// What comes out of a segment.
public enum StreamPiece: Hashable, Sendable {
  case sound(StreamSound)
  case picture(StreamPicture)
  /// The time stamps jumped; the next sound begins a run of its own.
  case jump
}
