public import Hardware

/// One line of the gesture guide.
public struct KeyGuideLine: Hashable, Sendable {
  public var key: Button
  /// Whether the key has to be held (600 ms; LOCK to unlock 2 s).
  public var isHeld: Bool
  public var action: KeyAction

  public init(key: Button, isHeld: Bool, action: KeyAction) {
    self.key = key
    self.isHeld = isHeld
    self.action = action
  }

  /// `hold CENTRE: options`.
  public var text: String { (isHeld ? "hold " : "") + "\(key.rawValue): \(action.text)" }
}

extension State {
  private static let keysOfGuide: [Button] = [.rec, .stop, .centre, .left, .right, .up, .down, .lock]

  /// What the keys do now, made from the very table that the machine acts by: on the screen beneath if the guide
  /// itself is shown. What this firmware does not do is left out.
  public var keyGuide: [KeyGuideLine] { keyGuide(on: screen == .guide ? .main : screen) }

  /// What the keys do on a screen. The files screen's say how to delete: hold RIGHT, then CENTRE; any other keeps.
  public func keyGuide(on screen: Screen) -> [KeyGuideLine] {
    var shown = self
    shown.screen = screen
    var lines: [KeyGuideLine] = []
    for key in Self.keysOfGuide {
      let binding = shown.binding(of: key)
      if let tap = binding.tap, isOffered(tap) {
        lines.append(KeyGuideLine(key: key, isHeld: false, action: tap))
      }
      if let hold = binding.hold, isOffered(hold) {
        lines.append(KeyGuideLine(key: key, isHeld: true, action: hold))
      }
    }
    lines.append(KeyGuideLine(key: .lock, isHeld: true, action: .unlock))
    return lines
  }

  /// Whether the guide speaks of an action: it is built, this board can do it, and it is more than waiting.
  private func isOffered(_ action: KeyAction) -> Bool {
    switch action {
    case .wait, .waitForClip: false
    case .changeMode: clips.isAvailable || dub.isAvailable
    default: action.isBuilt
    }
  }

  /// How to get out of the lock; shown as the lock hint.
  public static let unlockHint = "Hold LOCK 2 s to unlock"
}
