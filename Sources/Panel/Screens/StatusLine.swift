public import Appliance
internal import Hardware

extension Screens {
  private static let amounts = Amounts(.english)

  /// What goes on, in a line of words: `recording 1h07m26s, -17.0 dB, Take 43`. For terminals too small for a picture,
  /// and for those who have it read to them.
  public static func statusLine(_ state: State, _ readings: Readings) -> String {
    // The console speaks English, whatever the screens do.
    var english = state
    try? english.settings.set("ui.language", to: .text(Language.english.rawValue))
    let drawing = Drawing(state: english, readings: readings, now: .zero)
    var parts: [String] = []
    if state.mode == .clips { parts.append(clips(state, readings)) }
    if state.mode == .dub { parts.append(dub(state, readings)) }
    if state.mode == .feed { parts.append(feed(state, readings)) }
    switch state.activity {
    case .idle where state.mode != .dictaphone: break
    case .idle:
      if let trouble = state.health.storageTrouble(in: state.mode) {
        parts.append(words(of: trouble, "takes to record"))
      } else if state.isArmed {
        let kept = amounts.brief(readings.preRecordSeconds)
        parts.append(readings.preRecordSeconds >= 1 ? "ready, pre-record \(kept)" : "ready")
      } else {
        parts.append("no microphone")
      }
    case .recording: parts.append("recording \(amounts.timer(readings.takeSeconds))")
    case .paused: parts.append("paused at \(amounts.timer(readings.takeSeconds))")
    case .saving: parts.append("saving")
    case .playing, .playbackPaused:
      let verb = state.activity == .playing ? "playing" : "playback paused"
      parts.append(
        "\(verb) \(amounts.timer(readings.positionSeconds)) of \(amounts.timer(readings.durationSeconds))")
    }
    if state.mode == .dub || state.mode == .feed {
      // The microphone is of no interest.
    } else if state.activity == .idle || state.activity == .recording || state.activity == .paused,
      let peak = readings.levels.map(\.peakDB).max()
    {
      parts.append("\(amounts.level(peak)) dB")
      let gain = state.settings.inputGain
      if gain != 0, state.mode == .dictaphone { parts.append("gain \(amounts.gain(gain))") }
    }
    if state.activity != .idle {
      parts.append(drawing.takeName)
    }
    switch state.screen {
    case .main: break
    case .files: parts.append(files(state.files))
    case .options:
      let row = state.options.row
      let group = state.options.group.map { "\($0.title.words.english), " } ?? ""
      parts.append("options: \(group)\(row.title.words.english) \(state.words(of: row).english)")
    case .marks: parts.append("marks")
    case .schedules: parts.append(schedules(state))
    case .schedule:
      if let draft = state.shown.schedules.draft {
        let row = draft.texts[draft.selected]
        parts.append("schedule: \(row.title.english) \(row.value.english)")
      }
    case .clock:
      if let draft = state.shown.clock {
        parts.append("clock: \(draft.field.words.english) \(draft.text(of: draft.field))")
      }
    case .guide: parts.append("guide")
    case .library: parts.append(library(state.files.browser, state.files))
    case .receipt: parts.append("facts of the clip")
    }
    if let notice = state.notice { parts.append(notice.text) }
    return parts.filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private static func words(of trouble: StorageTrouble, _ what: String) -> String {
    switch trouble {
    case .missing: "no card: put it back"
    case .refusing: "the card takes no files: put in another one"
    case .full: "the card is full: delete \(what)"
    }
  }

  private static func clips(_ state: State, _ readings: Readings) -> String {
    switch state.clips.activity {
    case .capturing where readings.clips.secondsToGo == .infinity: return "capturing until STOP"
    case .capturing: return "capturing, \(amounts.decimal(readings.clips.secondsToGo, places: 1)) s to go"
    case .saving: return "saving the clip"
    case .buffering:
      if let trouble = state.health.storageTrouble(in: .clips) { return words(of: trouble, "clips") }
      guard state.health.hasCamera else { return state.health.isCameraOpening ? "opening the camera" : "no camera" }
      let kept = "clips ready, \(amounts.brief(readings.clips.heldSeconds)) kept"
      return state.clips.isReady && readings.clips.isCrowded
        ? kept + ", no more fits of \(amounts.brief(readings.clips.windowSeconds))" : kept
    }
  }

  private static func dub(_ state: State, _ readings: Readings) -> String {
    let dub = state.dub
    let place = amounts.timer(readings.dub.positionSeconds)
    let name = dub.current.map { TakeNames.shown($0.name) } ?? ""
    switch dub.activity {
    case .idle:
      guard let selection = dub.sources.selection else { return "nothing to play" }
      return "\(dub.sources.selected &+ 1) of \(dub.sources.all.count) \(TakeNames.shown(selection.name))"
    case .buffering: return "buffering \(name)" + (dub.reason.isEmpty ? "" : ": \(dub.reason)")
    case .playing:
      let sound =
        dub.isDubbed ? "\(Languages.name(of: state.settings.dubLanguage)) by \(dub.rung.rawValue)" : "the original"
      let link = dub.isLinkLost ? ", link lost" : ""
      return "\(dub.isPaused ? "paused at" : "playing") \(place) \(name), \(sound)\(link)"
    }
  }

  private static func feed(_ state: State, _ readings: Readings) -> String {
    let feed = state.feed
    let name = feed.item.map { TakeNames.shown($0.title) } ?? ""
    let place = amounts.timer(readings.dub.positionSeconds)
    switch feed.activity {
    case .idle: return name.isEmpty ? "the feed" : "the feed, at \(name)"
    case .loading: return "loading the feed"
    case .empty: return "nothing in the feed"
    case .failed: return "cannot play \(name): \(feed.fault?.text ?? "")"
    case .buffering: return "buffering \(name)" + (feed.play.map { $0.reason.isEmpty ? "" : ": \($0.reason)" } ?? "")
    case .playing:
      return "\(feed.isPaused ? "paused at" : "playing") \(place) \(name)" + (feed.isMuted ? ", muted" : "")
        + (feed.play.map { $0.rung == .original ? "" : ", in \(Languages.name(of: state.settings.dubLanguage))" } ?? "")
    }
  }

  private static func schedules(_ state: State) -> String {
    let rows = ScheduleMenu.rows(state.settings)
    return switch rows[state.shown.schedules.selected(of: rows)] {
    case .schedule(let schedule): "schedules: \(schedule.words.english) \(schedule.isOn ? "on" : "off")"
    case .add: "schedules: add"
    case .clock: "schedules: zone and place"
    }
  }

  private static func library(_ browser: TakeBrowser, _ files: FileList) -> String {
    switch browser.page {
    case .menu: "menu: \(browser.chosen)"
    case .stick: "stick: \(browser.exported.map { "\($0) %" } ?? browser.stick.rawValue)"
    case .tags: "tags: \(browser.tag ?? "a new one")"
    case .name: "name \"\(browser.typed)\""
    case .search: "search \"\(browser.view.query)\": \(files.count) found"
    case .info: "facts of \(files.selection?.shownName() ?? "the take")"
    case .storage: "the card"
    }
  }

  private static func files(_ files: FileList) -> String {
    guard files.count > 0 else { return "nothing in the list" }
    let place = files.selected &- files.windowStart
    let name = files.window.indices.contains(place) ? " " + TakeNames.shown(files.window[place].displayName) : ""
    return "\(files.selected &+ 1) of \(files.count)\(name)" + (files.isConfirmingDelete ? ": delete?" : "")
  }
}
