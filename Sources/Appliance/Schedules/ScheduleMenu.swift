/// The list of schedules on the panel, with rows to add one and for zone and place; and what of it is being edited.
public struct ScheduleMenu: Hashable, Sendable {
  /// What the list shows.
  public enum Row: Hashable, Sendable {
    case schedule(Schedule)
    case add
    /// Zone and place.
    case clock
  }

  /// What a key comes to.
  enum Outcome {
    case done
    case refused(IgnoredReason)
    case edits
    case leaves
    case changes(Schedules, word: Sentence? = nil)
  }

  private var row = 0
  /// What is on the editor's screen.
  public private(set) var draft: ScheduleDraft?
  /// The one that was deleted last.
  private var removed: Schedule?
  /// Somebody has changed something and is to be told what comes next.
  private var isAwaitingWord = false

  public init() {}

  /// A row that is being edited.
  public init(editing row: Int, of settings: Settings) {
    self.row = row
    _ = edit(settings)
  }

  /// The rows from the top.
  public static func rows(_ settings: Settings) -> [Row] {
    settings.planned.all.map { .schedule($0) } + [.add, .clock]
  }

  /// The highlighted row; the console may have taken off what was below.
  public func selected(of rows: [Row]) -> Int { min(max(0, row), rows.count - 1) }

  /// Begins at the top.
  mutating func open() {
    row = 0
    removed = nil
  }

  // MARK: Keys

  /// - Returns: whether there was another row in that direction.
  mutating func move(by step: Int, _ settings: Settings) -> Bool {
    if draft != nil { return draft?.move(by: step) ?? false }
    let rows = Self.rows(settings)
    guard let moved = Appliance.Row.moved(selected(of: rows), by: step, count: rows.count) else { return false }
    row = moved
    return true
  }

  mutating func handle(_ key: ScheduleKey, _ settings: Settings) -> Outcome {
    switch key {
    case .edit: return edit(settings)
    case .change(let direction, let isFast):
      return draft?.change(by: direction, isFast: isFast) == true ? .done : .refused(.atLimit)
    case .leave: return .leaves
    case .enable, .remove, .restore: break
    }
    var schedules = settings.planned
    if key == .restore {
      guard var back = removed else { return .refused(.atLimit) }
      // Its number may have been given to another one.
      if schedules.all.contains(where: { $0.number == back.number }) { back.number = 0 }
      guard schedules.put(back) else { return .refused(.atLimit) }
      self.removed = nil
      isAwaitingWord = true
      return .changes(schedules)
    }
    let rows = Self.rows(settings)
    guard case .schedule(let chosen) = rows[selected(of: rows)] else { return .refused(.atLimit) }
    if case .enable(let isOn) = key {
      guard chosen.isOn != isOn, schedules.enable(chosen.number, isOn) else { return .refused(.atLimit) }
      isAwaitingWord = true
      return .changes(schedules)
    }
    _ = schedules.remove(chosen.number)
    removed = chosen
    return .changes(schedules, word: .scheduleDeleted(chosen.words))
  }

  private mutating func edit(_ settings: Settings) -> Outcome {
    let rows = Self.rows(settings)
    switch rows[selected(of: rows)] {
    case .schedule(let schedule): draft = ScheduleDraft(schedule, settings)
    // The list has two more rows than there are schedules.
    case .add:
      guard rows.count - 2 < Schedule.most else { return .refused(.atLimit) }
      draft = ScheduleDraft(.new, settings)
    case .clock: draft = ScheduleDraft(nil, settings)
    }
    return .edits
  }

  // MARK: What comes of it

  /// The editor is left.
  ///
  /// - Returns: the settings with what was edited.
  mutating func leaveEditor(_ settings: Settings) throws(SettingError) -> Settings {
    guard let draft else { return settings }
    self.draft = nil
    var changed = settings
    try draft.put(into: &changed)
    isAwaitingWord = changed != settings
    return changed
  }

  /// The editor is left, and nothing of it counts.
  mutating func forgetEditor() { draft = nil }

  /// Whether somebody is to be told what comes next; only once.
  mutating func takeWish() -> Bool {
    defer { isAwaitingWord = false }
    return isAwaitingWord
  }
}
