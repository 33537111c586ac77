internal import Appliance
public import Budget
public import Console
internal import Dubbing
public import Hardware
public import Library
internal import Threads

/// The appliance, put together and running: hardware below, the pure machine above, lanes between.
///
/// Build it, then call `run`. Everything in it belongs to one lane each; what other threads may call says so.
public final class ApplianceRuntime: @unchecked Sendable {
  private let scheduler: any Scheduler
  private let inbox: Mailbox<ControlInput>
  private let parts: BootList

  /// - Throws: the table, if the rings do not fit the board's budget.
  public init(hardware: HardwareSet, scheduler: any Scheduler, options: RuntimeOptions) throws(BudgetRefusal) {
    self.scheduler = scheduler
    let ground = Ground(hardware, options, lanes: scheduler.signals)
    inbox = ground.inbox
    parts = try BootList(ground)
    for (lane, stepper) in parts.steppers {
      stepper.attach(wake: scheduler.signals.waker(of: lane))
      scheduler.add(stepper, to: lane)
    }
  }

  /// The library of a data directory, not opened yet; for tools that look at one without running the appliance.
  public static func library(on storage: any Storage, clock: any DeviceClock) -> Library {
    Library(
      storage: storage, clock: clock, state: StateStore(storage: storage, clock: clock),
      repairer: MediaRepairer(storage: storage))
  }

  /// Runs until the script ends, `requestShutDown` is called, or the (simulated) power is cut.
  ///
  /// The calling thread becomes the control lane.
  ///
  /// - Returns: the script's failed line, if one failed.
  public func run() -> ScriptError? {
    parts.inputs.start()
    scheduler.run()
    parts.inputs.stop()
    parts.display?.close()
    parts.dub?.pictures?.close()
    parts.watchdogs?.end()
    return parts.script?.failure
  }

  /// Completes what is open, then ends `run`. Any thread; a second call changes nothing.
  public func requestShutDown() { inbox.post(.shutDown) }

  /// Presses a key of the panel for a while. Any thread.
  public func press(_ button: Button, for length: Duration) {
    inbox.post(.run { [self] in parts.control.device.press(button, for: length) { _ in } })
  }
}
