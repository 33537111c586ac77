internal import Console
internal import Hardware
internal import Threads

/// Presses keys, injects faults and checks expectations when a script says so. Control lane only.
final class ScriptDriver: Stepper {
  private var runner: ScriptRunner
  private let stage: any ScriptStage
  private let wake: () -> Void
  private let onEnd: () -> Void
  /// The line that failed, if one did.
  private(set) var failure: ScriptError?
  private var isWaiting = false
  private var hasEnded = false

  /// - Parameters:
  ///   - wake: has `step` called soon; called when an action is done.
  ///   - onEnd: called once: at the end, or after a line that failed.
  init(
    _ script: Script, start: Instant, stage: any ScriptStage, wake: @escaping () -> Void,
    onEnd: @escaping () -> Void
  ) {
    runner = ScriptRunner(script, start: start)
    self.stage = stage
    self.wake = wake
    self.onEnd = onEnd
  }

  /// `nil` where there is no script to run.
  convenience init?(_ ground: Ground, control: ControlParts) {
    let options = ground.options
    guard let script = options.script else { return nil }
    let stage = DeviceStage(
      device: control.device, writeFile: options.writeFile,
      pictureOfScreen: options.pictureOfScreen)
    let inbox = ground.inbox
    self.init(script, start: ground.clock.now, stage: stage, wake: ground.lanes.waker(of: .control)) {
      inbox.post(.shutDown)
    }
  }

  func step(now: Instant) -> Instant? {
    while !hasEnded, !isWaiting, let line = runner.take(at: now) {
      isWaiting = true
      stage.perform(line.action, now: now) { [self] complaint in
        isWaiting = false
        // The answer may come from anywhere on this lane, as from the key that is up again.
        wake()
        if let complaint { return end(runner.failure(of: line, "\(line.text): \(complaint)")) }
        if runner.isFinished { end(nil) }
      }
      // The loop, which runs first, has to learn when a key that was pressed comes up.
      wake()
    }
    if runner.script.lines.isEmpty { end(nil) }
    // The answer to a call wakes this lane.
    return hasEnded || isWaiting ? nil : runner.nextDue
  }

  private func end(_ failure: ScriptError?) {
    guard !hasEnded else { return }
    hasEnded = true
    self.failure = failure
    onEnd()
  }
}

/// What a script can do to the device.
protocol ScriptStage: AnyObject {
  /// Performs one action.
  ///
  /// - Parameter done: called exactly once, now or later, on the control lane: with a complaint, or `nil`.
  func perform(_ action: ScriptAction, now: Instant, done: @escaping (String?) -> Void)
}
