public import Hardware

/// What a clip's file says about itself; known when its first keyframe is.
public struct ClipFileDescription: Hashable, Sendable {
  public var pictures: PictureTrack
  /// `nil`: a clip without sound.
  public var sound: SoundTrack?
  /// Ticks from the first picture in the file (a keyframe) to the first that is shown; the edit list skips them.
  public var skippedTicks: Int
  /// The wall clock at the first picture shown.
  public var createdAt: WallTime
  public var title: String
  public var originator: String
  /// A sentence for people; empty writes none.
  public var comment: String

  public init(
    pictures: PictureTrack, sound: SoundTrack?, skippedTicks: Int, createdAt: WallTime, title: String = "",
    originator: String = "Mynah", comment: String = ""
  ) {
    self.pictures = pictures
    self.sound = sound
    self.skippedTicks = skippedTicks
    self.createdAt = createdAt
    self.title = title
    self.originator = originator
    self.comment = comment
  }

  /// Units of the movie's own times: frames of sound, or ticks where there is none.
  var movieTimescale: Int { sound?.pcm.sampleRate ?? PictureTrack.timescale }
}
