public import Hardware

/// The appliance's brain: what has happened goes in, what is to be done comes out. No I/O, no clock, no threads.
///
/// One owner (the control loop) calls it; equal states and events give equal effects, so a run can be replayed.
public struct Machine: Sendable {
  public private(set) var state: State

  public init(state: State = State()) { self.state = state }

  /// Takes an event that is handled at `now`.
  ///
  /// - Returns: what to do, in order. A change of dubbing, then one of mode, is announced once, and last.
  public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
    let modeBefore = state.modeName
    let dubbingBefore = state.dubbingStatus
    var turn = Turn(state: state, now: now)
    turn.take(event)
    state = turn.state
    let modeAfter = state.modeName
    if state.dubbingStatus != dubbingBefore, state.mode == .dub || turn.wasDubbing {
      turn.effects.append(.announce(.dubbing(state.dubbingStatus)))
    }
    if modeAfter != modeBefore {
      turn.effects.append(.announce(.modeChanged(from: modeBefore, to: modeAfter)))
    }
    return turn.effects
  }
}

/// One event being handled. The rules are in extensions, by what they are about.
struct Turn {
  var state: State
  let now: Instant
  var effects: [Effect] = []
  /// Something was being played with a dub when the event came.
  let wasDubbing: Bool
  /// A key is being obeyed: whoever pressed it looks at the screen, not at an answer.
  var isFromKey = false

  init(state: State, now: Instant) {
    self.state = state
    self.now = now
    wasDubbing = state.dub.isBusy
  }

  mutating func take(_ event: Event) {
    switch event {
    case .gesture(let gesture):
      isFromKey = true
      take(gesture)
    case .command(let command): take(command)
    case .recorder(let report): take(report)
    case .player(let report): take(report)
    case .library(let report): take(report)
    case .clip(let report): take(report)
    case .dub(let report, let run): take(report, run: run)
    case .dubSources(let sources): take(sources)
    case .clipTrigger(let at, let source): triggered(at: at, source)
    case .deviceLost(let device, let text): lost(device, text)
    case .deviceReturned(let device, let text): returned(device, text)
    case .storage(let level): storage(level)
    case .timer(let timer): ranOut(timer)
    }
  }

  mutating func announce(_ announcement: Announcement) { effects.append(.announce(announcement)) }
  mutating func order(_ order: RecorderOrder) { effects.append(.recorder(order)) }
  mutating func order(_ order: PlayerOrder) { effects.append(.player(order)) }
  mutating func order(_ order: LibraryOrder) { effects.append(.library(order)) }
  mutating func order(_ order: ClipOrder) { effects.append(.clip(order)) }
  mutating func orderDub(_ order: DubOrder) { effects.append(.dub(order)) }

  /// Says that a press or command did nothing. Where the user can do something about it, the screen says so too.
  mutating func refuse(_ reason: IgnoredReason) {
    effects.append(.ignored(reason))
    guard isFromKey else { return }
    switch reason {
    case .deviceMissing(let device):
      raise(.error, reason.code, state.explain(reason), device: device)
    case .storageFull:
      raise(.error, reason.code, state.explain(reason))
    case .busy, .nothingLoaded, .notYet, .notOnBoard, .protected:
      raise(.information, reason.code, state.explain(reason), for: .seconds(2))
    case .locked, .noMeaning, .atLimit, .refused, .switchedOff:
      break
    }
  }

  mutating func refuseMeaningless() { refuse(.noMeaning(mode: state.modeName)) }
}
