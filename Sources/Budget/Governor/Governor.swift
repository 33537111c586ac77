public import Board

/// A step of the governor: a rung gave way, or came back.
public struct GovernorStep: Hashable, Sendable {
  public enum Direction: String, Hashable, Sendable {
    case down
    case up
  }

  /// CLOCK_MONOTONIC, nanoseconds.
  public var at: Int64
  public var rung: GovernorRung
  public var direction: Direction
  /// The reading that was beyond its limit; `calm` on the way up.
  public var reason: String
  /// What it was, in the reading's unit; on the way up, the seconds of calm.
  public var value: Double
  public var limit: Double

  public init(
    at: Int64, rung: GovernorRung, direction: Direction, reason: String, value: Double, limit: Double
  ) {
    (self.at, self.rung, self.direction) = (at, rung, direction)
    (self.reason, self.value, self.limit) = (reason, value, limit)
  }
}

/// What was read, beside its limit.
public struct GovernorValue: Hashable, Sendable {
  public var reading: GovernorReading
  public var value: Double
  public var limit: Double

  public init(_ reading: GovernorReading, _ value: Double, limit: Double) {
    (self.reading, self.value, self.limit) = (reading, value, limit)
  }

  /// 1 at the limit, more beyond it; 0 for what is not looked at, and for numbers that are none.
  public var strain: Double {
    guard limit > 0, value.isFinite else { return 0 }
    return reading.isFloor ? limit / max(value, 1e-3) : max(0, value / limit)
  }
}

/// Walks a ladder of what may give way: down a rung when strain has lasted, up a rung after a calm that is longer after each
/// fall. Pure; time is given. Between strain and calm there is a margin in which nothing is changed.
public struct Governor: Sendable {
  /// In the order in which they give way.
  public let rungs: [GovernorRung]
  /// So many of them have given way.
  public private(set) var place = 0
  /// How often one gave way, and came back.
  public private(set) var falls = 0
  public private(set) var climbs = 0
  /// What was seen last.
  public private(set) var values: [GovernorValue] = []
  /// Calm that is waited for before the next rung comes back, nanoseconds.
  public private(set) var patience: Int64

  private let fall: Int64
  private let calm: Int64
  private var strainSince: Int64?
  private var calmSince: Int64?
  private var hasClimbed = false

  /// Below this part of each limit it is calm.
  public static let margin = 0.9
  /// Calm is waited for at most so many times as long as at first.
  public static let longest: Int64 = 16

  /// - Parameter isPossible: whether the board has what the rung takes away.
  public init(_ description: GovernorDescription, isPossible: (GovernorRung) -> Bool = { _ in true }) {
    rungs = description.rungs.filter(isPossible)
    fall = Int64(max(0, description.fallSeconds)) * 1_000_000_000
    calm = Int64(max(1, description.calmSeconds)) * 1_000_000_000
    patience = calm
  }

  /// Whether a rung has given way.
  public func isSpared(_ rung: GovernorRung) -> Bool { rungs.prefix(place).contains(rung) }

  /// Looks at the board.
  ///
  /// - Parameters:
  ///   - new: what was read; absent sensors are absent.
  ///   - at: CLOCK_MONOTONIC, nanoseconds; a look that is not later than the last one changes nothing.
  /// - Returns: the step that is to be taken, at most one.
  public mutating func look(_ new: [GovernorValue], at: Int64) -> GovernorStep? {
    values = new
    var worst: GovernorValue?
    for value in new where value.strain >= max(1, worst?.strain ?? 0) { worst = value }
    if let worst {
      calmSince = nil
      let since = strainSince ?? at
      strainSince = since
      guard place < rungs.count, at - since >= fall else { return nil }
      return goDown(because: worst, at: at)
    }
    strainSince = nil
    guard new.allSatisfy({ $0.strain < Self.margin }) else {
      calmSince = nil
      return nil
    }
    let since = calmSince ?? at
    calmSince = since
    guard at - since >= patience else { return nil }
    guard place > 0 else {
      // All is well for so long that what was does not count any more.
      if at - since >= calm * Self.longest { (patience, hasClimbed) = (calm, false) }
      return nil
    }
    return goUp(after: at - since, at: at)
  }

  private mutating func goDown(because worst: GovernorValue, at: Int64) -> GovernorStep {
    if hasClimbed { patience = min(2 * patience, calm * Self.longest) }
    hasClimbed = false
    strainSince = at
    let rung = rungs[place]
    place += 1
    falls += 1
    return GovernorStep(
      at: at, rung: rung, direction: .down, reason: worst.reading.rawValue, value: worst.value, limit: worst.limit)
  }

  private mutating func goUp(after seconds: Int64, at: Int64) -> GovernorStep {
    place -= 1
    climbs += 1
    hasClimbed = true
    calmSince = at
    return GovernorStep(
      at: at, rung: rungs[place], direction: .up, reason: "calm", value: Double(seconds) / 1e9,
      limit: Double(patience) / 1e9)
  }
}
