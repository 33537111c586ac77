internal import Board
internal import Budget
internal import Console
internal import Hardware

/// Looks at the process every few seconds, and tells the world when it leaves its budget and when it is back in it, and of
/// each lane once that a step of it was too long.
/// Control lane only.
final class BudgetLookout: Stepper {
  private let report: () -> BudgetReport
  private let events: EventStream
  private var wasWithin = true
  /// Lanes of whose long steps the world knows.
  private var told: Set<String> = []
  private var nextLook: Instant?

  /// Load is measured from one look to the next: long enough that opening a file is no news.
  private static let interval = Duration.seconds(10)

  /// - Parameter report: measures the process.
  init(events: EventStream, report: @escaping () -> BudgetReport) {
    self.events = events
    self.report = report
  }

  /// `nil` in virtual time, where nothing may depend on this process's load.
  convenience init?(_ ground: Ground) {
    guard ground.options.isRealTime else { return nil }
    // A watch of its own: the console's report measures the load since the one before it.
    let watch = BudgetWatch(ground)
    self.init(events: ground.events) { watch.report() }
  }

  func step(now: Instant) -> Instant? {
    guard let due = nextLook else {
      nextLook = now + Self.interval
      return nextLook
    }
    guard now >= due else { return due }
    nextLook = now + Self.interval
    look(now)
    return nextLook
  }

  private func look(_ now: Instant) {
    let report = report()
    let isTurn = report.isWithin != wasWithin
    let long = report.steps.filter { !$0.isWithin && told.insert($0.lane).inserted }
    guard isTurn || !long.isEmpty else { return }
    wasWithin = report.isWithin
    let verdict = BudgetVerdict(report: report)
    events.publish(.onBudget, verdict.json, at: now)
    for step in long { events.log(.warning, "budget", step.sentence, at: now) }
    guard isTurn else { return }
    let parts = verdict.over.isEmpty ? "the whole" : verdict.over.joined(separator: ", ")
    events.log(
      report.isWithin ? .info : .warning, "budget",
      report.isWithin ? "within what the board grants again" : "over what the board grants: \(parts)", at: now)
  }
}

extension BudgetReport.Step {
  /// What is wrong with it, for people.
  var sentence: String {
    "a step of the lane \(lane) took \(PeopleText.fixed(milliseconds ?? 0, 1)) ms of the processor, "
      + "and the board grants \(declaredMilliseconds ?? 0)"
  }
}

/// The data of `onBudget`.
struct BudgetVerdict: WireObject {
  let report: BudgetReport

  /// Parts that are above their line.
  var over: [String] { report.lines.filter { !$0.isWithin }.map(\.subsystem.rawValue) }

  /// Lanes a step of which was longer than it may be.
  var longSteps: [String] { report.steps.filter { !$0.isWithin }.map(\.lane) }

  static let fields: [Field<Self>] = [
    Field("isWithin", \.report.isWithin, "whether no memory or processor time is above what is declared"),
    Field("over", \.over, "parts that are above it; none if only the whole is"),
    Field("longSteps", \.longSteps, "lanes a step of which has been longer than the board grants"),
    Field("rssKB", \.report.rssKB, "resident memory in KiB"),
    Field("declaredKB", \.report.declaredKB, "what the board grants, in KiB"),
    Field("measuredCPUPercent", \.report.measuredCPUPercent, "of the last seconds, in percent of a core"),
    Field("declaredCPUPercent", \.report.declaredCPUPercent, "what the board grants, in percent of a core"),
  ]
}
