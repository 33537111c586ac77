internal import Appliance
internal import Board
internal import Budget
internal import Dictaphone
internal import Hardware
internal import Media
internal import Recording
internal import Sound
internal import Threads

/// Recorder and player. Without a microphone nothing is recorded, without a speaker nothing is heard; the rest works,
/// and either may come later.
struct SoundParts {
  /// The way of a take from here to the storage.
  let pipe: RecordingPipe
  private let input: CaptureInput
  private let recorder: Recorder
  let player: Player

  /// Seconds of stall that the pipe to the storage takes at the highest data rate of the board: the 10 s that a slow
  /// card may take. What it takes longer, the slack of the pre-record history holds.
  private static let stallSeconds = 10

  init(_ ground: Ground, settings: Settings) throws(BudgetRefusal) {
    let board = ground.board
    let inbox = ground.inbox
    let recording = RecordingSettings(settings, board: board)
    var format = board.microphone.format
    format.bits = max(format.bits, recording.bits)
    // It stays as it is when `recording.bitDepth` is changed: the next take may be in float.
    let pipe = RecordingPipe(bytes: Self.pipeBytes(format, fileBits: 32))
    try Self.register(ground.ledger, board: board, format, seconds: recording.preRecordSeconds, pipe: pipe)
    let input = CaptureInput(
      microphone: ground.hardware.microphone, others: ground.hardware.otherMicrophones,
      request: board.microphone.request, historySeconds: recording.preRecordSeconds
    ) { inbox.post(.media(.microphone($0))) }
    input.configure(
      request: input.request(for: PCMFormat(settings: recording)), historySeconds: recording.preRecordSeconds,
      fileRate: recording.fileRate, session: SessionPlan(settings, board: board).session)
    let recorder = Recorder(input: input, pipe: pipe, clock: ground.clock, settings: recording) {
      inbox.post(.media(.recorder($0)))
    }
    self.input = input
    self.recorder = recorder
    self.pipe = pipe
    player = Player(
      speaker: ground.hardware.speaker, request: board.speaker.request, settings: PlaybackSettings(settings),
      links: Decoders(ground).links
    ) {
      inbox.post(.media(.player($0)))
    }
  }

  /// The worker that runs them, and makes clips of the same sound.
  ///
  /// - Parameters:
  ///   - shapes: makes the shapes of takes.
  ///   - display: may follow the levels by itself.
  func worker(
    _ ground: Ground, settings: Settings, clips: ClipParts?, prompts: PromptLane?, shapes: IdleShapes,
    display: DisplayWorker?
  ) -> MediaWorker {
    let lanes = ground.lanes
    let wakeControl = lanes.waker(of: .control)
    return MediaWorker(
      recorder: recorder, input: input, player: player, pipe: pipe, speaker: ground.session,
      others: PCMClients(speaker: ground.speaker, request: ground.board.speaker.request) { [inbox = ground.inbox] in
        inbox.post(.media(.client($0)))
      },
      plan: SessionPlan(settings, board: ground.board), shapes: shapes,
      clips: clips?.makeMaking(sound: input, clock: ground.clock, settings: settings, inbox: ground.inbox),
      wake: lanes.waker(of: .media), wakeStorage: lanes.waker(of: .storage),
      onLevels: { if display?.follows() != true { wakeControl() } },
      quietFrom: { prompts?.quietFrom ?? .zero },
      onSource: { [inbox = ground.inbox] in inbox.post(.media(.sourceBeside($0))) },
      onSession: { [inbox = ground.inbox] in inbox.post(.media(.session($0))) })
  }

  private static func pipeBytes(_ format: PCMFormat, fileBits: Int) -> Int {
    max(1 << 20, stallSeconds * format.sampleRate * format.channels * max(fileBits, format.bits) / 8)
  }

  /// Enters the rings into the board's ledger; refused if one is above its line.
  private static func register(
    _ ledger: BudgetLedger, board: BoardDescription, _ format: PCMFormat, seconds: Int, pipe: RecordingPipe
  ) throws(BudgetRefusal) {
    try ledger.register(.audioIn, "capture ring", bytes: CaptureInput.ringBytes(format))
    try ledger.register(.preRecord, "pre-record", bytes: CaptureInput.historyBytes(format, seconds: seconds))
    try ledger.register(.encoder, "pipe to the storage", bytes: pipe.capacity)
    try ledger.register(.audioOut, "render ring", bytes: board.speaker.format.sampleRate / 2 * 8)
  }
}
