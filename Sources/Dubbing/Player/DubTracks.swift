internal import Hardware
internal import Streaming

/// A sound track on its way into a store. One thread.
struct TrackFeed {
  let programme: any Programme
  /// What has been taken from the programme and does not fit into the store yet.
  private var pending: SoundBlock?

  init(_ programme: any Programme) { self.programme = programme }

  var rung: DubRung { programme.status.isBeside ? .sidecar : .rendition }

  /// Takes what is decoded, from `position` on and up to `end`.
  mutating func pull(into store: inout FrameStore, from position: Int, upTo end: Int) {
    while store.end < end, let block = pending ?? programme.nextSound() {
      pending = nil
      guard block.frames > 0, block.start + block.frames > position else { continue }
      if !store.append(block) {
        // It goes on elsewhere: what is there is played out first.
        guard store.end <= position || store.start > block.start else {
          pending = block
          return
        }
        store.clear()
        _ = store.append(block)
      }
    }
  }

  mutating func forget() { pending = nil }
}

/// The sound tracks that may take the original's place: the one that is heard, or could be, and the one that is being
/// loaded to follow it. One thread.
///
/// In another language, the track that is heard goes on until the other one's sound is there from the mixer's place on;
/// then they are cross-faded. So a change of language is heard after what loading takes, and never as a hole.
final class DubTracks {
  private(set) var current: TrackFeed?
  private var incoming: TrackFeed?
  /// Sound of what is incoming.
  private var store = FrameStore()
  /// `current` is of a language that is not wanted any more, and may be heard until then.
  private var leaveBy: Instant?
  /// A track that comes may begin at once: after a start, a seek, a change of language. Otherwise it waits for an
  /// utterance.
  var mayJoin = true
  /// There is a track, and it cannot be had; asked for again at this time.
  private(set) var retryAt: Instant?
  /// Why the wanted language's track is not there, as far as it says that.
  private var problem = ""

  /// So much of a track must be there before it is heard.
  private static let joinFrames = 48_000 * 3 / 10
  /// How much further than the original tracks are decoded.
  private static let lead = 48_000
  /// A language that is not wanted any more is not heard for longer.
  private static let patience = Duration.seconds(3)
  private static let retryPause = Duration.seconds(5)

  /// Whether the language that is wanted has a track, here or on its way.
  var isWantedThere: Bool { incoming != nil || (current != nil && leaveBy == nil) }

  /// The rung of the wanted language's track, which may be on its way or not to be had at the moment; `nil`: there is
  /// none.
  var rung: DubRung? { incoming?.rung ?? (leaveBy == nil ? current?.rung : nil) ?? (retryAt == nil ? nil : .rendition) }

  /// The rung of the track that is or could be heard now, whatever its language.
  var loadedRung: DubRung? { current?.rung }

  /// The wanted language's track is there.
  var isLoaded: Bool { current != nil && leaveBy == nil }

  /// The track of the wanted language, there or on its way.
  private var wanted: TrackFeed? { incoming ?? (leaveBy == nil ? current : nil) }

  /// Why what is heard is not the wanted language's track, at a place.
  func shortfall(at position: Int) -> String {
    let status = wanted?.programme.status
    // More of it has come since, and is not heard yet.
    if let status, let missed = status.missed, position < status.missedUntil { return missed.text }
    return problem.isEmpty ? "its sound did not come in time" : problem
  }

  // MARK: What is wanted

  /// Another language is wanted from now on.
  func leave(now: Instant) {
    incoming?.programme.close()
    incoming = nil
    retryAt = nil
    problem = ""
    mayJoin = true
    if current != nil { leaveBy = now + Self.patience }
  }

  /// This track is wanted.
  func load(_ programme: any Programme) {
    retryAt = nil
    if incoming?.programme === programme { return }
    incoming?.programme.close()
    incoming = nil
    if current?.programme === programme {
      leaveBy = nil
      return
    }
    incoming = TrackFeed(programme)
    store.clear()
  }

  /// The wanted language has no track: what is heard of another one ends.
  func loadNone(in mixer: Mixer) {
    guard leaveBy != nil else { return }
    mixer.setTrack(false, from: mixer.position)
    closeCurrent()
  }

  /// The timeline goes on elsewhere.
  func restart() {
    current?.forget()
    incoming?.forget()
    store.clear()
    mayJoin = true
  }

  func close() {
    incoming?.programme.close()
    incoming = nil
    store.clear()
    retryAt = nil
    closeCurrent()
  }

  private func closeCurrent() {
    current?.programme.close()
    current = nil
    leaveBy = nil
  }

  // MARK: Work

  /// - Returns: when to call again at the latest.
  func step(now: Instant) -> Instant? {
    [current?.programme.step(now: now), incoming?.programme.step(now: now)].compactMap { $0 }.min()
  }

  /// Takes what is decoded, and lets the track that is wanted follow as soon as it can.
  func pull(into mixer: Mixer, now: Instant) {
    let end = mixer.original.end + Self.lead
    current?.pull(into: &mixer.track, from: mixer.position, upTo: end)
    incoming?.pull(into: &store, from: mixer.position, upTo: end)
    let hasFailed = wanted.map { look(at: $0.programme.status, now) } ?? false
    if let incoming {
      if hasFailed {
        incoming.programme.close()
        self.incoming = nil
      } else if isThere(store, in: mixer) {
        closeCurrent()
        mixer.changeTrack(to: store)
        store = FrameStore()
        current = incoming
        self.incoming = nil
      }
    } else if hasFailed {
      closeCurrent()
    }
    if let leaveBy, now >= leaveBy { loadNone(in: mixer) }
  }

  /// - Returns: whether the wanted track has failed.
  private func look(at status: ProgrammeStatus, _ now: Instant) -> Bool {
    switch status.phase {
    case .failed(let fault):
      problem = fault.text
      // Another one is asked for at once.
      retryAt = status.hasOther ? now : now + Self.retryPause
      return true
    case .stalled(let text): problem = text
    case .running: problem = ""
    case .ended: problem = "its sound has ended"
    // What comes after one that failed has not shown yet that it is better.
    case .opening: break
    }
    return false
  }

  /// Whether a track can be heard from the mixer's place on.
  func isThere(in mixer: Mixer) -> Bool { isLoaded && isThere(mixer.track, in: mixer) }

  private func isThere(_ store: FrameStore, in mixer: Mixer) -> Bool {
    let position = mixer.position
    guard let epoch = mixer.original.epoch(at: position) else { return false }
    return store.start <= position && store.end >= min(position + Self.joinFrames, mixer.original.end)
      && store.epoch(at: position) == epoch
  }
}
