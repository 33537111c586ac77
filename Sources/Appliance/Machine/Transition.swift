import Hardware

/// One event being handled: when, for whom, and what is to be done. With it goes what modes share.
struct Transition: ~Copyable {
  /// When the event is handled.
  let now: Instant
  /// When what it asks for counts from: a key's press, else now.
  private(set) var at: Instant
  /// A key is being obeyed: whoever pressed it looks at the screen, not at an answer.
  private(set) var isFromKey = false
  private(set) var effects: [Effect] = []
  /// The mode that is taken up.
  private(set) var mode: Mode
  private var shared: Shared
  /// As the event found it.
  private let before: State
  /// What another mode is to do, once this one is done.
  private var wish: (mode: Mode, action: KeyAction)?

  init(from state: State, at now: Instant) {
    self.now = now
    at = now
    before = state
    mode = state.mode
    shared = state.shared
  }

  // MARK: What is to be done

  mutating func announce(_ announcement: Announcement) { effects.append(.announce(announcement)) }
  mutating func recorder(_ order: RecorderOrder) { effects.append(.recorder(order)) }
  mutating func player(_ order: PlayerOrder) { effects.append(.player(order)) }
  mutating func library(_ order: LibraryOrder) { effects.append(.library(order)) }
  mutating func clips(_ order: ClipOrder) { effects.append(.clip(order)) }
  mutating func dub(_ order: DubOrder) { effects.append(.dub(order)) }
  mutating func clock(_ order: ClockOrder) { effects.append(.clock(order)) }
  mutating func update(_ order: UpdateOrder) { effects.append(.update(order)) }
  mutating func feed(_ order: FeedOrder) { effects.append(.feed(order)) }

  /// Says that a press or command did nothing. Where the user can do something about it, the screen says so too.
  mutating func refuse(_ reason: IgnoredReason) {
    effects.append(.ignored(reason))
    guard isFromKey else { return }
    switch reason {
    case .deviceMissing(let device): raise(.error, reason.code, .refused(before.refusal(reason)), device: device)
    case .storageFull, .storageRefuses: raise(.error, reason.code, .refused(before.refusal(reason)))
    case .busy, .nothingLoaded, .nothingPlays, .notOnBoard, .protected, .sealed:
      raise(.information, reason.code, .refused(before.refusal(reason)), for: .seconds(2))
    case .locked, .noMeaning, .atLimit, .refused, .switchedOff: break
    }
  }

  var hasRefused: Bool { effects.contains { if case .ignored = $0 { true } else { false } } }

  /// What is said is also what a key does about it.
  mutating func offer(_ offer: Notice.Offer, with code: String) { shared.notices.offer(offer, with: code) }

  /// Says that what was asked for means nothing here.
  mutating func refuseMeaningless() { refuse(.noMeaning(mode: before.modeName)) }

  /// What happens from here on was asked for by a key that went down then.
  mutating func obeyKey(pressedAt: Instant) {
    isFromKey = true
    at = pressedAt
  }

  /// What happens from here on counts from then.
  mutating func count(from time: Instant) { at = time }

  // MARK: The mode

  /// Asks for another mode to be taken up, and to do something at once.
  mutating func pass(_ action: KeyAction, to mode: Mode) { wish = (mode, action) }

  mutating func takeWish() -> (mode: Mode, action: KeyAction)? {
    defer { wish = nil }
    return wish
  }

  mutating func change(to mode: Mode) { self.mode = mode }

  /// Makes a mode the owner of the player; false if it was.
  mutating func claimPlayer(for mode: Mode) -> Bool {
    defer { shared.modeOfPlayer = mode }
    return shared.modeOfPlayer != mode
  }

  var modeOfPlayer: Mode { shared.modeOfPlayer }

  // MARK: What modes share

  var settings: Settings { shared.settings }
  var health: Health {
    get { shared.health }
    set { shared.health = newValue }
  }
  var isLocked: Bool { shared.lock.isLocked }
  var notice: Notice? { shared.notices.shown }
  var screen: Screen { shared.shown.screen }
  var shown: ShownScreen {
    get { shared.shown }
    set { shared.shown = newValue }
  }
  var holds: KeyHolds {
    get { shared.holds }
    set { shared.holds = newValue }
  }

  /// How long an error is shown: the screens beneath say what does not work.
  private static let errorDuration = Duration.seconds(20)

  /// Shows a message, unless a graver one is being shown.
  ///
  /// - Parameter duration: until it goes by itself, if no key is pressed and its cause has not gone before. What is said of
  ///   a storage that is not there stays as long as it is so: nothing works without it.
  mutating func raise(
    _ severity: Notice.Severity, _ code: String, _ sentence: Sentence, for duration: Duration? = nil,
    device: Device? = nil
  ) {
    let expires = device == .storage ? nil : now + (duration ?? Self.errorDuration)
    shared.notices.raise(
      Notice(severity: severity, code: code, sentence, expires: expires, device: device), &effects)
  }

  mutating func dismissNotice(where isMeant: (Notice) -> Bool = { _ in true }) {
    shared.notices.dismiss(&effects, where: isMeant)
  }

  /// Says that a mark was put at a frame of a take: nobody should have to wonder whether the key was felt.
  mutating func tellMark(in take: TakeReference, frame: Int, after before: Int = 0, number: Int?) {
    announce(.mark(takeID: take.id, frame: frame, number: number))
    raise(
      .information, Notice.mark, .mark(number: number, at: Self.seconds(before + frame, in: take)),
      for: .milliseconds(1500))
  }

  /// Says what is repeated.
  mutating func tellLoop(of take: TakeReference, from start: Int?, to end: Int?) {
    let places = [start, end].compactMap { frame in
      frame.map { take.sampleRate > 0 ? (ClaimedNumber($0) * 10).clamped(to: 0...1 << 50) / take.sampleRate : 0 }
    }
    raise(.information, "loop", .loop(places), for: .milliseconds(1500))
  }

  private static func seconds(_ frame: Int, in take: TakeReference) -> Int {
    take.sampleRate > 0 ? frame / take.sampleRate : 0
  }

  /// Tells of something that went wrong by itself.
  mutating func fail(_ code: String, _ text: String, device: Device? = nil) {
    raise(.error, code, .told(code: code, text), device: device)
    announce(.error(code: code, text: text))
  }

  mutating func lock() { shared.lock.lock(at: now, &effects) }
  mutating func unlock() { shared.lock.unlock(&effects) }
  mutating func showLockHint() { shared.lock.showHint(at: now, &effects) }

  /// Who is asked for the panel's PIN.
  var pin: PinGate {
    get { shared.lock.pin }
    set { shared.lock.pin = newValue }
  }
  mutating func askForPin() { shared.lock.askForPin(at: now, &effects) }
  mutating func keepAskingForPin() { shared.lock.keepAsking(&effects) }

  mutating func ranOut(_ timer: Timer) {
    switch timer {
    case .noticeExpires: shared.notices.expire(at: now)
    case .lockHintExpires: shared.lock.expireHint(at: now)
    case .pinExpires: shared.lock.pin.expire(at: now)
    }
  }

  /// Shows the main screen of the mode.
  mutating func showMain() { shared.shown.open(.main, of: mode) }

  /// Takes over settings: tells of each that differs or was named, has them kept, and has those told that follow them.
  mutating func adopt(_ changed: Settings, naming named: Set<String> = []) {
    var users: SettingUsers = []
    for row in Settings.table {
      let value = row.value(in: changed)
      let differs = value != row.value(in: settings)
      if differs { users.formUnion(row.users) }
      if differs || named.contains(row.key) { announce(.settingChanged(key: row.key, value: row.shown(in: changed))) }
    }
    guard changed != settings else { return }
    shared.settings = changed
    effects.append(.saveSettings)
    if !users.isEmpty { effects.append(.applySettings(users)) }
  }

  /// The state after it.
  func state(with modes: Modes) -> State { State(mode: mode, modes: modes, shared: shared) }
}
