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
    case .library(.deleted(let file, let number)):
      // Whoever looks at the list has just done that; in a take LEFT is the level.
      if transition.screen == .files, modes.openWork == nil {
        transition.raise(
          .information, "deleted", .deleted(file.displayName, number: number, comesBack: true), for: .seconds(10))
        transition.offer(.undelete, with: "deleted")
      } else {
        transition.raise(
          .information, "deleted", .deleted(file.displayName, number: number, comesBack: false), for: .seconds(3))
      }
    case .library(.restored(let file, let number)):
      transition.raise(.information, "restored", .restored(file.displayName, number: number), for: .seconds(3))
    case .library(.worked(let work, let done, let failed)):
      guard work != .delete || failed > 0 else { break }
      transition.raise(
        failed > 0 ? .warning : .information, "takes", .worked(work, done: done, failed: failed), for: .seconds(3))
    case .library(.copied(let file)):
      transition.raise(.information, "copied", .copied(file.displayName), for: .seconds(3))
    case .library(.exported(let count, let name)):
      transition.raise(.information, "exported", .exported(name, count: count), for: .seconds(10))
    case .library(.exportFailed(let trouble, let text)):
      transition.raise(.error, trouble.rawValue, .stick(trouble))
      transition.announce(.error(code: trouble.rawValue, text: text))
    case .library(.failed(let code, let text)): transition.fail(code, text)
    case .deviceLost(let device, let text): lost(device, text)
    case .deviceReturned(let device, let text): returned(device, text)
    case .sourceChanged(let name, let before, let reason): changed(to: name, from: before, reason)
    case .storage(let level): storage(level)
    case .schedule(let event): handle(event)
    case .clock(let report): handle(report)
    case .update(let news): handle(news)
    case .pinMistakes(let number): transition.pin.remember(mistakes: number, now: transition.now)
    case .timer(let timer): transition.ranOut(timer)
    default: assert(isReport, "nobody takes \(event)")
    }
    while let wish = transition.takeWish() {
      take(wish.mode)
      if transition.mode == wish.mode { modes.perform(wish.action, &transition) }
    }
    if transition.screen != .schedule, transition.shown.schedules.draft != nil { keepSchedule() }
    // Over the guide one comes back to it.
    if ![.clock, .guide].contains(transition.screen) { transition.shown.clock = nil }
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
      handleLocked(gesture)
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
    set(["ui.voice": .flag(isOn)])
  }

  /// Under the lock a key shows the hint. LOCK held unlocks; of other keys, what the mode says.
  private mutating func handleLocked(_ gesture: Gesture) {
    let key = gesture.button
    if transition.pin.digits != nil, isForPin(gesture) { return }
    let action = modes[transition.mode].actionUnderLock(of: key, transition.settings)
    switch gesture.kind {
    case .press:
      transition.showLockHint()
      // A hold of these may yet mean something; their taps are refused when they turn out to be taps.
      guard key != .lock, action == nil else { return }
      transition.holds.spend(key)
      transition.refuse(.locked)
    case .short:
      transition.holds.spend(key)
      transition.refuse(.locked)
    case .long:
      guard let action else { return }
      transition.holds.spend(key)
      perform(action)
    case .veryLong where key == .lock: askToUnlock()
    case .veryLong, .repeat, .release: break
    }
  }

  /// LOCK was held: without a PIN that is all it takes.
  private mutating func askToUnlock() {
    guard !transition.settings.panelPin.isEmpty else { return perform(.panel(.unlock)) }
    transition.holds.spendAll()
    if let seconds = transition.pin.waiting(at: transition.now) {
      transition.raise(.warning, "pin", .wrongPin(seconds: seconds), for: .seconds(3))
      transition.refuse(.locked)
    } else {
      transition.dismissNotice { $0.code == "pin" }
      transition.askForPin()
    }
  }

  /// A key while the PIN is asked for: UP and DOWN change the digit, RIGHT and LEFT go to another place, CENTRE tries it,
  /// LOCK leaves. REC, STOP and MARK mean what they do under the lock.
  ///
  /// - Returns: whether it was one of these.
  private mutating func isForPin(_ gesture: Gesture) -> Bool {
    switch gesture.button {
    case .rec, .stop, .mark: return false
    case .up, .down, .left, .right, .centre, .lock: break
    }
    switch (gesture.button, gesture.kind) {
    case (.up, .press), (.up, .repeat): transition.pin.change(by: 1, at: transition.now)
    case (.down, .press), (.down, .repeat): transition.pin.change(by: -1, at: transition.now)
    case (.right, .press):
      if !transition.pin.go(by: 1, at: transition.now) { transition.refuse(.atLimit) }
    case (.left, .press):
      if !transition.pin.go(by: -1, at: transition.now) { transition.refuse(.atLimit) }
    case (.centre, .press): enterPin()
    case (.lock, .press):
      transition.holds.spend(.lock)
      transition.pin.leave()
    default: break
    }
    transition.keepAskingForPin()
    return true
  }

  private mutating func enterPin() {
    if transition.pin.enter(transition.settings.panelPin, at: transition.now) { return perform(.panel(.unlock)) }
    // The key that ends the waiting must not be this one.
    transition.holds.spendAll()
    let seconds = transition.pin.waiting(at: transition.now)
    if let seconds { transition.raise(.warning, "pin", .wrongPin(seconds: seconds), for: .seconds(3)) }
    transition.announce(
      .error(code: "denied", text: "wrong PIN on the panel, number \(transition.pin.mistakes) since the last right one")
    )
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
    case (_, .schedule(let key)): handle(key)
    case (_, .clock(let key)): handle(key)
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
    if let mode = command.takesUp, mode != transition.mode {
      take(mode)
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
    case .set(let values): set(values)
    case .shutDown:
      if transition.screen == .schedule { transition.shown.goBack(to: .schedules) }
      for mode in Mode.allCases { modes[mode].shutDown(&transition) }
    case .record, .pause, .resume, .stop, .mark, .play, .seek, .skip, .loop, .trigger, .continuous, .timeLapse,
      .endPostRoll,
      .snapshot, .startDub, .stopDub, .enableDub, .openFeed, .stepFeed, .refreshFeed, .muteFeed, .likeItem:
      modes.obey(command, &transition)
    }
  }

  // MARK: Schedules

  /// What is recorded by hand comes first; what is only played, or looked at, does not.
  private mutating func handle(_ event: ScheduleEvent) {
    switch event {
    case .begin(let key):
      if let reason = transition.health.refusalToRecord { return transition.refuse(reason) }
      if transition.mode != .dictaphone { take(.dictaphone) }
      if transition.mode == .dictaphone { modes.dictaphone.begin(key, &transition) }
    case .end(let key): modes.dictaphone.end(key, &transition)
    case .missed(let sentence): transition.raise(.warning, "schedule-missed", sentence)
    case .planned(let sentence):
      guard transition.shown.schedules.takeWish() else { return }
      transition.raise(.information, "schedule", sentence, for: .seconds(3))
    }
  }

  private mutating func handle(_ key: ScheduleKey) {
    switch transition.shown.schedules.handle(key, transition.settings) {
    case .done: break
    case .refused(let reason): transition.refuse(reason)
    case .edits: transition.shown.goBack(to: .schedule)
    case .leaves: transition.shown.goBack(to: .schedules)
    case .changes(let schedules, let word):
      set(["recording.schedules": .text(schedules.text)])
      if let word { transition.raise(.information, "schedule", word, for: .seconds(3)) }
    }
  }

  /// The editor has been left, whatever for.
  private mutating func keepSchedule() {
    do { adopt(try transition.shown.schedules.leaveEditor(transition.settings)) } catch {
      transition.refuse(.refused(error))
      transition.raise(.error, error.code, .notKept(error))
    }
  }

  // MARK: The clock

  private mutating func handle(_ report: ClockReport) {
    switch report {
    case .shows(let time):
      guard transition.screen == .clock, transition.shown.clock == nil else { return }
      transition.shown.clock = ClockDraft(time, zone: transition.settings.zone)
    case .set(let time):
      let zone = Zone(transition.settings.zone) ?? .utc
      let words = Translated(zone.dateText(time, in: .english), zone.dateText(time, in: .russian))
      transition.raise(.information, "clock", .clockSet(words), for: .seconds(3))
      if transition.shown.clock?.isWaiting == true { leaveClock() }
    case .failed(let code, let text):
      transition.shown.clock?.isWaiting = false
      transition.raise(.error, code, .clockNotSet(isPossible: code != "unsupported"))
      transition.announce(.error(code: code, text: text))
    }
  }

  private mutating func handle(_ key: ClockKey) {
    if key == .leave { return leaveClock() }
    guard var draft = transition.shown.clock, !draft.isWaiting else { return transition.refuse(.busy("clock")) }
    switch key {
    case .change(let direction, let isFast):
      if !draft.change(by: direction, isFast: isFast) { transition.refuse(.atLimit) }
      transition.shown.clock = draft
    case .go(let step):
      if !draft.go(by: step) { transition.refuse(.atLimit) }
      transition.shown.clock = draft
    case .set:
      let wish = draft.wish
      if let zone = wish.zone { set(["clock.zone": .text(zone)]) }
      guard let time = wish.time else {
        if let zone = wish.zone { transition.raise(.information, "clock", .zoneSet(zone), for: .seconds(3)) }
        return leaveClock()
      }
      transition.shown.clock?.isWaiting = true
      transition.clock(.set(time))
    case .leave: break
    }
  }

  private mutating func leaveClock() {
    transition.shown.clock = nil
    if transition.screen == .clock { transition.shown.goBack(to: .options) }
  }

  // MARK: Updates

  /// Nothing is offered while something is open: what is recorded comes first.
  private mutating func handle(_ news: UpdateNews) {
    let code = "update"
    switch news {
    case .found(let name):
      guard modes.openWork == nil else { return }
      transition.raise(.information, code, .updateFound(name), for: .seconds(30))
      transition.offer(.install, with: code)
    case .told(let report):
      switch report.phase {
      case .none: break
      case .fetching where modes.openWork != nil: break
      case .fetching, .checking, .writing: transition.raise(.information, code, .update(report), for: .seconds(60))
      case .installed:
        transition.raise(.information, code, .update(report), for: .seconds(300))
        transition.offer(.restart, with: code)
      case .refused, .failed: transition.raise(.warning, code, .update(report))
      case .trial, .good: transition.raise(.information, code, .update(report), for: .seconds(10))
      }
    }
  }

  // MARK: From one mode to another

  /// What a held STOP does: the next mode that this board has.
  private mutating func takeNextMode() {
    // What most boards without another mode lack is a camera.
    guard let mode = modes.next(after: transition.mode) else { return transition.refuse(.notOnBoard(.camera)) }
    take(mode)
  }

  /// Takes up another mode. Nothing that is open is ever left behind: what is being recorded comes first.
  private mutating func take(_ mode: Mode) {
    if let device = modes[mode].absence {
      transition.refuse(.notOnBoard(device))
      return
    }
    if let work = modes.openWork {
      transition.refuse(work)
      return
    }
    modes[transition.mode].leave(&transition)
    transition.change(to: mode)
    transition.showMain()
    modes[mode].enter(&transition)
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
    adopt(changed)
  }

  /// Sets several keys as one change: all of them, or none.
  private mutating func set(_ values: [String: SettingValue]) {
    var changed = transition.settings
    do { try changed.set(values) } catch {
      transition.refuse(.refused(error))
      return
    }
    adopt(changed, naming: Set(values.keys))
  }

  private mutating func adopt(_ changed: Settings, naming named: Set<String> = []) {
    let before = transition.settings
    if let reason = modes.refusal(of: changed, since: before) {
      transition.refuse(reason)
      return
    }
    if changed.panelPin != before.panelPin { transition.pin = PinGate() }
    transition.adopt(changed, naming: named)
    modes[transition.mode].follow(changed, since: before, &transition)
  }

  // MARK: Devices

  private mutating func lost(_ device: Device, _ text: String) {
    transition.health.note(device, isThere: false)
    transition.announce(.deviceLost(device, text: text))
    switch device {
    case .storage: transition.raise(.error, "device-lost", .storageLost, device: device)
    case .buttons:
      // Nobody will report the release of what was held.
      modes[transition.mode].letGo(of: nil, &transition)
      transition.holds.spendAll()
      transition.raise(.warning, "device-lost", .keysLost, for: .seconds(5), device: device)
    case .microphone, .camera, .speaker, .display, .lamps, .console, .network:
      modes[transition.mode].lost(device, &transition)
    }
  }

  private mutating func returned(_ device: Device, _ text: String) {
    transition.health.note(device, isThere: true)
    transition.announce(.deviceReturned(device, text: text))
    transition.dismissNotice { $0.device == device }
    modes[transition.mode].returned(device)
  }

  private mutating func changed(to source: String, from before: String, _ reason: SourceChangeReason) {
    transition.announce(.sourceChanged(to: source, from: before, reason))
    modes.dictaphone.heard = source
    let sentence = Sentence.sourceChanged(to: source, from: before, reason)
    switch reason {
    case .lost, .absent: transition.raise(.warning, "source", sentence, for: .seconds(5))
    case .returned: transition.raise(.information, "source", sentence, for: .seconds(3))
    case .chosen: transition.raise(.information, "source", sentence, for: .seconds(2))
    }
  }

  /// How full the storage is. A take that no longer fits is the recorder's to end, from its own reserve.
  private mutating func storage(_ level: StorageLevel) {
    let before = transition.health.storageLevel
    guard level != before else { return }
    transition.health.storageLevel = level
    transition.announce(.storage(level))
    if level != .full { transition.dismissNotice { $0.code == "storage-full" } }
    switch level {
    case .ample: transition.dismissNotice { $0.code == "storage-low" }
    case .low where before == .ample:
      transition.raise(.warning, "storage-low", .storageLow, for: .seconds(5))
    case .low: break
    case .full:
      transition.raise(.error, "storage-full", .storageFull(transition.mode))
    }
  }
}
