import Hardware

/// What keys ask of the list of schedules and of their editor, in every mode alike.
enum ScheduleKey: Hashable, Sendable {
  case edit
  /// Has the highlighted one count, or rest.
  case enable(Bool)
  case remove
  case restore
  /// The highlighted value to the left (−1) or right (+1).
  case change(by: Int, isFast: Bool)
  /// Back to the list.
  case leave
}

extension KeyBinding {
  /// The keys of the list: those of marks, where they mean the same.
  static func schedules(_ key: Button) -> KeyBinding {
    switch key {
    case .left: .key(.panel(.schedule(.enable(false))), hold: .panel(.schedule(.remove)))
    case .right: .key(.panel(.schedule(.enable(true))), hold: .panel(.schedule(.restore)))
    case .centre: .key(.panel(.schedule(.edit)), hold: .panel(.openOptions))
    case .up, .down, .stop, .rec, .lock, .mark: .options(key)
    }
  }

  /// The keys of the editor.
  static func schedule(_ key: Button) -> KeyBinding {
    switch key {
    case .left: changing(by: -1)
    case .right: changing(by: 1)
    case .centre: .key(.panel(.schedule(.leave)), hold: .panel(.openOptions))
    case .stop: .key(.panel(.schedule(.leave)), hold: .panel(.changeMode))
    case .up, .down, .rec, .lock, .mark: .options(key)
    }
  }

  private static func changing(by direction: Int) -> KeyBinding {
    .repeating(
      .panel(.schedule(.change(by: direction, isFast: false))),
      held: .panel(.schedule(.change(by: direction, isFast: true))))
  }
}
