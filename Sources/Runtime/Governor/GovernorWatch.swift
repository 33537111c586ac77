internal import Appliance
internal import Board
internal import Budget
internal import Console
internal import Glibc
internal import Hardware

/// Looks at the board every few seconds, has what can be spared give way, and tells of each step. Control lane only.
final class GovernorWatch: Stepper {
  private let description: GovernorDescription
  private let plan: BudgetPlan
  let sensors: (any BoardSensors)?
  /// `nil` in virtual time, where nothing may depend on this process's load.
  private let process: ProcessWatch?
  private let events: EventStream
  private let book: GovernorBook
  private(set) var governor: Governor
  private var storage: StorageWorker?
  private var deeds: GovernorDeeds?
  private var meter = BudgetMeter()
  private var nextLook: Instant?
  /// The last step, for people.
  private(set) var last: GovernorStep?
  /// What the board said last; nothing before the first look.
  private(set) var board = BoardReadings()
  /// Of the last rung that gave way.
  private var reason: GovernorReading?
  private var began: Instant?
  private var cost: Int64 = 0
  private var looked = Instant.zero

  init(_ ground: Ground) {
    description = ground.board.governor
    plan = ground.ledger.plan
    sensors = ground.hardware.sensors
    process = ground.options.isRealTime ? ground.process : nil
    events = ground.events
    book = ground.governorBook
    governor = Governor(description)
  }

  /// Before the first step: what there is to be taken away.
  func attach(_ parts: GovernorParts, _ board: BoardDescription) {
    governor = Governor(description) { GovernorDeeds.isPossible($0, board, parts) }
    deeds = GovernorDeeds(parts, last: governor.rungs.last)
    storage = parts.storage
  }

  /// Its own processor time, percent of a core; `nil` where the clock is not real.
  var costPercent: Double? {
    guard process != nil, let began, looked > began else { return nil }
    return Double(cost) / Double((looked - began).nanoseconds) * 100
  }

  /// `2/7 heat`: how many rungs have given way, and why the last one did; `nil` if none has.
  func text(in language: Language) -> String? {
    guard governor.place > 0 else { return nil }
    let why = reason.map { " " + $0.phrase.text(in: language) } ?? ""
    return "\(governor.place)/\(governor.rungs.count)\(why)"
  }

  func step(now: Instant) -> Instant? {
    deeds?.settle()
    guard let due = nextLook else {
      (began, looked) = (now, now)
      board = sensors?.read() ?? board
      nextLook = now + .seconds(description.sampleSeconds)
      return nextLook
    }
    guard now >= due else { return due }
    nextLook = now + .seconds(description.sampleSeconds)
    let before = Self.processorTime
    look(now)
    cost += Self.processorTime - before
    looked = now
    return nextLook
  }

  private static var processorTime: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private func look(_ now: Instant) {
    guard let step = governor.look(values(now), at: now.nanoseconds) else { return }
    last = step
    if step.direction == .down { reason = GovernorReading(rawValue: step.reason) }
    book.add(step)
    deeds?.perform(step.rung, isSpared: step.direction == .down)
    events.publish(.onGovernorStep, GovernorStepAnswer(step: step).json, at: now)
    events.log(step.direction == .down ? .warning : .info, "governor", step.sentence, at: now)
  }

  private func values(_ now: Instant) -> [GovernorValue] {
    var values: [GovernorValue] = []
    func add(_ reading: GovernorReading, _ value: Double?) {
      let limit = Double(description[reading])
      if let value, limit > 0 { values.append(GovernorValue(reading, value, limit: limit)) }
    }
    if let usage = process?.usage() {
      add(.memory, Double(usage.rssKB) / Double(max(1, plan.totalMemoryKB)) * 100)
      let load = meter.add(usage)
      add(.cpu, load.map { $0.totalPercent / Double(max(1, plan.totalCPUPercent)) * 100 })
      add(.thread, load.map { max($0.percent[.encoder] ?? 0, $0.percent[.camera] ?? 0, $0.percent[.audioIn] ?? 0) })
    }
    if let board = sensors?.read() {
      self.board = board
      add(.cpuPressure, board.cpuPressure)
      add(.memoryPressure, board.memoryPressure)
      add(.ioPressure, board.ioPressure)
      add(.temperature, board.temperature)
      add(.throttled, board.throttle.map { $0.isNow ? 1 : 0 })
      add(.battery, board.battery.flatMap { $0.isDischarging ? Double($0.percent) : nil })
    }
    add(.storage, storage.map { $0.takeLatency(at: now).inSeconds * 1000 })
    return values
  }
}

extension GovernorStep {
  /// For the log and for people.
  var sentence: String {
    let numbers = "\(PeopleText.fixed(value, 1)), limit \(PeopleText.fixed(limit, 1))"
    return direction == .down
      ? "\(rung.rawValue) gives way: \(reason) is \(numbers)"
      : "\(rung.rawValue) is back: \(PeopleText.fixed(value, 0)) s of calm"
  }
}

extension GovernorReading {
  /// In a word, for small screens.
  fileprivate var phrase: Phrase {
    switch self {
    case .memory, .memoryPressure: .memory
    case .cpu, .thread, .cpuPressure: .processor
    case .ioPressure, .storage: .card
    case .temperature: .heat
    case .throttled: .throttled
    case .battery: .battery
    }
  }
}
