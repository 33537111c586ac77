import Hardware

/// Brings one event to whom it concerns: the panel, which all modes share, or a mode.
struct Dispatch: ~Copyable {
  private var modes: Modes
  private var transition: Transition

  init(_ state: State, at now: Instant) {
    modes = state.modes
    transition = Transition(from: state, at: now)
  }

  /// As it is after the event.
  var state: State { transition.state(with: modes) }
  var effects: [Effect] { transition.effects }

  mutating func handle(_ event: Event) {
    if case .clipTrigger(let at, _) = event { transition.count(from: at) }
    let isReport = modes.handle(event, &transition)
    switch event {
    case .gesture(let gesture): handle(gesture)
    case .command(let command): handle(command)
    case .library(let report): LibraryNotices.tell(report, modes, &transition)
    case .deviceLost(let device, let text): DeviceNotices.lost(device, text, &modes, &transition)
    case .deviceReturned(let device, let text): DeviceNotices.returned(device, text, &modes, &transition)
    case .sourceChanged(let name, let before, let reason):
      DeviceNotices.changed(to: name, from: before, reason, &modes, &transition)
    case .storage(let level): DeviceNotices.storage(level, &transition)
    case .storageRefuses(let what): DeviceNotices.refuses(what, &transition)
    case .schedule(let event): ScheduleScreen.handle(event, &modes, &transition)
    case .clock(let report): ClockScreen.handle(report, &transition)
    case .update(let news): UpdateNotices.tell(news, modes, &transition)
    case .pinMistakes(let number): transition.pin.remember(mistakes: number, now: transition.now)
    case .timer(let timer): transition.ranOut(timer)
    default: assert(isReport, "nobody takes \(event)")
    }
    while let wish = transition.takeWish() {
      modes.take(wish.mode, &transition)
      if transition.mode == wish.mode { modes.perform(wish.action, &transition) }
    }
    if transition.screen != .schedule, transition.shown.schedules.draft != nil {
      // A take that begins never changes a setting: what was being edited counts when another key leaves it.
      if Self.isOfTake(event) {
        transition.shown.schedules.forgetEditor()
      } else {
        ScheduleScreen.keep(&modes, &transition)
      }
    }
    // Over the guide one comes back to it.
    if ![.clock, .guide].contains(transition.screen) { transition.shown.clock = nil }
  }

  /// Whether what has left an editor was meant for a take, by key, by name or by a schedule, and not for what was edited.
  private static func isOfTake(_ event: Event) -> Bool {
    switch event {
    case .gesture(let gesture): gesture.button == .rec
    case .command(.record), .schedule: true
    default: false
    }
  }

  // MARK: Keys

  private mutating func handle(_ gesture: Gesture) {
    transition.obeyKey(pressedAt: gesture.pressedAt)
    let key = gesture.button
    if transition.holds.takeVoice(gesture, at: transition.now) { return switchVoice() }
    guard transition.holds.admit(gesture) else {
      if gesture.kind == .release { modes[transition.mode].letGo(of: key, &transition) }
      return
    }
    if transition.isLocked {
      let action = modes[transition.mode].actionUnderLock(of: key, transition.settings)
      if let action = LockedPanel.action(of: gesture, meaning: action, &transition) { perform(action) }
      return
    }
    if gesture.kind == .press, isSpentOnNotice(key) {
      transition.holds.spend(key)
      return
    }
    let binding = modes[transition.mode].binding(of: key, on: transition.screen)
    switch transition.holds.outcome(of: gesture, binding) {
    case .nothing: break
    case .meaningless: transition.refuseMeaningless()
    case .act(let action):
      perform(action)
      if action == .panel(.openGuide) { transition.holds.guide(key) }
    }
  }

  /// For somebody who cannot read that it is an option: the key that opened the guide is still held.
  private mutating func switchVoice() {
    let isOn = !transition.settings.hasVoice
    transition.raise(.information, "voice", .voice(isOn: isOn), for: .seconds(2))
    modes.set(["ui.voice": .flag(isOn)], &transition)
  }

  /// Any key takes a notice away. It does nothing else if the notice is an error that may have hidden what the
  /// key would act on; but no notice eats REC, STOP, MARK or LOCK, or any key while a take is open.
  private mutating func isSpentOnNotice(_ key: Button) -> Bool {
    guard let notice = transition.notice else { return false }
    transition.dismissNotice()
    if let offer = notice.offer, modes.openWork == nil, accept(offer, by: key) { return true }
    switch key {
    case .rec, .stop, .mark, .lock: return false
    case .centre, .left, .right, .up, .down: return notice.severity == .error && modes.openWork == nil
    }
  }

  /// Whether the key is the one that what is offered is taken by.
  private mutating func accept(_ offer: Notice.Offer, by key: Button) -> Bool {
    switch (offer, key) {
    case (.undelete, .left): transition.library(.undelete)
    case (.install, .right): transition.update(.install)
    case (.restart, .right): transition.update(.restart)
    default: return false
    }
    return true
  }

  // MARK: The panel

  private mutating func perform(_ action: KeyAction) {
    guard case .panel(let event) = action else {
      modes.perform(action, &transition)
      return
    }
    switch (transition.isLocked, event) {
    case (false, .lock): lock()
    case (true, .unlock): unlock()
    case (true, .lock), (false, .unlock): transition.refuseMeaningless()
    case (_, .openList): show(.files)
    case (_, .openMarks): show(.marks)
    case (_, .openOptions): show(.options)
    case (_, .openSpeed):
      show(.options)
      transition.shown.select(\.playbackRate)
    case (_, .openGuide): show(.guide)
    case (_, .close): close()
    case (_, .enterOption):
      if !transition.shown.enterOptions() { show(transition.shown.options.row.opens ?? .main) }
    case (_, .schedule(let key)): ScheduleScreen.handle(key, &modes, &transition)
    case (_, .clock(let key)): ClockScreen.handle(key, &modes, &transition)
    case (_, .move(let step)): move(by: step)
    case (_, .changeOption(let direction)): changeOption(by: direction)
    case (_, .changeMode): takeNextMode()
    case (_, .wait(let work)): transition.refuse(.busy(work))
    }
  }

  /// Locks at once and says how to unlock. Whatever is being held or asked loses its meaning; the recording goes on.
  private mutating func lock() {
    modes[transition.mode].letGo(of: nil, &transition)
    // The hold that locked must not unlock, nor a key that was down act under the lock.
    transition.holds.spendAll()
    transition.lock()
  }

  private mutating func unlock() {
    transition.holds.spendAll()
    transition.unlock()
  }

  /// Back to what lies beneath the screen.
  private mutating func close() {
    if transition.screen == .options, transition.shown.leaveOptions() { return }
    let below = transition.screen == .guide ? transition.shown.guided : .main
    if below == .main { show(.main) } else { transition.shown.goBack(to: below == .schedule ? .schedules : below) }
  }

  private mutating func show(_ screen: Screen) {
    let shown = modes[transition.mode].open(screen, &transition)
    transition.shown.open(shown, of: transition.mode)
    if shown == .clock, transition.shown.clock == nil { transition.clock(.tell) }
  }

  /// UP, DOWN and pages on whatever screen is shown.
  private mutating func move(by step: Int) {
    switch transition.screen {
    case .options: if !transition.shown.moveInOptions(by: step) { transition.refuse(.atLimit) }
    case .guide:
      let lines = state.keyGuide.count
      if !transition.shown.moveInGuide(by: step, count: lines) { transition.refuse(.atLimit) }
    case .schedules, .schedule:
      if !transition.shown.schedules.move(by: step, transition.settings) { transition.refuse(.atLimit) }
    case .main, .files, .marks, .receipt, .library, .clock:
      modes[transition.mode].move(by: step, on: transition.screen, &transition)
    }
  }

  // MARK: Orders of the console

  /// By name instead of by key, under the same rules of state, not of the lock.
  private mutating func handle(_ command: Command) {
    let before = transition.notice
    obey(command)
    // As with a key: why something before it failed is not said of what begins.
    guard command.begins, !transition.hasRefused, let told = before, told.isOfThePast else { return }
    transition.dismissNotice { $0 == told }
  }

  private mutating func obey(_ command: Command) {
    // What cannot be played is no reason to leave what is armed.
    if let reason = modes.refusal(of: command, in: transition.mode, transition.settings, transition.health) {
      return transition.refuse(reason)
    }
    if let mode = command.takesUp, mode != transition.mode {
      modes.take(mode, &transition)
      if transition.mode != mode { return }
    }
    switch command {
    case .take: if transition.screen != .main { show(.main) }
    case .showScreen(.receipt): modes.obey(command, &transition)
    case .showScreen(.files) where modes.dictaphone.openWork != nil:
      if let work = modes.dictaphone.openWork { transition.refuse(work) }
    case .showScreen(let screen): show(screen)
    case .lock: perform(.panel(.lock))
    case .unlock: perform(.panel(.unlock))
    case .set(let values): modes.set(values, &transition)
    case .shutDown:
      if transition.screen == .schedule { transition.shown.goBack(to: .schedules) }
      for mode in Mode.allCases { modes[mode].shutDown(&transition) }
    case .record, .pause, .resume, .stop, .mark, .play, .seek, .skip, .loop, .trigger, .continuous, .timeLapse,
      .endPostRoll,
      .snapshot, .startDub, .stopDub, .enableDub, .openFeed, .stepFeed, .refreshFeed, .muteFeed, .likeItem:
      modes.obey(command, &transition)
    }
  }

  // MARK: From one mode to another

  /// What a held STOP does: the next mode that this board has.
  private mutating func takeNextMode() {
    // What most boards without another mode lack is a camera.
    guard let mode = modes.next(after: transition.mode) else { return transition.refuse(.notOnBoard(.camera)) }
    modes.take(mode, &transition)
  }

  // MARK: Settings

  private mutating func changeOption(by direction: Int) {
    let row = transition.shown.options.row
    if !row.isValue {
      // What the hold opened or closed is not changed by the rest of it.
      transition.holds.spendAll()
      guard direction > 0 else { return close() }
      if !transition.shown.enterOptions() { show(row.opens ?? .main) }
      return
    }
    if modes[transition.mode].change(row, by: direction, &transition) { return }
    guard let changed = row.stepped(transition.settings, by: direction) else {
      transition.refuse(.atLimit)
      return
    }
    modes.adopt(changed, &transition)
  }
}
