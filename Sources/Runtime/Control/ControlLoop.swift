internal import Appliance
internal import Console
internal import Hardware
internal import Threads

/// The one thread that decides: takes what happened, asks the pure machine, has the effects carried out.
///
/// It never blocks: everything slow happens on other lanes and comes back as an input.
final class ControlLoop: Stepper, @unchecked Sendable {
  private let clock: any DeviceClock
  private let inbox: Mailbox<ControlInput>
  private var machine: Machine
  private var debouncer: Debouncer
  private var gestures = GestureRecogniser()
  private var timers: [Timer: Instant] = [:]
  private let effects: EffectRunner
  private let lamps: LampBoard
  private let panel: PanelRefresher
  private let consoles: ConsoleHub
  private let onShutDownDone: () -> Void
  private var isShuttingDown = false
  /// What was pressed for nothing last, and why.
  private(set) var lastIgnored: IgnoredReason?

  init(
    clock: any DeviceClock, inbox: Mailbox<ControlInput>, machine: Machine, debouncer: Debouncer,
    effects: EffectRunner, lamps: LampBoard, panel: PanelRefresher, consoles: ConsoleHub,
    onShutDownDone: @escaping () -> Void
  ) {
    self.clock = clock
    self.inbox = inbox
    self.machine = machine
    self.debouncer = debouncer
    self.effects = effects
    self.lamps = lamps
    self.panel = panel
    self.consoles = consoles
    self.onShutDownDone = onShutDownDone
  }

  var state: State { machine.state }

  func step(now: Instant) -> Instant? {
    for input in inbox.drain() { take(input, now: now) }
    for edge in debouncer.advance(to: now) { recognise(edge, now: now) }
    for gesture in gestures.advance(to: now) { handle(.gesture(gesture), now: now) }
    for (timer, due) in timers where due <= now {
      timers[timer] = nil
      handle(.timer(timer), now: now)
    }
    if isShuttingDown, isQuiet { onShutDownDone() }
    let nextLamp = lamps.refresh(machine.state, now: now)
    let nextPanel = panel.refresh(machine.state, now: now)
    return [debouncer.nextDeadline, gestures.nextDeadline, timers.values.min(), nextLamp, nextPanel]
      .compactMap { $0 }.min()
  }

  /// Nothing is open that must be completed before the end.
  private var isQuiet: Bool {
    switch machine.state.activity {
    case .recording, .paused, .saving: false
    case .idle, .playing, .playbackPaused: true
    }
  }

  private func take(_ input: ControlInput, now: Instant) {
    switch input {
    case .edge(let edge):
      for settled in debouncer.accept(edge) { recognise(settled, now: now) }
    case .media(let news): for event in effects.events(of: news, state: machine.state) { handle(event, now: now) }
    case .storer(let news): for event in effects.events(of: news, state: machine.state) { handle(event, now: now) }
    case .library(let report): handle(.library(report), now: now)
    case .storageLevel(let level): handle(.storage(level), now: now)
    case .display(let error): reportDevice(.display, error: error, now: now)
    case .console(let event): consoles.take(event)
    case .marked(_, let frame): handle(.player(.marked(frame: frame)), now: now)
    case .say(let sentence): effects.log(sentence, now: now)
    case .run(let work): work()
    case .shutDown:
      isShuttingDown = true
      handle(.command(.shutDown), now: now)
    }
  }

  private func recognise(_ edge: ButtonEdge, now: Instant) {
    for gesture in gestures.accept(edge) { handle(.gesture(gesture), now: now) }
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
    for effect in machine.handle(event, at: now) {
      switch effect {
      case .setTimer(let timer, let due): timers[timer] = due
      case .cancelTimer(let timer): timers[timer] = nil
      case .ignored(let reason):
        ignored = reason
        lastIgnored = reason
      default: effects.perform(effect, state: machine.state, now: now)
      }
    }
    return ignored
  }
}
