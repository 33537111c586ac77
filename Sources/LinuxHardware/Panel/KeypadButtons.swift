internal import Glibc
public import Hardware
internal import Synchronization
internal import Threads

/// Keys of USB keypads and headset remotes, by the kernel's event devices: one thread reads them all and delivers edges
/// with the kernel's times.
///
/// Devices may come and go: one that is missing is looked for every second, and a key that was held when its device
/// went is released. Their keys are this process's alone: no console of the kernel's gets them.
public final class KeypadButtons: Buttons {
  private let devices: [String]
  private let keys: [InputKey]
  private let port: any InputPort
  private var running: (thread: WorkerThread, reader: KeypadReader)?
  private var report: @Sendable (DeviceError?) -> Void = { _ in }

  /// - Parameters:
  ///   - devices: beginnings of their names, or paths.
  ///   - keys: which of their keys are which of ours.
  public convenience init(devices: [String], keys: [InputKey]) {
    self.init(devices: devices, keys: keys, port: KernelInput())
  }

  init(devices: [String], keys: [InputKey], port: any InputPort) {
    self.devices = devices
    self.keys = keys
    self.port = port
  }

  deinit { stop() }

  public func report(to listener: @escaping @Sendable (DeviceError?) -> Void) { report = listener }

  /// Opens the devices that are there and starts to deliver edges. Keys that are held now deliver nothing until they are
  /// pressed again.
  ///
  /// - Throws: the first device that is missing and why. The others work, and it does as soon as it is plugged in.
  public func start(_ sink: @escaping @Sendable (ButtonEdge) -> Void) throws(DeviceError) {
    guard running == nil else { return }
    let reader = KeypadReader(devices: devices, keys: keys, port: port, sink: sink, report: report)
    let problem = reader.begin()
    running = (WorkerThread(name: "keypads") { reader.run() }, reader)
    if let problem { throw problem }
  }

  public func stop() {
    guard let (thread, reader) = running else { return }
    reader.stop()
    thread.join()
    running = nil
  }
}

/// The thread's own part. `begin` is called before there is a thread, `stop` by any, the rest by the thread.
private final class KeypadReader: @unchecked Sendable {
  private static let retryPause: Int64 = 1_000_000_000
  /// A keypad is several devices, which come one after the other: it is looked for more of them so many times.
  private static let moreLooks = 3

  private struct Open {
    let device: InputDevice
    /// Codes that are down, of those that mean something.
    var down: Set<Int> = []
    /// The kernel has dropped records: nothing counts up to the next report.
    var isBehind = false
  }

  private let entries: [String]
  private let buttons: [Int: Button]
  private let port: any InputPort
  private let sink: @Sendable (ButtonEdge) -> Void
  private let report: @Sendable (DeviceError?) -> Void
  private let wakeup = WakePipe()
  private let isStopping = Atomic<Bool>(false)
  private var open: [Open] = []
  /// Nodes that are not meant.
  private var others: Set<String> = []
  private var pressed: Set<Button> = []
  private var problem: DeviceError?
  private var looksLeft = 0
  private var lookAt: Int64 = 0

  init(
    devices: [String], keys: [InputKey], port: any InputPort, sink: @escaping @Sendable (ButtonEdge) -> Void,
    report: @escaping @Sendable (DeviceError?) -> Void
  ) {
    entries = devices
    buttons = Dictionary(keys.map { ($0.code, $0.button) }) { first, _ in first }
    self.port = port
    self.sink = sink
    self.report = report
  }

  func stop() {
    isStopping.store(true, ordering: .releasing)
    wakeup.wake()
  }

  /// The first look.
  func begin() -> DeviceError? {
    problem = look()
    return problem
  }

  /// Opens what is meant and is not open.
  ///
  /// - Returns: what is wrong with the first device that is missing.
  private func look() -> DeviceError? {
    let nodes = Set(port.nodes())
    others.formIntersection(nodes)
    var failure: DeviceError?
    for node in nodes.sorted() where !others.contains(node) {
      guard !open.contains(where: { $0.device.path.hasSuffix("/\(node)") }) else { continue }
      do throws(DeviceError) {
        let device = try port.open(node)
        guard entries.contains(where: device.isMeant) else {
          // A link to it may be made yet.
          if !entries.contains(where: { $0.hasPrefix("/") }) { others.insert(node) }
          continue
        }
        try port.take(device)
        open.append(Open(device: device))
        looksLeft = Self.moreLooks
      } catch {
        failure = failure ?? error
      }
    }
    looksLeft -= 1
    lookAt = Monotonic.now + Self.retryPause
    guard let missing = entries.first(where: { entry in !open.contains { $0.device.isMeant(by: entry) } }) else {
      return nil
    }
    return failure
      ?? DeviceError(
        .missing, device: missing, operation: "read its keys",
        hint: "plug it in; mynah doctor lists the input devices there are")
  }

  func run() {
    while !isStopping.load(ordering: .acquiring) {
      let now = Monotonic.now
      if isLooking, now >= lookAt { note(look()) }
      var polled = open.map { pollfd(fd: $0.device.descriptor, events: Int16(POLLIN), revents: 0) }
      polled.append(pollfd(fd: wakeup.reader, events: Int16(POLLIN), revents: 0))
      let timeout = Monotonic.pollTimeout(until: isLooking ? lookAt : nil, now: now)
      guard poll(&polled, nfds_t(polled.count), timeout) > 0 else { continue }
      if polled[open.count].revents != 0 { wakeup.drain() }
      for index in open.indices.reversed() where polled[index].revents != 0 { attend(index) }
    }
    // Given back by the thread that used them.
    open = []
  }

  private var isLooking: Bool {
    looksLeft > 0 || entries.contains { entry in !open.contains { $0.device.isMeant(by: entry) } }
  }

  /// Tells of what has come or gone, once.
  private func note(_ found: DeviceError?) {
    guard (found == nil) != (problem == nil) else { return }
    problem = found
    report(found)
  }

  private func attend(_ index: Int) {
    guard let records = open[index].device.records() else { return lose(index) }
    let clock = SystemClock()
    let (monotonic, realtime) = (clock.now.nanoseconds, clock.wallNow.nanosecondsSince1970)
    for record in records {
      let at = EdgeClock.instant(stamp: record.stamp, monotonic: monotonic, realtime: realtime)
      take(record, of: index, at)
    }
  }

  private func take(_ record: InputRecord, of index: Int, _ at: Instant) {
    switch (record.type, record.code) {
    case (InputRecord.synchronisation, InputRecord.dropped): open[index].isBehind = true
    case (InputRecord.synchronisation, InputRecord.report) where open[index].isBehind:
      open[index].isBehind = false
      open[index].down = port.keys(open[index].device, onlyDown: true).filter { buttons[$0] != nil }
      deliver(at)
    case (InputRecord.key, let code) where !open[index].isBehind && record.value != 2 && buttons[Int(code)] != nil:
      if record.value == 0 { open[index].down.remove(Int(code)) } else { open[index].down.insert(Int(code)) }
      deliver(at)
    default: break
    }
  }

  /// Delivers what has changed: a key of ours is held while any of its keys is.
  private func deliver(_ at: Instant) {
    let held = Set(open.flatMap { $0.down.compactMap { buttons[$0] } })
    for button in Button.allCases where held.contains(button) != pressed.contains(button) {
      sink(ButtonEdge(button, isPressed: held.contains(button), at: at))
    }
    pressed = held
  }

  private func lose(_ index: Int) {
    let device = open.remove(at: index).device
    deliver(Instant(nanoseconds: Monotonic.now))
    lookAt = Monotonic.now + Self.retryPause
    guard
      entries.contains(where: { entry in
        device.isMeant(by: entry) && !open.contains { $0.device.isMeant(by: entry) }
      })
    else { return }
    note(
      DeviceError(.lost, device: device.name, operation: "read its keys", hint: "plug it in again"))
  }
}
