internal import Appliance
internal import Console
internal import Hardware
internal import JSON
internal import Library

/// The wall clock as consoles see it.
struct ClockAnswer: WireObject {
  let time: WallTime
  let zone: Zone
  let zoneName: String
  let isKept: Bool?

  static let fields: [Field<Self>] = [
    Field("time", \.time.iso8601, "UTC, in ISO 8601"),
    Field("local", { $0.zone.isoText($0.time) }, "the same in the device's zone, with its distance from UTC"),
    Field("zone", \.zoneName, "the zone's name or rule, `clock.zone`"),
    Field("set", \.time.isPlausible, "whether it can be right: a board without a battery comes up in the past"),
    Field("kept", ifAny: \.isKept, "whether something keeps it right (NTP); absent where the system does not tell"),
  ]
}

extension ClockAnswer {
  /// The same with the date that the zone's clocks show.
  func local(_ info: SystemInfo.Answer) -> SystemInfo.Answer {
    var info = info
    info.wallTime = "\(zone.localText(time)), \(zoneName)"
    return info
  }
}

extension Zone {
  /// `2026-11-24 13:00:05`, as the zone's clocks show it.
  func localText(_ time: WallTime) -> String {
    String(isoText(time).prefix(19).map { $0 == "T" ? " " : $0 })
  }

  /// An answer for people: every time in it as the zone's clocks show it.
  func localDates(in answer: JSONValue) -> JSONValue {
    switch answer {
    case .object(let members):
      .object(
        Dictionary(
          uniqueKeysWithValues: members.map { name, value in
            guard name == "wall", let time = value.integerValue else { return (name, localDates(in: value)) }
            return (name, .string(localText(WallTime(nanosecondsSince1970: Int64(time)))))
          }))
    case .array(let elements): .array(elements.map(localDates))
    case .string(let text): WallTime(iso8601: text).map { .string(localText($0)) } ?? answer
    default: answer
    }
  }
}

extension CommandContext {
  fileprivate var clockAnswer: ClockAnswer {
    let name = state.settings.zone
    return ClockAnswer(
      time: clock.wallNow, zone: Zone(name) ?? .utc, zoneName: name, isKept: boardOrders.system?.isClockKept ?? nil)
  }
}

enum ClockGet: DeviceMethod {
  typealias Answer = ClockAnswer
  static let row = MethodRow("clock.get", "tells date, time and zone", .viewer)

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> ClockAnswer {
    device.clockAnswer
  }
}

enum ClockSet: DeviceTask {
  static let row = MethodRow(
    "clock.set", "sets date and time, or the zone", .technician,
    discussion:
      "Sound and pictures are timed by another clock, and do not notice. The answer comes when the clock shows the time; "
      + "the board's battery-backed clock is set with it.")
  typealias Answer = ClockAnswer

  struct Parameters: ParameterSet {
    let time: String?
    let zone: String?

    init(time: String?, zone: String?) {
      self.time = time
      self.zone = zone
    }

    init(_ given: inout Given) throws(CommandFailure) {
      time = try given.optional(
        "time", .text(limit: 40), "2026-11-23T16:30:00Z, or without Z by the zone's clocks; 16:30 is today")
      zone = try given.optional("zone", .text(limit: 60), "its name, as Europe/Berlin, or its rule as POSIX has it")
    }
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    guard wanted.time != nil || wanted.zone != nil else {
      return reply(.failure(CommandFailure(.badArgument, "clock.set: give a time, a zone, or both")))
    }
    let name = wanted.zone ?? device.state.settings.zone
    guard let zone = Zone(name) else {
      return reply(
        .failure(
          CommandFailure(.badArgument, "there is no zone \(name): give a name as Europe/Berlin, or a POSIX rule")))
    }
    var time: WallTime?
    if let text = wanted.time {
      guard let read = zone.time(text, today: device.clock.wallNow), read.isSettable else {
        return reply(
          .failure(
            CommandFailure(
              .badArgument,
              "\(text) is no time between 2025 and 2099: write it as 2026-11-23T16:30:00, with Z if it is UTC")))
      }
      time = read
    }
    let set = {
      guard let time else { return reply(.success(device.clockAnswer)) }
      device.boardOrders.set(time) { outcome in
        device.storage.dateTakes()
        reply(outcome.map { _ in device.clockAnswer })
      }
    }
    guard wanted.zone != nil else { return set() }
    SettingsSet.perform(SettingsSet.Parameters(values: ["clock.zone": .text(name)]), in: device) { outcome in
      switch outcome {
      case .success: set()
      case .failure(let failure): reply(.failure(failure))
      }
    }
  }
}
