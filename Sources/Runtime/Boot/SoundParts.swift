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
    let pipe = try Self.makePipe(ground.ledger, board: board, recording)
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

  /// The way to the storage; it and the rings are entered into the board's ledger.
  ///
  /// - Throws: which of them is above its line.
  static func makePipe(
    _ ledger: BudgetLedger, board: BoardDescription, _ recording: RecordingSettings
  ) throws(BudgetRefusal) -> RecordingPipe {
    var format = board.microphone.format
    format.bits = max(format.bits, recording.bits)
    // It stays as it is when `recording.bitDepth` is changed: the next take may be in float.
    let stall = stallSeconds * format.sampleRate * format.channels * max(32, format.bits) / 8
    let pipe = RecordingPipe(bytes: max(1 << 20, stall))
    let history = CaptureInput.historyBytes(format, seconds: recording.preRecordSeconds)
    try ledger.register(.audioIn, "capture ring", bytes: CaptureInput.ringBytes(format))
    try ledger.register(.preRecord, "pre-record", bytes: history)
    try ledger.register(.encoder, "pipe to the storage", bytes: pipe.capacity)
    try ledger.register(.audioOut, "render ring", bytes: board.speaker.format.sampleRate / 2 * 8)
    return pipe
  }
}
