internal import Hardware
internal import Media
internal import Recording

/// A clip being made: which pictures and which sound it still wants, and what is to be told of it. Media lane only.
final class OpenClip {
  enum Stage {
    /// Its first keyframe, or the end of the clip that it continues, is still to come.
    case waiting
    case running
    /// Everything is in the pipe.
    case done
    /// Nothing came of it.
    case refused(code: String, text: String)
  }

  /// What it works with.
  struct Surroundings {
    let buffer: PictureBuffer
    let sound: CaptureInput
    let pipe: RecordingPipe
    let clock: any DeviceClock
  }

  let number: Int
  var cut: CutPlanner.Cut
  var stage = Stage.waiting
  /// Where it ends; known once the picture after the last one has come, or is not waited for any more.
  var end: Instant?
  /// The storage takes no more of it.
  var refusal: StopReason?
  var receipt = Receipt()

  let world: Surroundings
  let bitrateKbps: Int
  var encoder: SoundEncoder?
  var codec = VideoCodec.h264
  var epoch = 0
  /// The format that sound must have to be in this clip.
  var soundFormat: PCMFormat?
  var run = PresentationRun(rate: 48_000, firstFrame: 0)
  /// Ticks of the pictures that were in the ring at the start: the edit list depends on them.
  var plannedTicks: [Int] = []
  var firstPicture = 0
  var nextPicture = 0
  /// Ticks that the edit list skips; the frame that is heard first.
  var skippedTicks = 0
  var firstFrame = 0
  /// Next frame of the clip's clock to be encoded, and the one after the last.
  var soundCursor = 0
  var endFrame: Int?
  var endTick = 0
  /// The last picture sent, and the rhythm at it.
  var lastTime: Instant?
  var lastPeriod = 33_333_333
  var isWaitingForKeyframe = false
  /// For the split that is due.
  var hasAskedForKeyframe = false
  /// Another size or codec came: no more pictures fit into this file.
  var isPictureTrackOver = false
  var lossesAtStart = PictureBuffer.Losses()

  private let scratch: UnsafeMutablePointer<Float>

  static let chunkFrames = 2048
  /// Silent camera or microphone: how long an end waits for what belongs before it.
  static let patience = Duration.seconds(1)

  init(_ cut: CutPlanner.Cut, bitrateKbps: Int, world: Surroundings) {
    number = cut.number
    self.cut = cut
    self.bitrateKbps = bitrateKbps
    self.world = world
    scratch = .allocate(capacity: Self.chunkFrames * 2)
    scratch.initialize(repeating: 0, count: Self.chunkFrames * 2)
  }

  deinit { scratch.deallocate() }

  var samples: UnsafeMutablePointer<Float> { scratch }

  var isRunning: Bool { if case .running = stage { true } else { false } }
  var isOver: Bool {
    switch stage {
    case .waiting, .running: false
    case .done, .refused: true
    }
  }

  /// The oldest picture that it still needs; `nil` if none.
  func pinned(in ring: FrameRing) -> Int? {
    switch stage {
    case .waiting: ring.number(at: cut.start).flatMap { ring.start(of: $0) } ?? ring.firstKeyframe
    case .running: end == nil ? nextPicture : nil
    case .done, .refused: nil
    }
  }

  /// Seconds from the clip's start.
  func position(of time: Instant) -> Double { (time - receipt.start).inSeconds }

  func noteGap(_ track: String, from start: Double, seconds: Double, reason: String) {
    let begin = max(0, start)
    let length = seconds - (begin - start)
    guard length > 0 else { return }
    if let index = receipt.gaps.lastIndex(where: { $0.track == track }), receipt.gaps[index].reason == reason,
      abs(receipt.gaps[index].start + receipt.gaps[index].seconds - begin) < 1e-6
    {
      receipt.gaps[index].seconds += length
      return
    }
    // A receipt is no log: what goes on limping is told in numbers.
    if receipt.gaps.count < 1000 {
      receipt.gaps.append(Receipt.Gap(track: track, start: begin, seconds: length, reason: reason))
    }
  }
}
