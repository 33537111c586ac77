/// The value of a setting, as typed on the console or kept in `settings.json`.
public enum SettingValue: Hashable, Sendable {
  case integer(Int)
  case number(Double)
  case text(String)
  case flag(Bool)
}

/// Everything the user can set. (Stub: the helper for Appliance replaces this.)
public struct Settings: Hashable, Sendable {
  public init() {}
}
