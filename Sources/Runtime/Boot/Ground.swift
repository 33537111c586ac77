internal import Board
internal import Budget
internal import Console
internal import Hardware
internal import Sound
internal import Threads

/// What every part stands on: devices and board as given, the lanes, the way to the control loop, the log, and the
/// book of what may be allocated. None of it can be absent.
struct Ground {
  let hardware: HardwareSet
  let options: RuntimeOptions
  let lanes: LaneSignals
  let inbox: Mailbox<ControlInput>
  let events: EventStream
  let logWriter: LogWriter
  let ledger: BudgetLedger
  /// Who asks what the process uses, and what the governor has done.
  let process = ProcessWatch()
  let governorBook = GovernorBook()
  let authors = RecordingAuthors()
  /// The speaker itself, at the rate of the session.
  let session: SessionSpeaker?
  /// The speaker as players and the voice share it.
  let speaker: SpokenSpeaker?

  var board: BoardDescription { options.board }
  var clock: any DeviceClock { hardware.clock }

  init(_ hardware: HardwareSet, _ options: RuntimeOptions, lanes: LaneSignals) {
    session = hardware.speaker.map {
      SessionSpeaker($0, board: options.board.speaker.request, session: BaselineSession())
    }
    speaker = session.map {
      SpokenSpeaker(
        $0, request: Self.voiceRequest(options.board), clock: hardware.clock, freed: lanes.waker(of: .prompts))
    }
    var shared = hardware
    shared.speaker = speaker
    self.hardware = shared
    self.options = options
    self.lanes = lanes
    inbox = Mailbox(onPost: lanes.waker(of: .control))
    logWriter = LogWriter()
    events = EventStream(
      clock: hardware.clock, echo: options.onLog.map { print in { print($0.line) } }, writer: logWriter,
      blackBox: options.blackBox)
    ledger = BudgetLedger(BudgetPlan(options.board))
    if let onEvent = options.onEvent { _ = events.hub.attach { onEvent($0.line) } }
  }
  private static func voiceRequest(_ board: BoardDescription) -> SoundRequest {
    SoundRequest(
      format: PCMFormat(sampleRate: SpeechOverlay.sampleRate, channels: 2), periodFrames: board.speaker.periodFrames,
      bufferFrames: board.speaker.bufferFrames)
  }
}
