internal import Appliance
internal import Library

extension Settings {
  /// All settings as `settings.json` has them.
  var stored: [String: StoredValue] {
    Dictionary(uniqueKeysWithValues: Settings.table.map { ($0.key, StoredValue($0.value(in: self))) })
  }

  /// Most bytes of finished clips; `nil`: no limit.
  var clipQuotaBytes: Int? { clipQuotaMB > 0 ? clipQuotaMB << 20 : nil }
}

extension StoredValue {
  init(_ value: SettingValue) {
    switch value {
    case .integer(let value): self = .integer(value)
    case .number(let value): self = .number(value)
    case .text(let value): self = .text(value)
    case .flag(let value): self = .flag(value)
    }
  }
}

extension SettingValue {
  /// The stored value as a setting; `nil` for null, arrays and objects.
  init?(_ stored: StoredValue) {
    switch stored {
    case .integer(let value): self = .integer(value)
    case .number(let value): self = .number(value)
    case .text(let value): self = .text(value)
    case .flag(let value): self = .flag(value)
    case .null, .list, .object: return nil
    }
  }
}
