public import Hardware

/// Makes the speaker, or who listens to a microphone, keep the system's time, though the crystal has another one.
///
/// The speaker's rate, found by the loop of `SpeakerClock`, is made up for at once; what is left of the error is worked
/// off within some 10 s, by ±500 ppm at most. Together never more than ±1000 ppm, less than two cents: nobody hears it.
/// Pure.
public struct DriftControl: Hashable, Sendable {
  private static let limit = 1000.0
  private static let workLimit = 500.0
  /// Seconds in which an error is worked off.
  private static let timeConstant = 10.0

  /// Where the timeline should be at the converter: a place at a time.
  private var anchor: (frame: Double, at: Instant)?
  /// How far the speaker is ahead of it, in seconds.
  public private(set) var error = 0.0

  /// Frames a second of the timeline.
  private let rate: Double

  /// - Parameter rate: frames a second of the timeline that is steered.
  public init(rate: Int = 48_000) { self.rate = Double(rate) }

  public static func == (left: DriftControl, right: DriftControl) -> Bool { left.error == right.error }
  public func hash(into hasher: inout Hasher) { hasher.combine(error) }

  /// The timeline runs from here, with the sound as it is now: after a start, a pause, a jump.
  public mutating func anchor(frame: Double, at time: Instant) {
    anchor = (frame, time)
    error = 0
  }

  public mutating func restart() {
    anchor = nil
    error = 0
  }

  /// Where the timeline should be at `time`.
  public func reference(at time: Instant) -> Double? {
    anchor.map { $0.frame + (time - $0.at).inSeconds * rate }
  }

  /// How fast sound must be taken, in ppm, so that it is in time.
  ///
  /// - Parameters:
  ///   - frame: the timeline's frame at the converter now, had nobody steered.
  ///   - speakerPPM: how much faster than nominal the speaker is.
  ///   - steering: what is to be taken faster for other reasons, without an error of it.
  public mutating func correction(frame: Double, at time: Instant, speakerPPM: Double, steering: Double = 0) -> Double {
    guard let reference = reference(at: time) else {
      anchor(frame: frame, at: time)
      return 0
    }
    error = (frame - reference) / rate
    let work = max(-Self.workLimit, min(Self.workLimit, steering - error * 1e6 / Self.timeConstant))
    let wanted = work - speakerPPM
    return max(-Self.limit, min(Self.limit, wanted))
  }
}
