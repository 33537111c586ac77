internal import Appliance
internal import Console

enum SettingsGet: DeviceMethod {
  static let row = MethodRow("settings.get", "reads settings", .viewer)
  typealias Answer = [String: SettingValue]

  struct Parameters {
    let key: String?
  }

  static func answer(_ parameters: Parameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    var result: Answer = [:]
    for key in parameters.key.map({ [$0] }) ?? Settings.table.map(\.key) {
      guard let value = device.state.settings.value(of: key) else {
        throw CommandFailure(.badArgument, "there is no setting \(key)")
      }
      result[key] = value
    }
    return result
  }
}

extension SettingsGet.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    key = try given.optional("key", .settingKey, "one setting; all without it")
  }
}

enum SettingsSet: DeviceMethod {
  static let row = MethodRow(
    "settings.set", "changes settings: {name: value}, all of them or none", .technician,
    discussion: "A name that does not exist or a value out of range is refused, and nothing is changed.")
  typealias Answer = [String: SettingValue]

  struct Parameters {
    let values: [String: SettingValue]
  }

  /// One change: all or none.
  static func answer(_ parameters: Parameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    try device.order(.set(parameters.values))
    var result: Answer = [:]
    for key in parameters.values.keys { result[key] = device.state.settings.value(of: key) }
    return result
  }
}

extension SettingsSet.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    values = try given.named(.settingValue, "a setting, and its new value")
  }
}
