internal import Appliance
internal import Console
internal import Hardware

/// A schedule as consoles see it.
struct ScheduleAnswer: WireObject {
  let schedule: Schedule
  let next: String?

  static let fields: [Field<Self>] = [
    Field("number", \.schedule.number, "its own among the schedules"),
    Field("on", \.schedule.isOn, "whether it counts"),
    Field("when", \.schedule.text, "days, from, to, and every so many minutes for so many"),
    Field("next", ifAny: \.next, "when it records next, in UTC; absent where that is not known, or never"),
  ]
}

enum ScheduleList: DeviceMethod {
  static let row = MethodRow("schedule.list", "lists when the device records by itself", .viewer)

  struct Answer: WireObject {
    let schedules: [ScheduleAnswer]
    let next: String?
    let zone: String
    let place: String
    let running: Int?
    static let fields: [Field<Self>] = [
      Field("schedules", \.schedules, "in the order of their numbers"),
      Field("next", ifAny: \.next, "when the device records next by itself, in UTC"),
      Field("zone", \.zone, "by whose clocks, `clock.zone`"), Field("place", \.place, "where, `clock.place`"),
      Field("running", ifAny: \.running, "the number of the one that records now"),
    ]
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    let settings = device.state.settings
    let basis = settings.scheduleBasis
    let now = device.clock.wallNow
    func next(_ schedules: Schedules) -> String? {
      ScheduleBasis(schedules, zone: basis.zone, place: basis.place).next(after: now)?.start.iso8601
    }
    let rows = basis.schedules.all.sorted { $0.number < $1.number }.map { schedule in
      ScheduleAnswer(schedule: schedule, next: next(basis.schedules.only(schedule.number)))
    }
    let scheduled = device.state.dictaphone.scheduled
    return Answer(
      schedules: rows, next: next(basis.schedules), zone: settings.zone, place: settings.place,
      running: scheduled.flatMap { $0.isStopped ? nil : $0.key.schedule })
  }
}

/// Methods that change the schedules: one setting, kept as any other.
private enum ScheduleChange {
  static func keep(
    _ schedules: Schedules, in device: CommandContext, _ reply: @escaping (Result<Done, CommandFailure>) -> Void
  ) {
    SettingsSet.perform(
      SettingsSet.Parameters(values: ["recording.schedules": .text(schedules.text)]), in: device
    ) { reply($0.map { _ in Done() }) }
  }

  static func missing(_ number: Int) -> CommandFailure { CommandFailure(.notFound, "there is no schedule \(number)") }
}

/// Which one.
struct ChosenSchedule: ParameterSet {
  let number: Int

  init(_ given: inout Given) throws(CommandFailure) {
    number = try given.value("number", .integer(1...999), "of the schedule")
  }
}

enum ScheduleAdd: DeviceTask {
  static let row = MethodRow(
    "schedule.add", "has the device record by itself", .technician,
    discussion:
      "For example mon-fri 06:30 08:00; daily sunrise-30 sunrise+60 every 15 for 2. A take by hand comes first.")
  typealias Answer = Done

  struct Parameters: ParameterSet {
    let when: String

    init(_ given: inout Given) throws(CommandFailure) {
      when = try given.value("when", .text(limit: 200), "days, from and to; then every MINUTES for MINUTES")
    }
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    let basis = device.state.settings.scheduleBasis
    var schedules = basis.schedules
    guard let added = schedules.add(wanted.when) else {
      return reply(.failure(CommandFailure(.badArgument, "that is no schedule, or one too many: \(Schedule.grammar)")))
    }
    guard !added.needsPlace || basis.place != nil else {
      return reply(.failure(CommandFailure(.badArgument, "where the sun rises is not known: set clock.place first")))
    }
    ScheduleChange.keep(schedules, in: device, reply)
  }
}

enum ScheduleRemove: DeviceTask {
  static let row = MethodRow("schedule.remove", "takes a schedule off; its take, if one is open, ends", .technician)
  typealias Answer = Done
  typealias Parameters = ChosenSchedule

  static func perform(_ chosen: ChosenSchedule, in device: CommandContext, reply: @escaping Reply) {
    var schedules = device.state.settings.scheduleBasis.schedules
    guard schedules.remove(chosen.number) else { return reply(.failure(ScheduleChange.missing(chosen.number))) }
    ScheduleChange.keep(schedules, in: device, reply)
  }
}

enum ScheduleEnable: DeviceTask {
  static let row = MethodRow("schedule.enable", "has a schedule count, or rest", .technician)
  typealias Answer = Done

  struct Parameters: ParameterSet {
    let number: Int
    let isOn: Bool

    init(number: Int, isOn: Bool) {
      self.number = number
      self.isOn = isOn
    }

    init(_ given: inout Given) throws(CommandFailure) {
      number = try ChosenSchedule(&given).number
      isOn = try given.value("on", .flag, default: true, "whether it counts")
    }
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    var schedules = device.state.settings.scheduleBasis.schedules
    guard schedules.enable(wanted.number, wanted.isOn) else {
      return reply(.failure(ScheduleChange.missing(wanted.number)))
    }
    ScheduleChange.keep(schedules, in: device, reply)
  }
}
