internal import Hardware

/// The screen on which date, time and zone are set, and what the clock answers.
enum ClockScreen {
  /// What the clock shows, or has become of what it was told.
  static func handle(_ report: ClockReport, _ transition: inout Transition) {
    switch report {
    case .shows(let time):
      guard transition.screen == .clock, transition.shown.clock == nil else { return }
      transition.shown.clock = ClockDraft(time, zone: transition.settings.zone)
    case .set(let time):
      let zone = Zone(transition.settings.zone) ?? .utc
      let words = Translated(zone.dateText(time, in: .english), zone.dateText(time, in: .russian))
      transition.raise(.information, "clock", .clockSet(words), for: .seconds(3))
      if transition.shown.clock?.isWaiting == true { leave(&transition) }
    case .failed(let code, let text):
      transition.shown.clock?.isWaiting = false
      transition.raise(.error, code, .clockNotSet(isPossible: code != "unsupported"))
      transition.announce(.error(code: code, text: text))
    }
  }

  /// A key on the screen.
  static func handle(_ key: ClockKey, _ modes: inout Modes, _ transition: inout Transition) {
    if key == .leave { return leave(&transition) }
    guard var draft = transition.shown.clock, !draft.isWaiting else { return transition.refuse(.busy("clock")) }
    switch key {
    case .change(let direction, let isFast):
      if !draft.change(by: direction, isFast: isFast) { transition.refuse(.atLimit) }
      transition.shown.clock = draft
    case .go(let step):
      if !draft.go(by: step) { transition.refuse(.atLimit) }
      transition.shown.clock = draft
    case .set:
      let wish = draft.wish
      if let zone = wish.zone { modes.set(["clock.zone": .text(zone)], &transition) }
      guard let time = wish.time else {
        if let zone = wish.zone { transition.raise(.information, "clock", .zoneSet(zone), for: .seconds(3)) }
        return leave(&transition)
      }
      transition.shown.clock?.isWaiting = true
      transition.clock(.set(time))
    case .leave: break
    }
  }

  private static func leave(_ transition: inout Transition) {
    transition.shown.clock = nil
    if transition.screen == .clock { transition.shown.goBack(to: .options) }
  }
}
