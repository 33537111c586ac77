import Hardware

/// Which gesture of a key counts: one hold has one effect. Keys that are down, and what they have come to.
public struct KeyHolds: Hashable, Sendable {
  /// What a gesture comes to.
  enum Outcome {
    /// Nothing, and nobody expects anything of it.
    case nothing
    /// The key was meant to do something, and does nothing here.
    case meaningless
    case act(KeyAction)
  }

  /// Keys whose present hold has had its effect (or had none, being locked): the rest of it means nothing.
  private var spent = KeySet()
  /// Keys that act on press and go on acting while held.
  private var repeating = KeySet()
  /// What the keys that are down meant when they went down.
  private var meanings: [Button: KeyBinding] = [:]
  /// Keys whose hold has opened the guide: held on, they switch the voice.
  private var guiding = KeySet()

  /// How long a key is held for the voice.
  static let voiceHold = Duration.seconds(3)

  public init() {}

  /// Begins and ends holds.
  ///
  /// - Returns: whether the gesture is still of interest.
  mutating func admit(_ gesture: Gesture) -> Bool {
    switch gesture.kind {
    case .press:
      forget(gesture.button)
      return true
    case .release:
      forget(gesture.button)
      return false
    case .short, .long, .repeat, .veryLong: return !spent.contains(gesture.button)
    }
  }

  /// The rest of this hold means nothing.
  mutating func spend(_ key: Button) { spent.insert(key) }

  /// This hold has opened the guide.
  mutating func guide(_ key: Button) { guiding.insert(key) }

  /// Whether a hold that has opened the guide has gone on for as long as the voice needs; only once.
  mutating func takeVoice(_ gesture: Gesture, at now: Instant) -> Bool {
    guard gesture.kind == .repeat, guiding.contains(gesture.button), now >= gesture.pressedAt + Self.voiceHold else {
      return false
    }
    guiding.remove(gesture.button)
    return true
  }

  /// Whatever is being held means nothing until it is pressed anew.
  mutating func spendAll() {
    spent = .all
    repeating = KeySet()
    meanings = [:]
    guiding = KeySet()
  }

  /// What a gesture comes to, when the key does this.
  mutating func outcome(of gesture: Gesture, _ binding: KeyBinding) -> Outcome {
    let key = gesture.button
    switch (gesture.kind, binding.trigger) {
    case (.press, .tap):
      meanings[key] = binding
      return .nothing
    case (.press, .press):
      spent.insert(key)
      return Self.act(binding.tap)
    case (.press, .pressAndRepeat):
      repeating.insert(key)
      meanings[key] = binding
      return Self.act(binding.tap)
    case (.short, _):
      guard !repeating.contains(key) else { return .nothing }
      spent.insert(key)
      // Another key, or the device, has changed what it means since: nobody has meant that.
      guard meanings[key]?.tap == binding.tap else { return .nothing }
      return Self.act(binding.tap)
    case (.long, .pressAndRepeat) where repeating.contains(key),
      (.repeat, .pressAndRepeat) where repeating.contains(key):
      // The same of what goes on: what REC, or a schedule, has put in its place begins with another press.
      guard meanings[key] == binding else {
        spent.insert(key)
        return .nothing
      }
      return (binding.hold ?? binding.tap).map { .act($0) } ?? .nothing
    case (.long, _):
      guard !repeating.contains(key), let action = binding.hold else { return .nothing }
      spent.insert(key)
      guard meanings[key]?.hold == action else { return .nothing }
      return .act(action)
    case (.repeat, _), (.veryLong, _), (.release, _): return .nothing
    }
  }

  private static func act(_ action: KeyAction?) -> Outcome { action.map { .act($0) } ?? .meaningless }

  private mutating func forget(_ key: Button) {
    spent.remove(key)
    meanings[key] = nil
    repeating.remove(key)
    guiding.remove(key)
  }
}

/// A set of keys in one word.
struct KeySet: Hashable, Sendable {
  private var bits: UInt16 = 0

  /// Every key.
  static let all: KeySet = {
    var keys = KeySet()
    for key in Button.allCases { keys.insert(key) }
    return keys
  }()

  func contains(_ key: Button) -> Bool { bits & Self.bit(key) != 0 }
  mutating func insert(_ key: Button) { bits |= Self.bit(key) }
  mutating func remove(_ key: Button) { bits &= ~Self.bit(key) }

  private static func bit(_ key: Button) -> UInt16 { 1 << UInt16(truncatingIfNeeded: key.ordinal) }
}
