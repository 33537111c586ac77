internal import Appliance
internal import Board
internal import Budget
internal import Clips
internal import Dictaphone
internal import Hardware
internal import Library
internal import Media
internal import Threads

/// What clip capture is made of; there is none on a board without a camera, and then nothing of it is allocated.
final class ClipParts {
  let desk: ClipDesk
  let buffer: PictureBuffer
  let input: CameraInput
  private let layout: ClipLayout
  private let board: BoardDescription
  private let inbox: Mailbox<ControlInput>
  private let pipe: ClipPipe

  /// `nil` if the board names no camera, or there is none to be had.
  init?(_ hardware: HardwareSet, _ board: BoardDescription, options: RuntimeOptions, inbox: Mailbox<ControlInput>) {
    guard board.camera.driver != .none, let camera = hardware.camera else { return nil }
    let layout = ClipLayout(board)
    guard layout.largestSeconds > 0 else { return nil }
    self.board = board
    self.layout = layout
    self.inbox = inbox
    desk = ClipDesk(board: board, process: options.isRealTime ? ProcessReadings() : nil)
    buffer = PictureBuffer()
    let choice = board.camera.encoder
    input = CameraInput(
      camera: camera, buffer: buffer,
      makeEncoder: { (format, request) throws(MediaError) in
        try CameraEncoder(format, request, choice: choice)
      },
      report: { inbox.post(.camera($0)) })
    pipe = ClipPipe(bytes: layout.pipeBytes)
  }

  /// Enters what clips take into the board's ledger.
  func register(_ ledger: BudgetLedger, settings: Settings) throws(BudgetRefusal) {
    try ledger.register(.ring, "pictures", bytes: layout.ringBytes(seconds: settings.clipDurationSeconds))
    try ledger.register(.ring, "way to the storage", bytes: pipe.capacity)
  }

  func makeMaking(
    sound: CaptureInput, clock: any DeviceClock, settings: Settings, inbox: Mailbox<ControlInput>
  ) -> ClipMaking {
    let report: (MediaNews) -> Void = { inbox.post(.media($0)) }
    let recorder = ClipRecorder(
      buffer: buffer, sound: sound, pipe: pipe, clock: clock, settings: desk.settings(settings)
    ) { report(.clips($0)) }
    return ClipMaking(recorder: recorder, pipe: pipe, report: report)
  }
}

/// An encoder of room Media as the camera's input knows it.
private final class CameraEncoder: PictureEncoder {
  private let encoder: VideoEncoder
  private var wantsKeyframe = false

  init(_ format: VideoFormat, _ request: CameraRequest, choice: EncoderChoice) throws(MediaError) {
    let kinds = VideoEncoderKind.allCases.filter { kind in
      switch choice {
      case .auto: true
      case .hardware: kind == .v4l2
      case .software: kind != .v4l2
      }
    }
    encoder = try VideoEncoder(
      format, bitrate: request.bitrate, keyframeInterval: request.keyframeInterval, kinds: kinds)
  }

  var output: VideoFormat { encoder.output }
  func requestKeyframe() { wantsKeyframe = true }
  func encode(
    _ picture: UnsafeRawBufferPointer, at time: Instant,
    emit: (_ bytes: UnsafeRawBufferPointer, _ isKeyframe: Bool, _ time: Instant) -> Void
  ) throws(MediaError) {
    let forcesKeyframe = wantsKeyframe
    wantsKeyframe = false
    try encoder.encode(picture, time: time.nanoseconds, forcesKeyframe: forcesKeyframe) { picture in
      emit(picture.bytes, picture.isKeyframe, Instant(nanoseconds: picture.time))
    }
  }
}
