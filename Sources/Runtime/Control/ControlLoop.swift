internal import Appliance
internal import Console
internal import Dictaphone
internal import Hardware
internal import Panel
internal import Recording
internal import Threads

/// The one thread that decides: takes what happened, asks the pure machine, has the effects carried out.
///
/// It never blocks: everything slow happens on other lanes and comes back as an input.
final class ControlLoop: Stepper, @unchecked Sendable {
  private let clock: any DeviceClock
  private let inbox: Mailbox<ControlInput>
  private var machine: Machine
  private var keys: KeyInput
  private var timers: [Timer: Instant] = [:]
  private let effects: EffectRunner
  private let lamps: LampBoard
  private let panel: PanelRefresher
  private let keeper: StateKeeper
  private let prompts: PromptDesk?
  private let operators: OperatorDesk
  private let onShutDownDone: () -> Void
  private(set) var isShuttingDown = false
  /// When what was begun since the end was ordered is ended, too.
  private var endsAgain = Instant.zero
  /// How often it has gone round; the watchdogs are fed only while this grows.
  private(set) var turns = 0
  /// Counts events: in between, nobody has to ask what has changed. It goes round some thirty times a second for pictures.
  private var revision = 0
  private var finger = Finger()
  private var attention = Attention()
  /// Presses by the finger whose end somebody waits for.
  private var presses: [PendingPress] = []
  /// Who waits until some time, and for what is open to be saved.
  private var waiters: [(number: Int, until: Instant, isForQuiet: Bool, then: () -> Void)] = []
  private var lastWaiter = 0
  /// Somebody tests the panel by hand.
  let trial = PanelTrial()

  init(
    clock: any DeviceClock, inbox: Mailbox<ControlInput>, machine: Machine, keys: KeyInput,
    effects: EffectRunner, lamps: LampBoard, panel: PanelRefresher, keeper: StateKeeper,
    prompts: PromptDesk?, operators: OperatorDesk, onShutDownDone: @escaping () -> Void
  ) {
    self.operators = operators
    self.clock = clock
    self.inbox = inbox
    self.machine = machine
    self.keys = keys
    self.effects = effects
    self.lamps = lamps
    self.panel = panel
    self.keeper = keeper
    self.prompts = prompts
    self.onShutDownDone = onShutDownDone
  }

  var state: State { machine.state }

  /// Before the first step: a take that was cut off is a schedule's to go on with.
  func leaveResuming() { keeper.leaveResuming() }

  /// Fewer pictures a second for the display, or as many as it can show.
  func spareDisplay(_ isSpared: Bool) { panel.isSpared = isSpared }

  /// Has the clip recorder told anew what it is to do, once no clip is open.
  func renewClips() {
    effects.renewClips()
    effects.settle(machine.state)
  }

  /// Changes with schedules, zone and place.
  var scheduleRevision: Int { effects.scheduleRevision }

  func step(now: Instant) -> Instant? {
    turns &+= 1
    for input in inbox.drain() { take(input, now: now) }
    while let edge = finger.next(at: now) { feel(edge, now: now) }
    for edge in keys.settle(upTo: now) { believe(edge, now: now) }
    for gesture in keys.advance(to: now) { handle(gesture, now: now) }
    while let timer = dueTimer(now) {
      timers[timer] = nil
      handle(.timer(timer), now: now)
    }
    if keeper.resumes, keeper.takeResume(machine.state) {
      effects.log("the power went while a take was being recorded: it goes on as another one", now: now)
      handle(.command(.record), now: now)
    }
    // One copy for all.
    let state = machine.state
    keeper.follow(state, revision, now: now)
    if isShuttingDown {
      if isQuiet { onShutDownDone() } else if now >= endsAgain { end(now) }
    }
    if !waiters.isEmpty { tellWaiters(now) }
    let (pace, nextPace) = attention.pace(state, at: now)
    effects.pace(pace)
    panel.pace = pace
    let nextTrial = trial.settle(isRecording: state.hasOpenWork, now: now)
    let nextLamp = lamps.refresh(state, revision, trial: trial.lit, now: now)
    let nextPanel = panel.refresh(state, revision, trial: trial.frame, now: now)
    return [
      finger.nextDeadline, keys.nextDeadline, timers.values.min(), nextLamp, nextPanel, nextTrial, nextPace,
      waiters.map(\.until).min(), isShuttingDown && !isQuiet ? endsAgain : nil,
    ]
    .compactMap { $0 }.min()
  }

  /// The timer that ran out first; of several at once, always the same one.
  private func dueTimer(_ now: Instant) -> Timer? {
    var earliest: (timer: Timer, due: Instant)?
    for timer in Timer.allCases {
      if let due = timers[timer], due <= now, due < earliest?.due ?? .distantFuture { earliest = (timer, due) }
    }
    return earliest?.timer
  }

  /// Calls back when nothing is open any more, or it is late.
  func whenQuiet(until: Instant, then: @escaping () -> Void) { wait(until: until, isForQuiet: true, then) }

  /// Calls back when it is late.
  ///
  /// - Returns: by what it is called off.
  func call(at due: Instant, then: @escaping () -> Void) -> Int { wait(until: due, isForQuiet: false, then) }

  func callOff(_ number: Int) { waiters.removeAll { $0.number == number } }

  @discardableResult
  private func wait(until: Instant, isForQuiet: Bool, _ then: @escaping () -> Void) -> Int {
    lastWaiter += 1
    waiters.append((lastWaiter, until, isForQuiet, then))
    return lastWaiter
  }

  private func tellWaiters(_ now: Instant) {
    let quiet = isQuiet
    let told = waiters.filter { quiet && $0.isForQuiet || $0.until <= now }
    waiters.removeAll { quiet && $0.isForQuiet || $0.until <= now }
    for waiter in told { waiter.then() }
  }

  /// Sets a mark, and tells when it is on the storage.
  ///
  /// - Returns: why none is set, and nobody is told.
  func mark(_ title: String?, now: Instant, told: @escaping MarkReply) -> IgnoredReason? {
    effects.awaitMark(told)
    let ignored = handle(.command(.mark(title: title)), now: now)
    // What nobody has taken on is done.
    if let told = effects.takeMarkReply(), ignored == nil { told(nil) }
    return ignored
  }

  /// Nothing is open that must be completed before the end.
  private var isQuiet: Bool { !machine.state.hasOpenWork }

  private func take(_ input: ControlInput, now: Instant) {
    switch input {
    case .edge(let edge): accept(edge, now: now)
    case .media(let news):
      for event in effects.events(of: news, state: machine.state, now: now) { handle(event, now: now) }
    case .takeFiles(let news): for event in effects.events(ofTake: news) { handle(event, now: now) }
    case .camera(let news): for event in effects.events(of: news) { handle(event, now: now) }
    case .clipFiles(let news): for event in effects.events(ofClip: news) { handle(event, now: now) }
    case .dub(let telling):
      for event in effects.events(of: telling, state: machine.state, now: now) { handle(event, now: now) }
    case .feed(.report(let report)): handle(.feed(report), now: now)
    case .feed(.remark(let text)): effects.log(text, of: "feed", now: now)
    case .trigger(let at): handle(.clipTrigger(at: at, source: .input), now: now)
    case .library(let report): handle(.library(report), now: now)
    case .clock(let report): handle(.clock(report), now: now)
    case .update(let news): if effects.passes(news) { handle(.update(news), now: now) }
    case .restored(let last, let cutOff):
      for event in keeper.events(of: last) { handle(event, now: now) }
      if let mode = keeper.begin(last, cutOff: cutOff, machine.state) { handle(.command(.take(mode)), now: now) }
    case .storageLevel(let level): handle(.storage(level), now: now)
    case .storageRefuses(let what): handle(.storageRefuses(what), now: now)
    case .display(let error): reportDevice(.display, error: error, now: now)
    case .device(let device, let error): reportDevice(device, error: error, now: now)
    case .marked(_, let frame): handle(.player(.marked(frame: frame)), now: now)
    case .say(let sentence): effects.log(sentence, now: now)
    case .run(let work): work()
    case .shutDown:
      isShuttingDown = true
      end(now)
    }
  }

  /// Somebody may press REC while the last take is being saved: that one ends as well, or the device would never.
  private func end(_ now: Instant) {
    endsAgain = now + .milliseconds(250)
    handle(.command(.shutDown), now: now)
  }

  /// Presses a key as a finger would, and tells when it is up again why the press did nothing, if it did nothing.
  func press(_ button: Button, for length: Duration, at now: Instant, done: @escaping (IgnoredReason?) -> Void) {
    // Whoever holds it, also one who has hung up, does not take this press away.
    if let release = finger.letGo(of: button, at: now) {
      for index in presses.indices where presses[index].button == button { presses[index].ends = release.at }
      feel(release, now: now)
    }
    finger.press(button, at: now, for: length)
    presses.append(PendingPress(button: button, ends: now + length, who: operators.actor, done: done))
    while let edge = finger.next(at: now) { feel(edge, now: now) }
  }

  /// The picture that belongs to the state.
  func picture(at now: Instant) -> ScreenPicture { panel.compose(machine.state, now: now) }

  private func accept(_ edge: ButtonEdge, now: Instant) {
    attention.touch(at: now)
    for edge in keys.settle(edge) { believe(edge, now: now) }
  }

  /// Takes an edge that does not bounce.
  private func believe(_ edge: ButtonEdge, now: Instant) {
    if trial.take(edge) { return }
    for gesture in keys.feel(edge) { handle(gesture, now: now) }
  }

  private func feel(_ edge: ButtonEdge, now: Instant) {
    attention.touch(at: now)
    believe(edge, now: now)
    guard !edge.isPressed else { return }
    let over = presses.filter { $0.button == edge.button && $0.ends <= edge.at }
    presses.removeAll { $0.button == edge.button && $0.ends <= edge.at }
    for press in over { press.done(press.acted ? nil : press.ignored) }
  }

  /// Handles a gesture, and notes for a waiting press whether it did anything.
  private func handle(_ gesture: Gesture, now: Instant) {
    var before = machine.state
    var ignored: IgnoredReason?
    // What a console presses is its operator's doing, when the gesture comes of it.
    operators.act(as: presses.last { $0.button == gesture.button }?.who) {
      ignored = handle(.gesture(gesture), now: now)
    }
    // Which keys have had their effect is book-keeping, not something that the press did.
    before.holds = machine.state.holds
    for index in presses.indices where presses[index].button == gesture.button {
      presses[index].ignored = ignored ?? presses[index].ignored
      presses[index].acted = presses[index].acted || (ignored == nil && machine.state != before)
    }
  }

  /// Tells the machine that a device came or went.
  func reportDevice(_ device: Device, error: DeviceError?, now: Instant) {
    if let error {
      handle(.deviceLost(device, text: "\(error)"), now: now)
    } else {
      handle(.deviceReturned(device, text: "\(device.rawValue) works"), now: now)
    }
  }

  /// Lets the machine decide on one event and carries out what it asks for.
  ///
  /// - Returns: why the event did nothing, if it did nothing.
  @discardableResult
  func handle(_ event: Event, now: Instant) -> IgnoredReason? {
    var ignored: IgnoredReason?
    // Copied only for who hears of it.
    let before = prompts != nil && machine.state.settings.hasVoice ? machine.state : nil
    revision &+= 1
    let asked = machine.handle(event, at: now)
    if let prompts, let before { prompts.make(wayFor: event, from: before, to: machine.state) }
    for effect in asked {
      switch effect {
      case .setTimer(let timer, let due): timers[timer] = due
      case .cancelTimer(let timer): timers[timer] = nil
      case .ignored(let reason): ignored = reason
      default: effects.perform(effect, state: machine.state, now: now)
      }
    }
    effects.settle(machine.state)
    if let prompts, before != nil || machine.state.settings.hasVoice {
      prompts.tell(event, asked, from: before, to: machine.state, now: now)
    }
    return ignored
  }
}

/// A press by the finger, until the key is up again.
private struct PendingPress {
  let button: Button
  var ends: Instant
  let who: String?
  let done: (IgnoredReason?) -> Void
  var ignored: IgnoredReason?
  var acted = false
}
