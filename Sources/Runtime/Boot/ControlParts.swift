internal import Appliance
internal import Board
internal import Console
internal import Hardware
internal import JSON
internal import Panel
internal import Threads

/// The control loop, and what it moves: the pure machine, keys, lamps, the panel's pictures; and the device as commands
/// see it. Without keys or lamps the consoles still work, and the other way round.
struct ControlParts {
  let loop: ControlLoop
  let device: CommandContext

  /// What the loop is made of beside the ground.
  struct Needs {
    let state: State
    let media: MediaWorker
    let storage: StorageWorker
    let display: DisplayWorker?
    let clips: ClipContext?
    let dub: DubContext?
    let feed: FeedContext?
    let prompts: PromptLane?
    let boardOrders: BoardOrders
    let governor: GovernorWatch
    let operators: OperatorDesk
    /// Has what is open completed when the loop has nothing left to do.
    let end: OrderlyEnd
  }

  init(_ ground: Ground, _ needs: Needs) {
    let gatherer = Self.gatherer(ground, needs)
    let desk = needs.prompts.map { PromptDesk($0, events: ground.events, gatherer: gatherer) }
    desk?.begin(needs.state)
    loop = Self.loop(ground, needs, gatherer: gatherer, desk: desk)
    device = Self.device(ground, needs, gatherer: gatherer, loop: loop, desk: desk)
    needs.boardOrders.state = { [weak loop] in loop?.state }
  }

  private static func gatherer(_ ground: Ground, _ needs: Needs) -> ReadingsGatherer {
    ReadingsGatherer(
      clock: ground.clock, media: needs.media, storage: needs.storage, clips: needs.clips, dub: needs.dub,
      feed: needs.feed, governor: needs.governor,
      information: [(.version, ground.options.version), (.board, ground.board.name)])
  }

  private static func loop(
    _ ground: Ground, _ needs: Needs, gatherer: ReadingsGatherer, desk: PromptDesk?
  ) -> ControlLoop {
    let options = ground.options
    let inbox = ground.inbox
    let debounce = ground.board.buttons.map { ($0.button, Duration.milliseconds($0.debounceMilliseconds)) }
    let effects = EffectRunner(
      media: needs.media, storage: needs.storage, events: ground.events, clock: ground.clock,
      board: ground.board, clips: needs.clips, dub: needs.dub, feed: needs.feed,
      wallClock: ClockEffects(needs.boardOrders, clock: ground.clock, storage: needs.storage, inbox: inbox),
      updates: UpdateEffects(needs.boardOrders, inbox: inbox), authors: ground.authors, operators: needs.operators)
    return ControlLoop(
      clock: ground.clock, inbox: inbox, machine: Machine(state: needs.state),
      keys: KeyInput(debouncer: Debouncer(exceptions: Dictionary(debounce) { first, _ in first })), effects: effects,
      lamps: LampBoard(lamps: ground.hardware.lamps) { inbox.post(.device(.lamps, $0)) },
      panel: PanelRefresher(
        display: needs.display, gatherer: gatherer, framesPerSecond: options.framesPerSecond,
        onStatus: options.onStatus), keeper: StateKeeper(media: needs.media, storage: needs.storage), prompts: desk,
      operators: needs.operators, onShutDownDone: needs.end.begin)
  }

  private static func device(
    _ ground: Ground, _ needs: Needs, gatherer: ReadingsGatherer, loop: ControlLoop, desk: PromptDesk?
  ) -> CommandContext {
    let parts = DeviceParts(
      inbox: ground.inbox, lanes: ground.lanes, media: needs.media, storage: needs.storage, display: needs.display,
      events: ground.events, gatherer: gatherer, budget: BudgetWatch(ground), clips: needs.clips,
      dub: needs.dub, feed: needs.feed, prompts: desk, boardOrders: needs.boardOrders,
      governor: needs.governor, operators: needs.operators)
    return CommandContext(
      options: ground.options, clock: ground.clock, loop: loop, parts: parts, faults: ground.hardware.faults)
  }
}
