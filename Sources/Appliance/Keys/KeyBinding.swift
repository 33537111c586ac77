/// What one key does in one state.
public struct KeyBinding: Hashable, Sendable {
  /// How a tap takes effect.
  enum Trigger: Hashable, Sendable {
    /// As the key goes down.
    case press
    /// As the key goes down, and while it is held again, or what holding it means.
    case pressAndRepeat
    /// As the key comes up before it counts as held, because holding it means something else.
    case tap
  }

  var tap: KeyAction?
  var hold: KeyAction?
  var trigger: Trigger

  /// A key that acts as it goes down, unless holding it has a meaning of its own.
  static func key(_ tap: KeyAction?, hold: KeyAction? = nil) -> KeyBinding {
    KeyBinding(tap: tap, hold: hold, trigger: hold == nil ? .press : .tap)
  }

  static func repeating(_ tap: KeyAction, held: KeyAction? = nil) -> KeyBinding {
    KeyBinding(tap: tap, hold: held, trigger: .pressAndRepeat)
  }

  /// A key without function.
  static let none = KeyBinding.key(nil)
}
