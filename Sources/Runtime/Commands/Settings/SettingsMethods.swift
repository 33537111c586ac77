internal import Appliance
internal import Console
internal import Hardware
internal import JSON
internal import Library

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
        throw unknown(key)
      }
      result[key] = value
    }
    return result
  }

  /// The failure for a name that is none.
  static func unknown(_ key: String) -> CommandFailure {
    // What stands behind it may be secret.
    guard !key.contains("=") else {
      return CommandFailure(.badArgument, "between a setting and its value is a blank: settings KEY VALUE")
    }
    let near = Suggestion.nearest(to: key, among: Settings.table.map(\.key))
    let meant = near.map { "; did you mean \($0)?" } ?? ""
    return CommandFailure(.badArgument, "there is no setting \(key.prefix(80))\(meant)")
  }
}

extension SettingsGet.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    key = try given.optional("key", .settingKey, "one setting; all without it")
  }
}

enum SettingsSet: DeviceTask {
  static let row = MethodRow(
    "settings.set", "changes settings: {name: value}, all of them or none", .technician,
    discussion:
      "A name that does not exist or a value out of range is refused, and nothing is changed. The answer comes "
      + "when the settings are on the storage; if it does not take them, nothing is changed either. With a card that "
      + "does not answer it is busy after ten seconds: they hold, and are kept once it answers.")
  typealias Answer = [String: SettingValue]

  struct Parameters {
    let values: [String: SettingValue]
  }

  static func audited(_ parameters: Parameters) -> [String: JSONValue] {
    var told: [String: JSONValue] = [:]
    for (key, value) in parameters.values { if let row = Settings.row(of: key) { told[key] = row.told(value).json } }
    return told
  }

  /// One change: all or none. It holds at once; if it is not kept, it is taken back.
  static func perform(_ parameters: Parameters, in device: CommandContext, reply: @escaping Reply) {
    let before = device.state.settings
    for (key, value) in parameters.values {
      do throws(SettingError) { try device.board.allow(key, value) } catch {
        return reply(.failure(device.failure(.refused(error))))
      }
    }
    do throws(CommandFailure) { try device.order(.set(parameters.values)) } catch { return reply(.failure(error)) }
    let answer = device.inTime("the settings hold, and are not kept yet", reply)
    let changed = device.state.settings
    var result: Answer = [:]
    for key in parameters.values.keys { result[key] = changed.value(of: key) }
    let outcome = { (outcome: Result<Answer, CommandFailure>) in
      guard case .failure(let failure) = outcome else { return answer(outcome) }
      // What somebody else has set meanwhile stays.
      let taken = Settings.table.filter { row in
        parameters.values[row.key] != nil && row.value(in: device.state.settings) == row.value(in: changed)
      }
      let old = Dictionary(uniqueKeysWithValues: taken.map { ($0.key, $0.value(in: before)) })
      let refusal = old.isEmpty ? nil : device.handle(.command(.set(old)))
      let end = refusal == nil ? "nothing is changed" : "they hold until the next start"
      answer(.failure(CommandFailure(failure.code, "the settings are not kept, \(end): \(failure.message)")))
    }
    device.onLibrary(outcome) { [storage = device.storage, result, values = changed.stored] _ throws(LibraryError) in
      try storage.keep(values)
      return result
    }
  }
}

extension SettingsSet.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    values = try given.named(.settingValue, "a setting, and its new value")
  }
}
