public import Hardware
internal import Speech
internal import Streaming
internal import Synchronization
internal import Threads

/// Plays a stream or a clip with another language in place of, or over, its own.
///
/// It belongs on the dubbing lane. Orders and status: any thread. The original is always decoded and always mixed; every
/// dub is a gain beside it, so that whatever the network does there is never silence while the original plays.
public final class DubPlayer: Stepper, @unchecked Sendable {
  private let parts: DubParts
  private let report: (DubEvent) -> Void
  private let orders: Mailbox<DubPlayerOrder>
  private let wakeUp: WakeCell
  private let shared = Mutex(DubStatus())
  private var settings: DubSettings
  private var isLowPower = false
  private var isDubbing = true
  private var run: DubRun?
  private var isShutDown = false
  private var seed: UInt64

  /// - Parameter report: called on the dubbing lane, within `step`; must not block.
  public init(parts: DubParts, settings: DubSettings, report: @escaping (DubEvent) -> Void) {
    self.parts = parts
    self.settings = settings
    self.report = report
    seed = parts.seed
    let cell = WakeCell()
    wakeUp = cell
    orders = Mailbox(onPost: { cell.call() })
  }

  /// Queues an order. Any thread.
  public func post(_ order: DubPlayerOrder) { orders.post(order) }

  /// What is shown of the player. Any thread.
  public var status: DubStatus { shared.withLock { $0 } }

  // MARK: Stepper

  public func attach(wake: @escaping @Sendable () -> Void) { wakeUp.set(wake) }

  public func step(now: Instant) -> Instant? {
    for order in orders.drain() where !isShutDown { carryOut(order, now) }
    let wish = run?.step(now: now)
    publish(now)
    if let run {
      switch run.phase {
      case .ended, .failed: end()
      case .buffering, .playing: break
      }
    }
    return wish
  }

  private func carryOut(_ order: DubPlayerOrder, _ now: Instant) {
    switch order {
    case .start(let source, let language): start(source, language, now)
    case .stop: end()
    case .pause: run?.pause()
    case .resume: run?.resume()
    case .seek(let seconds): run?.seek(bySeconds: seconds, now: now)
    case .language(let language): run?.setLanguage(language, now: now)
    case .dubbing(let isOn):
      isDubbing = isOn
      run?.setDubbing(isOn, now: now)
    case .lowPower(let isLow):
      isLowPower = isLow
      run?.setLowPower(isLow, now: now)
    case .configure(let new):
      settings = new
      run?.configure(new, now: now)
    case .shutDown:
      end()
      isShutDown = true
    }
  }

  private func start(_ source: String, _ language: String, _ now: Instant) {
    let feed = run?.handOver() ?? SpeakerFeed(speaker: parts.speaker, request: parts.request)
    run = nil
    seed &+= 1
    let wake: @Sendable () -> Void = { [wakeUp] in wakeUp.call() }
    let parts = parts
    let run = DubRun(
      source: source, language: language, programme: parts.open(source, isLowPower, wake),
      sources: DubSources(
        network: parts.network, queue: parts.speech, preparer: parts.preparer, seed: seed, wake: wake),
      feed: feed, settings: settings, now: now,
      pictures: parts.pictures, report: report)
    run.setDubbing(isDubbing, now: now)
    if isLowPower { run.setLowPower(true, now: now) }
    self.run = run
  }

  private func end() {
    run?.close()
    run = nil
    shared.withLock { status in
      // The figures of what was played last stay to be seen.
      status.phase = .idle
      status.serviceConnected = nil
      status.caption = ""
    }
  }

  private func publish(_ now: Instant) {
    guard let run else { return }
    var status = DubStatus()
    status.isLowPower = isLowPower
    run.fill(&status, now: now)
    shared.withLock { $0 = status }
  }
}
