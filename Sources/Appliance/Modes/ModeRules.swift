import Hardware

/// What a mode answers to the machine. Its events have a `switch (state, event)` of its own; here is what happens to
/// all modes alike.
protocol ModeRules: Hashable, Sendable {
  // MARK: What it is

  /// The device that the board would need for it; `nil`: it can be taken up.
  var absence: Device? { get }
  /// What follows the mode's name and a dot in `panel.state`.
  func activityName(on screen: Screen) -> String
  /// What a key does on a screen, the lock left aside.
  func binding(of key: Button, on screen: Screen) -> KeyBinding
  /// The list on its files screen; an empty one if it has none.
  var files: FileList { get }
  /// What happens now is already being kept.
  func isArmed(_ health: Health) -> Bool
  /// What the microphone hears is kept in memory, for what may be recorded next.
  func isListening(_ health: Health) -> Bool
  /// Something is open that must be completed before the mode is left; `nil`: nothing.
  var openWork: IgnoredReason? { get }

  /// The value of an option that is more than a setting; `nil`: what the setting says.
  func words(of row: OptionsRow) -> Translated?
  /// What the world is told of it after an event.
  func news(since before: State, now: State) -> Announcement?

  // MARK: Coming and going

  mutating func enter(_ transition: inout Transition)
  mutating func leave(_ transition: inout Transition)
  /// Power is about to go: what is open is closed, and nothing new is begun.
  mutating func shutDown(_ transition: inout Transition)

  // MARK: The panel

  /// A word of the console.
  mutating func obey(_ command: Command, _ transition: inout Transition)
  /// What a key does under the lock when it is held; `nil`: nothing.
  func actionUnderLock(of key: Button, _ settings: Settings) -> KeyAction?
  /// A key is up, or has lost its meaning (`nil`: all have): what it held ends.
  mutating func letGo(of key: Button?, _ transition: inout Transition)
  /// A screen is about to be shown.
  ///
  /// - Returns: the screen that is shown in its place.
  mutating func open(_ screen: Screen, _ transition: inout Transition) -> Screen
  /// Moves in its own list on a screen.
  mutating func move(by step: Int, on screen: Screen, _ transition: inout Transition)
  /// Changes an option that is more than a setting.
  ///
  /// - Returns: whether it is one.
  mutating func change(_ row: OptionsRow, by direction: Int, _ transition: inout Transition) -> Bool

  // MARK: The device

  /// A device has gone while the mode is taken up.
  mutating func lost(_ device: Device, _ transition: inout Transition)
  /// A device has come while the mode is taken up.
  mutating func returned(_ device: Device)
  /// Takes or clips have changed, whatever mode is taken up.
  mutating func hear(_ report: LibraryReport, _ transition: inout Transition)
  /// Why settings that are valid by themselves cannot be taken now.
  func refusal(of changed: Settings, since settings: Settings) -> IgnoredReason?
  /// Settings have changed while the mode is taken up.
  mutating func follow(_ settings: Settings, since before: Settings, _ transition: inout Transition)
}

extension ModeRules {
  var files: FileList { FileList() }
  var openWork: IgnoredReason? { nil }
  func isArmed(_ health: Health) -> Bool { false }
  func isListening(_ health: Health) -> Bool { health.refusalToStore() == nil }
  func words(of row: OptionsRow) -> Translated? { nil }
  func news(since before: State, now: State) -> Announcement? { nil }
  func actionUnderLock(of key: Button, _ settings: Settings) -> KeyAction? { nil }
  mutating func change(_ row: OptionsRow, by direction: Int, _ transition: inout Transition) -> Bool { false }
  mutating func returned(_ device: Device) {}
  mutating func hear(_ report: LibraryReport, _ transition: inout Transition) {}
  func refusal(of changed: Settings, since settings: Settings) -> IgnoredReason? { nil }
  mutating func follow(_ settings: Settings, since before: Settings, _ transition: inout Transition) {}
}
