internal import Appliance
internal import Board
internal import Console
internal import Hardware
internal import JSON
internal import Library

/// The settings as they were left, and over them what the board file says. A file that cannot be read, and a value that is
/// no longer allowed, leave what the backup says, or else the defaults, and the log says so.
struct KeptSettings {
  let store: SettingsStore
  private(set) var values = Settings()
  /// What is wrong in what a person has written for the board.
  let mistakes: [String]

  init(_ ground: Ground) {
    let store = SettingsStore(storage: ground.hardware.storage, clock: ground.clock, hide: Settings.shownOfSecret)
    self.store = store
    let warn = { (sentence: String) in ground.events.log(.warning, "settings", sentence, at: ground.clock.now) }
    do throws(LibraryError) { try store.load().forEach(warn) } catch {
      warn("settings.json could not be read: \(error); defaults hold")
    }
    var kept = Settings()
    func set(_ key: String, _ value: SettingValue) throws(SettingError) {
      try ground.board.allow(key, value)
      try kept.set(key, to: value)
    }
    for key in Settings.table.map(\.key) {
      let spare = store.spare[key].flatMap { SettingValue($0) }
      if let value = store.values[key].flatMap({ SettingValue($0) }) {
        do throws(SettingError) {
          try set(key, value)
          continue
        } catch {
          let isElse = spare != nil && spare != value
          warn("settings.json: \(error); \(isElse ? "what its backup says" : "the default") holds")
          guard isElse else { continue }
        }
      } else {
        guard spare != nil, store.isLost(key) else { continue }
        warn("settings.json: \(key) cannot be read; what its backup says holds")
      }
      guard let spare else { continue }
      do throws(SettingError) {
        try set(key, spare)
        store.restore(key)
      } catch {
        warn("settings.json.bak: \(error); the default holds")
      }
    }
    values = kept
    mistakes = ground.options.mistakes + BoardPresets.set(ground.board, in: &values).map { "\($0)" }
    ground.events.keepLog(values)
    ground.events.tellStart(of: "mynah \(ground.options.version) on \(ground.board.name)", at: ground.clock.now)
    ground.events.tellMistakes(mistakes, at: ground.clock.now)
  }
}

extension Settings {
  /// What of a setting's value may be shown; nil: all of it.
  static func shownOfSecret(_ key: String, _ value: JSONValue) -> JSONValue? {
    guard let row = row(of: key), let own = SettingValue(value) else { return nil }
    let shown = row.shown(own)
    // A bare nil would be JSON's null, which is something that may be shown.
    if shown == own { return JSONValue?.none }
    return shown.json
  }

  /// All settings as `settings.json` has them.
  var stored: [String: JSONValue] {
    Dictionary(uniqueKeysWithValues: Settings.table.map { ($0.key, $0.value(in: self).json) })
  }

  /// Most bytes of finished clips; `nil`: no limit.
  var clipQuotaBytes: Int? { clipQuotaMB > 0 ? clipQuotaMB << 20 : nil }
}
