internal import Appliance
public import Board
internal import Budget
internal import Clips
internal import Hardware
internal import Library
public import Media
internal import Recording
internal import Threads

/// What clip capture is made of; there is none on a board without a camera, and then nothing of it is allocated.
final class ClipParts {
  let context: ClipContext
  let buffer: PictureBuffer
  let input: CameraInput
  /// Nothing is decoded for it on a board without a display.
  let preview: CameraPreview
  private let layout: ClipLayout
  private let inbox: Mailbox<ControlInput>
  private let pipe: RecordingPipe

  /// `nil` if the board names no camera, or there is none to be had.
  ///
  /// - Throws: the table, if what clips take does not fit the board's budget.
  init?(_ ground: Ground, settings: Settings) throws(BudgetRefusal) {
    let board = ground.board
    let inbox = ground.inbox
    guard board.camera.driver != .none, let camera = ground.hardware.camera else { return nil }
    let layout = ClipLayout(board)
    guard layout.largestSeconds > 0 else { return nil }
    self.layout = layout
    self.inbox = inbox
    buffer = PictureBuffer()
    preview = CameraPreview(
      buffer: buffer, room: layout.decodedBytes, wake: ground.lanes.waker(of: .pictures))
    let ledger = ground.ledger
    context = ClipContext(
      board: board, process: ground.options.isRealTime ? ProcessReadings(ground) : nil, preview: preview,
      // It never grows beyond what the budget has for it.
      enterRing: { try? ledger.register(.ring, "pictures", bytes: $0) })
    input = CameraInput(
      camera: camera, buffer: buffer, encoders: board.camera.encoder.kinds, report: { inbox.post(.camera($0)) })
    pipe = try Self.makePipe(ledger, layout, settings)
    context.reserveBytes = pipe.capacity
  }

  /// The way to the storage; it and the ring of pictures are entered into the board's ledger.
  ///
  /// - Throws: which of them is above the line.
  static func makePipe(
    _ ledger: BudgetLedger, _ layout: ClipLayout, _ settings: Settings
  ) throws(BudgetRefusal) -> RecordingPipe {
    let pipe = RecordingPipe(bytes: layout.pipeBytes, carriesPictures: true)
    try ledger.register(.ring, "pictures", bytes: layout.ringBytes(seconds: settings.clipDurationSeconds))
    try ledger.register(.ring, "way to the storage", bytes: pipe.capacity)
    return pipe
  }

  func makeMaking(
    sound: CaptureInput, clock: any DeviceClock, settings: Settings, inbox: Mailbox<ControlInput>
  ) -> ClipMaking {
    let report: (MediaEvent) -> Void = { inbox.post(.media($0)) }
    let recorder = ClipRecorder(
      buffer: buffer, sound: sound, pipe: pipe, clock: clock, settings: context.settings(settings)
    ) { report(.clips($0)) }
    return ClipMaking(recorder: recorder, pipe: pipe, report: report)
  }

  /// What writes clips into the library.
  func makeFiles(_ library: Library, _ ground: Ground, settings: Settings) -> ClipFiles {
    let inbox = inbox
    let clips = library.clips
    // What is kept free is what the next clips will need: half a minute, and no less than the index may.
    clips.retention.quotaBytes = settings.clipQuotaBytes
    clips.retention.reserveBytes = max(32 << 20, 30 * layout.bytesPerSecond)
    let spool = ClipSpool(storage: ground.hardware.storage)
    spool.seconds = Double(settings.clipDurationSeconds)
    let writer = FileWriter(
      pipe: pipe,
      stores: [
        .clip: ClipFileStore(clips, library.proofs, library.seals, authors: ground.authors),
        .spool: SpoolFileStore(spool, library.seals),
      ],
      tasks: ClipTasks(pictures: clips, spool: spool, room: layout.decodedBytes), clock: ground.clock,
      notes: { [book = ground.governorBook] in book.notes(from: $0, to: $1) },
      steps: RecordingSteps(lanes: ground.lanes)
    ) { inbox.post(.clipFiles($0)) }
    return ClipFiles(writer: writer, spool: spool)
  }
}

extension EncoderChoice {
  /// The encoders that may be tried, best first.
  public var kinds: [VideoEncoderKind] {
    VideoEncoderKind.allCases.filter { kind in
      switch self {
      case .auto: true
      case .hardware: kind == .v4l2
      case .software: kind != .v4l2
      }
    }
  }
}
