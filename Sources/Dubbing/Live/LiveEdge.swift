/// Keeps a live stream at a constant distance from its edge, by the gentlest means that will do. Pure.
///
/// Nothing within ±20 ms; then half a thousandth faster or slower, which nobody hears; beyond 200 ms speech 3 % faster or
/// slower at the same pitch; beyond 2 s a jump at the next boundary.
public struct LiveEdge: Hashable, Sendable {
  public enum Correction: Hashable, Sendable {
    case none
    /// Parts per million of speed; positive: faster.
    case resample(Double)
    /// Factor of speed, 0.97…1.03.
    case stretch(Double)
    /// Frames to skip (positive) or to go back at the next boundary.
    case jump(Int)
  }

  public static let deadBand = 0.020
  public static let stretchBeyond = 0.200
  public static let jumpBeyond = 2.0
  private static let ppm = 500.0
  private static let factor = 0.03
  /// A correction ends this close to the goal: no hunting at the edge of the dead band.
  private static let arrived = 0.005

  private var active = Correction.none
  /// The distance is that of the last segments: it moves by a segment's length as they come in.
  private var distances: [Double] = []
  /// 24 s: whole segments of 1, 2, 3, 4, 6 and 8 s.
  private static let kept = 240
  /// Left out at both ends: a stall is not the stream's distance.
  private static let outliers = 24

  public init() {}

  /// Distance that is aimed at: what the dub needs, but not less than the stream was begun with.
  ///
  /// - Parameters:
  ///   - roundTrip: of the dubbing service, 95 % of its answers; seconds.
  ///   - segment: the stream's segments, seconds.
  ///   - initial: where the stream was begun, seconds behind its edge.
  public static func wantedDistance(roundTrip: Double?, segment: Double, initial: Double) -> Double {
    max(initial, (roundTrip ?? 0) + segment)
  }

  /// Takes in a measurement of the distance to the edge, ten a second: less often, they would beat with the segments.
  public mutating func measured(_ seconds: Double) {
    guard seconds.isFinite else { return }
    distances.append(seconds)
    if distances.count > Self.kept { distances.removeFirst() }
  }

  /// The distance without the saw-tooth that segments make of it; `nil` until there are enough measurements.
  public var distance: Double? {
    guard distances.count == Self.kept else { return nil }
    // A median would jump between the values of a saw-tooth.
    let middle = distances.sorted().dropFirst(Self.outliers).dropLast(Self.outliers)
    return middle.reduce(0, +) / Double(middle.count)
  }

  /// After a jump or a new start nothing is known.
  public mutating func restart() {
    distances = []
    active = .none
  }

  /// What is to be done to come from the measured distance to `wanted` (seconds).
  ///
  /// - Parameter mayGoBack: false: behind lies what was heard, and the way back is made slowly, however long it is.
  public mutating func correction(wanted: Double, mayGoBack: Bool = true) -> Correction {
    guard let distance else { return .none }
    return correct(error: distance - wanted, mayGoBack: mayGoBack)
  }

  /// - Parameter error: seconds; positive: too far behind.
  mutating func correct(error: Double, mayGoBack: Bool = true) -> Correction {
    let size = abs(error)
    let sign = error < 0 ? -1.0 : 1.0
    if size > Self.jumpBeyond, error > 0 || mayGoBack {
      active = .jump(Int(error * 48_000))
    } else if size > Self.stretchBeyond {
      active = .stretch(1 + sign * Self.factor)
    } else if size > Self.deadBand {
      // A stretch goes on until it is as good as there.
      if case .stretch(let speed) = active, (speed > 1) == (sign > 0) { return active }
      active = .resample(sign * Self.ppm)
    } else if size < Self.arrived {
      active = .none
    } else if case .resample(let ppm) = active, (ppm > 0) == (sign > 0) {
      return active
    } else {
      active = .none
    }
    return active
  }
}
