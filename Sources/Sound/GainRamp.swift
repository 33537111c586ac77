public import Hardware

/// A gain that changes without a click: along a smooth S (3t² − 2t³, no corner at either end) over 5 ms.
///
/// At a settled gain of 1 samples are not touched at all, so that a take stays bit-exact. One thread at a time.
public struct GainRamp: Sendable {
  private let channels: Int
  private let rampFrames: Int
  private var start: Float
  private var target: Float
  /// Frames of the ramp that are done; `rampFrames` when settled.
  private var position: Int

  /// - Parameters:
  ///   - length: of a change.
  ///   - gain: to begin with, as a factor.
  public init(format: PCMFormat, length: Duration = .milliseconds(5), gain: Float = 1) {
    channels = format.channels
    rampFrames = max(1, format.frames(in: length))
    start = gain
    target = gain
    position = rampFrames
  }

  /// The gain that is being gone to, or held.
  public var gain: Float {
    @_noLocks @_noAllocation get { target }
  }

  /// Whether a change is under way.
  public var isChanging: Bool {
    @_noLocks @_noAllocation get { position < rampFrames }
  }

  /// Goes to another gain, from wherever it is now.
  @_noLocks @_noAllocation
  public mutating func setGain(_ gain: Float) {
    guard gain != target else { return }
    start = current
    target = gain
    position = 0
  }

  /// Goes to another gain at once, where nothing is heard.
  @_noLocks @_noAllocation
  public mutating func jump(to gain: Float) {
    start = gain
    target = gain
    position = rampFrames
  }

  /// Applies the gain to interleaved frames, in place.
  @_noLocks @_noAllocation
  public mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int) {
    apply(to: samples, frames: frames, stride: channels)
  }

  /// The same to the first channels of frames that have `stride` of them.
  @_noLocks @_noAllocation
  public mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int, stride: Int) {
    var frame = 0
    while frame < frames, position < rampFrames {
      position += 1
      let gain = current
      for channel in 0..<channels { samples[frame * stride + channel] *= gain }
      frame += 1
    }
    guard target != 1 else { return }
    while frame < frames {
      for channel in 0..<channels { samples[frame * stride + channel] *= target }
      frame += 1
    }
  }

  /// Fades `frames` interleaved frames in from silence, in place.
  @_noLocks @_noAllocation
  public static func fadeIn(_ samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
    for frame in 0..<frames {
      let gain = smooth(Float(frame + 1) / Float(frames + 1))
      for channel in 0..<channels { samples[frame * channels + channel] *= gain }
    }
  }

  /// Fades `frames` interleaved frames out to silence, in place.
  @_noLocks @_noAllocation
  public static func fadeOut(_ samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
    for frame in 0..<frames {
      let gain = smooth(Float(frames - frame) / Float(frames + 1))
      for channel in 0..<channels { samples[frame * channels + channel] *= gain }
    }
  }

  private var current: Float {
    @_noLocks @_noAllocation
    get {
      guard position < rampFrames else { return target }
      return start + (target - start) * Self.smooth(Float(position) / Float(rampFrames))
    }
  }

  @_noLocks @_noAllocation
  private static func smooth(_ part: Float) -> Float { part * part * (3 - 2 * part) }
}
