public import Hardware

/// One line of the gesture guide.
public struct KeyGuideLine: Hashable, Sendable {
  public var key: Button
  /// Whether the key has to be held (600 ms; LOCK to unlock 2 s, UP for the voice 3 s).
  public var isHeld: Bool
  /// What that does, in a few words.
  public var words: Translated

  /// The same as the console says it.
  public var meaning: String { words.english }

  /// `hold CENTRE: options`.
  public var text: String { "\(gesture(in: .english)): \(meaning)" }

  /// `hold CENTRE`.
  public func gesture(in language: Language) -> String {
    (isHeld ? Phrase.hold.text(in: language) + " " : "") + key.rawValue
  }
}

extension State {
  private static let keysOfGuide: [Button] = [.rec, .stop, .centre, .left, .right, .up, .down, .lock]

  /// What a key does now, the lock left aside.
  public func binding(of key: Button) -> KeyBinding { binding(of: key, on: screen) }

  private func binding(of key: Button, on screen: Screen) -> KeyBinding { modes[mode].binding(of: key, on: screen) }

  /// What the keys do now, made from the very table that the machine acts by: on the screen beneath if the guide
  /// itself is shown.
  public var keyGuide: [KeyGuideLine] { keyGuide(on: screen == .guide ? shown.guided : screen) }

  /// What the keys do on a screen. The files screen's say how to delete: hold RIGHT, then CENTRE; any other keeps.
  public func keyGuide(on screen: Screen) -> [KeyGuideLine] {
    var lines: [KeyGuideLine] = []
    for key in Self.keysOfGuide {
      let binding = binding(of: key, on: screen)
      for (action, isHeld) in [(binding.tap, false), (binding.hold, true)] {
        guard let action, let words = meaning(of: action) else { continue }
        lines.append(KeyGuideLine(key: key, isHeld: isHeld, words: words))
      }
    }
    if screen == .files { lines.append(KeyGuideLine(key: .left, isHeld: false, words: KeyGuideLine.undoDelete)) }
    if binding(of: .up, on: screen).hold == .panel(.openGuide) {
      lines.append(KeyGuideLine(key: .up, isHeld: true, words: KeyGuideLine.voice))
    }
    if let unlock = PanelEvent.unlock.meaning { lines.append(KeyGuideLine(key: .lock, isHeld: true, words: unlock)) }
    return lines
  }

  /// What the guide says of an action; of other modes nothing on a board that has none.
  private func meaning(of action: KeyAction) -> Translated? {
    guard action == .panel(.changeMode) else { return modes.meaning(of: action) }
    return modes.next(after: mode)?.goTo
  }

  /// How to get out of the lock; shown as the lock hint.
  public static let unlockHint = "Hold LOCK 2 s to unlock"
}
