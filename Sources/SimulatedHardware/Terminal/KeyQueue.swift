internal import Hardware

/// Presses that a keyboard asks for, one after the other as a finger could do them.
///
/// A terminal repeats a held key thirty times a second and knows nothing of letting go; each press here ends before
/// the next begins, and what piles up behind one key is forgotten, so that a list stops when the key is let go.
struct KeyQueue {
  struct Press: Hashable {
    var button: Button
    var length: Duration
  }

  /// A tap: above every debounce time, far below a long press.
  static let tap = Duration.milliseconds(50)
  /// Between two presses; above every debounce time.
  static let gap = Duration.milliseconds(30)
  /// Presses that wait behind one key, and behind all.
  static let limits = (key: 2, all: 16)

  private var waiting: [Press] = []
  /// When a key may be pressed again.
  private var freeAt: [Button: Instant] = [:]
  /// When another key may be pressed: a tap is waited for, a hold is not.
  private var tapFreeAt = Instant.zero

  mutating func add(_ press: Press) {
    guard waiting.count < Self.limits.all, waiting.filter({ $0.button == press.button }).count < Self.limits.key
    else { return }
    waiting.append(press)
  }

  /// The next press whose time has come; ask until there is none.
  mutating func next(at now: Instant) -> Press? {
    guard now >= tapFreeAt, let index = waiting.firstIndex(where: { now >= (freeAt[$0.button] ?? .zero) }) else {
      return nil
    }
    let press = waiting.remove(at: index)
    let free = now + press.length + Self.gap
    freeAt[press.button] = free
    if press.length <= Self.tap { tapFreeAt = free }
    return press
  }

  /// When to ask `next` again; `nil`: nothing waits.
  var nextDue: Instant? {
    let due = waiting.map { freeAt[$0.button] ?? .zero }.min()
    return due.map { max($0, tapFreeAt) }
  }
}
