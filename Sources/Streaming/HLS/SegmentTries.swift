internal import Hardware

/// How often a segment is tried, when it is tried again, and when it is left out. Pure.
struct SegmentTries {
  private var isFetching = false
  private var retryAt: Instant?
  private(set) var failures = 0
  /// How often what the server sends of it broke off, or was no HTTP.
  private var breaks = 0
  private var brokenSince: Instant?
  /// The segment before came whole: it is not the way that breaks.
  private var isWayWhole = false
  private var backoff: Backoff
  private var reason: String?
  /// Segments skipped one after the other because of errors.
  private var skippedInARow = 0
  /// It is not here, and may be elsewhere: it is not left out before that has been looked at.
  private(set) var isSoughtElsewhere = false

  /// Server errors of one segment before it is left out.
  private static let mostServerErrors = 4
  /// Breaks of one segment before it is left out of a list that is at its end.
  private static let mostBreaks = 6
  /// And for how long at least where the one before did not come either: a way that breaks may be whole again.
  private static let longestBroken: Duration = .seconds(60)
  private static let mostSkippedInARow = 5
  /// So long at most another variant's list is waited for that may have what is not here.
  private static let mostTriesElsewhere = 8
  /// The same of a list that is at its end: what is gone there stays gone, and what lies behind it may be there.
  private static let mostSkippedAtEnd = 64

  init(seed: UInt64) { backoff = Backoff(seed: seed) }

  /// Whether one may be fetched now.
  func isDue(now: Instant) -> Bool { !isFetching && now >= (retryAt ?? now) }

  /// When one is due that nobody tells of.
  var wake: Instant? { isFetching ? nil : retryAt }

  mutating func requested() { isFetching = true }

  /// It is there, or it is left out.
  mutating func done(_ sequence: Int, wasSkipped: Bool) {
    restart()
    reason = nil
    isWayWhole = !wasSkipped
    guard !wasSkipped else { return }
    skippedInARow = 0
    backoff = Backoff(seed: UInt64(truncatingIfNeeded: sequence) &* 0x9E37_79B9)
  }

  /// - Parameters:
  ///   - playlist: the list that it is in.
  ///   - mayBeElsewhere: there is another variant.
  mutating func failed(
    _ segment: MediaSegment, of playlist: MediaPlaylist?, _ error: NetworkError, mayBeElsewhere: Bool = false,
    now: Instant
  ) -> LoaderPlan.Verdict {
    isFetching = false
    failures += 1
    reason = "\(error)"
    let isLast = playlist.map { segment.sequence == $0.endSequence - 1 } ?? true
    if error.isWorthRetrying {
      if case .status = error.kind, failures >= Self.mostServerErrors, !isLast || playlist?.isEnded == true {
        return skipOrWait(playlist, now)
      }
      if error.kind == .interrupted || error.kind == .malformed {
        breaks += 1
        brokenSince = brokenSince ?? now
      }
      let isLong = isWayWhole || brokenSince.map { now - $0 >= Self.longestBroken } == true
      let isGivenUp = breaks >= Self.mostBreaks && isLong
      // Those behind it may come whole. Where none does it is the way that breaks: patience is better than silence.
      if isGivenUp, playlist?.isEnded == true, skippedInARow < Self.mostSkippedInARow {
        skippedInARow += 1
        return .skip
      }
      retryAt = backoff.ended(.failed(error), at: now)
      return .retry
    }
    // At the live edge the playlist may be ahead of the segment by a moment.
    if case .status = error.kind, isLast, playlist?.isEnded == false, failures < 3 {
      retryAt = now + max(.milliseconds(250), (playlist?.targetDuration ?? .seconds(2)) / 4)
      return .retry
    }
    // Where the one before was nowhere else either, nobody waits for this one.
    if mayBeElsewhere, skippedInARow == 0, case .status = error.kind, failures < Self.mostTriesElsewhere {
      isSoughtElsewhere = true
      retryAt = now + .milliseconds(500)
      return .retry
    }
    return skipOrWait(playlist, now)
  }

  /// Leaves a segment out, unless nothing at all seems to be there: then patience is better than silence.
  private mutating func skipOrWait(_ playlist: MediaPlaylist?, _ now: Instant) -> LoaderPlan.Verdict {
    skippedInARow += 1
    guard isHopeless(in: playlist) else { return .skip }
    retryAt = now + .seconds(min(30, 2 * (skippedInARow - mostSkipped(playlist))))
    return .retry
  }

  /// A link came up again: what waits is tried at once.
  mutating func linkCameUp(now: Instant) {
    if let time = backoff.linkCameUp(at: now), retryAt != nil { retryAt = time }
  }

  /// Some more of it has come: what it broke off by before says nothing of the rest.
  mutating func cameOn() {
    (failures, breaks, brokenSince) = (0, 0, nil)
    backoff = Backoff(seed: UInt64(truncatingIfNeeded: skippedInARow) &* 0x9E37_79B9)
  }

  /// Another segment comes next.
  mutating func restart() {
    (isFetching, retryAt, failures, breaks, brokenSince, isSoughtElsewhere) = (false, nil, 0, 0, nil, false)
  }

  /// What comes next is elsewhere: what failed before says nothing of it.
  mutating func forget() {
    restart()
    skippedInARow = 0
  }

  /// Some segments in a row were left out.
  var isSkipping: Bool { skippedInARow > 2 }

  /// One segment after the other cannot be had.
  func isHopeless(in playlist: MediaPlaylist?) -> Bool { skippedInARow > mostSkipped(playlist) }

  private func mostSkipped(_ playlist: MediaPlaylist?) -> Int {
    playlist?.isEnded == true ? Self.mostSkippedAtEnd : Self.mostSkippedInARow
  }

  /// Why nothing comes; `nil` while all is well.
  func trouble(in playlist: MediaPlaylist?) -> String? { failures > 1 || isHopeless(in: playlist) ? reason : nil }
}
