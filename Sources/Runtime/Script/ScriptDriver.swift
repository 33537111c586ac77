internal import Console
internal import Hardware

/// Presses keys, injects faults and checks expectations when a script says so. Control lane only.
final class ScriptDriver: Stepper {
  private var runner: ScriptRunner
  private let stage: any ScriptStage
  private let wake: () -> Void
  private let onEnd: (ScriptError?) -> Void
  private var isStepping = false
  private var isWaiting = false
  private var hasEnded = false

  /// - Parameters:
  ///   - wake: makes `step` be called soon.
  ///   - onEnd: called once: with the failed line, or with `nil` at the end.
  init(
    _ script: Script, start: Instant, stage: any ScriptStage, wake: @escaping () -> Void,
    onEnd: @escaping (ScriptError?) -> Void
  ) {
    runner = ScriptRunner(script, start: start)
    self.stage = stage
    self.wake = wake
    self.onEnd = onEnd
  }

  func step(now: Instant) -> Instant? {
    isStepping = true
    defer { isStepping = false }
    while !hasEnded, !isWaiting, let line = runner.take(at: now) {
      isWaiting = true
      stage.perform(line.action, now: now) { [self] complaint in
        isWaiting = false
        if let complaint { return end(runner.failure(of: line, "\(line.text): \(complaint)")) }
        if runner.isFinished { return end(nil) }
        // An answer that comes later, when a key is up again, say, finds nobody looking at the next line.
        if !isStepping { wake() }
      }
    }
    if runner.script.lines.isEmpty { end(nil) }
    return hasEnded || isWaiting ? nil : runner.nextDue
  }

  private func end(_ failure: ScriptError?) {
    guard !hasEnded else { return }
    hasEnded = true
    onEnd(failure)
  }
}

/// What a script can do to the device.
protocol ScriptStage: AnyObject {
  /// Performs one action.
  ///
  /// - Parameter done: called exactly once, now or later, on the control lane: with a complaint, or `nil`.
  func perform(_ action: ScriptAction, now: Instant, done: @escaping (String?) -> Void)
}
