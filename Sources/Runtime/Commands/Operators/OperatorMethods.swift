internal import Console
internal import JSON
internal import Operators

/// An operator that is named.
struct OperatorName: ParameterSet {
  let name: String

  init(_ given: inout Given) throws(CommandFailure) {
    name = try given.value("name", .word(limit: 64), "1 to 32 letters and digits, -, _ and ., a letter first")
  }

  init(name: String) { self.name = name }
}

/// An operator and a password.
struct OperatorPassword: ParameterSet {
  let name: String
  let password: String

  init(_ given: inout Given) throws(CommandFailure) {
    name = try OperatorName(&given).name
    password = try given.value("password", .secret(limit: 512), "8 to 128 bytes; a sentence is a good one")
  }

  init(name: String, password: String) { (self.name, self.password) = (name, password) }
}

enum OperatorsList: DeviceMethod {
  static let row = MethodRow("operators.list", "lists who may work with the device", .technician)

  struct Answer: WireObject {
    let operators: [OperatorAnswer]
    static let fields: [Field<Self>] = [
      Field("operators", \.operators, "in the order in which they were added; none: everybody may do everything")
    ]
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    Answer(operators: device.operators.book.entries.map { OperatorAnswer(entry: $0) })
  }
}

struct OperatorAnswer: WireObject {
  let entry: OperatorBook.Entry

  static let fields: [Field<Self>] = [
    Field("name", \.entry.name, "the name"), Field("role", \.entry.role, "the most that they may do"),
    Field("failures", \.entry.failures.count, "wrong passwords in a row"),
  ]
}

enum OperatorsAdd: DeviceTask {
  static let row = MethodRow(
    "operators.add", "adds somebody who may work with the device", .technician,
    discussion:
      "The first has to be a technician; from then on consoles ask who is there. The keys of the panel do not.")

  struct Parameters: ParameterSet {
    let name: String
    let role: Role
    let password: String

    init(_ given: inout Given) throws(CommandFailure) {
      name = try OperatorName(&given).name
      role = try given.value("role", .choice(.viewer), "viewer looks, operator records and plays, technician sets up")
      password = try given.value("password", .secret(limit: 512), "8 to 128 bytes; a sentence is a good one")
    }

    init(name: String, role: Role, password: String) {
      (self.name, self.role, self.password) = (name, role, password)
    }
  }

  static func audited(_ wanted: Parameters) -> [String: JSONValue] {
    ["name": .string(OperatorBook.isName(wanted.name) ? wanted.name : ""), "role": .string(wanted.role.rawValue)]
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    device.operators.change(password: wanted.password, reply: { reply($0.map { Done() }) }) {
      (book, hash) throws(OperatorBook.Refusal) in try book.add(wanted.name, wanted.role, hash: hash)
    }
  }
}

enum OperatorsRemove: DeviceTask {
  static let row = MethodRow(
    "operators.remove", "removes somebody; their sessions end", .technician,
    discussion: "The last of all may go, and then everybody may do everything again; the only technician among others "
      + "may not.")
  typealias Parameters = OperatorName

  static func audited(_ wanted: Parameters) -> [String: JSONValue] {
    ["name": .string(OperatorBook.isName(wanted.name) ? wanted.name : "")]
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    device.operators.change(password: nil, reply: { reply($0.map { Done() }) }) {
      (book, _) throws(OperatorBook.Refusal) in try book.remove(wanted.name)
    }
  }
}

enum OperatorsPassword: DeviceTask {
  static let row = MethodRow("operators.password", "gives somebody another password; their sessions end", .technician)
  typealias Parameters = OperatorPassword

  static func audited(_ wanted: Parameters) -> [String: JSONValue] {
    ["name": .string(OperatorBook.isName(wanted.name) ? wanted.name : "")]
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    device.operators.change(password: wanted.password, reply: { reply($0.map { Done() }) }) {
      (book, hash) throws(OperatorBook.Refusal) in try book.setPassword(of: wanted.name, hash: hash)
    }
  }
}

enum AuditTail: DeviceTask {
  static let row = MethodRow(
    "audit.tail", "shows who did what, and whether anybody has changed the record of it", .technician,
    whileRecording: .queued,
    discussion: "Nothing is written down while no operators are set up. Each line of log/audit.log carries the hash of "
      + "the one before.")

  struct Parameters: ParameterSet {
    let lines: Int

    init(_ given: inout Given) throws(CommandFailure) {
      lines = try given.value("lines", .integer(1...200), default: 20, "how many at most")
    }
  }

  struct Answer: WireObject {
    let lines: [JSONValue]
    let checked: Int
    let problem: String?

    static let fields: [Field<Self>] = [
      Field("lines", \.lines, "the latest, oldest first: n, wall, t, who, from, what, with, outcome"),
      Field("checked", \.checked, "lines whose chain was looked at"),
      Field("whole", { $0.problem == nil }, "whether they are those that were written"),
      Field("problem", ifAny: \.problem, "where the chain is broken"),
    ]
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    let storage = device.storage
    let reading = BetweenSteps<AuditFiles.Reading?>(nil)
    device.onLibraryInSteps(reply) { _ in
      if reading.value == nil {
        // What waits to be written is part of it.
        storage.flushAudit()
        reading.value = AuditFiles.Reading(storage.storage, most: wanted.lines)
      }
      guard let read = reading.value, read.step() else { return nil }
      return Answer(lines: read.latest, checked: read.check.lines, problem: read.check.problem)
    }
  }
}
