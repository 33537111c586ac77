internal import Hardware
internal import Streaming

/// The feed's players beside the one that is heard: opened and filled before anybody asks, taken when they are to be
/// heard, and taken back for when somebody returns. Dubbing lane only.
final class FeedPool {
  private let open: (String, @escaping @Sendable () -> Void) -> any Programme
  private let wake: @Sendable () -> Void
  /// Players at a time, the one that is heard included.
  private let most: Int
  private var ready: [String: LoopedProgramme] = [:]
  private var wanted: [String] = []
  private var playing: String?

  init(
    most: Int, wake: @escaping @Sendable () -> Void,
    open: @escaping (String, @escaping @Sendable () -> Void) -> any Programme
  ) {
    self.most = most
    self.wake = wake
    self.open = open
  }

  /// Has players for these and no others.
  func prepare(_ sources: [String]) {
    wanted = Array(sources.prefix(most))
    for (source, programme) in ready where !wanted.contains(source) {
      programme.discard()
      ready[source] = nil
    }
    fill()
  }

  /// Opens what is wanted, the most urgent first, as far as there may be players.
  private func fill() {
    for source in wanted where source != playing && ready[source] == nil {
      guard ready.count + (playing == nil ? 0 : 1) < most else { return }
      ready[source] = make(source)
    }
  }

  /// A player for what is to be heard now.
  func take(_ source: String) -> any Programme {
    playing = source
    if let programme = ready.removeValue(forKey: source) {
      guard case .failed = programme.status.phase else { return programme }
      // That was then; whoever asks now may have it.
      programme.discard()
    }
    // Whoever jumps gets a player at once; the least urgent of those that wait makes room.
    while ready.count >= most, let other = wanted.last(where: { ready[$0] != nil }) ?? ready.keys.first {
      ready.removeValue(forKey: other)?.discard()
    }
    return make(source)
  }

  /// Fills those that wait.
  ///
  /// - Returns: when to call again at the latest.
  func step(now: Instant) -> Instant? {
    // What was played when they were wanted may have made room.
    fill()
    return ready.values.compactMap { $0.step(now: now) }.min()
  }

  func close() {
    for programme in ready.values { programme.discard() }
    (ready, wanted, playing) = ([:], [], nil)
  }

  private func make(_ source: String) -> LoopedProgramme {
    LoopedProgramme(open(source, wake)) { [weak self] in self?.takeBack($0, source) ?? false }
  }

  /// What is no longer heard waits at its beginning, if it is still near.
  private func takeBack(_ programme: LoopedProgramme, _ source: String) -> Bool {
    if playing == source { playing = nil }
    // What follows it may still wait here: that is taken next.
    guard wanted.contains(source), ready[source] == nil, ready.count < most, programme.rewind() else {
      // It is opened anew when somebody comes near again, and not now: it may have failed.
      wanted.removeAll { $0 == source }
      return false
    }
    ready[source] = programme
    return true
  }
}
