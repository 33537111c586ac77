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
    for key in parameters.key.map({ [$0] }) ?? Settings.keys.map(\.key) {
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

  /// All or none: everything is tried on a copy first.
  static func answer(_ parameters: Parameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    var trial = device.state.settings
    let changes = parameters.values.sorted { $0.key < $1.key }
    for (key, value) in changes {
      do throws(SettingError) {
        try trial.set(key, to: value)
      } catch {
        throw CommandFailure(FailureCode(rawValue: error.code) ?? .badArgument, "\(error)")
      }
    }
    if let reason = device.state.refusal(of: trial) { throw device.failure(reason) }
    for (key, value) in changes { _ = device.handle(.command(.set(key: key, value: value))) }
    var result: Answer = [:]
    for (key, _) in changes { result[key] = device.state.settings.value(of: key) }
    return result
  }
}

extension SettingsSet.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    values = try given.named(.settingValue, "a setting, and its new value")
  }
}
