/// The options menu: groups of rows, and the rows of the one that is open.
public struct OptionsMenu: Hashable, Sendable {
  /// Whose options they are.
  public let mode: Mode
  /// Index into `rows`.
  public private(set) var selected: Int
  /// Index of the open group among the mode's rows.
  private var opened: Int?
  /// The row in each group that it was left at.
  private var places = SIMD8<UInt8>()
  /// A key has led straight to a row: what closes its group closes the menu.
  private var isShortcut = false

  /// - Parameter group: index of the group that is open; `nil`: the list of groups is shown.
  public init(of mode: Mode = .dictaphone, group: Int? = nil, selected: Int = 0) {
    self.mode = mode
    self.selected = selected
    if let group, mode.optionsMenu.indices.contains(group), !mode.optionsMenu[group].rows.isEmpty { opened = group }
  }

  /// The group that is open.
  public var group: OptionsRow? { opened.map { mode.optionsMenu[$0] } }

  /// The rows that are shown, from the top.
  public var rows: [OptionsRow] { group?.rows ?? mode.optionsMenu }

  /// The highlighted row.
  public var row: OptionsRow {
    let rows = rows
    return rows[max(0, min(selected, rows.count - 1))]
  }

  /// - Returns: whether there was another row in that direction.
  mutating func move(by step: Int) -> Bool { Row.move(&selected, by: step, count: rows.count) }

  /// Shows the rows of the highlighted group, from where it was left.
  ///
  /// - Returns: whether it is a group.
  mutating func enter() -> Bool {
    guard opened == nil, !row.rows.isEmpty else { return false }
    let group = selected
    opened = group
    selected = min(Int(places[group % places.scalarCount]), rows.count - 1)
    return true
  }

  /// Back to the groups, at the one that was open.
  ///
  /// - Returns: whether they are shown: else the menu is closed.
  mutating func leave() -> Bool {
    guard let group = opened, !isShortcut else { return false }
    places[group % places.scalarCount] = UInt8(clamping: selected)
    (opened, selected) = (nil, group)
    return true
  }

  /// Goes straight to a row, where there is one.
  mutating func select(_ row: OptionsRow) {
    let menu = mode.optionsMenu
    guard let group = menu.firstIndex(where: { $0.rows.contains(row) }) else { return }
    opened = group
    selected = menu[group].rows.firstIndex(of: row) ?? 0
    isShortcut = true
  }
}
