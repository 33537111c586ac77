internal import Hardware

/// How far a device's own crystal is off: it turns the device's nominal time into true time, and back.
///
/// The same bits on every machine: only IEEE 754 basic operations.
public struct ClockError: Hashable, Sendable {
  /// Parts in a million; above zero the device runs fast, so that its pictures and samples come early.
  public var partsPerMillion: Double

  public static let none = ClockError(partsPerMillion: 0)

  public init(partsPerMillion: Double) { self.partsPerMillion = partsPerMillion }

  /// How long the device really takes for what it calls `nominal`.
  public func actual(_ nominal: Duration) -> Duration {
    guard partsPerMillion != 0 else { return nominal }
    let error = partsPerMillion * 1e-6
    // The difference alone goes through floating point, so that days stay exact to the nanosecond.
    return .nanoseconds(
      nominal.nanoseconds - Int64((Double(nominal.nanoseconds) * (error / (1 + error))).rounded()))
  }

  /// What the device calls a length of true time; within a nanosecond the inverse of `actual`.
  public func nominal(_ actual: Duration) -> Duration {
    guard partsPerMillion != 0 else { return actual }
    return .nanoseconds(
      actual.nanoseconds + Int64((Double(actual.nanoseconds) * (partsPerMillion * 1e-6)).rounded()))
  }
}
