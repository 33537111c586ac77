internal import Hardware
internal import Media

// Going elsewhere, and pictures that come with the sound.
extension HLSSound {
  /// Where a seek leads.
  struct Target {
    var frame: Int
    var time: Duration
    /// The source's time of `frame`, once it is known.
    var source: Int64?
  }

  private static let mostEarlyPictures = 128

  /// Goes to a frame of the timeline, which is at `time` of the playlist.
  func seek(to frame: Int, time: Duration) {
    decoder.reset()
    seekEnd = queue.end
    queue.restart(at: frame)
    pictures.removeAll()
    early = []
    dropUntil = nil
    hasSegment = false
    isOver = false
    needsEpoch = true
    owed = 0
    uncertain = 0
    target = Target(frame: frame, time: time)
    track.seek(to: max(.zero, time - .milliseconds(100)))
  }

  /// Begins the epoch of a seek, and decides which sound is left out before its frame.
  func settleTarget(source first: Int64?, of segment: MediaSegment) {
    guard let target else { return }
    self.target = nil
    let known = epochs.source(ofFrame: target.frame, discontinuity: segment.discontinuity)
    let nominal = first.map { $0 + max(0, (target.time - segment.time).nanoseconds) * 9 / 100_000 }
    let source = known ?? nominal ?? 0
    beginEpoch(
      discontinuity: segment.discontinuity, start: target.frame, source: source, end: seekEnd,
      of: segment)
    epochs.place?.frame = target.frame - Int(((target.time - segment.time).inSeconds * 48_000).rounded())
    guard let first else { return }
    let late = StreamTime.distance(from: source, to: first)
    if late > 0 { owed = min(EpochMap.frames(late), 48_000) } else { dropUntil = source }
  }

  func take(_ picture: StreamPicture, of segment: MediaSegment) {
    guard let epoch = epochs.last, !needsEpoch else {
      // Pictures often stand before the first sound of their epoch.
      if early.count < Self.mostEarlyPictures { early.append(picture) }
      return
    }
    let frame = epoch.start + EpochMap.frames(StreamTime.distance(from: epoch.source, to: picture.time))
    pictures.append(
      ProgrammePicture(epoch: epoch.number, start: frame, bytes: picture.bytes, isKeyframe: picture.isKeyframe))
  }
}
