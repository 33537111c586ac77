import Hardware

/// What keys ask of what lies behind the list of takes.
enum BrowseKey: Hashable, Sendable {
  /// The menu of the chosen take, and of the list.
  case open
  /// What the highlighted row, tag or letter means.
  case enter
  /// The highlighted row to the left (−1) or right (+1).
  case change(by: Int)
  /// To the letter on the left (−1) or right (+1).
  case letter(by: Int)
  /// The facts of the take above (−1) or below (+1) in the list.
  case neighbour(by: Int)
  /// Copies to the stick, or no longer.
  case copyToStick
  /// Back to the menu, or to the list.
  case leave
  /// The highlighted take is one of several, or no longer.
  case mark
  case endMarking
  /// Ends what is being done to several takes.
  case cancelWork
}

extension TakeBrowser {
  func binding(of key: Button) -> KeyBinding {
    switch key {
    case .up: .upInList(isAtTop: isAtTop)
    case .down: .repeating(.panel(.move(by: 1)))
    case .left: side(-1)
    case .right: side(1)
    case .centre where page == .info: .key(.dictaphone(.playSelected), hold: .panel(.openOptions))
    case .centre where page == .storage: .key(.dictaphone(.browse(.leave)), hold: .panel(.openOptions))
    case .centre where page == .stick: .key(.dictaphone(.browse(.copyToStick)), hold: .panel(.openOptions))
    case .centre: .key(.dictaphone(.browse(.enter)), hold: .panel(.openOptions))
    case .stop: .key(.dictaphone(.browse(.leave)), hold: .panel(.changeMode))
    case .rec, .lock, .mark: .none
    }
  }

  private func side(_ direction: Int) -> KeyBinding {
    switch page {
    case .menu: .repeating(.dictaphone(.browse(.change(by: direction))))
    case .search, .name: .repeating(.dictaphone(.browse(.letter(by: direction))))
    case .info: .repeating(.dictaphone(.browse(.neighbour(by: direction))))
    case .tags, .storage, .stick: .key(.dictaphone(.browse(.leave)))
    }
  }
}
