internal import Appliance
public import Board
public import Budget
internal import Clips
public import Console
internal import Dictaphone
internal import Dubbing
public import Hardware
internal import JSON
public import Library
internal import Media
internal import Panel
internal import Sound
internal import Threads

/// What a run of the appliance is given beside its hardware.
public struct RuntimeOptions {
  public var board: BoardDescription
  public var version: String
  /// Pictures a second for the display; the board file's where the clock is real.
  public var framesPerSecond: Int
  public var script: Script?
  /// Given every event as a line of `--events`.
  public var onEvent: ((String) -> Void)?
  /// Given every line of the log.
  public var onLog: ((String) -> Void)?
  /// Told with every new picture what goes on, in a line of words, and whether the keys are locked. Control lane.
  public var onStatus: ((String, Bool) -> Void)?
  /// What the console's `doctor` looks at beside the devices that the appliance itself has open. Called on a thread of
  /// its own.
  public var probes: [any Probe] = []
  /// The appliance's own self-test beside what it is doing: name, whether it is good, what it says, milliseconds.
  /// Called on a thread of its own.
  public var selftest: (@Sendable () -> [SelftestResult])?
  /// Whether the clock is a real one. In virtual time nothing may depend on this process's load or other threads.
  public var isRealTime = true
  /// What is on the screen for pictures, as a PNG; `nil` if nothing is. For a script's `picture`.
  public var pictureOfScreen: () -> [UInt8]?
  /// Writes a file for a script's `screen`; returns a complaint, or `nil`.
  public var writeFile: (String, [UInt8]) -> String?

  public init(board: BoardDescription, version: String) {
    self.board = board
    self.version = version
    framesPerSecond = board.display.refreshHz
    pictureOfScreen = { nil }
    writeFile = { path, _ in "\(path): files cannot be written here" }
  }
}

/// The appliance, put together and running: hardware below, the pure machine above, lanes between.
///
/// Build it, then call `run`. Everything in it belongs to one lane each; what other threads may call says so.
public final class ApplianceRuntime: @unchecked Sendable {
  private let hardware: HardwareSet
  private let scheduler: any Scheduler
  private let inbox: Mailbox<ControlInput>
  private let display: DisplayWorker?
  private let media: MediaWorker
  private let storage: StorageWorker
  private let dubWorker: DubWorker?
  private let pictures: PictureShow?
  private let library: TakeLibrary
  private let consoles: ConsoleHub
  private let commands: Commands
  private let device: CommandContext
  private let watchdogFeeder: WatchdogFeeder
  private var failure: ScriptError?
  private var isEnding = false

  /// - Throws: the table, if the rings do not fit the board's budget.
  public init(hardware: HardwareSet, scheduler: any Scheduler, options: RuntimeOptions) throws(BudgetRefusal) {
    self.hardware = hardware
    self.scheduler = scheduler
    let board = options.board
    let clock = hardware.clock
    let wakeControl: @Sendable () -> Void = { [weak scheduler] in scheduler?.wake(.control) }
    let inbox = Mailbox<ControlInput>(onPost: wakeControl)
    self.inbox = inbox

    let events = EventStream(echo: options.onLog.map { print in { print($0.line) } })
    if let onEvent = options.onEvent { _ = events.hub.attach { onEvent($0.line) } }

    let stores = SettingsStore(storage: hardware.storage, clock: clock)
    var state = State()
    state.health.isMicrophoneOpening = hardware.microphone != nil
    state.health.hasSpeaker = hardware.speaker != nil
    let clips = ClipParts(hardware, board, options: options, inbox: inbox)
    state.clips.isAvailable = clips != nil
    state.clips.largestSeconds = clips?.context.largestSeconds ?? 0
    Self.load(stores, into: &state.settings, events: events, now: clock.now)
    let dub = DubMaker(hardware, board, isRealTime: options.isRealTime)
    state.dub.isAvailable = dub.isAvailable
    state.dub.hasNetwork = hardware.openNetwork != nil

    let pipe = TakePipe(bytes: Self.pipeBytes(board))
    let ledger = BudgetLedger(BudgetPlan(board))
    try Self.register(ledger, board: board, settings: state.settings, pipe: pipe)
    try clips?.register(ledger, settings: state.settings)
    try dub.register(ledger)
    let dubContext = dub.make(
      state.settings, wake: { [weak scheduler] in scheduler?.wake(.dubbing) }, wakeControl: wakeControl,
      tell: { inbox.post(.dub($0)) })
    dubWorker = dubContext?.worker
    pictures = dubContext?.pictures
    media = Self.makeMedia(hardware, board, pipe, state.settings, inbox, scheduler, clips)
    library = Self.library(on: hardware.storage, clock: clock)
    let storer = TakeStorer(
      pipe: pipe, store: LibraryTakeStore(library: library, storage: hardware.storage, clock: clock)
    ) { inbox.post(.storer($0)) }
    storage = StorageWorker(
      storer: storer, clips: clips?.makeFiles(library, hardware), library: library, settings: stores,
      storage: hardware.storage,
      lowBytes: board.storage.lowMB << 20, inbox: inbox, wake: { [weak scheduler] in scheduler?.wake(.storage) })

    display = hardware.display.map { screen in
      DisplayWorker(
        display: screen, clock: clock, wake: { [weak scheduler] in scheduler?.wake(.display) },
        report: { inbox.post(.display($0)) })
    }
    let gatherer = ReadingsGatherer(
      clock: clock, media: media, storage: storage, clips: clips?.context, dub: dubContext,
      information: [MenuRow("Mynah", options.version), MenuRow("board", board.name)])
    let effects = EffectRunner(
      media: media, storage: storage, events: events, clock: clock,
      bits: board.microphone.format.bits, clips: clips?.context, dub: dubContext)
    let knowledge = CompletionSource(storage: storage, settings: Settings.keys.map(\.key))
    consoles = ConsoleHub(
      events: events, greeting: "Mynah \(options.version) on \(board.name); \"help\" explains",
      knowledge: knowledge.answer)

    let debounce = board.buttons.map { ($0.button, Duration.milliseconds($0.debounceMilliseconds)) }
    let end = EndOfRun()
    let loop = ControlLoop(
      clock: clock, inbox: inbox, machine: Machine(state: state),
      keys: KeyInput(debouncer: Debouncer(exceptions: Dictionary(debounce) { first, _ in first })), effects: effects,
      lamps: LampBoard(lamps: hardware.lamps) { inbox.post(.device(.lamps, $0)) },
      panel: PanelRefresher(
        display: display, gatherer: gatherer, framesPerSecond: options.framesPerSecond, onStatus: options.onStatus),
      consoles: consoles, onShutDownDone: { end.action() })
    let parts = DeviceParts(
      inbox: inbox, media: media, storage: storage, display: display, events: events, gatherer: gatherer,
      budget: BudgetWatch(ledger: ledger), clips: clips?.context, dub: dubContext)
    device = CommandContext(
      version: options.version, boardName: board.name, clock: clock, loop: loop, parts: parts, faults: hardware.faults)
    device.probes = options.probes
    device.selftest = options.selftest
    device.isRealTime = options.isRealTime
    commands = Commands(device: device)
    watchdogFeeder = WatchdogFeeder(
      manager: hardware.serviceManager, watchdogs: hardware.watchdogs, media: media,
      microphone: hardware.microphone, loop: loop
    ) { events.log(.info, "watchdog", $0, at: $1) }
    consoles.serve(commands)
    end.action = { [unowned self] in finish() }
    commands.onPowerCut = { scheduler.stop() }

    for stepper in hardware.steppers {
      stepper.attach { [weak scheduler] in scheduler?.wake(.devices) }
      scheduler.add(stepper, to: .devices)
    }
    scheduler.add(loop, to: .control)
    if hardware.serviceManager != nil || !hardware.watchdogs.isEmpty { scheduler.add(watchdogFeeder, to: .control) }
    if let script = options.script {
      let stage = DeviceStage(
        device: device, commands: commands, writeFile: options.writeFile, pictureOfScreen: options.pictureOfScreen)
      scheduler.add(
        ScriptDriver(script, start: clock.now, stage: stage, wake: wakeControl) { [unowned self] error in
          failure = error
          inbox.post(.shutDown)
        }, to: .control)
    }
    if let clips { scheduler.add(clips.input, to: .camera) }
    clips?.input.attach { [weak scheduler] in scheduler?.wake(.camera) }
    scheduler.add(media, to: .media)
    if let dubContext {
      scheduler.add(dubContext.worker, to: .dubbing)
      dubContext.speech.attach { [weak scheduler] in scheduler?.wake(.speech) }
      scheduler.add(dubContext.speech, to: .speech)
      if let pictures = dubContext.pictures {
        scheduler.add(pictures, to: .pictures)
        pictures.attach { [weak scheduler] in scheduler?.wake(.pictures) }
      }
    }
    scheduler.add(storage, to: .storage)
    if let display { scheduler.add(display, to: .display) }
  }

  /// The library of a data directory, not opened yet; for tools that look at one without running the appliance.
  public static func library(on storage: any Storage, clock: any DeviceClock) -> TakeLibrary {
    TakeLibrary(
      storage: storage, clock: clock, state: StateStore(storage: storage, clock: clock),
      doctor: MediaRepairer(storage: storage))
  }

  /// Runs until the script ends, `requestShutDown` is called, or the (simulated) power is cut.
  ///
  /// The calling thread becomes the control lane.
  ///
  /// - Returns: the script's failed line, if one failed.
  public func run() -> ScriptError? {
    let inbox = inbox
    for buttons in hardware.buttons {
      do throws(DeviceError) {
        try buttons.start { inbox.post(.edge($0)) }
      } catch {
        inbox.post(.device(.buttons, error))
      }
    }
    if let trigger = hardware.trigger {
      do throws(DeviceError) {
        try trigger.start { if $0.isPressed { inbox.post(.trigger($0.at)) } }
      } catch {
        inbox.post(.device(.buttons, error))
      }
    }
    for port in hardware.consolePorts {
      do throws(DeviceError) { try port.start { inbox.post(.console($0)) } } catch {
        inbox.post(.device(.console, error))
      }
    }
    scheduler.run()
    for buttons in hardware.buttons { buttons.stop() }
    hardware.trigger?.stop()
    for port in hardware.consolePorts { port.stop() }
    display?.close()
    pictures?.close()
    watchdogFeeder.end()
    return failure
  }

  /// Completes what is open, then ends `run`. Any thread; a second call changes nothing.
  public func requestShutDown() { inbox.post(.shutDown) }

  /// Presses a key of the panel for a while. Any thread.
  public func press(_ button: Button, for length: Duration) {
    inbox.post(.run { [self] in device.press(button, for: length) { _ in } })
  }

  /// Everything that was open is saved: let the storage finish what was asked of it, then stop.
  private func finish() {
    guard !isEnding else { return }
    isEnding = true
    media.post(.shutDown)
    dubWorker?.post(.shutDown)
    let stop: @Sendable () -> Void = { [inbox, scheduler] in inbox.post(.run { scheduler.stop() }) }
    storage.submit { _ throws(LibraryError) in
      stop()
    } onFailure: { _ in
      stop()
    }
  }
}

/// Breaks the circle between the loop and what it ends.
private final class EndOfRun {
  var action: () -> Void = {}
}
