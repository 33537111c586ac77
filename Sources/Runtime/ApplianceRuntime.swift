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
  let parts: BootList
  private let blackBox: (any BlackBox)?

  /// - Throws: the table, if the rings do not fit the board's budget.
  public init(hardware: HardwareSet, scheduler: any Scheduler, options: RuntimeOptions) throws(BudgetRefusal) {
    self.scheduler = scheduler
    let ground = Ground(hardware, options, lanes: scheduler.signals)
    inbox = ground.inbox
    blackBox = options.blackBox
    parts = try BootList(ground)
    for (lane, stepper) in parts.steppers {
      stepper.attach(wake: scheduler.signals.waker(of: lane))
      scheduler.add(stepper, to: lane)
    }
  }

  /// The log of a data directory, oldest line first; for tools that look at one without running the appliance.
  public static func logLines(on storage: any Storage) -> [LogLine] { LogFiles.lines(on: storage) }

  /// The library of a data directory, not opened yet; for tools that look at one without running the appliance.
  ///
  /// - Parameters:
  ///   - examination: how files from elsewhere are looked at; nil: in this process.
  ///   - say: takes sentences for people about that.
  public static func library(
    on storage: any Storage, clock: any DeviceClock, examination: ExaminationOptions? = nil,
    say: @escaping (String) -> Void = { _ in }
  ) -> Library {
    let repairer = {
      MediaRepairer(storage: storage, examiner: examination.map { Examiner(program: $0.program, say: say) })
    }
    return Library(
      storage: storage, clock: clock, state: StateStore(storage: storage, clock: clock),
      repairer: repairer(), checker: repairer())
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
    blackBox?.close()
    return parts.script?.failure
  }

  /// Completes what is open, then ends `run`. Any thread; a second call changes nothing.
  public func requestShutDown() { inbox.post(.shutDown) }

  /// What is at work at this moment, in words, for a device that does not end. Any thread.
  public var culprits: String {
    let lanes = scheduler.signals.working.filter { $0 != .control }.map { "\($0)" }
    return lanes.isEmpty ? "the storage" : "the lane of \(lanes.joined(separator: ", "))"
  }

  /// Presses a key of the panel for a while. Any thread.
  public func press(_ button: Button, for length: Duration) {
    inbox.post(.run { [self] in parts.control.device.press(button, for: length) { _ in } })
  }
}
