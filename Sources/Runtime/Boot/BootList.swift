internal import Appliance
internal import Board
internal import Budget
internal import Dictaphone
internal import Hardware
internal import Threads

/// The parts of an appliance, made in the order of this list; each is given what it needs of those above it. Said of
/// each: what it needs, and what it costs if it is absent.
struct BootList {
  /// The steppers of the run with their lanes; those of one lane take turns in this order.
  let steppers: [(Lane, any Stepper)]
  let inputs: InputDevices
  let display: DisplayWorker?
  let dub: DubContext?
  let control: ControlParts
  let watchdogs: WatchdogFeeder?
  let script: ScriptDriver?

  /// - Throws: the table, if the rings do not fit the board's budget.
  init(_ ground: Ground) throws(BudgetRefusal) {
    // Needs the storage. Absent: the defaults hold.
    let settings = KeptSettings(ground)

    // Needs nothing; microphone and speaker may come and go. Always there, and first in the book of memory: what was
    // said last is in it.
    let sound = try SoundParts(ground, settings: settings.values)

    // Needs a camera, and memory for a second of its pictures. Absent: there is no clip mode.
    let clips = try ClipParts(ground, settings: settings.values)

    // Needs a speaker and memory. Absent: there is no dub mode. Without a network it plays clips and takes.
    let dubMaker = DubMaker(ground)
    let dub = try dubMaker.make(settings.values)

    // Needs dubbed playback, by which it plays. Absent: there is no feed.
    let feed = FeedMaker(ground).make(settings.values, dub: dub, dubMaker)

    // Needs a speaker. Absent: nothing is said.
    let prompts = try PromptMaker(ground).make()

    // Needs the storage. A medium that fails costs takes and clips, and says so.
    let storage = StorageParts(ground, settings: settings, pipe: sound.pipe, clips: clips)
    sound.player.onOverview = { [weak worker = storage.worker] in
      if let worker { PlayerTakes(worker).keepOverview($0, $1) }
    }

    // Needs a display. Absent: lamps and consoles tell what goes on.
    let display = DisplayWorker(ground)

    // Needs the sound. It takes what the camera has, where there is one, and nothing that the voice has said.
    let media = sound.worker(
      ground, settings: settings.values, clips: clips, prompts: prompts,
      shapes: ShapeSeeker(storage.worker, wake: ground.lanes.waker(of: .media)).shapes, display: display)

    // Needs the board's system; for updates by the network, one. Absent: the clock is set, and the board switched off, by other means.
    let boardOrders = BoardOrders(ground, fetch: storage.worker.updates, network: dub?.network)

    // Needs all of the above, and nothing of the hardware: keys and lamps may be absent.
    let end = OrderlyEnd(
      media: media, dub: dub?.worker, feed: feed?.worker, prompts: prompts, storage: storage.worker,
      inbox: ground.inbox,
      lanes: ground.lanes,
      last: boardOrders.carryOutPower)
    // Needs operators who are set up. Absent: everybody may do everything.
    let operators = OperatorDesk(
      ground, found: OperatorFile(ground.hardware.storage).load(), storage: storage.worker, audit: storage.audit)
    // Needs a board that says something of its strain. Absent: nothing gives way.
    let governor = GovernorWatch(ground)
    let state = Self.state(ground, settings: settings, clips: clips, dub: dub, feed: feed)
    let control = ControlParts(
      ground,
      ControlParts.Needs(
        state: state, media: media, storage: storage.worker, display: display, clips: clips?.context, dub: dub,
        feed: feed, prompts: prompts, boardOrders: boardOrders, governor: governor, operators: operators,
        end: end))
    governor.attach(
      GovernorParts(
        clips: clips, dub: dub, storage: storage.worker, media: media, loop: control.loop, hasDisplay: display != nil),
      ground.board)

    // Needs a watchdog or a service manager. Absent: nobody restarts what hangs.
    let watchdogs = WatchdogFeeder(ground, media: media, loop: control.loop)

    // Needs a real clock. Absent: nobody is told that the budget is exceeded; `budget` still shows it.
    let lookout = BudgetLookout(ground)

    // Needs schedules; until there are some it does nothing.
    let schedules = ScheduleWatch(ground, control: control, storage: storage.worker, settings: settings.values)

    // Needs a script: the simulator's.
    let script = ScriptDriver(ground, control: control)

    // Last, what the world may do: no edge comes before there is somebody to take it.
    let consoles = ConsoleHub(ground, device: control.device, storage: storage.worker)
    // Needs a line for it in the board file. Absent: the power key is the switch of the supply.
    let power = PowerWatch(ground, orders: boardOrders)
    inputs = InputDevices(ground, consoles: consoles, media: media, power: power)

    var steppers: [(Lane, any Stepper)] = ground.hardware.steppers.map { (.devices, $0) }
    func run(_ stepper: (any Stepper)?, on lane: Lane) {
      if let stepper { steppers.append((lane, stepper)) }
    }
    run(control.loop, on: .control)
    run(consoles, on: .control)
    run(schedules, on: .control)
    run(boardOrders, on: .control)
    run(power, on: .control)
    run(watchdogs, on: .control)
    run(lookout, on: .control)
    run(governor, on: .control)
    run(script, on: .control)
    run(clips?.input, on: .camera)
    run(media, on: .media)
    run(dub?.worker, on: .dubbing)
    run(feed?.worker, on: .dubbing)
    run(prompts, on: .prompts)
    run(dub?.speech, on: .speech)
    run(dub?.pictures, on: .pictures)
    run(clips?.preview, on: .pictures)
    run(storage.worker, on: .storage)
    run(display, on: .display)

    operators.setUp(ground.board.firstOperator)

    self.steppers = steppers
    self.display = display
    self.dub = dub
    self.control = control
    self.watchdogs = watchdogs
    self.script = script
  }

  /// What the machine knows when it begins: which parts there are, and the settings.
  private static func state(
    _ ground: Ground, settings kept: KeptSettings, clips: ClipParts?, dub: DubContext?, feed: FeedContext?
  ) -> State {
    var state = State()
    state.settings = kept.values
    // Who may use the keys is asked for the PIN, not whoever pulls the plug.
    state.isLocked = !kept.values.panelPin.isEmpty
    state.health.isMicrophoneOpening = ground.hardware.microphone != nil
    state.health.hasSpeaker = ground.hardware.speaker != nil
    state.dictaphone.mostPreRecordSeconds = RecordingSettings.mostPreRecordSeconds(ground.board)
    state.clips.isAvailable = clips != nil
    state.clips.largestSeconds = clips?.context.largestSeconds ?? 0
    state.dub.isAvailable = dub != nil
    state.feed.isAvailable = feed != nil
    state.health.hasNetwork = ground.hardware.openNetwork != nil
    if let first = kept.mistakes.first {
      state.notice = Notice(
        severity: .error, code: EventStream.boardMistake,
        .boardMistake(first, more: kept.mistakes.count - 1))
    }
    return state
  }
}
