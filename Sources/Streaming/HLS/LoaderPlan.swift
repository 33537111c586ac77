internal import Hardware

/// Decides what of a media playlist is fetched next, and when. Pure: it is told what came and what failed, and answers
/// with what is due.
struct LoaderPlan {
  /// Where playing begins.
  enum Start: Hashable, Sendable {
    /// At the beginning, or three target durations before the edge of what is live (RFC 8216 section 6.3.3).
    case natural
    /// At a time of the playlist.
    case time(Duration)
    /// Where another playlist of the same stream is: by wall clock, by number, or naturally.
    case beside(sequence: Int, time: Duration, date: WallTime?)
  }

  /// What is due.
  enum Segment: Hashable, Sendable {
    case fetch(MediaSegment)
    /// Nothing can be had of it.
    case skip(MediaSegment, reason: String)
  }

  /// How a failed segment goes on.
  enum Verdict: Hashable, Sendable {
    case retry
    case skip
  }

  private(set) var playlist: MediaPlaylist?
  /// Where the playlist begins, counted from where the first one did: a window that slides moves on.
  private(set) var origin = Duration.zero
  /// The segment that comes next.
  private(set) var next: Int?
  /// The segment after a place where segments were left out.
  private(set) var breakAt: Int?
  /// The first one of another variant: what of it has been heard is in it again.
  private(set) var changeAt: Int?
  private var start: Start

  private var isLoading = false
  private var loadBegan: Instant?
  private var reloadAt: Instant?
  private(set) var lastChange: Instant?
  /// Since when there is no segment in the list.
  private var emptySince: Instant?
  private var unchanged = 0
  private var backwards = 0
  private var playlistBackoff: Backoff
  private var playlistTrouble: String?

  private var isFetching = false
  private var retryAt: Instant?
  private var failures = 0
  private var segmentBackoff: Backoff
  private var segmentTrouble: String?
  /// Segments skipped one after the other because of errors.
  private var skippedInARow = 0

  /// One try after the other has failed that may yet succeed: something else is worth trying, where there is anything else.
  private(set) var isFailing = false

  /// Server errors of one segment before it is left out.
  private static let mostServerErrors = 4
  private static let mostSkippedInARow = 5
  /// The same of a list that is at its end: what is gone there stays gone, and what lies behind it may be there.
  private static let mostSkippedAtEnd = 64
  /// What is about to begin has an empty list for a moment. After the first of these that is told, after the second one
  /// another list is worth trying, where there is one.
  private static let shortlyEmpty = Duration.seconds(2)
  private static let longEmpty = Duration.seconds(6)
  /// Seconds that are taken to have been missed at most: a device that slept for a month. A list may claim any number.
  private static let longestMiss = 30 * 86_400.0
  /// Of `origin`, from where it began.
  private static let farthest = Duration.seconds(100 * 365 * 86_400)

  /// What takes long to fail is tried twice only.
  private static func isEnough(_ tries: Int, _ error: NetworkError) -> Bool {
    if case .status = error.kind { tries >= 3 } else { tries >= 2 }
  }

  init(start: Start = .natural, seed: UInt64) {
    self.start = start
    playlistBackoff = Backoff(seed: seed)
    segmentBackoff = Backoff(seed: seed &+ 1)
  }

  // MARK: Playlist

  /// Whether the playlist is to be fetched now.
  func needsPlaylist(now: Instant) -> Bool {
    guard !isLoading else { return false }
    guard let playlist else { return now >= (reloadAt ?? now) }
    return !playlist.isEnded && now >= (reloadAt ?? now)
  }

  mutating func playlistRequested(now: Instant) {
    isLoading = true
    loadBegan = now
  }

  /// Reloads as RFC 8216 section 6.3.4 says: a target duration after the last load began if it has changed, half of it
  /// if it has not; more slowly when nothing has come for long.
  mutating func playlistCame(_ new: MediaPlaylist, now: Instant) {
    isLoading = false
    isFailing = false
    playlistBackoff.opened(at: loadBegan ?? now)
    playlistTrouble = nil
    let began = loadBegan ?? now
    // An older copy out of some cache must not lead back; a server that began anew must.
    if let playlist, let next, new.endSequence < min(next, playlist.endSequence), !new.isEnded, backwards < 2 {
      backwards += 1
      reloadAt = began + reloadDelay(of: new, isChanged: false)
      return
    }
    let isRestart = backwards >= 2 && playlist.map { new.endSequence < $0.endSequence } == true
    backwards = 0
    let isChanged = playlist.map { $0.endSequence != new.endSequence || $0.isEnded != new.isEnded } ?? true
    unchanged = isChanged ? 0 : unchanged + 1
    if isChanged { lastChange = now }
    reloadAt = began + reloadDelay(of: new, isChanged: isChanged)
    emptySince = new.count == 0 ? emptySince ?? now : nil
    if let emptySince, now - emptySince >= Self.longEmpty { isFailing = true }
    moveOrigin(to: new)
    playlist = new
    if isRestart { restartAtEdge() }
    settle()
  }

  private mutating func moveOrigin(to new: MediaPlaylist) {
    guard let old = playlist, old.isSliding, new.mediaSequence != old.mediaSequence else { return }
    if let segment = playlist?.segment(new.mediaSequence) {
      origin += segment.time
    } else if new.mediaSequence >= old.endSequence {
      // What was missed in between is taken to be as long as what is there.
      let usual = (new.duration / Double(max(1, new.count))).inSeconds
      let missed = usual * Double(new.mediaSequence - old.endSequence)
      origin += old.duration + .seconds(min(missed, Self.longestMiss))
    } else if let segment = Self.segment(old.mediaSequence, of: new) {
      origin -= segment.time
    }
    boundOrigin()
  }

  /// Whatever lists claim, one after the other: a time that can be counted with.
  private mutating func boundOrigin() {
    origin = min(max(.zero - Self.farthest, origin), Self.farthest)
  }

  private static func segment(_ sequence: Int, of playlist: MediaPlaylist) -> MediaSegment? {
    var playlist = playlist
    return playlist.segment(sequence)
  }

  private func reloadDelay(of playlist: MediaPlaylist, isChanged: Bool) -> Duration {
    let target = playlist.targetDuration
    guard !isChanged else { return target }
    return unchanged < 4 ? max(.milliseconds(500), target / 2) : unchanged < 10 ? target : target * 2
  }

  /// - Returns: false if trying again has no chance.
  mutating func playlistFailed(_ error: NetworkError, now: Instant) -> Bool {
    isLoading = false
    playlistTrouble = "\(error)"
    if let time = playlistBackoff.ended(.failed(error), at: now) {
      reloadAt = time
      isFailing = isFailing || Self.isEnough(playlistBackoff.failures, error)
      return true
    }
    // A playlist that was there may come again; one that never was does not.
    reloadAt = now + .seconds(10)
    return playlist != nil
  }

  /// A playlist that came damaged: like one that did not come.
  mutating func playlistDamaged(_ reason: String, now: Instant) -> Bool {
    isLoading = false
    playlistTrouble = reason
    reloadAt = now + (playlist?.targetDuration ?? .seconds(2))
    return playlist != nil
  }

  /// Another variant's playlist takes the place of this one. RFC 8216 section 6.2.4 keeps their segments in step, by their
  /// times; not everybody does by their numbers.
  mutating func adopt(_ new: MediaPlaylist, now: Instant) {
    let found = next.flatMap { place(of: $0, in: new, age: now - (lastChange ?? now)) }
    if let found {
      origin += found.ahead
      boundOrigin()
      next = found.sequence
      playlist = new
      settle()
    } else if var old = playlist, let next {
      moveOrigin(to: new)
      if !old.isSliding || !new.isSliding {
        let time = old.segment(next)?.time ?? old.duration
        start = .time(time + .milliseconds(1))
        if next >= old.endSequence { start = .time(new.duration) }
      } else {
        start = .beside(sequence: next, time: .zero, date: nil)
      }
      let isAtEnd = next >= old.endSequence
      self.next = nil
      playlist = new
      settle()
      if isAtEnd, !new.isSliding { self.next = new.endSequence }
    } else {
      playlist = new
      settle()
    }
    changeAt = next
    // Who asked for the other list again has given that up.
    isLoading = false
    isFetching = false
    forgetFailures()
    lastChange = now
    loadBegan = now
    emptySince = new.count == 0 ? now : nil
    unchanged = 0
    reloadAt = now + new.targetDuration
  }

  /// Where what comes next in this list is in another variant's: its number there, and how much later that list begins;
  /// by the wall clock, where both have it, else by their edges; `nil` where their numbers are in step.
  ///
  /// - Parameter age: how long ago this list had something new.
  private func place(of next: Int, in other: MediaPlaylist, age: Duration) -> (sequence: Int, ahead: Duration)? {
    guard var old = playlist, old.isSliding, other.isSliding, other.count > 0 else { return nil }
    var new = other
    let segment = old.segment(next)
    let time = segment?.time ?? old.duration
    let date = segment?.date ?? old.segment(next - 1).flatMap { before in before.date.map { $0 + before.duration } }
    if let date, let found = new.place(atDate: date) { return (found.sequence, time - found.time) }
    // So many have come since, rather one too many: what is had twice is cut by its time stamps, what is left out is lost.
    let grown = min((max(0, age.inSeconds / max(1, old.targetDuration.inSeconds)) + 0.24).rounded(), 1e6)
    let isAhead = new.mediaSequence > old.endSequence + old.count + Int(grown)
    guard isAhead || old.mediaSequence > new.endSequence + new.count else { return nil }
    let usual = new.duration / Double(new.count)
    let same = new.duration - usual * min(grown, Double(new.count)) - (old.duration - time)
    // Lengths are rounded.
    let wanted = max(.zero, same + .milliseconds(50))
    guard wanted < new.duration else { return (new.endSequence, time - same) }
    return new.segment(at: wanted).map { ($0.sequence, time - same) }
  }

  // MARK: Segments

  /// What to do for the next segment, if anything is due and there is `room` for one.
  mutating func segment(now: Instant, room: Int) -> Segment? {
    guard room > 0, !isFetching, now >= (retryAt ?? now), let next else { return nil }
    guard let segment = playlist?.segment(next) else { return nil }
    if let refusal = segment.refusal { return .skip(segment, reason: refusal) }
    return segment.isGap ? .skip(segment, reason: "a gap (EXT-X-GAP)") : .fetch(segment)
  }

  /// A segment by its number, due or not; `nil` if the playlist does not hold it (any more).
  mutating func segment(numbered sequence: Int) -> MediaSegment? { playlist?.segment(sequence) }

  /// The segment in which a time of the playlist lies.
  mutating func segment(at time: Duration) -> MediaSegment? { playlist?.segment(at: time) }

  mutating func segmentRequested() { isFetching = true }

  /// Whether segments before this one were left out without being mentioned.
  func isBreak(before segment: MediaSegment) -> Bool { breakAt == segment.sequence }

  /// It is there, or it is left out.
  mutating func segmentDone(_ segment: MediaSegment, now: Instant, wasSkipped: Bool = false) {
    isFetching = false
    retryAt = nil
    failures = 0
    segmentTrouble = nil
    if !wasSkipped {
      forgetFailures()
      segmentBackoff = Backoff(seed: UInt64(truncatingIfNeeded: segment.sequence) &* 0x9E37_79B9)
    }
    next = segment.sequence + 1
    if breakAt == segment.sequence { breakAt = nil }
    if changeAt == segment.sequence { changeAt = nil }
    settle()
  }

  mutating func segmentFailed(_ segment: MediaSegment, _ error: NetworkError, now: Instant) -> Verdict {
    isFetching = false
    failures += 1
    isFailing = isFailing || error.isWorthRetrying && Self.isEnough(failures, error)
    segmentTrouble = "\(error)"
    let isLast = playlist.map { segment.sequence == $0.endSequence - 1 } ?? true
    if error.isWorthRetrying {
      if case .status = error.kind, failures >= Self.mostServerErrors, !isLast || playlist?.isEnded == true {
        return skipOrWait(now)
      }
      retryAt = segmentBackoff.ended(.failed(error), at: now)
      return .retry
    }
    // At the live edge the playlist may be ahead of the segment by a moment.
    if case .status = error.kind, isLast, playlist?.isEnded == false, failures < 3 {
      retryAt = now + max(.milliseconds(250), (playlist?.targetDuration ?? .seconds(2)) / 4)
      return .retry
    }
    return skipOrWait(now)
  }

  /// Leaves a segment out, unless nothing at all seems to be there: then patience is better than silence.
  private mutating func skipOrWait(_ now: Instant) -> Verdict {
    skippedInARow += 1
    guard isHopeless else { return .skip }
    retryAt = now + .seconds(min(30, 2 * (skippedInARow - mostSkipped)))
    return .retry
  }

  /// A link came up again: what waits is tried at once.
  mutating func linkCameUp(now: Instant) {
    if let time = segmentBackoff.linkCameUp(at: now), retryAt != nil { retryAt = time }
    if playlistTrouble != nil, let time = playlistBackoff.linkCameUp(at: now) { reloadAt = time }
  }

  /// Goes to a time of the playlist.
  mutating func seek(to time: Duration) {
    start = .time(time)
    next = nil
    (breakAt, changeAt) = (nil, nil)
    isFetching = false
    forgetFailures()
    settle()
  }

  private mutating func forgetFailures() {
    (retryAt, failures, skippedInARow, isFailing) = (nil, 0, 0, false)
  }

  // MARK: What comes next

  /// Everything was fetched, and nothing will be added.
  var isOver: Bool {
    guard let playlist, let next else { return false }
    return playlist.isEnded && next >= playlist.endSequence
  }

  /// Some segments in a row were left out.
  var isSkipping: Bool { skippedInARow > 2 }

  /// One segment after the other cannot be had.
  var isHopeless: Bool { skippedInARow > mostSkipped }

  private var mostSkipped: Int { playlist?.isEnded == true ? Self.mostSkippedAtEnd : Self.mostSkippedInARow }

  /// Why nothing comes; `nil` while all is well.
  func trouble(now: Instant) -> String? {
    if let segmentTrouble, failures > 1 || isHopeless { return segmentTrouble }
    guard let playlist else { return playlistTrouble }
    if playlistTrouble == nil, let emptySince, now - emptySince >= Self.shortlyEmpty, !playlist.isEnded {
      return "its list is empty: there is no segment in it"
    }
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
  private mutating func settle() {
    guard playlist != nil else { return }
    guard let next else {
      self.next = first()
      return
    }
    guard let playlist, next < playlist.mediaSequence else { return }
    // The window has gone on without us.
    restartAtEdge()
  }

  private mutating func restartAtEdge() {
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
      if let date, let found = content.place(atDate: date) { return found.sequence }
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
  /// The segment in which a time of the wall clock lies, or the one that is still to come, and that time in the list.
  fileprivate mutating func place(atDate date: WallTime) -> (sequence: Int, time: Duration)? {
    // Half a frame of rounding must not lead to the segment before.
    let rounding = Duration.milliseconds(1)
    var time = Duration.zero
    // Dates may jump from one segment to the next: it is as far from each that is met as that one's own date says.
    for _ in 0..<8 {
      guard let segment = self.segment(at: max(.zero, time)), let own = segment.date else { return nil }
      let offset = Duration.nanoseconds(date.nanosecondsSince1970 &- own.nanosecondsSince1970)
      time = segment.time + offset
      if offset >= Duration.zero - rounding, offset < segment.duration - rounding { return (segment.sequence, time) }
      let isAtEnd = offset >= .zero ? segment.sequence == endSequence - 1 : segment.sequence == mediaSequence
      if isAtEnd { return offset >= .zero && offset < segment.duration * 2 ? (endSequence, time) : nil }
      time += rounding
    }
    return nil
  }
}
