/// What the OLED is devoted to.
public enum Screen: String, Hashable, Sendable, CaseIterable {
  case main
  case files
  case options
  /// Info and gesture guide.
  case guide
  /// The receipt of the highlighted clip, over the list.
  case receipt
}

/// The options menu.
public struct OptionsMenu: Hashable, Sendable {
  /// Index into `rows`.
  public internal(set) var selected: Int
  /// Whose options they are.
  public let mode: Mode

  public init(of mode: Mode = .dictaphone, selected: Int = 0) {
    self.mode = mode
    self.selected = selected
  }

  /// The rows, from the top.
  public var rows: [OptionsRow] { mode.optionsRows }

  /// The highlighted row.
  public var row: OptionsRow {
    let rows = rows
    return rows[max(0, min(selected, rows.count - 1))]
  }
}

/// The screen that is shown, and the place in those that every mode has.
public struct ShownScreen: Hashable, Sendable {
  public private(set) var screen: Screen
  public private(set) var options: OptionsMenu
  /// First line of the guide on the screen, index into `State.keyGuide`.
  public private(set) var guideLine: Int

  public init(_ screen: Screen = .main, options: OptionsMenu = OptionsMenu(), guideLine: Int = 0) {
    self.screen = screen
    self.options = options
    self.guideLine = guideLine
  }

  /// Shows a screen from its top.
  mutating func open(_ screen: Screen, of mode: Mode) {
    self.screen = screen
    switch screen {
    case .options: options = OptionsMenu(of: mode)
    case .guide: guideLine = 0
    case .main, .files, .receipt: break
    }
  }

  /// Shows a screen as it was left.
  mutating func goBack(to screen: Screen) { self.screen = screen }

  /// Goes to the row of a setting, where there is one.
  mutating func select(_ property: any PartialKeyPath<Settings> & Sendable) {
    options.selected = options.rows.firstIndex(of: .setting(property)) ?? 0
  }

  /// - Returns: whether there was another row in that direction.
  mutating func moveInOptions(by step: Int) -> Bool {
    guard let row = Row.moved(options.selected, by: step, count: options.rows.count) else { return false }
    options.selected = row
    return true
  }

  /// - Returns: whether there was another line in that direction.
  mutating func moveInGuide(by step: Int, count: Int) -> Bool {
    guard let line = Row.moved(guideLine, by: step, count: count) else { return false }
    guideLine = line
    return true
  }
}

/// Rows of lists.
enum Row {
  /// The index after a step, cut at the ends; `nil` if that is where it was.
  static func moved(_ index: Int, by step: Int, count: Int) -> Int? {
    guard count > 0 else { return nil }
    let target = min(max(index + step, 0), count - 1)
    return target == index ? nil : target
  }
}
