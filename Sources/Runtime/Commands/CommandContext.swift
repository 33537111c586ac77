internal import Appliance
internal import Board
internal import Budget
internal import Console
internal import Hardware
internal import Panel
internal import Threads

/// The running device as commands and scripts see it. Control lane only.
final class CommandContext {
  let version: String
  let board: BoardDescription
  var boardName: String { board.name }
  let clock: any DeviceClock
  let startedAt: Instant
  let media: MediaWorker
  let storage: StorageWorker
  let display: DisplayWorker?
  let events: EventStream
  let gatherer: ReadingsGatherer
  let budget: BudgetWatch
  let clips: ClipContext?
  let dub: DubContext?
  let feed: FeedContext?
  /// What is said of what happens; `nil` without a speaker.
  let prompts: PromptDesk?
  let faults: (any FaultInjector)?
  let inbox: Mailbox<ControlInput>
  let lanes: LaneSignals
  /// What the board's system is asked for.
  let boardOrders: BoardOrders
  let governor: GovernorWatch
  /// Who may work with the device.
  let operators: OperatorDesk
  /// Stops work on many takes.
  let works = LibraryWorks()
  /// What the doctor looks at beside what is known here.
  let probes: [any Probe]
  /// Whether the clock is real; in virtual time everything has to happen on this lane.
  let isRealTime: Bool
  let selftest: (@Sendable () -> [SelftestResult])?
  private let loop: ControlLoop

  init(
    options: RuntimeOptions, clock: any DeviceClock, loop: ControlLoop, parts: DeviceParts,
    faults: (any FaultInjector)?
  ) {
    version = options.version
    board = options.board
    probes = options.probes
    isRealTime = options.isRealTime
    selftest = options.selftest
    self.clock = clock
    self.loop = loop
    self.faults = faults
    startedAt = clock.now
    media = parts.media
    storage = parts.storage
    display = parts.display
    events = parts.events
    gatherer = parts.gatherer
    budget = parts.budget
    clips = parts.clips
    dub = parts.dub
    feed = parts.feed
    prompts = parts.prompts
    inbox = parts.inbox
    lanes = parts.lanes
    boardOrders = parts.boardOrders
    governor = parts.governor
    operators = parts.operators
  }

  var state: State { loop.state }

  /// The picture that is, or would be, on the display.
  var picture: ScreenPicture { loop.picture(at: clock.now) }

  /// Lets the machine decide on an event; tells why nothing happened, if nothing did.
  func handle(_ event: Event) -> IgnoredReason? { loop.handle(event, now: clock.now) }

  /// Has a mark set, and tells when it is on the storage, on this lane; throws why none is.
  func mark(_ title: String?, told: @escaping (CommandFailure?) -> Void) throws(CommandFailure) {
    let answer = ControlLaneReply(inbox, told)
    let ignored = loop.mark(title, now: clock.now) { failure in
      answer.send(failure.map { CommandFailure(FailureCode(rawValue: $0.code) ?? .internal, $0.text) })
    }
    if let ignored { throw failure(ignored) }
  }

  /// Waits until nothing is being recorded or saved.
  func whenSaved(within length: Duration, then: @escaping () -> Void) {
    loop.whenQuiet(until: clock.now + length, then: then)
    lanes.wake(.control)
  }

  /// How long an answer waits for a card that does not answer: one that stands still for ten seconds has written half a
  /// second later.
  private static let patience = Duration.milliseconds(10_500)

  /// Has an answer that waits for the card come within `patience`. What was ordered goes on.
  ///
  /// - Parameters:
  ///   - late: what is said if it has not come by then.
  ///   - length: how long what was ordered goes on by itself; it may go on for longer, and is waited for while the card
  ///     answers.
  func inTime<Answer>(
    _ late: String, after length: Duration? = nil, _ reply: @escaping (Result<Answer, CommandFailure>) -> Void
  ) -> (Result<Answer, CommandFailure>) -> Void {
    var waiting: ((Result<Answer, CommandFailure>) -> Void)? = reply
    var number = 0
    let tell = { (outcome: Result<Answer, CommandFailure>) in
      let told = waiting
      waiting = nil
      told?(outcome)
    }
    func wait(until due: Instant) {
      number = loop.call(at: due) { [self] in
        let end = length == nil ? due : (storage.standsSince ?? clock.now) + Self.patience
        guard end <= clock.now else { return wait(until: end) }
        tell(.failure(CommandFailure(.busy, "\(late): the card does not answer")))
      }
    }
    wait(until: clock.now + (length ?? .zero) + Self.patience)
    lanes.wake(.control)
    return { [loop] outcome in
      loop.callOff(number)
      tell(outcome)
    }
  }

  /// Has lamps and screen show something else for a while.
  func trial(_ lamps: Set<Lamp>?, _ pattern: PanelTrial.Pattern, for length: Duration) {
    loop.trial.show(lamps, pattern, until: clock.now + length)
    lanes.wake(.control)
  }

  /// Waits for the next key, which means nothing else then.
  func awaitKey(for length: Duration, told: @escaping (Button?) -> Void) {
    loop.trial.waitForKey(until: clock.now + length, told: told)
    lanes.wake(.control)
  }

  /// Looks at something ten times a second for a while.
  func measure(for length: Duration, look: @escaping () -> Void, done: @escaping () -> Void) {
    loop.trial.measure(from: clock.now, until: clock.now + length, look: look, done: done)
    lanes.wake(.control)
  }

  /// Presses a key for a while.
  ///
  /// - Parameter done: called when the key is up again, with the reason if the press did nothing.
  func press(_ button: Button, for length: Duration, done: @escaping (IgnoredReason?) -> Void) {
    loop.press(button, for: length, at: clock.now, done: done)
  }
}

/// The parts of a running device that several of its organs share.
struct DeviceParts {
  let inbox: Mailbox<ControlInput>
  let lanes: LaneSignals
  let media: MediaWorker
  let storage: StorageWorker
  let display: DisplayWorker?
  let events: EventStream
  let gatherer: ReadingsGatherer
  let budget: BudgetWatch
  let clips: ClipContext?
  let dub: DubContext?
  let feed: FeedContext?
  let prompts: PromptDesk?
  let boardOrders: BoardOrders
  let governor: GovernorWatch
  let operators: OperatorDesk
}
