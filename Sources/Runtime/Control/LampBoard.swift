internal import Appliance
internal import Hardware
internal import Panel

/// Drives the lamps from the machine's state. Control lane only.
final class LampBoard {
  private let lamps: (any Lamps)?
  private let report: (DeviceError?) -> Void
  private var lit: [Lamp: Bool] = [:]
  private var hasFailed = false

  /// - Parameter report: told an error when a lamp cannot be set, and `nil` when it can again.
  init(lamps: (any Lamps)?, report: @escaping (DeviceError?) -> Void) {
    self.lamps = lamps
    self.report = report
  }

  /// Sets every lamp as the state demands at `now`.
  ///
  /// - Returns: when a blinking one changes next.
  func refresh(_ state: State, now: Instant) -> Instant? {
    let patterns = LampTable.patterns(for: state)
    for lamp in Lamp.allCases { set(lamp, isLit: patterns[lamp].isLit(at: now)) }
    return patterns.nextChange(after: now)
  }

  private func set(_ lamp: Lamp, isLit: Bool) {
    guard let lamps, lit[lamp] != isLit else { return }
    do throws(DeviceError) {
      try lamps.set(lamp, isLit: isLit)
      lit[lamp] = isLit
      if hasFailed { report(nil) }
      hasFailed = false
    } catch {
      if !hasFailed { report(error) }
      hasFailed = true
    }
  }
}
