internal import Hardware

// What is to be said of it, and where in the playlist it is.
extension LoaderPlan {
  /// Everything was fetched, and nothing will be added.
  var isOver: Bool {
    guard let playlist, let next else { return false }
    return playlist.isEnded && next >= playlist.endSequence
  }

  /// Why nothing comes; `nil` while all is well.
  func trouble(now: Instant) -> String? {
    if let segmentTrouble, failures > 1 || skippedInARow > Self.mostSkippedInARow { return segmentTrouble }
    guard let playlist else { return playlistTrouble }
    guard !playlist.isEnded, let next, next >= playlist.endSequence else { return nil }
    if let playlistTrouble { return playlistTrouble }
    guard let lastChange, now - lastChange > playlist.targetDuration * 3 / 2 + playlist.targetDuration else {
      return nil
    }
    return "no new segment for \(Int((now - lastChange).inSeconds)) s"
  }

  /// When something is due that nobody tells of.
  var wake: Instant? {
    var times: [Instant] = []
    if !isLoading, playlist?.isEnded != true, let reloadAt { times.append(reloadAt) }
    if !isFetching, let retryAt { times.append(retryAt) }
    return times.min()
  }

  /// Settles what comes next: at the start, and after segments were missed.
  mutating func settle() {
    guard playlist != nil else { return }
    guard let next else {
      self.next = first()
      return
    }
    guard let playlist, next < playlist.mediaSequence else { return }
    // The window has gone on without us.
    restartAtEdge()
  }

  mutating func restartAtEdge() {
    guard let segment = playlist?.liveStart() else {
      next = playlist?.mediaSequence
      return
    }
    next = segment.sequence
    breakAt = segment.sequence
    isFetching = false
    retryAt = nil
    failures = 0
  }

  /// The first segment by `start`; `nil` while the playlist is empty.
  private mutating func first() -> Int? {
    guard var content = playlist, content.count > 0 else { return nil }
    defer { playlist = content }
    switch start {
    case .natural:
      // An EVENT that goes on is live as well.
      return content.isEnded ? content.mediaSequence : content.liveStart()?.sequence
    case .time(let time): return content.segment(at: max(.zero, time))?.sequence
    case .beside(let sequence, let time, let date):
      if !content.isSliding { return content.segment(at: max(.zero, time))?.sequence }
      if let date, let found = content.sequence(atDate: date) { return found }
      if sequence > content.endSequence { return content.liveStart()?.sequence }
      // What has left the window already is followed by its beginning.
      return max(sequence, content.mediaSequence)
    }
  }
}

extension WallTime {
  static func + (left: WallTime, right: Duration) -> WallTime {
    WallTime(nanosecondsSince1970: left.nanosecondsSince1970 &+ right.nanoseconds)
  }
}

extension MediaPlaylist {
  /// The segment in which a time of the wall clock lies, counted from the first segment's date.
  fileprivate mutating func sequence(atDate date: WallTime) -> Int? {
    guard let first = segment(mediaSequence)?.date else { return nil }
    let offset = date.nanosecondsSince1970 &- first.nanosecondsSince1970
    guard offset >= 0, offset < duration.nanoseconds else { return nil }
    // Half a frame of rounding must not lead to the segment before.
    return segment(at: .nanoseconds(offset) + .milliseconds(1))?.sequence
  }
}
