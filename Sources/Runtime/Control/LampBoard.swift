internal import Appliance
internal import Hardware
internal import Panel

/// Drives lamps and buzzer from the machine's state. Control lane only.
final class LampBoard {
  private let lamps: (any Lamps)?
  private let report: (DeviceError?) -> Void
  private var lit: [Lamp: Bool] = [:]
  private var buzzer = Buzzer()
  private var patterns = LampTable.patterns(for: State())
  /// The state that they are of.
  private var revision = -1
  private var hasFailed = false

  /// - Parameter report: told an error when a lamp cannot be set, and `nil` when it can again.
  init(lamps: (any Lamps)?, report: @escaping (DeviceError?) -> Void) {
    self.lamps = lamps
    self.report = report
  }

  /// Sets every lamp, and the buzzer, as the state demands at `now`.
  ///
  /// - Parameters:
  ///   - revision: another one whenever the state may be another one.
  ///   - trial: those that are lit instead, while somebody tests them.
  /// - Returns: when one of them changes next.
  func refresh(_ state: State, _ revision: Int, trial: Set<Lamp>?, now: Instant) -> Instant? {
    if let trial {
      for lamp in Lamp.allCases { set(lamp, isLit: trial.contains(lamp)) }
      return nil
    }
    if revision != self.revision {
      self.revision = revision
      patterns = LampTable.patterns(for: state)
    }
    for lamp in Lamp.lights { set(lamp, isLit: patterns[lamp].isLit(at: now)) }
    buzzer.follow(state, now: now)
    set(.buzzer, isLit: buzzer.isOn(at: now))
    return [patterns.nextChange(after: now), buzzer.nextChange(after: now)].compactMap { $0 }.min()
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
