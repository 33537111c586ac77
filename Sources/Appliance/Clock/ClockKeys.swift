import Hardware

/// What keys ask of the editor of the clock, in every mode alike.
enum ClockKey: Hashable, Sendable {
  /// The highlighted field up (+1) or down (−1).
  case change(by: Int, isFast: Bool)
  /// To the field on the left (−1) or right (+1).
  case go(by: Int)
  case set
  /// Back to the options; the clock stays as it is.
  case leave
}

extension KeyBinding {
  /// The keys of the editor. A held UP is the guide's, as everywhere: what goes far goes down.
  static func clock(_ key: Button) -> KeyBinding {
    switch key {
    case .up: .key(.panel(.clock(.change(by: 1, isFast: false))), hold: .panel(.openGuide))
    case .down:
      .repeating(
        .panel(.clock(.change(by: -1, isFast: false))), held: .panel(.clock(.change(by: -1, isFast: true))))
    case .left: .repeating(.panel(.clock(.go(by: -1))))
    case .right: .repeating(.panel(.clock(.go(by: 1))))
    case .centre: .key(.panel(.clock(.set)), hold: .panel(.openOptions))
    case .stop: .key(.panel(.clock(.leave)), hold: .panel(.changeMode))
    case .rec, .lock, .mark: .none
    }
  }
}
