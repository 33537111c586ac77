internal import Appliance
internal import Console

/// Settings as people read them.
enum SettingsText {
  /// In the place of a key: the default comes back.
  static let reset = "reset"

  /// Names and values, as they would be typed.
  @Sendable static func values(_ values: [String: SettingValue], width: Int) -> [String] {
    let column = (values.keys.map(\.count).max() ?? 0) + 2
    return Settings.table.compactMap { row in
      values[row.key].map { PeopleText.pad(row.key, column) + shown($0) }
    }
  }

  /// One setting with all that there is to know of it.
  @Sendable static func all(_ settings: [String: SettingValue], width: Int) -> [String] {
    let told = Settings.table.filter { settings[$0.key] != nil }
    return values(settings, width: width)
      + told.flatMap { row in
        PeopleText.wrap(row.meaning() + ".", width: width, first: "  ", rest: "  ")
          + PeopleText.wrap("Takes \(row.kind.allowed).", width: width, first: "  ", rest: "  ")
          + ["  Default: \(shown(row.defaultValue)). Counts from: \(row.timing.rawValue)."]
      }
  }

  /// The defaults that `settings reset` puts back.
  ///
  /// - Parameter named: a key, or `all`.
  static func defaults(_ named: SettingValue?) throws(CommandFailure) -> [String: SettingValue] {
    guard case .text(let key)? = named else {
      throw CommandFailure(.badArgument, "which setting? settings reset KEY, or settings reset all")
    }
    guard key != "all" else {
      return Dictionary(uniqueKeysWithValues: Settings.table.map { ($0.key, $0.defaultValue) })
    }
    guard let row = Settings.row(of: key) else { throw SettingsGet.unknown(key) }
    return [key: row.defaultValue]
  }

  private static func shown(_ value: SettingValue) -> String {
    let text = value.description
    return text.isEmpty ? "-" : text
  }
}
