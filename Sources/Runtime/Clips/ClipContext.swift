internal import Appliance
internal import Board
internal import Budget
internal import Clips
internal import Console
internal import Hardware
internal import JSON
internal import Panel
internal import Recording

/// What the control lane keeps of clip capture: how the board makes clips, what is known of the camera, readings, and
/// what the screens show of clips. Control lane only.
final class ClipContext {
  private let board: BoardDescription
  private let layout: ClipLayout
  /// What the camera granted; `nil` while there is none.
  var grant: CameraGrant?
  var cameraName = ""
  /// Bytes kept for pictures on their way to a storage that does not answer.
  var reserveBytes = 0
  /// What telemetry tells of the process; `nil` in virtual time.
  let process: ProcessReadings?
  /// Readings of the last ten minutes.
  private(set) var telemetry = TelemetryHistory(capacity: 600)
  /// What the screens know of clips in the list.
  private(set) var cards: [String: ClipCard] = [:]
  /// The receipt that was asked for last, and whose it is.
  var receipt: (id: String, json: JSONValue) = ("", .null)
  /// What the camera saw a moment ago.
  let preview: CameraPreview
  var lengths = ClipLengths()
  /// Who waits for what becomes of a trigger.
  let answers = TriggerAnswers()
  /// Enters the bytes of the ring in the budget.
  private let enterRing: (Int) -> Void
  /// What the governor leaves of the pictures on the OLED, and of the seconds before a trigger.
  var hasPreview = true
  var hasShortRing = false
  /// Pictures that were lost before this mode was entered.
  var lostBefore = 0

  init(
    board: BoardDescription, process: ProcessReadings?, preview: CameraPreview, enterRing: @escaping (Int) -> Void
  ) {
    self.enterRing = enterRing
    self.board = board
    self.process = process
    self.preview = preview
    layout = ClipLayout(board)
  }

  /// Seconds that the board's ring can hold at most.
  var largestSeconds: Int { layout.largestSeconds }

  /// Bytes of pictures that may be decoded at a time.
  var decodedBytes: Int { layout.decodedBytes }

  /// What clips cost on the card, pictures and sound.
  var bytesPerSecond: Int { layout.bytesPerSecond }

  /// The settings in the recorder's words.
  func settings(_ settings: Settings) -> ClipSettings {
    ClipSettings(settings, seconds: windowSeconds(settings), board: board, layout: layout)
  }

  /// Seconds from before a trigger, as they are now.
  func windowSeconds(_ settings: Settings) -> Int {
    hasShortRing ? max(1, settings.clipDurationSeconds / 2) : settings.clipDurationSeconds
  }

  /// Keeps cards of the list; of a long list only those seen last.
  func add(_ new: [String: ClipCard]) {
    if cards.count > 200 { cards = [:] }
    cards.merge(new) { $1 }
  }

  func add(_ reading: Telemetry) { telemetry.add(reading) }

  /// The ring has as many bytes now.
  func noteRing(bytes: Int) { if bytes > 0 { enterRing(bytes) } }

  /// What was granted, of the size that the pictures themselves have; `nil` while there is no camera.
  func sight(_ status: ClipStatus) -> CameraGrant? {
    var sight = grant
    if let format = status.format {
      sight?.format.width = format.width
      sight?.format.height = format.height
    }
    return sight
  }

  /// `720p30 H.264`; what was granted, or else what will be asked for.
  func formatText(_ status: ClipStatus) -> String {
    let format =
      sight(status)?.format
      ?? VideoFormat(
        codec: board.camera.codecs.first ?? .h264, width: board.camera.width, height: board.camera.height,
        framesPerSecond: board.camera.framesPerSecond)
    let coding =
      switch format.codec {
      case .h264, .nv12, .yuyv: "H.264"
      case .mjpeg: "JPEG"
      }
    let isUsual = format.width * 9 == format.height * 16
    let size = isUsual ? "\(format.height)p\(format.framesPerSecond)" : "\(format.width)x\(format.height)"
    return "\(size) \(coding)"
  }

  /// What the screens show.
  func fill(_ readings: inout Readings, state: State, status: MediaStatus, now: Instant) {
    var clips = ClipReadings()
    let ring = status.clips.ring
    clips.formatText = formatText(status.clips)
    clips.windowSeconds = Double(windowSeconds(state.settings))
    clips.heldSeconds = min(ring.seconds, clips.windowSeconds)
    clips.framesPerSecond = status.clips.framesPerSecond
    clips.lostFrames = max(0, status.clips.droppedPictures - lostBefore)
    clips.secondsToGo = status.clips.remainingSeconds
    clips.postRollSeconds = Double(state.settings.clipPostRollSeconds)
    (clips.clipSeconds, clips.triggers) = lengths.shown(now)
    // Not while a list, or what plays, lies over it.
    let isInSight = state.screen == .main && state.activity == .idle && state.health.hasCamera
    clips.preview = isInSight && hasPreview ? preview.picture(at: now) : nil
    if state.screen == .files { clips.cards = cards }
    if state.screen == .receipt, receipt.id == state.files.selection?.id {
      clips.receipt = ReceiptRows.rows(receipt.json, in: state.settings.language)
    }
    readings.clips = clips
  }
}

/// How much memory clips take on a board, and what that holds.
struct ClipLayout {
  /// Bytes a second of pictures, and of pictures and sound in a file.
  let pictureRate: Int
  let bytesPerSecond: Int
  /// The way to the storage: what comes while it does not answer.
  let pipeBytes: Int
  /// The most that the ring of pictures may have.
  let largestRing: Int
  let largestSeconds: Int
  private let keyframeSeconds: Double
  /// Bytes of pictures that may be decoded at a time, for the OLED, lists and snapshots: what the camera's line has beside
  /// a second of its stream.
  let decodedBytes: Int

  /// Sound as AAC at its highest rate.
  private static let soundRate = 40_000
  /// Pictures come in bursts around their rate, and the ring keeps some bytes beside each.
  private static let slack = 1.15

  init(_ board: BoardDescription) {
    let camera = board.camera
    pictureRate = camera.bitrateKbps * 125
    bytesPerSecond = pictureRate + Self.soundRate
    pipeBytes = board.clips.stallSeconds * bytesPerSecond
    let plan = BudgetPlan(board)
    largestRing = max(0, plan.line(.ring).memoryKB * 1024 - pipeBytes)
    decodedBytes = max(0, plan.line(.camera).memoryKB * 1024 - pictureRate)
    keyframeSeconds = Double(camera.keyframeInterval) / Double(max(1, camera.framesPerSecond))
    let seconds = Double(largestRing) / (Double(pictureRate) * Self.slack) - keyframeSeconds - Self.tail
    largestSeconds = max(0, min(60, Int(seconds)))
  }

  /// Of the newest pictures, what a trigger that is handled late may still want before it.
  private static let tail = 0.5

  /// Bytes of a ring for a window.
  func ringBytes(seconds: Int) -> Int {
    let wanted = (Double(seconds) + keyframeSeconds + Self.tail) * Double(pictureRate) * Self.slack
    return min(largestRing, Int(wanted))
  }
}

extension ClipSettings {
  /// The part of the settings, and of the board file, that the clip recorder follows.
  ///
  /// - Parameter seconds: from before a trigger.
  init(_ settings: Settings, seconds: Int, board: BoardDescription, layout: ClipLayout) {
    let seconds = min(seconds, layout.largestSeconds)
    self.init(
      preRollSeconds: seconds, postRollSeconds: settings.clipPostRollSeconds,
      overlap: Overlap(rawValue: settings.clipOverlap.rawValue) ?? .merge,
      ringStore: RingStore(rawValue: settings.clipRing.rawValue) ?? .memory, longestSeconds: board.clips.longestSeconds,
      soundBitrateKbps: settings.encoderBitrateKbps, camera: board.camera.request,
      ringBytes: layout.ringBytes(seconds: seconds), largestRingBytes: layout.largestRing,
      soundTriggerDBFS: settings.hasSoundTrigger ? Double(settings.soundTriggerDecibels) : nil,
      motionTriggerRatio: settings.hasMotionTrigger ? settings.motionTriggerRatio : nil)
  }
}
