internal import Hardware

/// What schedules bring about, and their screens.
enum ScheduleScreen {
  /// What is recorded by hand comes first; what is only played, or looked at, does not.
  static func handle(_ event: ScheduleEvent, _ modes: inout Modes, _ transition: inout Transition) {
    switch event {
    case .begin(let key):
      if let reason = transition.health.refusalToRecord { return transition.refuse(reason) }
      if transition.mode != .dictaphone { modes.take(.dictaphone, &transition) }
      if transition.mode == .dictaphone { modes.dictaphone.begin(key, &transition) }
    case .end(let key): modes.dictaphone.end(key, &transition)
    case .missed(let sentence): transition.raise(.warning, "schedule-missed", sentence)
    case .planned(let sentence):
      guard transition.shown.schedules.takeWish() else { return }
      transition.raise(.information, "schedule", sentence, for: .seconds(3))
    }
  }

  /// A key on the list of schedules, or in one.
  static func handle(_ key: ScheduleKey, _ modes: inout Modes, _ transition: inout Transition) {
    switch transition.shown.schedules.handle(key, transition.settings) {
    case .done: break
    case .refused(let reason): transition.refuse(reason)
    case .edits: transition.shown.goBack(to: .schedule)
    case .leaves: transition.shown.goBack(to: .schedules)
    case .changes(let schedules, let word):
      modes.set(["recording.schedules": .text(schedules.text)], &transition)
      if let word { transition.raise(.information, "schedule", word, for: .seconds(3)) }
    }
  }

  /// The editor has been left, whatever for.
  static func keep(_ modes: inout Modes, _ transition: inout Transition) {
    do { modes.adopt(try transition.shown.schedules.leaveEditor(transition.settings), &transition) } catch {
      transition.refuse(.refused(error))
      transition.raise(.error, error.code, .notKept(error))
    }
  }
}
