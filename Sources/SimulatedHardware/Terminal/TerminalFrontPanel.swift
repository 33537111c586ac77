internal import CLinux
public import Hardware
internal import Synchronization
internal import Threads

/// The front panel on the terminal of standard input and output: shows the OLED, the lamps and the log, and turns keys
/// into presses of the panel's.
///
/// It has a thread of its own, draws at most thirty times a second and only when something has changed. The terminal
/// is given back by `stop`, at exit(3), and when the process crashes. UTF-8 is taken for granted.
public final class TerminalFrontPanel: Sendable {
  /// What the person at the terminal wants.
  public enum Request: Hashable, Sendable {
    /// Press a key of the panel for so long.
    case press(Button, Duration)
    /// Complete what is open, then end. Comes once.
    case quit
  }

  private struct Core {
    var isDirty = true
    var isStopping = false
    var isEnding = false
    var isLocked = false
    var status = ""
    var log: [String] = []
    var thread: WorkerThread?
  }

  /// Log lines that are kept: more than fit on any terminal.
  static let logLimit = 200

  private let lamps: SimulatedLamps
  private let display: SimulatedDisplay
  private let clock: any DeviceClock
  private let hasColour: Bool
  private let savePicture: @Sendable (Frame) -> String
  private let wake = TerminalWake()
  private let core = Mutex(Core())

  /// Makes the panel; nothing is shown before `start`. Make it before any thread is started: it blocks SIGWINCH and
  /// SIGCONT in this one and those that come from it, to have them for itself.
  ///
  /// - Parameters:
  ///   - hasColour: false on the user's wish (`NO_COLOR`).
  ///   - savePicture: keeps a picture of the display and says in a sentence where; called on the panel's thread.
  public init(
    lamps: SimulatedLamps, display: SimulatedDisplay, clock: any DeviceClock, hasColour: Bool,
    savePicture: @escaping @Sendable (Frame) -> String
  ) {
    self.lamps = lamps
    self.display = display
    self.clock = clock
    self.hasColour = hasColour
    self.savePicture = savePicture
    mynah_terminal_block_signals()
  }

  /// Shows a line of the log. Any thread; never waits for the terminal.
  public func log(_ line: String) {
    change { core in
      core.log.append(line)
      if core.log.count > 2 * Self.logLimit { core.log.removeFirst(Self.logLimit) }
    }
  }

  /// Shows what goes on in a line of words. Any thread; never waits for the terminal.
  public func show(status: String, isLocked: Bool) {
    change { core in
      core.status = status
      core.isLocked = isLocked
    }
  }

  /// Takes the terminal over and shows the panel.
  ///
  /// - Parameter act: called with each wish of the user, on the panel's thread.
  /// - Throws: if the terminal cannot be set up; it is as it was then.
  public func start(_ act: @escaping @Sendable (Request) -> Void) throws(DeviceError) {
    let device = try TerminalDevice(wake: wake)
    display.observe { [weak self] _ in self?.change { _ in } }
    lamps.observe { [weak self] _ in self?.change { _ in } }
    let thread = WorkerThread(name: "mynah-panel") { [self] in
      run(on: device, act)
      device.giveBack()
    }
    core.withLock { $0.thread = thread }
  }

  /// Gives the terminal back as it was found. Returns when that is done; a second call does nothing.
  public func stop() {
    display.observe(nil)
    lamps.observe(nil)
    let thread = core.withLock { core in
      core.isStopping = true
      return core.thread.take()
    }
    wake.signal()
    thread?.join()
  }

  // MARK: The panel's thread

  private func run(on device: TerminalDevice, _ act: (Request) -> Void) {
    var canvas = TerminalCanvas(hasColour: hasColour)
    var keys = TerminalKeys()
    var presses = KeyQueue()
    var nextFrame = clock.now
    var lastKeys = clock.now
    while !core.withLock({ $0.isStopping }) {
      if clock.now >= nextFrame, let view = changedView() {
        let size = device.size
        let grid = TerminalPanel.render(view, columns: size.columns, rows: size.rows)
        device.write(canvas.update(to: grid))
        nextFrame = clock.now + Self.frameTime
      }
      let news = device.wait(milliseconds: patience(keys, lastKeys, presses, nextFrame))
      if news.wasAway { canvas.invalidate() }
      if news.wasResized || news.wasAway { change { _ in } }
      news.complaints.forEach(log)
      if !news.keys.isEmpty {
        lastKeys = clock.now
      } else if keys.isPending, clock.now >= lastKeys + keys.patience {
        keys.reset()
      }
      for action in keys.parse(news.keys) {
        switch action {
        case .tap(let button): presses.add(KeyQueue.Press(button: button, length: KeyQueue.tap))
        case .hold(let button, let length): presses.add(KeyQueue.Press(button: button, length: length))
        case .screenshot: log(savePicture(display.frame))
        case .redraw:
          canvas.invalidate()
          change { _ in }
        case .quit: quit(act)
        }
      }
      if news.isGone { quit(act) }
      while let press = presses.next(at: clock.now) { act(.press(press.button, press.length)) }
    }
  }

  /// Asks for the end, once.
  private func quit(_ act: (Request) -> Void) {
    let isFirst = core.withLock { core in
      defer { core.isEnding = true }
      return !core.isEnding
    }
    guard isFirst else { return }
    change { _ in }
    act(.quit)
  }

  /// What is to be drawn, if anything has changed since it was asked for last.
  private func changedView() -> TerminalView? {
    let view: TerminalView? = core.withLock { core in
      guard core.isDirty else { return nil }
      core.isDirty = false
      let status = core.isEnding ? "saving… the panel closes by itself when all is safe" : core.status
      return TerminalView(isLocked: core.isLocked, status: status, log: Array(core.log.suffix(Self.logLimit)))
    }
    guard var view else { return nil }
    view.frame = display.isPlugged ? display.frame : nil
    view.litLamps = Set(Lamp.allCases.filter(lamps.isLit))
    return view
  }

  /// How long there is nothing to do if nothing happens, in milliseconds.
  private func patience(
    _ keys: TerminalKeys, _ lastKeys: Instant, _ presses: KeyQueue, _ nextFrame: Instant
  ) -> Int32 {
    let now = clock.now
    var due: [Instant] = []
    if core.withLock({ $0.isDirty }) { due.append(nextFrame) }
    // An ESC alone is a key that means nothing here.
    if keys.isPending { due.append(lastKeys + keys.patience) }
    if let press = presses.nextDue { due.append(press) }
    guard let first = due.min() else { return -1 }
    return Int32(clamping: max(0, (first - now).nanoseconds + 999_999) / 1_000_000)
  }

  private static let frameTime = Duration.milliseconds(33)

  /// Changes what is shown and has it drawn.
  private func change(_ body: (inout Core) -> Void) {
    let wasDirty = core.withLock { core in
      body(&core)
      defer { core.isDirty = true }
      return core.isDirty
    }
    if !wasDirty { wake.signal() }
  }
}
