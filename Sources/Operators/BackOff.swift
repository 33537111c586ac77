/// How long the next guess has to wait after so many wrong ones in a row.
public enum BackOff {
  /// Wrong passwords that cost nothing but time: fingers slip.
  public static let free = 3
  /// The first wait; each further one is twice as long.
  static let first = 5
  /// The longest: who has the password is kept out for no longer than this by somebody who has not.
  public static let longest = 900

  /// In seconds; 0: none.
  public static func seconds(after failures: Int) -> Int {
    guard failures >= free else { return 0 }
    return min(longest, first << min(failures - free, 12))
  }
}

/// Wrong passwords in a row, and when the last one came.
public struct Failures: Hashable, Sendable {
  public internal(set) var count = 0
  /// By the wall clock, in seconds since 1970.
  public internal(set) var last: Int?

  public init() {}

  init(count: Int, last: Int?) { (self.count, self.last) = (count, last) }

  /// Counts one more.
  mutating func add(at time: Int) {
    count = min(count + 1, 1_000_000)
    last = time
  }

  /// Seconds that are still to be waited, when the device has just started and only the wall clock knows how long it was
  /// off. A clock that says less than it did makes nothing shorter.
  public func remaining(at time: Int) -> Int {
    let whole = BackOff.seconds(after: count)
    guard let last, time >= last, time - last < 1 << 40 else { return whole }
    return max(0, whole - (time - last))
  }
}
