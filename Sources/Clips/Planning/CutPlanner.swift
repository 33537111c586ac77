internal import Hardware
internal import Recording

/// Decides which clips are made of which triggers. Pure; knows nothing of pictures and sound.
struct CutPlanner {
  /// A clip to be made, or being made.
  struct Cut: Hashable {
    /// Counted from 1.
    var number: Int
    var start: Instant
    /// The end that is wanted; `distantFuture` for continuous recording.
    var end: Instant
    var triggers: [Trigger]
    /// The clip at whose end this one begins; `start` is where that was planned to end.
    var continues: Int?
    /// From then on all is kept, by those that it goes on from; `nil`: from its start on.
    var keptFrom: Instant?
    /// From then on nothing is missing up to its end, as long as those before it are there.
    var reachesBackTo: Instant { keptFrom ?? start }
    /// It begins at a split: at the first keyframe that comes at `start` or later.
    var isSplit = false
    var isContinuous = false
    /// A piece of the spool: nobody has asked for it, and no trigger is part of it.
    var isSpool = false
    /// It ends at a split, or because somebody said so.
    var isSplitAway = false
    var isCutShort = false
    /// The storage does not take all of it: nothing counts as kept by it.
    var isRefused = false
  }

  /// How triggers are treated.
  struct Rules: Hashable {
    var preRoll: Duration
    var postRoll: Duration
    var overlap: ClipSettings.Overlap
    var debounce: Duration
    var longest: Duration
  }

  var rules: Rules
  /// Clips whose end has not been passed, in the order of their numbers.
  private(set) var open: [Cut] = []
  private var lastNumber = 0
  private var triggerCount = 0
  /// The last trigger of each cause that was not a bounce.
  private var accepted: [TriggerSource: Trigger] = [:]
  /// The clip that ended last, from where on all is kept up to its end, and where that is.
  private var previous: (clip: Int, keptFrom: Instant, end: Instant)?

  /// Open clips at a time: each costs an encoder and a file.
  static let mostOpen = 4
  /// A trigger that is told late may find its clip begun by up to this much too late, and still be part of it.
  static let tolerance = Duration.milliseconds(250)

  init(rules: Rules) { self.rules = rules }

  /// Takes in a trigger.
  ///
  /// - Returns: the trigger with its number, what becomes of it, and the clip to begin, if there is one.
  mutating func trigger(at time: Instant, cause: TriggerSource) -> (Trigger, TriggerOutcome, new: Cut?) {
    triggerCount += 1
    let trigger = Trigger(number: triggerCount, time: time, cause: cause)
    // No switch bounces that orders what goes on without end: once that was ended it begins anew, however soon.
    let mayBounce = cause != .continuous || isContinuous
    if mayBounce, let earlier = accepted[cause], time >= earlier.time, time - earlier.time < rules.debounce {
      return (trigger, .bounced(of: earlier.number), nil)
    }
    if accepted[cause].map({ $0.time < time }) ?? true { accepted[cause] = trigger }
    let start = time - rules.preRoll
    let end = time + rules.postRoll
    if let index = joinable(start: start, time: time) {
      open[index].end = max(open[index].end, end)
      open[index].triggers.append(trigger)
      return (trigger, .joined(clip: open[index].number), nil)
    }
    var cut = Cut(number: 0, start: start, end: end, triggers: [trigger])
    if rules.overlap == .merge {
      // What is in a clip already is not told again: the new one ends where a later one begins, or begins where an
      // earlier one ended.
      let later = open.indices.filter({ !open[$0].isRefused && open[$0].start > start && open[$0].start < end })
        .min(by: { open[$0].start < open[$1].start })
      if let later {
        cut.end = open[later].start
        open[later].end = max(open[later].end, end)
      }
      if let last = lastEnd(before: time), last.end > start, last.keptFrom <= start {
        cut.start = last.end
        cut.continues = last.clip
        cut.keptFrom = last.keptFrom
      }
      // Nothing is left between the two: the later one is this trigger's as well.
      if let later, cut.start >= cut.end {
        open[later].triggers.append(trigger)
        return (trigger, .joined(clip: open[later].number), nil)
      }
    }
    cut = add(cut)
    return (trigger, .started(clip: cut.number, continues: cut.continues), cut)
  }

  /// Begins recording without end.
  mutating func startContinuous(at time: Instant) -> (Trigger, TriggerOutcome, new: Cut?) {
    let (trigger, outcome, cut) = self.trigger(at: time, cause: .continuous)
    guard case .started(let number, _) = outcome, let index = open.firstIndex(where: { $0.number == number }) else {
      if case .joined(let number) = outcome, let index = open.firstIndex(where: { $0.number == number }) {
        open[index].end = .distantFuture
        open[index].isContinuous = true
        open[index].isCutShort = false
      }
      return (trigger, outcome, cut)
    }
    open[index].end = .distantFuture
    open[index].isContinuous = true
    return (trigger, outcome, open[index])
  }

  var isContinuous: Bool { open.contains(where: \.isContinuous) }

  /// Ends what is open at `time`, or at its trigger if that is later.
  mutating func endAll(at time: Instant) {
    for index in open.indices {
      end(at: index, to: time)
    }
  }

  private mutating func end(at index: Int, to time: Instant) {
    let latest = open[index].triggers.map(\.time).max() ?? open[index].start
    open[index].isContinuous = false
    guard max(time, latest) < open[index].end else { return }
    open[index].end = max(time, latest)
    open[index].isCutShort = true
  }

  /// Where a clip has to be split: the wanted end lies beyond the longest length.
  func split(of cut: Cut) -> Instant? {
    let limit = cut.start + rules.longest
    return cut.end > limit ? limit : nil
  }

  /// Splits an open clip at `time`, which is that of a keyframe: it ends there, and a new one begins.
  mutating func split(_ number: Int, at time: Instant) -> Cut? {
    guard let index = open.firstIndex(where: { $0.number == number }) else { return nil }
    var next = Cut(
      number: 0, start: time, end: open[index].end, triggers: open[index].triggers.filter { $0.time >= time },
      continues: number, keptFrom: open[index].reachesBackTo, isSplit: true,
      isContinuous: open[index].isContinuous)
    open[index].end = time
    open[index].isContinuous = false
    open[index].isSplitAway = true
    if next.triggers.isEmpty {
      // A trigger that joined what goes on without end is over.
      let endless = next.isContinuous ? open[index].triggers.first { $0.cause == .continuous } : nil
      next.triggers = (endless ?? open[index].triggers.last).map { [$0] } ?? []
    }
    return add(next)
  }

  /// A clip's end is behind it, at `end` exactly.
  mutating func close(_ number: Int, at end: Instant) {
    let cut = self[number]
    open.removeAll { $0.number == number }
    if let cut, !cut.isRefused, previous.map({ $0.end < end }) ?? true {
      previous = (number, cut.reachesBackTo, end)
    }
    // Those that begin where it ended now know where that is.
    for index in open.indices where open[index].continues == number && !open[index].isSplit {
      open[index].start = end
    }
  }

  /// Nothing came of a clip: what it was to continue with counts from its own pre-roll.
  mutating func drop(_ number: Int) {
    open.removeAll { $0.number == number }
    for index in open.indices where open[index].continues == number { beginAnew(index) }
  }

  /// The storage takes no more of a clip: it ends at `time`, in the same way, and nobody goes on from there, for the
  /// ring may still hold what is missing in it.
  mutating func refuse(_ number: Int, at time: Instant) {
    if previous?.clip == number { previous = nil }
    guard let index = open.firstIndex(where: { $0.number == number }) else { return }
    open[index].isRefused = true
    end(at: index, to: time)
    for index in open.indices where open[index].continues == number && !open[index].isSplit { beginAnew(index) }
  }

  /// A clip that was kept is gone: what was in it may be kept once more.
  mutating func forgetKept() {
    previous = nil
    for index in open.indices { open[index].keptFrom = nil }
  }

  private mutating func beginAnew(_ index: Int) {
    open[index].continues = nil
    open[index].keptFrom = nil
    if let trigger = open[index].triggers.first { open[index].start = trigger.time - rules.preRoll }
  }

  subscript(number: Int) -> Cut? { open.first { $0.number == number } }

  /// The open clip that a trigger can be part of.
  private func joinable(start: Instant, time: Instant) -> Int? {
    switch rules.overlap {
    case .merge, .extend:
      return open.lastIndex { cut in
        // What is missing of a continued clip those before it have, as long as they are there.
        let begins = cut.reachesBackTo - Self.tolerance
        return !cut.isRefused && time >= cut.start && time <= cut.end && start >= begins
      }
    case .independent:
      guard open.count >= Self.mostOpen else { return nil }
      return open.lastIndex { !$0.isRefused && $0.start <= start && time <= $0.end }
    }
  }

  /// The end of the clip that ends last before `time`, be it closed or only about to be.
  private func lastEnd(before time: Instant) -> (clip: Int, keptFrom: Instant, end: Instant)? {
    var latest = previous.flatMap { $0.end <= time ? $0 : nil }
    for cut in open where !cut.isRefused && cut.end < time && (latest.map { $0.end < cut.end } ?? true) {
      latest = (cut.number, cut.reachesBackTo, cut.end)
    }
    return latest
  }

  /// A number for a clip that is not cut from the ring.
  mutating func takeNumber(at time: Instant) -> (clip: Int, Trigger) {
    lastNumber += 1
    triggerCount += 1
    return (lastNumber, Trigger(number: triggerCount, time: time, cause: .timeLapse))
  }

  /// A number for a piece of the spool.
  mutating func reserveNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  private mutating func add(_ cut: Cut) -> Cut {
    lastNumber += 1
    var cut = cut
    cut.number = lastNumber
    open.append(cut)
    return cut
  }
}
