internal import Hardware
internal import Sound

/// The history of the microphone as it goes into a file, from any frame on. Media lane only.
///
/// Wherever it begins, it hears a little of what was before, so that filter and limiter are in the state that they had
/// when the meters showed that sound.
public final class ShapedSound {
  private let input: CaptureInput
  private let shaper: SoundShaper
  /// The next frame to come out; everything up to `latency` frames behind it has gone in.
  private var next: Int?

  /// Frames that are heard before the first: some memory of the limiter, all of the filter.
  private static let warmUpFrames = 4800

  /// What it is lower by, as a factor.
  private let share: Float
  /// 12 dB less.
  private static let safetyShare: Float = 0.251_188_64

  /// - Parameters:
  ///   - gain: to begin with, as a factor.
  ///   - isSafety: as it goes into the safety take: lower, and as it is before automatic gain and limiter.
  public init(_ input: CaptureInput, gain: Float, isSafety: Bool = false) {
    self.input = input
    share = isSafety ? Self.safetyShare : 1
    shaper = input.makeShaper(gain: gain * share, isPlain: isSafety)
  }

  /// Goes to another gain.
  public func setGain(_ gain: Float) { shaper.gain.setGain(gain * share) }

  /// Frames that can be had now lie before this one.
  ///
  /// - Parameter isOver: nothing more comes: silence stands for what the limiter would have to know.
  public func endFrame(isOver: Bool) -> Int { input.endFrame - (isOver ? 0 : shaper.latency) }

  /// Copies up to `frames` frames from `frame` on, as `PreRecordRing.read`; at most a chunk of the input's.
  public func read(from frame: Int, into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    guard shaper.hasMemory else {
      let count = input.history.read(from: frame, into: target, frames: frames)
      shaper.process(target, frames: count, at: frame)
      return count
    }
    guard frame >= input.history.firstFrame, frame < input.endFrame, frames > 0 else { return 0 }
    if next != frame {
      var place = max(input.history.firstFrame, frame - Self.warmUpFrames)
      while place < frame + shaper.latency {
        let count = min(frames, frame + shaper.latency - place)
        feed(target, from: place, frames: count)
        place += count
      }
    }
    let count = min(frames, input.endFrame - frame)
    feed(target, from: frame + shaper.latency, frames: count)
    next = frame + count
    return count
  }

  /// Has frames go through; those that have not come are silence.
  private func feed(_ target: UnsafeMutablePointer<Float>, from frame: Int, frames: Int) {
    let channels = input.format.channels
    let held = input.history.read(from: frame, into: target, frames: frames)
    (target + held * channels).update(repeating: 0, count: (frames - held) * channels)
    shaper.process(target, frames: frames, at: frame)
  }
}
