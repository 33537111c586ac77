/// Decides, utterance by utterance, which rung plays.
///
/// A rung that is not ready when it is asked for (200 ms before its time) yields to the next one below, and is trusted
/// again after two utterances in a row for which it was ready. So a service that comes and goes does not make the voice
/// jump to and fro, and every switch lies at the beginning of an utterance. Pure.
public struct Ladder: Hashable, Sendable {
  /// How long before its time a rung must be ready.
  public static let leadFrames = 48_000 / 5
  /// Utterances on time in a row that make a rung trusted again.
  public static let returnAfter = 2

  /// What was decided for an utterance.
  public struct Decision: Hashable, Sendable {
    public var rung: DubRung
    public var change: Change
  }

  public enum Change: Hashable, Sendable {
    case none
    case fellBack
    case returned
  }

  /// Counters since the start.
  public struct Counters: Hashable, Sendable {
    /// Utterances that were due.
    public var utterances = 0
    /// Of these dubbed at their time by the best rung that was wanted: what stands in for it is not it.
    public var onTime = 0
    /// Utterances that each rung played.
    public var played: [DubRung: Int] = [:]
    /// Utterances for which a rung that was wanted was not ready.
    public var late: [DubRung: Int] = [:]
    public var fallbacks = 0

    public init() {}

    /// 100 while nothing was due.
    public var percentOnTime: Double { utterances == 0 ? 100 : 100 * Double(onTime) / Double(utterances) }
  }

  private var distrusted: Set<DubRung> = []
  private var streak: [DubRung: Int] = [:]
  public private(set) var current: DubRung?
  public private(set) var counters = Counters()

  public init() {}

  /// Decides for the utterance that begins next.
  ///
  /// - Parameters:
  ///   - wanted: the rungs that could play this utterance at all: that there are, and that have the language.
  ///   - ready: those of them that could play it now, whole or enough of it.
  ///   - starting: those that are only just being loaded, and lose no trust by not being there yet.
  ///   - missing: those of them of which it is known that they cannot be had: they count as not in time.
  public mutating func decide(
    wanted: Set<DubRung>, ready: Set<DubRung>, starting: Set<DubRung> = [], missing: Set<DubRung> = []
  ) -> Decision {
    let dubs = wanted.subtracting([.original])
    for rung in dubs where ready.contains(rung) || !starting.contains(rung) {
      judge(rung, isReady: ready.contains(rung))
    }
    // It loses no trust that it has not won yet; that it was not in time is told.
    for rung in dubs.intersection(starting).intersection(missing) where !ready.contains(rung) {
      counters.late[rung, default: 0] += 1
    }
    let rung = dubs.filter { ready.contains($0) && !distrusted.contains($0) }.min() ?? .original
    if let best = dubs.subtracting(starting.subtracting(ready).subtracting(missing)).min() {
      counters.utterances += 1
      if rung <= best { counters.onTime += 1 }
    }
    counters.played[rung, default: 0] += 1
    return Decision(rung: rung, change: move(to: rung))
  }

  /// A track that has only just been loaded plays at once: nothing else does, and nothing is cut by it.
  ///
  /// - Returns: whether it may.
  public mutating func join(_ rung: DubRung) -> Bool {
    guard !distrusted.contains(rung), current.map({ $0 == rung || $0 == .original }) ?? true else { return false }
    current = rung
    return true
  }

  /// What is playing broke off, or has gone: the original plays at once.
  public mutating func broke(_ rung: DubRung) -> Decision {
    distrust(rung)
    return Decision(rung: .original, change: current == rung ? move(to: .original) : .none)
  }

  /// Another source or language: nothing is known of any rung, and no change is told for the first decision.
  public mutating func restart() {
    distrusted = []
    streak = [:]
    current = nil
  }

  /// Whether a rung has failed lately, and has to be ready in time again before it is heard.
  public func distrusts(_ rung: DubRung) -> Bool { distrusted.contains(rung) }

  private mutating func judge(_ rung: DubRung, isReady: Bool) {
    guard isReady else {
      counters.late[rung, default: 0] += 1
      return distrust(rung)
    }
    streak[rung, default: 0] += 1
    if streak[rung, default: 0] >= Self.returnAfter { distrusted.remove(rung) }
  }

  private mutating func distrust(_ rung: DubRung) {
    distrusted.insert(rung)
    streak[rung] = 0
  }

  private mutating func move(to rung: DubRung) -> Change {
    defer { current = rung }
    guard let before = current, before != rung else { return .none }
    if rung > before {
      counters.fallbacks += 1
      return .fellBack
    }
    return .returned
  }
}
