/// How a setting stands in the options menu: its label, its value for people, the steps that LEFT and RIGHT take.
struct SettingMenu: Sendable {
  let title: OptionTitle
  /// In the order of RIGHT; `nil`: all that the setting takes.
  let steps: [SettingValue]?
  /// Whether it has a meaning beside the other settings.
  let isOffered: @Sendable (Settings) -> Bool
  let value: @Sendable (Settings) -> OptionValue

  init(_ title: OptionTitle, value: @escaping @Sendable (Settings) -> OptionValue) {
    self.title = title
    steps = nil
    isOffered = { _ in true }
    self.value = value
  }

  init<Value: SettingType>(
    _ title: OptionTitle, steps: [Value], isOffered: @escaping @Sendable (Settings) -> Bool = { _ in true },
    value: @escaping @Sendable (Settings) -> OptionValue
  ) {
    self.title = title
    self.steps = steps.map(\.settingValue)
    self.isOffered = isOffered
    self.value = value
  }
}

/// A row of the options menu. LEFT and RIGHT step through its values.
public struct OptionsRow: Equatable, Sendable {
  /// What the row is called.
  public let title: OptionTitle
  /// The setting behind the row; `nil` for the preset, which is several.
  public let key: String?
  /// The screen that RIGHT and CENTRE lead to, where the row is no value.
  var opens: Screen?
  /// The rows that RIGHT and CENTRE lead to, where the row is a group of them.
  public private(set) var rows: [OptionsRow] = []
  private let value: @Sendable (Settings) -> OptionValue
  private let step: @Sendable (Settings, Int) -> Settings?

  /// Whether LEFT and RIGHT change it.
  public var isValue: Bool { rows.isEmpty && opens == nil }

  /// Whether it is the same row, whatever its value.
  public static func == (one: OptionsRow, other: OptionsRow) -> Bool {
    one.title == other.title && one.key == other.key
  }

  /// The row's value for people, with its unit.
  public func words(in settings: Settings) -> Translated { value(settings).words }

  /// The settings one step to the left (−1) or right (+1); `nil` at the end of the row or where it has no meaning.
  func stepped(_ settings: Settings, by direction: Int) -> Settings? { step(settings, direction) }

  /// Format, bit rate, sample rate and channels in one.
  public static let preset = OptionsRow(
    title: .quality, key: nil, value: { .preset($0.preset) },
    step: { settings, direction in
      // Custom stands between the ends: any step leads out of it.
      let next =
        settings.preset.map { neighbour(of: $0, in: RecordingPreset.allCases, by: direction) }
        ?? (direction < 0 ? .low : .high)
      guard let next else { return nil }
      var changed = settings
      changed.apply(next)
      return changed
    })

  /// Leads to the list of schedules, and says how many of them count.
  static let schedules = OptionsRow(
    title: .schedules, key: nil, opens: .schedules,
    value: { .schedules(on: $0.planned.all.count { $0.isOn }) }, step: { _, _ in nil })

  /// Leads to the editor of date, time and zone, and says which zone it is.
  static let clock = OptionsRow(
    title: .clock, key: nil, opens: .clock, value: { .name($0.zone) }, step: { _, _ in nil })

  /// How the screens look, and what is said of them, whatever the mode.
  static let ofScreens = group(
    .screenAndVoice,
    [
      .setting(\.language), .setting(\.hasLargeText), .setting(\.brightness), .setting(\.isInverted),
      .setting(\.hasVoice), .setting(\.voiceRate), .setting(\.voiceVolume), .setting(\.speaksWhileRecording),
    ])

  /// Rows behind one row.
  static func group(_ title: OptionTitle, _ rows: [OptionsRow]) -> OptionsRow {
    OptionsRow(title: title, key: nil, rows: rows, value: { _ in .rows(rows.count) }, step: { _, _ in nil })
  }

  /// The row of a setting that the table gives a place in the menu; a setting without one is a fault of the program.
  public static func setting(_ property: any PartialKeyPath<Settings> & Sendable) -> OptionsRow {
    guard let row = Settings.table.first(where: { $0.property == property }), let menu = row.menu else {
      preconditionFailure("\(property) has no place in the options menu")
    }
    let steps = menu.steps ?? row.steps
    return OptionsRow(
      title: menu.title, key: row.key, value: menu.value,
      step: { settings, direction in
        guard menu.isOffered(settings), let next = nextStep(from: row.value(in: settings), in: steps, by: direction)
        else { return nil }
        var changed = settings
        do { try row.put(next, into: &changed) } catch { return nil }
        return changed
      })
  }

  /// The next step in a direction, also from a number between two steps (set on the console).
  private static func nextStep(from value: SettingValue, in steps: [SettingValue], by direction: Int) -> SettingValue? {
    guard let number = value.amount else { return neighbour(of: value, in: steps, by: direction) }
    let isBeyond = { (step: SettingValue) -> Bool in
      step.amount.map { direction < 0 ? $0 < number : $0 > number } ?? false
    }
    return direction < 0 ? steps.last(where: isBeyond) : steps.first(where: isBeyond)
  }

  private static func neighbour<Value: Equatable>(of value: Value, in values: [Value], by direction: Int) -> Value? {
    guard let index = values.firstIndex(of: value) else { return values.first }
    let next = index + (direction < 0 ? -1 : 1)
    return values.indices.contains(next) ? values[next] : nil
  }
}
