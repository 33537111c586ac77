internal import Hardware

/// When a media playlist is fetched again, by how its server keeps it. Pure.
struct PlaylistReloads {
  /// What has come in the place of a list.
  enum Answer: Hashable, Sendable {
    /// An older copy out of some cache.
    case older
    case newer
    /// Its server began anew.
    case restarted
  }

  private var isLoading = false
  private var began: Instant?
  private var due: Instant?
  private(set) var lastChange: Instant?
  /// Since when there is no segment in the list.
  private var emptySince: Instant?
  private var unchanged = 0
  private var backwards = 0
  /// Answers in a row that nobody tries again who has never had the list.
  private var refusals = 0
  private static let mostRefusals = 3
  private var backoff: Backoff
  private var reason: String?

  /// What is about to begin has an empty list for a moment. After the first of these that is told, after the second one
  /// another list is worth trying, where there is one.
  private static let shortlyEmpty = Duration.seconds(2)
  private static let longEmpty = Duration.seconds(6)

  init(seed: UInt64) { backoff = Backoff(seed: seed) }

  /// Tries that failed in a row.
  var failures: Int { backoff.failures }

  /// Whether a list is to be fetched now; `playlist` is the one that is there.
  func isDue(for playlist: MediaPlaylist?, now: Instant) -> Bool {
    !isLoading && playlist?.isEnded != true && now >= (due ?? now)
  }

  /// When it is due that nobody tells of.
  func wake(for playlist: MediaPlaylist?) -> Instant? { isLoading || playlist?.isEnded == true ? nil : due }

  mutating func requested(now: Instant) {
    isLoading = true
    began = now
  }

  /// Reloads as RFC 8216 section 6.3.4 says: a target duration after the last load began if it has changed, half of it
  /// if it has not; more slowly when nothing has come for long, and faster where the window would be gone by then.
  ///
  /// - Parameter next: the segment that comes next in the list that is there.
  mutating func came(_ new: MediaPlaylist, after old: MediaPlaylist?, next: Int?, now: Instant) -> Answer {
    isLoading = false
    let began = self.began ?? now
    backoff.opened(at: began)
    (reason, refusals) = (nil, 0)
    // An older copy must not lead back; a server that began anew must.
    if let old, let next, new.endSequence < min(next, old.endSequence), !new.isEnded, backwards < 2 {
      backwards += 1
      due = began + delay(of: new, isChanged: false)
      return .older
    }
    let isRestart = backwards >= 2 && old.map { new.endSequence < $0.endSequence } == true
    backwards = 0
    let isChanged = old.map { $0.endSequence != new.endSequence || $0.isEnded != new.isEnded } ?? true
    unchanged = isChanged ? 0 : unchanged + 1
    if isChanged { lastChange = now }
    due = began + delay(of: new, isChanged: isChanged)
    emptySince = new.count == 0 ? emptySince ?? now : nil
    return isRestart ? .restarted : .newer
  }

  private func delay(of playlist: MediaPlaylist, isChanged: Bool) -> Duration {
    let target = playlist.targetDuration
    // A window that is shorter than what it calls its longest segment has gone on without us by then.
    let isShort = playlist.isSliding && playlist.count > 0 && playlist.duration < target * 9 / 10
    guard !isShort || unchanged >= 10 else { return max(.milliseconds(500), playlist.duration / 2) }
    guard !isChanged else { return target }
    return unchanged < 4 ? max(.milliseconds(500), target / 2) : unchanged < 10 ? target : target * 2
  }

  /// - Returns: false if trying again has no chance; a list that was there may come again all the same.
  mutating func failed(_ error: NetworkError, now: Instant) -> Bool {
    isLoading = false
    reason = "\(error)"
    let time = backoff.ended(.failed(error), at: now)
    // A server that puts another list in its place has none for a moment.
    due = time ?? now + .seconds(min(10, 1 << min(refusals, 4)))
    refusals += 1
    return time != nil
  }

  /// A list came damaged: like one that did not come.
  mutating func damaged(_ reason: String, for playlist: MediaPlaylist?, now: Instant) {
    isLoading = false
    self.reason = reason
    refusals += 1
    due = now + (playlist?.targetDuration ?? .seconds(2))
  }

  /// Another variant's list has come; who asked for the other one again has given that up.
  mutating func adopted(_ new: MediaPlaylist, now: Instant) {
    isLoading = false
    (reason, refusals) = (nil, 0)
    lastChange = now
    began = now
    emptySince = new.count == 0 ? now : nil
    unchanged = 0
    due = now + delay(of: new, isChanged: true)
  }

  /// A link came up again: what waits is tried at once.
  mutating func linkCameUp(now: Instant) {
    if reason != nil, let time = backoff.linkCameUp(at: now) { due = time }
  }

  /// It was there and is gone, or no list any more, so often in a row that another one is worth trying.
  var isRefused: Bool { refusals >= Self.mostRefusals }

  /// There has been no segment in the list for so long that another one is worth trying.
  func isLongEmpty(now: Instant) -> Bool { emptySince.map { now - $0 >= Self.longEmpty } ?? false }

  /// Nothing has been added for so long, and all of it has been had, that another list is worth trying.
  func standsStill(_ playlist: MediaPlaylist, next: Int?, now: Instant) -> Bool {
    guard !playlist.isEnded, let next, next >= playlist.endSequence, let lastChange else { return false }
    return now - lastChange > max(Self.longEmpty, playlist.targetDuration * 7 / 2)
  }

  /// Why no new segments come; `nil` while all is well.
  func trouble(of playlist: MediaPlaylist?, next: Int?, now: Instant) -> String? {
    guard let playlist else { return reason }
    if reason == nil, let emptySince, now - emptySince >= Self.shortlyEmpty, !playlist.isEnded {
      return "its list is empty: there is no segment in it"
    }
    guard !playlist.isEnded, let next, next >= playlist.endSequence else { return nil }
    if let reason { return reason }
    guard let lastChange, now - lastChange > playlist.targetDuration * 3 / 2 + playlist.targetDuration else {
      return nil
    }
    return "no new segment for \(Int((now - lastChange).inSeconds)) s"
  }
}
