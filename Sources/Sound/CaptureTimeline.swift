public import Hardware

/// Numbers the frames of a microphone's stream and maps them to the device's clock and back.
///
/// Within a run of sound frames follow one another, whatever the jitter of the blocks' times and the drift of the
/// converter's clock: a gap is made only where the driver says that sound was lost (a discontinuity, or a loss and a
/// later return), and is as long as the times on both sides say, in frames. Frame 0 is the first one delivered.
///
/// The mapping follows the converter's clock with a delay-locked loop of second order (F. Adriaensen, "Using a DLL to
/// filter time", Linux Audio Conference 2005). Its bandwidth narrows from 0.1 Hz to 0.01 Hz as it learns, so that
/// jitter of a whole period moves it by a fraction of a millisecond. A pure value; one thread at a time.
public struct CaptureTimeline: Sendable {
  /// What one block meant.
  public struct Placement: Hashable, Sendable {
    /// Frames that are missing before this block's sound; to be filled with silence. 0 nearly always.
    public var gapFrames: Int
    /// Number of the first of the block's frames (the gap, if there is one, comes before it).
    public var firstFrame: Int
    /// Frames of sound in the block.
    public var frames: Int
    /// Why there is a gap.
    public var cause: CaptureBlock.Kind?

    public init(gapFrames: Int, firstFrame: Int, frames: Int, cause: CaptureBlock.Kind?) {
      self.gapFrames = gapFrames
      self.firstFrame = firstFrame
      self.frames = frames
      self.cause = cause
    }
  }

  /// Loop bandwidth in Hz after `seconds` of observation.
  private static func bandwidth(after seconds: Double) -> Double { max(0.01, min(0.1, 1 / max(seconds, 1e-9))) }
  /// Converters are taken to be this exact at worst; the loop never goes beyond.
  private static let largestDrift = 500e-6
  /// Blocks in a row that are off by more than four periods before the mapping (not the numbering) starts afresh.
  private static let patience = 8

  private let nominal: Double
  /// Nanoseconds a frame, as the loop has it.
  private var nanosecondsPerFrame: Double
  /// Where the loop stands: the end of the last block, in frames and as its exact offset from `origin`.
  private var anchorFrame = 0
  private var anchorOffset = 0.0
  /// Large instants lose their nanoseconds in a `Double`; offsets from the first block's start do not.
  private var origin: Instant?
  private var pendingCause: CaptureBlock.Kind?
  private var strayBlocks = 0
  /// Seconds over which the rate has been observed, and the phase since it was last set.
  private var rateSeconds = 0.0
  private var phaseSeconds = 0.0

  /// The number that the next frame of sound will have, gaps aside.
  public private(set) var nextFrame = 0

  /// - Parameter format: as granted.
  public init(format: PCMFormat) {
    nominal = 1e9 / Double(max(1, format.sampleRate))
    nanosecondsPerFrame = nominal
  }

  /// The converter's deviation from its nominal rate, in parts per million, as measured.
  public var driftPPM: Double { (nominal / nanosecondsPerFrame - 1) * 1e6 }

  /// Takes in the next block.
  public mutating func add(_ block: CaptureBlock) -> Placement {
    guard block.kind == .sound, block.frames > 0 else {
      // Before the first sound nothing can be missing.
      if block.kind != .sound, origin != nil { pendingCause = worse(pendingCause, block.kind) }
      return Placement(gapFrames: 0, firstFrame: nextFrame, frames: 0, cause: nil)
    }
    let frames = Int(block.frames)
    guard let origin else {
      let length = Int64((Double(frames) * nominal).rounded())
      origin = block.end - .nanoseconds(length)
      anchorFrame = frames
      anchorOffset = Double(length)
      nextFrame = frames
      return Placement(gapFrames: 0, firstFrame: 0, frames: frames, cause: nil)
    }
    let end = Double((block.end - origin).nanoseconds)
    guard let cause = pendingCause else {
      let first = nextFrame
      nextFrame += frames
      follow(end, frames: frames)
      return Placement(gapFrames: 0, firstFrame: first, frames: frames, cause: nil)
    }
    pendingCause = nil
    // Times that overlap (a driver's guess was late) mean that nothing is missing.
    let gap = max(0, distance(to: block, from: origin))
    let first = nextFrame + gap
    nextFrame = first + frames
    anchorFrame = nextFrame
    anchorOffset = end
    strayBlocks = 0
    phaseSeconds = 0
    return Placement(gapFrames: gap, firstFrame: first, frames: frames, cause: gap > 0 ? cause : nil)
  }

  /// Another converter goes on from here. What is missing between the two follows from the times of its first block; its
  /// rate is learnt anew.
  public mutating func changeSource() {
    if origin != nil { pendingCause = .lost }
    nanosecondsPerFrame = nominal
    rateSeconds = 0
  }

  /// Frames of the next block of sound that lie before the end of the last one.
  public func overlap(of block: CaptureBlock) -> Int {
    origin.map { max(0, -distance(to: block, from: $0)) } ?? 0
  }

  /// Frames that are missing before a block, should it come next.
  public func missing(before block: CaptureBlock) -> Int {
    guard pendingCause != nil, let origin, block.kind == .sound, block.frames > 0 else { return 0 }
    return max(0, distance(to: block, from: origin))
  }

  /// Frames from the end of the last block of sound to the beginning of another, by their times; negative where they overlap.
  private func distance(to block: CaptureBlock, from origin: Instant) -> Int {
    let start = Double((block.end - origin).nanoseconds) - Double(block.frames) * nanosecondsPerFrame
    return Int(Self.bounded((start - anchorOffset) / nanosecondsPerFrame))
  }

  /// Number of the frame that was (or will be) at the converter at `instant`; negative before the first.
  /// `nil` before the first block.
  public func frame(at instant: Instant) -> Int? {
    guard let origin else { return nil }
    let offset = Double((instant - origin).nanoseconds) - anchorOffset
    return anchorFrame + Int(Self.bounded(offset / nanosecondsPerFrame))
  }

  /// When a frame was (or will be) at the converter; `nil` before the first block.
  public func instant(ofFrame frame: Int) -> Instant? {
    guard let origin else { return nil }
    let offset = anchorOffset + Double(frame - anchorFrame) * nanosecondsPerFrame
    return origin + .nanoseconds(Int64(Self.bounded(offset)))
  }

  /// One turn of the loop: predicts the block's end, compares, corrects phase and rate.
  private mutating func follow(_ end: Double, frames: Int) {
    let length = Double(frames) * nanosecondsPerFrame
    let predicted = anchorOffset + length
    var error = end - predicted
    anchorFrame = nextFrame
    if abs(error) > 4 * length {
      strayBlocks += 1
      if strayBlocks >= Self.patience {
        anchorOffset = end
        strayBlocks = 0
        phaseSeconds = 0
      } else {
        anchorOffset = predicted
      }
      return
    }
    strayBlocks = 0
    error = max(-length, min(length, error))
    // After a gap the phase is new but the rate is known: it keeps its narrow bandwidth.
    let angle = 2 * Double.pi * length / 1e9
    let phaseTurn = angle * Self.bandwidth(after: phaseSeconds)
    let rateTurn = angle * Self.bandwidth(after: rateSeconds)
    phaseSeconds += length / 1e9
    rateSeconds += length / 1e9
    anchorOffset = predicted + min(1, 2.0.squareRoot() * phaseTurn) * error
    let rate = nanosecondsPerFrame + min(1, rateTurn * rateTurn) * error / Double(frames)
    let limit = nominal * Self.largestDrift
    nanosecondsPerFrame = max(nominal - limit, min(nominal + limit, rate))
  }

  /// The nearest whole number, kept within what integers can hold: times may be nonsense, the numbers must not trap.
  private static func bounded(_ value: Double) -> Double { max(-4e18, min(4e18, value.rounded())) }

  private func worse(_ first: CaptureBlock.Kind?, _ second: CaptureBlock.Kind) -> CaptureBlock.Kind {
    first == .lost ? .lost : second
  }
}
