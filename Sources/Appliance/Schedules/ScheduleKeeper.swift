public import Hardware

/// Knows which occurrence is to be recorded now, which have been, and which were missed. Pure: it is told the time.
public struct ScheduleKeeper: Sendable {
  /// What is kept over restarts.
  public struct Memory: Hashable, Sendable {
    /// Occurrences that have been recorded and are over for good, the latest last.
    public var done: [Occurrence.Key]
    /// Up to when everything is settled.
    public var seen: WallTime?

    public init(done: [Occurrence.Key] = [], seen: WallTime? = nil) {
      self.done = done
      self.seen = seen
    }
  }

  /// What is to be done.
  public enum Order: Hashable, Sendable {
    case begin(Occurrence)
    /// Its time is over, or it was taken off.
    case end(Occurrence.Key)
    /// Nothing of it was recorded, and why.
    case missed(Occurrence, reason: Translated)
    case clockUnset
    /// The memory has changed and wants to be kept.
    case keep
  }

  public private(set) var memory: Memory
  /// The one after now; nil: there is none within a year.
  public private(set) var next: Occurrence?
  private var basis: ScheduleBasis
  private var running: Occurrence?
  /// The one that is recorded.
  public var runningKey: Occurrence.Key? { running?.key }
  private var refusals: [Occurrence.Key: Translated] = [:]
  private var retryAt = WallTime(seconds: 0)
  private var lastWall: WallTime?
  private var hasSaidUnset = false

  static let mostDone = 64
  private static let retrySeconds = 2

  public init(_ basis: ScheduleBasis, memory: Memory) {
    self.basis = basis
    self.memory = memory
  }

  /// In a sentence: what comes next, or why nothing does.
  public func plan(at wall: WallTime) -> Sentence {
    if isIdle { return .nothingPlanned }
    if !wall.isPlausible { return .clockUnset }
    if let next { return .nextSchedule(basis.zone.words(of: next.start)) }
    return basis.place == nil ? .placeUnknown : .nothingWithinYear
  }

  /// Whether there is anything to look after.
  public var isIdle: Bool { running == nil && !basis.schedules.all.contains(where: \.isOn) }

  /// Other schedules, another zone or place: what was before now is no business of theirs.
  public mutating func follow(_ basis: ScheduleBasis, at wall: WallTime) {
    guard basis != self.basis else { return }
    self.basis = basis
    if wall.isPlausible { memory.seen = wall }
    lastWall = nil
  }

  /// The machine would not begin it; it is tried again while its time lasts.
  public mutating func refused(_ occurrence: Occurrence, reason: Translated, at wall: WallTime) {
    running = nil
    refusals[occurrence.key] = reason
    retryAt = WallTime(seconds: wall.seconds + Self.retrySeconds)
  }

  /// - Parameters:
  ///   - recording: the occurrence whose take is open.
  ///   - stopped: one whose take somebody has ended by hand.
  public mutating func step(at wall: WallTime, recording: Occurrence.Key?, stopped: Occurrence.Key?) -> [Order] {
    guard !isIdle else {
      next = nil
      return []
    }
    guard wall.isPlausible else {
      defer { hasSaidUnset = true }
      return hasSaidUnset ? [] : [.clockUnset]
    }
    // Most of the time there is nothing to do, and nothing to be reckoned.
    if let last = lastWall, last <= wall, running == nil, refusals.isEmpty, wall < next?.start ?? .distantFuture {
      lastWall = wall
      memory.seen = wall
      return []
    }
    var orders: [Order] = []
    let before = memory.done
    settleRunning(at: wall, recording: recording, stopped: stopped, &orders)
    let isFirst = lastWall == nil
    let told = orders.count
    settlePast(at: wall, &orders)
    let hasMissed = orders.count > told
    lastWall = wall
    memory.seen = wall
    next = basis.next(after: wall)
    // Where that is further ahead than it was put, the clock was set back since.
    let waits = (retryAt.seconds - Self.retrySeconds..<retryAt.seconds).contains(wall.seconds)
    if running == nil, !waits || refusals.isEmpty, let due = due(at: wall) {
      running = due
      orders.append(.begin(due))
    }
    noteWaiting(at: wall)
    if memory.done != before || hasMissed || isFirst { orders.append(.keep) }
    return orders
  }

  /// What became of the one that runs.
  private mutating func settleRunning(
    at wall: WallTime, recording: Occurrence.Key?, stopped: Occurrence.Key?, _ orders: inout [Order]
  ) {
    guard let run = running else { return }
    // Its end may be another since.
    let wanted = basis.occurrences(after: WallTime(seconds: run.start.seconds - 1), upTo: run.start)
      .first { $0.key == run.key }
    if let wanted { running = wanted }
    let end = wanted?.end ?? run.end
    if recording != run.key {
      running = nil
      // By hand: over for good. By a card or a microphone: it goes on when that is back.
      if stopped == run.key || wall >= end {
        finish(run.key)
      } else {
        refusals[run.key] = .cutShort
        retryAt = WallTime(seconds: wall.seconds + Self.retrySeconds)
      }
    } else if wall >= end || wanted == nil {
      running = nil
      // One that was taken off may be put back within its time.
      if wanted != nil || wall >= end { finish(run.key) }
      orders.append(.end(run.key))
    }
  }

  /// Those whose time is over without a take.
  private mutating func settlePast(at wall: WallTime, _ orders: inout [Order]) {
    guard let seen = memory.seen else { return }
    let past = basis.occurrences(after: seen, upTo: wall).filter { $0.end <= wall }
    // Of a month that it was off, thousands: those are told that can be remembered, the latest.
    for occurrence in past.suffix(Self.mostDone)
    where occurrence != running && !memory.done.contains(occurrence.key) {
      let reason = refusals[occurrence.key] ?? .wasOff
      orders.append(.missed(occurrence, reason: reason))
      // It is not done: a clock that was wrong may be set back, and its time come.
      refusals[occurrence.key] = nil
    }
    refusals = refusals.filter { !memory.done.contains($0.key) }
  }

  /// Those whose time it is while another is recorded wait for its end, and know why if there is none in their time.
  private mutating func noteWaiting(at wall: WallTime) {
    guard let running else { return }
    for other in basis.occurrences(after: wall, upTo: wall) where other.key != running.key {
      refusals[other.key] = .anotherTake
    }
  }

  /// Whether one is to be recorded now.
  public func isDue(at wall: WallTime) -> Bool { !isIdle && wall.isPlausible && due(at: wall) != nil }

  /// The first that is to be recorded now.
  private func due(at wall: WallTime) -> Occurrence? {
    basis.occurrences(after: wall, upTo: wall).first { !memory.done.contains($0.key) }
  }

  private mutating func finish(_ key: Occurrence.Key) {
    refusals[key] = nil
    memory.done.append(key)
    if memory.done.count > Self.mostDone { memory.done.removeFirst() }
  }
}

extension WallTime {
  /// Later than any time of a schedule.
  static let distantFuture = WallTime(seconds: 9_000_000_000)
}
