import Hardware

/// What keys ask of the panel itself, in every mode alike.
enum PanelEvent: Hashable, Sendable {
  case openList
  case openMarks
  case openOptions
  /// The options, at the speed of playing.
  case openSpeed
  case openGuide
  case close
  /// What the highlighted option leads to; where it leads nowhere, the options are closed.
  case enterOption
  case schedule(ScheduleKey)
  case clock(ClockKey)
  /// Up (negative) or down by so many rows of what is shown.
  case move(by: Int)
  /// The highlighted option one step to the left (−1) or right (+1).
  case changeOption(by: Int)
  case lock
  case unlock
  /// To the next mode that the board has.
  case changeMode
  /// Something has to be finished first.
  case wait(for: String)
}

extension KeyBinding {
  /// The keys of the options menu, in every mode.
  static func options(_ key: Button) -> KeyBinding {
    switch key {
    case .up: .key(.panel(.move(by: -1)), hold: .panel(.openGuide))
    case .down: .repeating(.panel(.move(by: 1)))
    case .left: .repeating(.panel(.changeOption(by: -1)))
    case .right: .repeating(.panel(.changeOption(by: 1)))
    case .centre: .key(.panel(.enterOption))
    case .stop: .key(.panel(.close), hold: .panel(.changeMode))
    case .rec, .lock, .mark: .none
    }
  }

  /// The keys of the guide, in every mode.
  static func guide(_ key: Button) -> KeyBinding {
    switch key {
    case .up: .repeating(.panel(.move(by: -1)))
    case .down: .repeating(.panel(.move(by: 1)))
    case .stop: .key(.panel(.close), hold: .panel(.changeMode))
    case .centre: .key(.panel(.close), hold: .panel(.openOptions))
    case .left, .right: .key(.panel(.close))
    case .rec, .lock, .mark: .none
    }
  }

  /// UP in a list: held it scrolls; at the top there is nothing to scroll to, and it is the guide's as everywhere.
  static func upInList(isAtTop: Bool) -> KeyBinding {
    isAtTop
      ? .key(.panel(.move(by: -1)), hold: .panel(.openGuide)) : .repeating(.panel(.move(by: -1)))
  }
}
