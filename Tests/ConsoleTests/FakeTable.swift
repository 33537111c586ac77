import Appliance
import Console
import Hardware
import JSON

/// A table of a few commands that take all kinds of parameters, for tests of what is around the table.
enum FakeTable {
  static let table = CommandTable<FakeDevice>(methods: methods, words: words)

  private static let methods: [MethodEntry<FakeDevice>] = [
    MethodEntry(PanelPress.self), MethodEntry(RecorderStart.self), MethodEntry(RecorderStop.self),
    MethodEntry(RecorderStatus.self), MethodEntry(RecorderMark.self), MethodEntry(PlayerPlay.self),
    MethodEntry(PlayerSeek.self), MethodEntry(LibraryList.self), MethodEntry(LibraryShow.self),
    MethodEntry(LibraryRename.self), MethodEntry(LibraryUndelete.self), MethodEntry(LibraryRepair.self),
    MethodEntry(SettingsGet.self), MethodEntry(SettingsSet.self), MethodEntry(BudgetReport.self),
    MethodEntry(SystemInfo.self), MethodEntry(SystemSelftest.self), MethodEntry(FaultInject.self),
  ]

  private static let words: [Word<FakeDevice>] = [
    Word("status", "shows what the device is doing", calls: RecorderStatus.self),
    Word("press", "presses a key shortly", methods: [PanelPress.self]) { (key: Key, call: WordCall<FakeDevice>) in
      call.show(PanelPress.self, PanelPress.Parameters(button: key.button, milliseconds: 100))
    },
    Word("hold", "holds a key down", methods: [PanelPress.self]) { (key: HeldKey, call: WordCall<FakeDevice>) in
      let milliseconds = Int((key.seconds * 1000).rounded())
      call.show(PanelPress.self, PanelPress.Parameters(button: key.button, milliseconds: milliseconds))
    },
    Word("rec", "asks first, then starts a take", methods: [RecorderStatus.self, RecorderStart.self]) {
      (_: NoParameters, call: WordCall<FakeDevice>) in
      call.call(RecorderStatus.self, FakeNothing()) { _ in call.show(RecorderStart.self, FakeNothing()) }
    },
    Word("play", "plays a take", calls: PlayerPlay.self), Word("seek", "moves", calls: PlayerSeek.self),
    Word("mark", "puts a mark", calls: RecorderMark.self), Word("list", "lists takes", calls: LibraryList.self),
    Word("show", "tells all about a take", calls: LibraryShow.self) { PeopleText.tree($0, $1) },
    Word("rename", "changes a name", calls: LibraryRename.self),
    Word("undelete", "brings back a take", calls: LibraryUndelete.self),
    Word("repair", "mends", calls: LibraryRepair.self),
    Word("settings", "shows or changes settings", methods: [SettingsGet.self, SettingsSet.self]) {
      (word: SettingWord, call: WordCall<FakeDevice>) in
      guard let key = word.key, let value = word.value else { return call.show(SettingsGet.self, FakeNothing()) }
      call.show(SettingsSet.self, SettingsSet.Parameters(values: [key: value]))
    },
    Word("version", "tells the version", calls: SystemInfo.self),
    Word("fault", "makes a device fail", calls: FaultInject.self),
    Word("upload", aliases: ["rz"], "takes files", methods: [RecorderStatus.self]) {
      (_: NoParameters, call: WordCall<FakeDevice>) in
      call.call(RecorderStatus.self, FakeNothing()) { _ in
        call.receive { _, answer in answer(.failure(CommandFailure(.storageFull, "no room"))) }
      }
    },
  ]

  private struct Key: ParameterSet {
    let button: Button
    init(_ given: inout Given) throws(CommandFailure) { button = try given.value("button", .choice(.rec), "the key") }
  }

  private struct HeldKey: ParameterSet {
    let button: Button
    let seconds: Double
    init(_ given: inout Given) throws(CommandFailure) {
      button = try Key(&given).button
      seconds = try given.value("seconds", .number(0.001...60), default: 1, "how long; unlocking takes 2")
    }
  }

  private struct SettingWord: ParameterSet {
    let key: String?
    let value: SettingValue?
    init(_ given: inout Given) throws(CommandFailure) {
      key = try given.optional("key", .settingKey, "one setting")
      value = try given.optional("value", .settingValue, "its new value")
    }
  }
}

/// Parameters that can be looked at.
protocol FakeParameters: ParameterSet {
  var json: JSONValue { get }
}

/// A method that the fake device answers.
protocol FakeMethod: Method where Context == FakeDevice, Answer == JSONValue, Parameters: FakeParameters {}

extension FakeMethod {
  static func perform(
    _ parameters: Parameters, in device: FakeDevice, reply: @escaping (Result<JSONValue, CommandFailure>) -> Void
  ) { device.perform(FakeCall(method: row.method, parameters: parameters.json), reply: reply) }
}

struct FakeNothing: FakeParameters {
  init() {}
  init(_ given: inout Given) {}
  var json: JSONValue { [:] }
}

enum PanelPress: FakeMethod {
  static let row = MethodRow("panel.press", "presses a key of the panel", .operator)
  struct Parameters {
    let button: Button
    let milliseconds: Int
  }
}

extension PanelPress.Parameters: FakeParameters {
  init(_ given: inout Given) throws(CommandFailure) {
    button = try given.value("button", .choice(.rec), "the key")
    milliseconds = try given.value("ms", .integer(1...60_000), default: 100, "how long it is down")
  }
  var json: JSONValue { ["button": .string(button.rawValue), "ms": .integer(milliseconds)] }
}

enum RecorderStart: FakeMethod {
  typealias Parameters = FakeNothing
  static let row = MethodRow("recorder.start", "starts a take", .operator)
}

enum RecorderStop: FakeMethod {
  typealias Parameters = FakeNothing
  static let row = MethodRow("recorder.stop", "ends a take", .operator)
}

enum RecorderStatus: FakeMethod {
  typealias Parameters = FakeNothing
  static let row = MethodRow("recorder.status", "tells what the recorder does", .viewer)
}

enum RecorderMark: FakeMethod {
  static let row = MethodRow("recorder.mark", "puts a mark", .operator)
  struct Parameters: FakeParameters {
    let title: String?
    init(_ given: inout Given) throws(CommandFailure) {
      title = try given.optional("title", .text(limit: 200), "the mark's title")
    }
    var json: JSONValue { title.map { ["title": .string($0)] } ?? [:] }
  }
}

/// One take.
struct FakeTake: FakeParameters {
  let id: String?
  init(_ given: inout Given) throws(CommandFailure) { id = try given.optional("id", .take, "the take") }
  var json: JSONValue { id.map { ["id": .string($0)] } ?? [:] }
}

enum PlayerPlay: FakeMethod {
  typealias Parameters = FakeTake
  static let row = MethodRow("player.play", "plays a take", .operator)
}

enum PlayerSeek: FakeMethod {
  static let row = MethodRow("player.seek", "moves", .operator)
  struct Parameters: FakeParameters {
    let seconds: Double
    init(_ given: inout Given) throws(CommandFailure) {
      seconds = try given.value("seconds", .number(-86_400...86_400), "by how much; negative: back")
    }
    var json: JSONValue { ["seconds": .number(seconds)] }
  }
}

enum LibraryList: FakeMethod {
  static let row = MethodRow("library.list", "lists takes", .viewer)
  enum Order: String, CaseIterable, Sendable {
    case newest
    case name
  }
  struct Parameters: FakeParameters {
    let limit: Int
    let offset: Int
    let sort: Order
    let query: String?
    init(_ given: inout Given) throws(CommandFailure) {
      limit = try given.value("limit", .integer(1...1000), default: 50, "how many at most")
      offset = try given.value("offset", .integer(0...100), default: 0, "how many to leave out")
      sort = try given.value("sort", .choice(.newest), default: .newest, "the order")
      query = try given.optional("query", .text(limit: 200), "only these")
    }
    var json: JSONValue {
      var json: JSONValue = [
        "limit": .integer(limit), "offset": .integer(offset), "sort": .string(sort.rawValue),
      ]
      json["query"] = query.map { .string($0) }
      return json
    }
  }
}

enum LibraryShow: FakeMethod {
  typealias Parameters = FakeTake
  static let row = MethodRow("library.show", "tells all about a take", .viewer)
}

enum LibraryRename: FakeMethod {
  static let row = MethodRow("library.rename", "changes a name", .operator)
  struct Parameters: FakeParameters {
    let id: String
    let name: String
    init(_ given: inout Given) throws(CommandFailure) {
      id = try given.value("id", .take, "the take")
      name = try given.value("name", .text(limit: 200), "the new name")
    }
    var json: JSONValue { ["id": .string(id), "name": .string(name)] }
  }
}

enum LibraryUndelete: FakeMethod {
  typealias Parameters = FakeNothing
  static let row = MethodRow("library.undelete", "brings back a take", .operator)
}

enum LibraryRepair: FakeMethod {
  typealias Parameters = FakeTake
  static let row = MethodRow("library.repair", "mends", .operator)
}

enum SettingsGet: FakeMethod {
  typealias Parameters = FakeNothing
  static let row = MethodRow("settings.get", "reads settings", .viewer)
}

enum SettingsSet: FakeMethod {
  static let row = MethodRow("settings.set", "changes settings", .technician)
  struct Parameters {
    let values: [String: SettingValue]
  }
}

extension SettingsSet.Parameters: FakeParameters {
  init(_ given: inout Given) throws(CommandFailure) { values = try given.named(.settingValue, "a new value") }
  var json: JSONValue { .object(values.mapValues(\.json)) }
}

enum BudgetReport: FakeMethod {
  typealias Parameters = FakeNothing
  static let row = MethodRow("budget.report", "shows memory", .viewer)
}

enum SystemInfo: FakeMethod {
  typealias Parameters = FakeNothing
  static let row = MethodRow("system.info", "tells the version", .viewer)
}

enum SystemSelftest: FakeMethod {
  typealias Parameters = FakeNothing
  static let row = MethodRow("system.selftest", "checks itself", .technician, whileRecording: .refused)
}

enum FaultInject: FakeMethod {
  static let row = MethodRow("fault.inject", "makes a device fail", .technician)
  struct Parameters: FakeParameters {
    let fault: Fault
    init(_ given: inout Given) throws(CommandFailure) { fault = try given.value("fault", .fault, "the fault") }
    var json: JSONValue { ["fault": .string(FaultGrammar.text(fault))] }
  }
}
