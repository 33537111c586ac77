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
    brokenState ?? brokenTake ?? brokenEffects ?? (before.isLocked ? brokenLock : nil)
  }

  private var brokenState: String? {
    let files = after.files
    if (after.openTake != nil) != after.hasOpenTake { return "an open take if and only if one is being made" }
    if after.scrubbing != 0, after.hasOpenTake || after.loaded == nil { return "scrubbing what cannot be scrubbed" }
    if after.queuedRecord != nil, after.activity != .saving { return "a queued REC outlived the saving" }
    if after.queuedStop != nil, after.queuedRecord == nil { return "a queued STOP without its REC" }
    if files.count < 0 || files.selected < 0 || files.selected >= max(1, files.count) { return "no such row" }
    if files.windowStart < 0 || files.windowStart + files.window.count > files.count { return "a window past the list" }
    if files.isConfirmingDelete, after.screen != .files || files.selection == nil { return "delete what?" }
    if after.screen == .files, after.hasOpenTake { return "the list during a take" }
    if !OptionsMenu.rows.indices.contains(after.options.selected) { return "no such option" }
    if after.guideLine < 0 || after.guideLine > 40 { return "a guide line far out" }
    if after.activity == .playing || after.activity == .playbackPaused, after.loaded == nil { return "playing nothing" }
    if after.inputGain < -20 || after.inputGain > 20 { return "gain out of range" }
    if after.isLocked, files.isConfirmingDelete { return "a question under the lock" }
    return nil
  }

  private var brokenTake: String? {
    let isOver: Bool
    switch event {
    case .recorder(.saved), .recorder(.failed): isOver = true
    default: isOver = false
    }
    let wasRunning = before.activity == .recording || before.activity == .paused
    let isRunning = after.activity == .recording || after.activity == .paused
    if wasRunning, !isRunning, after.activity != .saving, !isOver { return "left a take without saving it" }
    if before.activity == .saving, after.activity != .saving, !isOver { return "saving ended by itself" }
    var starts = 0
    for case .recorder(.start) in effects { starts += 1 }
    if starts > 1 { return "two starts at once" }
    if starts == 1, before.hasOpenTake, !isOver { return "a second take was opened" }
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

  private var brokenEffects: String? {
    var changes = 0
    for effect in effects {
      switch effect {
      case .announce(.modeChanged(let from, let to)):
        changes += 1
        if from != before.modeName || to != after.modeName { return "a mode change that was not" }
      case .setTimer(_, let at):
        if at <= now { return "a timer in the past" }
      case .library(.delete(let id)):
        if !before.files.isConfirmingDelete || before.files.selection?.id != id { return "deleted without asking" }
        guard case .gesture(let gesture) = event, gesture.button == .centre else { return "deleted by no key" }
      default: break
      }
    }
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
      case .recorder, .player, .library, .saveSettings: return "a locked key acted"
      default: break
      }
    }
    return nil
  }
}
