public import Hardware

/// What the clip recorder is told.
public enum ClipOrder: Hashable, Sendable {
  /// Opens the camera and fills the ring.
  case arm
  /// Gives the camera back and forgets what is in the ring. Never while a clip is open.
  case disarm
  /// Keeps what is in the ring and what comes in the post-roll. Answered by exactly one of `started`, `joined`,
  /// `bounced` and `refused`.
  case trigger(at: Instant, source: TriggerSource)
  /// Records without end, in clips that join without a seam, until `endPostRoll`.
  case continuous(at: Instant)
  /// Keeps a picture every so many milliseconds in one clip without sound, until `endPostRoll`.
  case timeLapse(milliseconds: Int, at: Instant)
  /// Ends every post-roll that is running.
  case endPostRoll(at: Instant)
  /// Of what the last clips hold nothing counts as kept any more: one has been deleted.
  case forgetKept
  /// Keeps the picture of this time.
  case snapshot(at: Instant)
}

/// What the clip recorder reports back.
public enum ClipReport: Hashable, Sendable {
  /// The ring holds `seconds` of pictures, all that it is to hold.
  case bufferReady(seconds: Double)
  /// A trigger has begun a clip.
  case started(number: Int, source: TriggerSource, at: Instant, ends: Instant)
  /// A trigger has become part of a clip that was open.
  case joined(number: Int, source: TriggerSource, at: Instant, ends: Instant)
  /// It came so soon after the one before that it is one with it.
  case bounced(source: TriggerSource)
  /// A trigger could not be obeyed.
  case refused(source: TriggerSource, code: String, text: String)
  /// The post-roll is over.
  case ended(number: Int)
  /// The clip is complete and durable.
  case completed(number: Int, TakeReference)
  /// No clip came of it, or it could not be completed.
  case failed(number: Int, code: String, text: String)
  /// Pictures of an open clip are missing.
  case dropped(frames: Int, reason: String)
  /// A picture was kept, at this path in the data directory.
  case snapshotSaved(path: String)
  /// Something that was asked for did not come about, and no clip is touched by it.
  case trouble(code: String, text: String)
}
