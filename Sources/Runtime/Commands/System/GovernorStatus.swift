internal import Board
public import Budget
public import Console
internal import Hardware

enum GovernorStatus: DeviceMethod {
  static let row = MethodRow(
    "governor.status", "tells what gives way because the board is under strain", .viewer,
    discussion: "The ladder is the board file's. What has no sensor is absent from the readings. See onGovernorStep.")

  struct Answer: WireObject {
    let governor: Governor
    let last: GovernorStep?
    let costPercent: Double?

    static let fields: [Field<Self>] = [
      Field(
        "rung", { $0.governor.rungs.prefix($0.governor.place).last?.rawValue }, "the last that gave way; null: none"),
      Field("spared", { $0.governor.rungs.prefix($0.governor.place).map(\.rawValue) }, "all that gave way, in order"),
      Field("rungs", { $0.governor.rungs.map(\.rawValue) }, "what can give way on this board, in order"),
      Field("falls", \.governor.falls, "how often one gave way"),
      Field("climbs", \.governor.climbs, "how often one came back"),
      Field("calmSeconds", { Double($0.governor.patience) / 1e9 }, "of calm before the next comes back"),
      Field("readings", \.governor.values, "what was seen last, each with its limit"),
      Field("lastStep", ifAny: { $0.last.map(GovernorStepAnswer.init) }, "the latest step; absent before the first"),
      Field("costPercent", ifAny: \.costPercent, "of its own looks, in percent of a core; absent in virtual time"),
    ]
  }

  /// A step in the receipt of what was open meanwhile.
  static let note = Schema.object(
    [
      .init("t", .number, "on the monotonic clock, in seconds"), .init("rung", .text, "what gave way or came back"),
      .init("direction", .text, "down or up"), .init("reason", .text, "the reading, or calm"),
      .init("value", .number, "what it was, in its unit"), .init("limit", .number, "its limit"),
    ], isOpen: true)

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    let watch = device.governor
    return Answer(governor: watch.governor, last: watch.last, costPercent: watch.costPercent)
  }
}

/// The data of `onGovernorStep`.
struct GovernorStepAnswer: WireObject {
  let step: GovernorStep

  static let fields: [Field<Self>] = [
    Field("rung", \.step.rung.rawValue, "what gave way or came back"),
    Field("direction", \.step.direction.rawValue, "down or up"),
    Field("reason", \.step.reason, "the reading that was beyond its limit; calm on the way up"),
    Field("value", \.step.value, "what it was, in its unit; the seconds of calm on the way up"),
    Field("limit", \.step.limit, "its limit"),
  ]
}

extension GovernorValue: WireObject {
  public static let fields: [Field<GovernorValue>] = [
    Field("reading", \.reading.rawValue, "what was looked at"),
    Field("value", \.value, "in its unit"),
    Field("limit", \.limit, "beyond which it is strain"),
    Field("isStrained", { $0.strain >= 1 }, "whether it is beyond its limit"),
  ]
}

/// The governor, as people read it.
enum GovernorText {
  static func lines(_ answer: GovernorStatus.Answer) -> [String] {
    let governor = answer.governor
    let spared = governor.rungs.prefix(governor.place).map(\.rawValue).joined(separator: ", ")
    let left = governor.rungs.dropFirst(governor.place).map(\.rawValue).joined(separator: ", ")
    let head = [
      "given way: \(spared.isEmpty ? "nothing" : spared)", "may still:  \(left.isEmpty ? "nothing" : left)",
    ]
    return head + (answer.last.map { ["last step:  \($0.sentence)"] } ?? [])
      + governor.values.map {
        PeopleText.pad($0.reading.rawValue, 17) + PeopleText.fixed($0.value, 1)
          + " (limit \(PeopleText.fixed($0.limit, 0)))\($0.strain >= 1 ? " STRAIN" : "")"
      }
  }
}
