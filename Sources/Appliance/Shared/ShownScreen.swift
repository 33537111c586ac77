/// What the OLED is devoted to.
public enum Screen: String, Hashable, Sendable, CaseIterable {
  case main
  case files
  /// The marks of the take in the player.
  case marks
  case options
  /// When the device records by itself.
  case schedules
  /// One of them, or zone and place, being edited.
  case schedule
  /// Date, time and zone being set.
  case clock
  /// Info and gesture guide.
  case guide
  /// The receipt of the highlighted clip, over the list.
  case receipt
  /// What lies behind the list of takes: menu, tags, search, facts.
  case library
}

/// The screen that is shown, and the place in those that every mode has.
public struct ShownScreen: Hashable, Sendable {
  public private(set) var screen: Screen
  public private(set) var options: OptionsMenu
  /// First line of the guide on the screen, index into `State.keyGuide`.
  public private(set) var guideLine: Int
  /// Hardly ever anything else than empty, and the state is copied and compared in each step: it is copied as a pointer.
  private var menu: Apart<ScheduleMenu>?
  private var clockDraft: Apart<ClockDraft>?
  /// The screen whose keys the guide tells: the one that it was opened from.
  private(set) var guided = Screen.main

  public init(
    _ screen: Screen = .main, options: OptionsMenu = OptionsMenu(), guideLine: Int = 0,
    schedules: ScheduleMenu = ScheduleMenu(), clock: ClockDraft? = nil
  ) {
    self.screen = screen
    self.options = options
    self.guideLine = guideLine
    self.schedules = schedules
    self.clock = clock
  }

  public internal(set) var schedules: ScheduleMenu {
    get { if case .value(let menu) = menu { menu } else { ScheduleMenu() } }
    set { menu = newValue == ScheduleMenu() ? nil : .value(newValue) }
  }

  /// What of the clock is being set; `nil` before it has told what it shows.
  public internal(set) var clock: ClockDraft? {
    get { if case .value(let draft) = clockDraft { draft } else { nil } }
    set { clockDraft = newValue.map { .value($0) } }
  }

  /// Shows a screen from its top.
  mutating func open(_ screen: Screen, of mode: Mode) {
    switch self.screen {
    case .schedules, .schedule, .files, .marks, .library, .options, .clock:
      guided = self.screen
    case .guide where screen == .guide: break
    default: guided = .main
    }
    self.screen = screen
    switch screen {
    case .options: options = OptionsMenu(of: mode)
    case .guide: guideLine = 0
    case .schedules: schedules.open()
    // There is nothing to edit yet.
    case .schedule where schedules.draft == nil: open(.schedules, of: mode)
    case .schedule: break
    case .main, .files, .marks, .receipt, .library, .clock: break
    }
  }

  /// Shows a screen as it was left.
  mutating func goBack(to screen: Screen) { self.screen = screen }

  /// Goes to the row of a setting, where there is one.
  mutating func select(_ property: any PartialKeyPath<Settings> & Sendable) {
    options.select(.setting(property))
  }

  /// - Returns: whether there was another row in that direction.
  mutating func moveInOptions(by step: Int) -> Bool {
    options.move(by: step)
  }

  /// - Returns: whether the highlighted option is a group, whose rows are shown now.
  mutating func enterOptions() -> Bool { options.enter() }

  /// - Returns: whether a group of options was open, and all of them are shown now.
  mutating func leaveOptions() -> Bool { options.leave() }

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

  /// - Returns: whether there was another one in that direction.
  static func move(_ index: inout Int, by step: Int, count: Int) -> Bool {
    guard let target = moved(index, by: step, count: count) else { return false }
    index = target
    return true
  }
}
