public import Hardware

/// Which frame a speaker plays at which time, and how fast: a second-order delay-locked loop.
///
/// F. Adriaensen, "Using a DLL to filter time" (Linux Audio Conference 2005): prediction, its error e, and with
/// ω = 2πB·Δt the corrections √2·ω·e of the place and ω²·e of the speed. The bandwidth B begins at 1 Hz, so that it
/// locks within a second, and narrows to 0.05 Hz as stamps come in: the range that PipeWire's resampler uses is
/// 0.016…0.128 Hz. One thread.
public struct SpeakerClock: Sendable {
  private static let widest = 1.0
  private static let narrowest = 0.05
  /// To begin again with a rate that is known.
  private static let resumed = 0.25
  /// A stamp this far from the prediction is none, be it a driver's mistake or a device that was late: seconds.
  private static let implausible = 0.020
  /// After so many of them in a row the device is believed: its position has really jumped.
  private static let patience = 8
  /// A clock that is further off its nominal rate than this is not one.
  private static let largestDeviation = 0.005

  private let nominal: Double
  private var lastTime = Instant.zero
  private var place = 0.0
  private var speed: Double
  /// Of the place's correction, and of the speed's: after a pause the place is anybody's guess, and the speed is known.
  private var bandwidth = widest
  private var speedBandwidth = widest
  private var stamps = 0
  private var strikes = 0
  /// Stamps that were not believed.
  public private(set) var droppedStamps = 0
  /// How often the device's position has jumped and been believed.
  public private(set) var jumps = 0

  /// - Parameter sampleRate: nominal frames a second.
  public init(sampleRate: Int) {
    nominal = Double(sampleRate)
    speed = nominal
  }

  /// Frames a second, by the system's clock.
  public var rate: Double { speed }
  /// How far the speaker's clock is from nominal.
  public var ppm: Double { (speed / nominal - 1) * 1e6 }
  /// Whether enough stamps have come in for `rate` to be used.
  public var isLocked: Bool { stamps >= 50 && bandwidth < 0.5 }

  /// The frame at the converter at `time`; `nil` before the first stamp.
  public func position(at time: Instant) -> Double? {
    stamps == 0 ? nil : place + speed * (time - lastTime).inSeconds
  }

  /// Takes in that frame `position` was at the converter at `time`.
  ///
  /// - Returns: false if it was not believed; a stamp that has been given before is ignored.
  @discardableResult
  public mutating func add(position: Int, at time: Instant) -> Bool {
    guard stamps > 0 else {
      begin(position, time)
      return true
    }
    let elapsed = (time - lastTime).inSeconds
    guard elapsed > 0 else { return elapsed == 0 }
    let predicted = place + speed * elapsed
    let error = Double(position) - predicted
    guard abs(error) < Self.implausible * nominal, elapsed < 10 else {
      droppedStamps += 1
      strikes += 1
      if strikes >= Self.patience || elapsed >= 10 {
        begin(position, time)
        jumps += 1
      }
      return false
    }
    strikes = 0
    stamps += 1
    let omega = min(1, 2 * Double.pi * bandwidth * elapsed)
    let speedOmega = min(1, 2 * Double.pi * speedBandwidth * elapsed)
    place = predicted + min(1, 2.0.squareRoot() * omega) * error
    speed += speedOmega * speedOmega * error / elapsed
    speed = max(nominal * (1 - Self.largestDeviation), min(nominal * (1 + Self.largestDeviation), speed))
    lastTime = time
    // Some 40 s from the widest to the narrowest.
    let narrowing = 1 - 0.075 * min(1, elapsed)
    bandwidth = max(Self.narrowest, bandwidth * narrowing)
    speedBandwidth = max(Self.narrowest, speedBandwidth * narrowing)
    return true
  }

  /// Starts again after silence, keeping the rate that was found: the crystal is the same.
  public mutating func restart() {
    stamps = 0
    strikes = 0
  }

  private mutating func begin(_ position: Int, _ time: Instant) {
    place = Double(position)
    lastTime = time
    stamps = 1
    strikes = 0
    // The place has to be found anew, the rate not.
    bandwidth = max(bandwidth, Self.resumed)
  }
}
