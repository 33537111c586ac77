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
  /// Seconds from there on that may have been heard.
  private(set) var repeats = 0.0
  private var start: Start

  private var reloads: PlaylistReloads
  private var tries: SegmentTries

  /// One try after the other has failed that may yet succeed: something else is worth trying, where there is anything else.
  private(set) var isFailing = false

  /// Of `origin`, from where it began.
  private static let farthest = Duration.seconds(100 * 365 * 86_400)

  /// What takes long to fail is tried twice only.
  private static func isEnough(_ tries: Int, _ error: NetworkError) -> Bool {
    if case .status = error.kind { tries >= 3 } else { tries >= 2 }
  }

  init(start: Start = .natural, seed: UInt64) {
    self.start = start
    reloads = PlaylistReloads(seed: seed)
    tries = SegmentTries(seed: seed &+ 1)
  }

  // MARK: Playlist

  /// Whether the playlist is to be fetched now.
  func needsPlaylist(now: Instant) -> Bool { reloads.isDue(for: playlist, now: now) }

  mutating func playlistRequested(now: Instant) { reloads.requested(now: now) }

  /// When the playlist had something new last.
  var lastChange: Instant? { reloads.lastChange }

  mutating func playlistCame(_ new: MediaPlaylist, now: Instant) {
    isFailing = false
    let age = now - (lastChange ?? now)
    let answer = reloads.came(new, after: playlist, next: next, now: now)
    guard answer != .older else { return }
    if reloads.isLongEmpty(now: now) { isFailing = true }
    moveOrigin(to: new, age: age)
    playlist = new
    if answer == .restarted { restartAtEdge() }
    settle()
    if reloads.standsStill(new, next: next, now: now) { isFailing = true }
  }

  /// - Parameter age: how long ago the list had something new.
  private mutating func moveOrigin(to new: MediaPlaylist, age: Duration) {
    guard let old = playlist, old.isSliding, new.mediaSequence != old.mediaSequence else { return }
    if let segment = playlist?.segment(new.mediaSequence) {
      origin += segment.time
    } else if new.mediaSequence >= old.endSequence {
      // What was missed in between is taken to be as long as what is there.
      let usual = (new.duration / Double(max(1, new.count))).inSeconds
      let missed = usual * Double(new.mediaSequence - old.endSequence)
      // A server that begins anew may count on from anywhere: no more has been missed than can have been made meanwhile.
      let most = max(.zero, age + new.targetDuration * 2 - new.duration)
      origin += old.duration + .seconds(min(missed, most.inSeconds))
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

  /// - Returns: false if trying again has no chance: a playlist that was there may come again, one that never was does not.
  mutating func playlistFailed(_ error: NetworkError, now: Instant) -> Bool {
    guard reloads.failed(error, now: now) else {
      isFailing = isFailing || reloads.isRefused
      return playlist != nil
    }
    isFailing = isFailing || Self.isEnough(reloads.failures, error)
    return true
  }

  /// A playlist that came damaged: like one that did not come.
  mutating func playlistDamaged(_ reason: String, now: Instant) -> Bool {
    reloads.damaged(reason, for: playlist, now: now)
    isFailing = isFailing || reloads.isRefused
    return playlist != nil
  }

  /// Another variant's playlist takes the place of this one. RFC 8216 section 6.2.4 keeps their segments in step, by their
  /// times; not everybody does by their numbers.
  mutating func adopt(_ new: MediaPlaylist, now: Instant) {
    let age = now - (lastChange ?? now)
    let found = next.flatMap { playlist?.place(of: $0, in: new, age: age) }
    if let found {
      origin += found.ahead
      boundOrigin()
      next = found.sequence
      playlist = new
      settle()
    } else if var old = playlist, let next {
      moveOrigin(to: new, age: age)
      // What has been added meanwhile comes next; less than a part of a segment is rounding, and where there is more than
      // can have been made meanwhile the lists began elsewhere.
      let added = new.duration - old.duration
      let isAddition = added >= new.targetDuration / 2 && added <= age + new.targetDuration * 2
      let isAtEnd = next >= old.endSequence && !isAddition
      // A show that has ended meanwhile, whole or not: its numbers go on.
      let hasEnded = old.isSliding && !new.isSliding && (new.mediaSequence...new.endSequence).contains(next)
      if !old.isSliding || !new.isSliding {
        let time = isAtEnd ? new.duration : old.segment(next)?.time ?? old.duration
        start = .time(time + .milliseconds(1))
      } else {
        start = .beside(sequence: next, time: .zero, date: nil)
      }
      self.next = hasEnded ? next : nil
      playlist = new
      settle()
      if isAtEnd, !hasEnded, !new.isSliding { self.next = new.endSequence }
    } else {
      playlist = new
      settle()
    }
    changeAt = next
    repeats = 0
    // Of lists that go on as usual hardly anything is had again: time that goes back far is another clock's there. Else
    // no more is than the time for which nothing was added, and what is usual at the edge.
    if new.isSliding, age > new.targetDuration * 2, let next, let first = segment(numbered: next) {
      repeats = min(new.duration - first.time, age + new.targetDuration * 2).inSeconds
    }
    forgetFailures()
    reloads.adopted(new, now: now)
  }

  // MARK: Segments

  /// What to do for the next segment, if anything is due and there is `room` for one.
  mutating func segment(now: Instant, room: Int) -> Segment? {
    guard room > 0, tries.isDue(now: now), let next else { return nil }
    guard let segment = playlist?.segment(next) else { return nil }
    if let refusal = segment.refusal { return .skip(segment, reason: refusal) }
    return segment.isGap ? .skip(segment, reason: "a gap (EXT-X-GAP)") : .fetch(segment)
  }

  /// A segment by its number, due or not; `nil` if the playlist does not hold it (any more).
  mutating func segment(numbered sequence: Int) -> MediaSegment? { playlist?.segment(sequence) }

  /// The segment in which a time of the playlist lies.
  mutating func segment(at time: Duration) -> MediaSegment? { playlist?.segment(at: time) }

  mutating func segmentRequested() { tries.requested() }

  /// Whether segments before this one were left out without being mentioned.
  func isBreak(before segment: MediaSegment) -> Bool { breakAt == segment.sequence }

  /// It is there, or it is left out.
  mutating func segmentDone(_ segment: MediaSegment, now: Instant, wasSkipped: Bool = false) {
    tries.done(segment.sequence, wasSkipped: wasSkipped)
    if !wasSkipped { isFailing = false }
    next = segment.sequence + 1
    if breakAt == segment.sequence { breakAt = nil }
    if changeAt == segment.sequence { changeAt = nil }
    settle()
  }

  /// - Parameters:
  ///   - isDoubtful: all of it may have come: that makes nothing else worth trying.
  ///   - mayBeElsewhere: there is another variant.
  mutating func segmentFailed(
    _ segment: MediaSegment, _ error: NetworkError, isDoubtful: Bool = false, mayBeElsewhere: Bool = false, now: Instant
  ) -> Verdict {
    let verdict = tries.failed(segment, of: playlist, error, mayBeElsewhere: mayBeElsewhere, now: now)
    isFailing =
      isFailing || tries.isSoughtElsewhere
      || !isDoubtful && error.isWorthRetrying && Self.isEnough(tries.failures, error)
    return verdict
  }

  /// It broke off again, and some more of it has come.
  mutating func segmentComesOn() { tries.cameOn() }

  /// A link came up again: what waits is tried at once.
  mutating func linkCameUp(now: Instant) {
    tries.linkCameUp(now: now)
    reloads.linkCameUp(now: now)
  }

  /// Goes to a time of the playlist.
  mutating func seek(to time: Duration) {
    start = .time(time)
    next = nil
    (breakAt, changeAt) = (nil, nil)
    forgetFailures()
    settle()
  }

  private mutating func forgetFailures() {
    tries.forget()
    isFailing = false
  }

  // MARK: What comes next

  /// Everything was fetched, and nothing will be added.
  var isOver: Bool {
    guard let playlist, let next else { return false }
    return playlist.isEnded && next >= playlist.endSequence
  }

  /// Some segments in a row were left out.
  var isSkipping: Bool { tries.isSkipping }

  /// Little or nothing comes of it: another variant is worth trying.
  var isBad: Bool { isFailing || isSkipping }

  /// One segment after the other cannot be had.
  var isHopeless: Bool { tries.isHopeless(in: playlist) }

  /// Why nothing comes; `nil` while all is well.
  func trouble(now: Instant) -> String? {
    tries.trouble(in: playlist) ?? reloads.trouble(of: playlist, next: next, now: now)
  }

  /// When something is due that nobody tells of.
  var wake: Instant? { [reloads.wake(for: playlist), tries.wake].compactMap { $0 }.min() }

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
    tries.restart()
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
