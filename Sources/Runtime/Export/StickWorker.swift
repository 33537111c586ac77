internal import Appliance
internal import Console
internal import Hardware
internal import Library
internal import Synchronization
internal import Threads

/// Copies takes and clips to the stick: has it mounted, copies in steps, has it let go of. Storage lane; orders come from
/// any thread.
///
/// While a take or a clip is being written it waits: a stick that hangs must not hold up the lane that the take is on.
final class StickWorker: @unchecked Sendable {
  private enum Stage {
    case idle
    case mounting(ExportOrder, until: Instant)
    case copying(ExportOrder, StickExport)
    case releasing(ExportOrder, ExportEnd, until: Instant)
  }

  private let socket: (any RemovableStorage)?
  private let tell: @Sendable (LibraryReport) -> Void
  private let onChange: @Sendable (StickState) -> Void
  private let orders: Mailbox<ExportOrder>
  /// What is in the socket, for those who ask, and how often everything was to be ended.
  private let shared = Mutex((state: StickState.absent, stops: 0, export: ExportStatus()))
  private var stops = 0
  private var waiting: [ExportOrder] = []
  private var stage = Stage.idle
  private var state = StickState.absent
  private var nextLook = Instant.zero
  private var told = -1

  /// How often the socket is looked at, and while something is expected of it.
  private static let interval = Duration.seconds(1)
  private static let shortInterval = Duration.milliseconds(50)
  /// How long the system may take to mount a stick, and to write what it holds back.
  private static let mountTime = Duration.seconds(30)
  private static let releaseTime = Duration.seconds(90)

  /// - Parameters:
  ///   - socket: nil: this board has none.
  ///   - tell: what the machine is told.
  ///   - onChange: something else is in the socket.
  ///   - wake: wakes the storage lane.
  init(
    _ socket: (any RemovableStorage)?, tell: @escaping @Sendable (LibraryReport) -> Void,
    onChange: @escaping @Sendable (StickState) -> Void, wake: @escaping @Sendable () -> Void
  ) {
    self.socket = socket
    self.tell = tell
    self.onChange = onChange
    orders = Mailbox(onPost: wake)
  }

  /// What is in the socket. Any thread.
  var current: StickState { shared.withLock { $0.state } }
  var hasSocket: Bool { socket != nil }

  /// The export that is on its way, or the last one. Any thread.
  var export: ExportStatus { shared.withLock { $0.export } }

  /// Any thread.
  func post(_ order: ExportOrder) {
    shared.withLock { if !$0.export.phase.isBusy { $0.export = ExportStatus(.waiting) } }
    orders.post(order)
  }

  /// Ends whatever is being copied, whoever has ordered it. Any thread.
  func cancel() { shared.withLock { $0.stops += 1 } }

  /// - Returns: when to be called next; nil: when an order comes, or in a second.
  func step(now: Instant, library: Library) -> Instant? {
    waiting += orders.drain()
    if now >= nextLook { look(now) }
    switch stage {
    case .idle: return begin(now)
    case .mounting(let order, let until): return mount(order, until: until, now, library)
    case .copying(let order, let export): return copy(order, export, now, library)
    case .releasing(let order, let end, let until): return release(order, end, until: until, now)
    }
  }

  /// The program ends: nothing unfinished stays on the stick.
  func close() {
    if case .copying(let order, let export) = stage {
      export.giveUp()
      try? socket?.release()
      order.onEnd(ExportEnd(outcome: export.outcome, isCancelled: true))
    }
    stage = .idle
  }

  private func look(_ now: Instant) {
    nextLook = now + (isExpecting ? Self.shortInterval : Self.interval)
    guard let found = socket?.look(), found != state else { return }
    let isOther = found.condition != state.condition
    state = found
    shared.withLock { $0.state = found }
    if isOther { tell(.stick(found.condition)) }
    onChange(found)
  }

  private var isExpecting: Bool {
    switch stage {
    case .mounting, .releasing: true
    case .idle, .copying: false
    }
  }

  // MARK: One stage after the other

  private func begin(_ now: Instant) -> Instant? {
    guard let order = waiting.first else { return nil }
    waiting.removeFirst()
    stops = shared.withLock { $0.stops }
    guard let socket else {
      return end(order, now, ExportFailure(.absent, .unsupported, "this board has no socket for a stick"))
    }
    look(now)
    switch state.condition {
    case .absent:
      return end(order, now, ExportFailure(.absent, .notFound, "there is no stick; put a USB stick in"))
    case .unusable: return end(order, now, unusable)
    case .plugged, .mounted, .safe: break
    }
    do throws(DeviceError) { try socket.mount() } catch { return end(order, now, ExportFailure(.unusable, error)) }
    told = 0
    tell(.exporting(0))
    shared.withLock { $0.export = ExportStatus(.mounting) }
    stage = .mounting(order, until: now + Self.mountTime)
    nextLook = now
    return now
  }

  private func mount(_ order: ExportOrder, until: Instant, _ now: Instant, _ library: Library) -> Instant? {
    switch state.condition {
    case .absent: return end(order, now, ExportFailure(.lost, .deviceLost, "\(StickError.lost)"))
    case .unusable: return end(order, now, unusable)
    case .plugged, .safe:
      guard now < until else {
        return end(
          order, now, ExportFailure(.unusable, .deviceLost, "the stick is not mounted; pull it out, put it in"))
      }
      return nextLook
    case .mounted: break
    }
    if order.isStopped() || shared.withLock({ $0.stops }) != stops {
      return letGo(order, ExportEnd(isCancelled: true), now)
    }
    // After a start not all is listed at once: "all" would be a part of it, and a take some of its parts.
    guard !library.isListing else {
      shared.withLock { $0.export.phase = .waiting }
      return min(nextLook, now + .milliseconds(250))
    }
    // A storage that does not answer is asked again.
    guard let ids = order.ids ?? (try? library.exports.all()) else { return min(nextLook, now + .milliseconds(250)) }
    do throws(DeviceError) {
      guard let files = try socket?.files() else { return nil }
      stage = .copying(
        order,
        library.exports.begin(
          ids, to: files, withSafety: order.withSafety, words: order.words, as: order.format))
      return now
    } catch {
      return end(order, now, ExportFailure(.unusable, error))
    }
  }

  private func copy(_ order: ExportOrder, _ export: StickExport, _ now: Instant, _ library: Library) -> Instant? {
    if order.isStopped() || shared.withLock({ $0.stops }) != stops {
      export.giveUp()
      return letGo(order, ExportEnd(outcome: export.outcome, isCancelled: true), now)
    }
    guard state.condition == .mounted else {
      export.giveUp()
      return end(order, now, ExportFailure(.lost, .deviceLost, "\(StickError.lost)"), export.outcome)
    }
    guard !library.isWriting else { return min(nextLook, now + .milliseconds(250)) }
    do throws(LibraryError) {
      if let outcome = try export.step() { return letGo(order, ExportEnd(outcome: outcome), now) }
    } catch {
      if let until = error.stalledUntil { return until }
      // Of a stick that was pulled out the system may say that it cannot be written to.
      look(now)
      let isGone = state.condition == .absent
      return letGo(
        order, ExportEnd(outcome: export.outcome, failure: ExportFailure(isGone ? .stick(.lost) : error)), now)
    }
    let (done, total) = export.progress
    shared.withLock { $0.export.note(done, of: total) }
    tellProgress(order, done, total)
    return now
  }

  /// Has the stick unmounted, unless there is more to be copied.
  private func letGo(_ order: ExportOrder, _ ending: ExportEnd, _ now: Instant) -> Instant? {
    guard waiting.isEmpty else { return finish(order, ending, now) }
    look(now)
    guard state.condition != .absent, let socket else { return finish(order, ending, now) }
    do throws(DeviceError) { try socket.release() } catch { return finish(order, held(ending, "\(error)"), now) }
    stage = .releasing(order, ending, until: now + Self.releaseTime)
    shared.withLock { $0.export.phase = .releasing }
    nextLook = now
    return now
  }

  private func release(_ order: ExportOrder, _ ending: ExportEnd, until: Instant, _ now: Instant) -> Instant? {
    var ending = ending
    switch state.condition {
    // What is told to be on it has been synced and read back.
    case .safe, .absent, .unusable, .plugged: ending.isSafe = true
    case .mounted:
      if now < until { return nextLook }
      ending = held(
        ending, "what was copied is on the stick, and it cannot be unmounted; switch off before you pull it")
    }
    return finish(order, ending, now)
  }

  // MARK: Ends

  private var unusable: ExportFailure { ExportFailure(.unusable, .unsupported, state.reason) }

  private func held(_ ending: ExportEnd, _ message: String) -> ExportEnd {
    var ending = ending
    ending.failure = ending.failure ?? ExportFailure(.held, .busy, message)
    return ending
  }

  private func end(
    _ order: ExportOrder, _ now: Instant, _ failure: ExportFailure, _ outcome: ExportOutcome = ExportOutcome()
  ) -> Instant? {
    finish(order, ExportEnd(outcome: outcome, failure: failure), now)
  }

  private func finish(_ order: ExportOrder, _ ending: ExportEnd, _ now: Instant) -> Instant? {
    stage = .idle
    told = -1
    tell(report(of: ending, order))
    shared.withLock { $0.export.end(ending, isFollowed: !waiting.isEmpty) }
    order.onEnd(ending)
    return waiting.isEmpty ? nil : now
  }

  /// What the panel shows of it.
  private func report(of ending: ExportEnd, _ order: ExportOrder) -> LibraryReport {
    let outcome = ending.outcome
    let failure = ending.failure ?? outcome.failures.first.map { ExportFailure($0.error) }
    if let failure, order.isFromPanel { return .exportFailed(failure.trouble, text: failure.failure.message) }
    guard failure == nil, !ending.isCancelled, outcome.done > 0 else { return .exporting(nil) }
    return .exported(count: outcome.done, name: outcome.name ?? "")
  }

  private func tellProgress(_ order: ExportOrder, _ done: Int, _ total: Int) {
    let percent = total > 0 ? Int(Double(done) / Double(total) * 100) : 100
    guard percent > told else { return }
    told = percent
    tell(.exporting(percent))
    order.onProgress(done, total)
  }
}
