import Appliance
import Hardware

/// What must hold of every event, whatever came before: `nil`, or what was broken.
struct Invariants {
  let before: State
  let after: State
  let event: Event
  let effects: [Effect]
  let now: Instant

  var broken: String? {
    brokenState ?? brokenTake ?? brokenClips ?? brokenDub ?? brokenFeed ?? brokenEffects
      ?? (before.isLocked ? brokenLock : nil)
  }

  private var brokenState: String? {
    let files = after.files
    if (after.openTake != nil) != after.hasOpenTake { return "an open take if and only if one is being made" }
    if after.mode != .dub, after.mode != .feed, after.scrubbing != 0, after.hasOpenTake || after.loaded == nil {
      return "scrubbing what cannot be scrubbed"
    }
    if after.dictaphone.recording.queued != nil, after.activity != .saving { return "a queued REC outlived the saving" }
    if files.count < 0 || files.selected < 0 || files.selected >= max(1, files.count) { return "no such row" }
    if files.windowStart < 0 || files.windowStart + files.window.count > files.count { return "a window past the list" }
    if files.isConfirmingDelete, after.screen != .files || files.selection == nil { return "delete what?" }
    if after.screen == .files, after.hasOpenTake { return "the list during a take" }
    if (after.shown.schedules.draft != nil) != (after.screen == .schedule) { return "edited on another screen" }
    if let draft = after.shown.schedules.draft, !draft.texts.indices.contains(draft.selected) { return "no such value" }
    if before.screen == .schedule, after.screen == .schedule, before.settings.schedules != after.settings.schedules {
      guard case .command = event else { return "a time that is only passed counts" }
    }
    if after.shown.clock != nil, ![.clock, .guide].contains(after.screen) { return "a clock that nobody sets" }
    if !after.options.rows.indices.contains(after.options.selected) { return "no such option" }
    if after.shown.guideLine < 0 || after.shown.guideLine > 40 { return "a guide line far out" }
    if after.activity == .playing || after.activity == .playbackPaused, after.loaded == nil { return "playing nothing" }
    if !(-20...20).contains(after.settings.inputGain) { return "gain out of range" }
    if after.isLocked, files.isConfirmingDelete { return "a question under the lock" }
    return nil
  }

  private var brokenTake: String? {
    let isOver: Bool
    switch event {
    case .recorder(.saved), .recorder(.failed), .recorder(.notBegun): isOver = true
    default: isOver = false
    }
    let wasRunning = before.activity == .recording || before.activity == .paused
    let isRunning = after.activity == .recording || after.activity == .paused
    if wasRunning, !isRunning, after.activity != .saving, !isOver { return "left a take without saving it" }
    if before.activity == .saving, after.activity != .saving, !isOver { return "saving ended by itself" }
    var starts = 0
    for case .recorder(.start) in effects { starts += 1 }
    if starts > 1 { return "two starts at once" }
    let isQueued = after.dictaphone.recording.queued != nil
    if starts == 1, before.hasOpenTake, !isQueued { return "a second take was opened" }
    if starts != 1, isQueued, before.dictaphone.recording.queued == nil {
      return "a take that nobody started is queued"
    }
    if starts == 1, !after.hasOpenTake { return "a take was started and forgotten" }
    if starts == 0, !before.hasOpenTake, after.hasOpenTake { return "a take that nobody started" }
    if wasRunning, after.activity == .saving, !isOver {
      var stops = 0
      for case .recorder(.stop) in effects { stops += 1 }
      let byItself = if case .recorder(.stopping) = event { true } else { false }
      if (stops == 1) == byItself { return "saving without exactly one stop" }
    }
    return nil
  }

  private var brokenDub: String? {
    let dub = after.dub
    if after.mode == .dub, after.hasOpenTake { return "a take beside a dub" }
    if after.mode == .dub, after.activity != .idle { return "the player plays beside a dub" }
    if after.mode == .dub, !dub.isAvailable { return "dubbing on a board that has no memory for it" }
    if dub.isBusy, after.mode != .dub { return "a dub outside its mode" }
    if dub.isPaused || dub.isLinkLost || dub.rung != .original, !dub.isBusy { return "nothing is not quite over" }
    if !dub.isOn, dub.rung != .original { return "a dub that nobody wants" }
    if after.scrubbing != 0, after.mode == .dub, !dub.isBusy { return "scrubbing nothing" }
    if dub.sources.selected < 0 || dub.sources.selected >= max(1, dub.sources.all.count) { return "no such source" }
    if after.mode == .dub, after.screen == .files || after.screen == .receipt { return "a list that is not here" }
    var starts = 0
    var stops = 0
    for effect in effects {
      switch effect {
      case .dub(.start(_, _, _, let run)):
        starts += 1
        if run != dub.run || dub.activity != .buffering { return "another run was started" }
      case .dub(.stop): stops += 1
      case .recorder where after.mode == .dub: return "the recorder was told something beside a dub"
      default: break
      }
    }
    if starts > 1 || stops > 1 { return "one thing at a time" }
    if starts == 0, after.dub.run != before.dub.run, dub.isBusy { return "a run that nobody started" }
    if before.dub.isBusy, !dub.isBusy, stops != 1 { return "a dub was left behind" }
    if !before.dub.isBusy, dub.isBusy, starts != 1 { return "a dub that nobody started" }
    if before.dub.activity != .playing, dub.activity == .playing, case .dub(.playing, let run) = event {
      if run != before.dub.run { return "an old run's report was believed" }
    } else if before.dub.activity != .playing, dub.activity == .playing {
      return "it plays, and nobody has heard it"
    }
    return nil
  }

  private var brokenFeed: String? {
    let feed = after.feed
    let isThere = after.mode == .feed
    if isThere, after.hasOpenTake || after.activity != .idle { return "a take, or the player, beside the feed" }
    if isThere, !feed.isAvailable { return "a feed on a board that has no memory for it" }
    if !isThere, feed.isBusy || feed.presenter.isOpen { return "a feed outside its mode" }
    if isThere, after.screen == .files || after.screen == .receipt { return "a list that is not here" }
    if after.scrubbing != 0, isThere, !feed.isBusy { return "scrubbing nothing" }
    var playing = before.feed.isBusy && before.feed.play?.fault == nil ? 1 : 0
    for effect in effects {
      switch effect {
      case .feed(.play(let item, _, _, let run)):
        playing = 1
        if run != feed.run || feed.play?.item != item { return "another item was started" }
      case .feed(.stop): playing = 0
      case .feed(.prepare(let items)):
        if items.count > FeedPresenter.players { return "too many players" }
        if items != (feed.presenter.isOpen ? feed.presenter.neighbourhood : []) {
          return "players for what is not near"
        }
      case .recorder where isThere: return "the recorder was told something beside a feed"
      default: break
      }
    }
    if playing != (feed.isBusy && feed.play?.fault == nil ? 1 : 0) { return "what plays is not what is shown" }
    if before.feed.activity != .playing, feed.activity == .playing {
      guard case .feed(.player(.playing, let run)) = event, run == before.feed.run else {
        return "it plays, and nobody has heard it"
      }
    }
    return nil
  }

  /// Triggers that are waiting for an answer, and clips that are open.
  private static func claims(_ state: State) -> Int { state.clips.captures.unanswered + state.clips.open.count }

  private var brokenClips: String? {
    let clips = after.clips
    if after.mode == .clips, after.hasOpenTake { return "a take in clip mode" }
    if after.mode != .clips, clips.captures.unanswered > 0 || !clips.captures.awaited.isEmpty {
      return "a trigger outside clip mode"
    }
    if after.mode == .clips, !clips.isAvailable { return "clip mode without a camera on the board" }
    if !(0...Captures.mostUnanswered).contains(clips.captures.unanswered) { return "triggers miscounted" }
    if Set(clips.open.map(\.number)).count != clips.open.count { return "one clip twice" }
    if after.screen == .receipt, after.mode != .clips || after.files.selection == nil { return "the receipt of what?" }
    var triggers = 0
    var switches = 0
    for effect in effects {
      switch effect {
      case .clip(.trigger): triggers += 1
      case .clip(.arm), .clip(.disarm): switches += 1
      case .recorder where after.mode == .clips: return "the recorder was told something in clip mode"
      default: break
      }
    }
    let isCameras = (before.mode == .clips) != (after.mode == .clips)
    if switches != (isCameras ? 1 : 0) { return "the camera does not follow the mode" }
    if switches > 0, before.hasOpenWork || after.hasOpenWork { return "left something open" }
    return brokenCapture(triggers)
  }

  /// Each trigger is answered once, and each clip ends once: nothing else makes one come or go.
  private func brokenCapture(_ triggers: Int) -> String? {
    let change = Self.claims(after) - Self.claims(before)
    switch event {
    case .clip(.started(_, let source, _, _)) where !source.isOrdered:
      if change < 0 || change > 1 { return "a clip was lost" }
    case .clip(.joined), .clip(.refused), .clip(.bounced), .clip(.completed), .clip(.failed):
      if change > 0 || change < -1 { return "a clip was lost" }
    case .gesture, .command(.trigger), .clipTrigger:
      if change != triggers || triggers > 1 { return "a trigger was lost, or made up" }
    default:
      if change != 0 { return "a clip was lost" }
    }
    if after.clips.open.count > before.clips.open.count {
      guard case .clip(.started) = event else { return "a clip that nobody started" }
    }
    return nil
  }

  private var brokenEffects: String? {
    var changes = 0
    for effect in effects {
      switch effect {
      case .announce(.modeChanged(let from, let to)):
        changes += 1
        if from != before.modeName || to != after.modeName { return "a mode change that was not" }
      case .library(.work(let work, let ids)):
        if ids.isEmpty || Set(ids) != before.files.browser.marked { return "worked on what is not marked" }
        if work == .delete, !before.files.isConfirmingDelete || before.hasOpenTake { return "deleted without asking" }
      case .setTimer(_, let at):
        if at <= now { return "a timer in the past" }
      case .library(.delete(let id)), .library(.deleteClip(let id)):
        if before.files.selection?.isProtected == true { return "deleted what is protected" }
        if !before.files.isConfirmingDelete || before.files.selection?.id != id { return "deleted without asking" }
        if before.files.browser.marked != nil { return "deleted one of several" }
        guard case .gesture(let gesture) = event, gesture.button == .centre else { return "deleted by no key" }
      default: break
      }
    }
    var events = 0
    for case .announce(.dubbing(let status)) in effects {
      events += 1
      if status != after.dubbingStatus { return "a lie about dubbing" }
    }
    let isTold = before.dubbingStatus == after.dubbingStatus || (after.mode != .dub && !before.dub.isBusy)
    if events != (isTold ? 0 : 1) { return "changes of dubbing are told once" }
    if changes != (before.modeName == after.modeName ? 0 : 1) { return "mode changes are announced once" }
    if changes == 1, case .announce(.modeChanged)? = effects.last {} else if changes == 1 { return "not last" }
    return nil
  }

  private var brokenLock: String? {
    guard case .gesture(let gesture) = event else { return nil }
    if !after.isLocked, gesture.kind != .veryLong || gesture.button != .lock { return "unlocked by the wrong gesture" }
    for effect in effects {
      switch effect {
      case .recorder(.stop(_, .user))
      where before.settings.lockedStopWorks && gesture.button == .stop && gesture.kind == .long: break
      case .recorder, .player, .library, .clip, .dub, .feed, .saveSettings, .applySettings: return "a locked key acted"
      default: break
      }
    }
    return nil
  }
}
