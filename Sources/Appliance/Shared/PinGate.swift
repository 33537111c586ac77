internal import Hardware

/// The gate of a panel that has a PIN: who holds LOCK is asked for it, digit by digit, and waits after wrong ones.
///
/// It keeps people with the keys from the device; whoever has the console, or the card, is not asked here.
public struct PinGate: Hashable, Sendable {
  /// Digits entered so far; the last one is still being chosen. `nil`: nobody is asked.
  public private(set) var digits: [Int]?
  /// The PIN before was wrong, and nothing has been pressed since.
  public private(set) var wasWrong = false
  /// Wrong ones since the last right one. Kept over restarts.
  public private(set) var mistakes = 0
  /// Nobody is asked before.
  private(set) var closedUntil: Instant?
  private(set) var asksUntil: Instant?

  /// How many digits a PIN has.
  public static let lengths = 4...8
  /// How long somebody is asked after the last key.
  private static let patience = Duration.seconds(20)
  /// So many wrong ones cost nothing: fingers slip.
  private static let free = 2
  private static let longestWait = 900

  /// - Parameter digits: `nil`: nobody is asked.
  public init(digits: [Int]? = nil, wasWrong: Bool = false) { (self.digits, self.wasWrong) = (digits, wasWrong) }

  static func isPin(_ text: String) -> Bool {
    lengths.contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Seconds to wait after so many wrong ones: 30 after the third, then twice as long each time, at most a quarter of an
  /// hour.
  static func wait(after mistakes: Int) -> Int {
    guard mistakes > free else { return 0 }
    return min(longestWait, 30 << min(10, mistakes - free - 1))
  }

  /// As it was before the restart: the wait begins anew, for nobody knows how long the device was off.
  mutating func remember(mistakes: Int, now: Instant) {
    self.mistakes = max(self.mistakes, mistakes)
    close(at: now)
  }

  /// Seconds for which nobody is asked yet.
  func waiting(at now: Instant) -> Int? {
    guard let closedUntil, closedUntil > now else { return nil }
    return Int((closedUntil - now).inSeconds.rounded(.up))
  }

  mutating func ask(at now: Instant) {
    (digits, wasWrong) = ([0], false)
    stay(at: now)
  }

  mutating func leave() { (digits, wasWrong, asksUntil) = (nil, false, nil) }

  /// The digit being chosen goes up or down, round and round.
  mutating func change(by step: Int, at now: Instant) {
    touch(at: now) { $0[$0.count - 1] = ($0[$0.count - 1] + step + 10) % 10 }
  }

  /// - Returns: whether there is another place.
  mutating func go(by step: Int, at now: Instant) -> Bool {
    guard let count = digits?.count, step > 0 ? count < Self.lengths.upperBound : count > 1 else { return false }
    touch(at: now) { if step > 0 { $0.append(0) } else { $0.removeLast() } }
    return true
  }

  /// Compares what was entered. In any case nobody is asked any more, unless he may try again at once.
  ///
  /// - Returns: whether it is the PIN.
  mutating func enter(_ pin: String, at now: Instant) -> Bool {
    let given = (digits ?? []).map(String.init).joined()
    guard given != pin else {
      self = PinGate()
      return true
    }
    mistakes = min(mistakes + 1, 1000)
    close(at: now)
    if closedUntil == nil {
      ask(at: now)
      wasWrong = true
    }
    return false
  }

  /// Nobody has pressed a key for long; a timer that a later key has overtaken means nothing.
  mutating func expire(at now: Instant) { if let asksUntil, asksUntil <= now { leave() } }

  private mutating func close(at now: Instant) {
    leave()
    let seconds = Self.wait(after: mistakes)
    closedUntil = seconds > 0 ? now + .seconds(seconds) : nil
  }

  private mutating func touch(at now: Instant, _ change: (inout [Int]) -> Void) {
    guard var digits else { return }
    change(&digits)
    self.digits = digits
    wasWrong = false
    stay(at: now)
  }

  private mutating func stay(at now: Instant) { asksUntil = now + Self.patience }
}
