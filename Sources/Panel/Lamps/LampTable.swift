public import Appliance
public import Hardware

/// The patterns of all lights at a time.
public struct LampPatterns: Hashable, Sendable {
  public var rec: LampPattern
  public var status: LampPattern
  public var lock: LampPattern

  /// The buzzer has none: see `Buzzer`.
  public subscript(lamp: Lamp) -> LampPattern {
    switch lamp {
    case .rec: rec
    case .status: status
    case .lock: lock
    case .buzzer: .off
    }
  }

  /// The lamps that are lit at a time.
  public func lit(at now: Instant) -> Set<Lamp> { Set(Lamp.lights.filter { self[$0].isLit(at: now) }) }

  /// When a lamp next goes on or off; `nil` if all are steady.
  public func nextChange(after now: Instant) -> Instant? {
    Lamp.lights.compactMap { self[$0].nextChange(after: now) }.min()
  }
}

/// The one table of what the lamps say.
///
/// | lamp   | pattern      | means |
/// |--------|--------------|-------|
/// | REC    | on           | recording: a take, or a clip in its post-roll; never in dubbed playback |
/// |        | blink-slow   | the take is paused |
/// | STATUS | blink-fast   | saving: leave the power alone |
/// |        | double-flash | something the user relies on does not work, or the storage is full or missing |
/// |        | triple-flash | a stream, or the service that dubs, cannot be reached; it is tried again |
/// |        | blink-slow   | storage low |
/// |        | quick-flash  | a mark has been set; dubbed playback buffers; the feed loads or buffers |
/// |        | wink         | playing; in dubbed playback, with a dub |
/// |        | double-wink  | dubbed playback plays the original; the feed plays muted |
/// |        | flash        | playback paused |
/// |        | on           | armed: REC will record or keep a clip, and what happens now is already in the ring |
/// |        | glimmer      | alive, not armed: no microphone, in clip mode no camera; or nothing is played with a dub |
/// |        | off          | a take is open, or a clip is being captured (REC tells) |
/// | LOCK   | on           | keys are locked |
///
/// Of what STATUS might say, the uppermost wins. REC and LOCK never depend on it.
public enum LampTable {
  public static func patterns(for state: State) -> LampPatterns {
    LampPatterns(rec: rec(state), status: status(state), lock: state.isLocked ? .on : .off)
  }

  private static func rec(_ state: State) -> LampPattern {
    if state.mode == .clips { return state.clips.activity == .capturing ? .on : .off }
    return switch state.activity {
    case .recording: .on
    case .paused: .blinkSlow
    case .saving: state.dictaphone.recording.queued?.isStopped == false ? .on : .off
    case .idle, .playing, .playbackPaused: .off
    }
  }

  private static func status(_ state: State) -> LampPattern {
    if isSaving(state) { return .blinkFast }
    let health = state.health
    if state.notice?.severity == .error || health.storageTrouble(in: state.mode) != nil { return .doubleFlash }
    if state.mode == .dub, state.dub.isBusy, state.dub.isLinkLost { return .tripleFlash }
    if state.notice?.code == Notice.mark { return .quickFlash }
    if state.health.isStorageLow { return .blinkSlow }
    if state.mode == .dub { return dub(state.dub) }
    if state.mode == .feed { return feed(state.feed) }
    if state.mode == .clips, state.clips.activity == .capturing { return .off }
    switch state.activity {
    case .recording, .paused, .saving: return .off
    case .playing: return .wink
    case .playbackPaused: return .flash
    case .idle: return state.isArmed ? .on : .glimmer
    }
  }

  private static func dub(_ dub: DubState) -> LampPattern {
    guard dub.isBusy else { return .glimmer }
    if dub.isPaused { return .flash }
    if dub.activity == .buffering { return .quickFlash }
    return dub.isDubbed ? .wink : .doubleWink
  }

  private static func feed(_ feed: FeedState) -> LampPattern {
    switch feed.activity {
    case .failed: return .doubleFlash
    case .idle, .empty: return .glimmer
    case .loading: return .quickFlash
    case .buffering, .playing:
      if feed.isPaused { return .flash }
      if feed.activity == .buffering { return .quickFlash }
      return feed.isMuted ? .doubleWink : .wink
    }
  }

  /// A take or clip that is being saved may have the next one recorded beside it: both lamps tell.
  private static func isSaving(_ state: State) -> Bool {
    state.activity == .saving || state.clips.open.contains(where: \.isSaving)
  }
}
