internal import Appliance
internal import Dubbing
internal import Hardware
internal import Streaming
internal import Synchronization
internal import Threads

/// Runs the dub player on its lane, tells the machine what has changed, and keeps the status that others read.
final class DubWorker: Stepper, @unchecked Sendable {
  private let makeEngine: (@escaping (DubEvent) -> Void) -> any DubEngine
  private var engine: (any DubEngine)?
  private let tasks: Mailbox<DubTask>
  private let tell: @Sendable (DubPlayerEvent) -> Void
  private let shared = Mutex((run: 0, status: DubStatus()))
  /// Whether power is to be saved, and whether that is heeded.
  private let power = Mutex((isLow: false, isHeeded: true))
  private var run = 0
  private var isRunning = false
  /// Why the run is over: told once its last figures can be seen.
  private var ending: Appliance.DubReport?
  /// What the machine has been told of this run.
  private var told = Told()
  private var settings: Dubbing.DubSettings
  private var nextFigures = Instant.zero
  private var scrub: (direction: Int, due: Instant)?
  private var isShutDown = false

  /// What was told last, so that only changes are.
  private struct Told {
    var isPlaying: Bool?
    var rung = DubRung.original
    var reason = ""
    var languages: [String] = []
    var bufferingReason = ""
  }

  private static let figuresInterval = Duration.seconds(5)
  /// A held key moves by so much, so often.
  private static let scrubSeconds = 10.0
  private static let scrubInterval = Duration.milliseconds(500)

  /// - Parameters:
  ///   - makeEngine: called on the dubbing lane when something is played for the first time: until then nothing of
  ///     dubbing is allocated.
  init(
    settings: Dubbing.DubSettings, wake: @escaping @Sendable () -> Void,
    tell: @escaping @Sendable (DubPlayerEvent) -> Void,
    makeEngine: @escaping (@escaping (DubEvent) -> Void) -> any DubEngine
  ) {
    self.settings = settings
    self.makeEngine = makeEngine
    self.tell = tell
    tasks = Mailbox(onPost: wake)
  }

  /// Queues a task. Any thread.
  func post(_ task: DubTask) { tasks.post(task) }

  /// The latest status, and whose it is: the machine's number of the run. Any thread; holds a lock for a copy.
  var status: DubStatus { shared.withLock { $0.status } }
  var statusRun: Int { shared.withLock { $0.run } }

  /// Whether the board's low-power mode is heeded. Any thread.
  func heedLowPower(_ isHeeded: Bool) {
    power.withLock { $0.isHeeded = isHeeded }
    post(.lowPower)
  }

  /// Plays the lowest rendition, with or without the dub as the setting has it, or as before. Any thread.
  func lowerPower(_ isLow: Bool) {
    power.withLock { $0.isLow = isLow }
    post(.lowPower)
  }

  func step(now: Instant) -> Instant? {
    for task in tasks.drain() { perform(task, now: now) }
    guard let engine, !isShutDown else { return nil }
    stepScrub(engine, now: now)
    let next = engine.step(now: now)
    let status = engine.status
    shared.withLock { $0 = (run, status) }
    if let ending {
      self.ending = nil
      report(ending)
    }
    guard isRunning else { return next }
    tellChanges(status)
    if now >= nextFigures {
      nextFigures = now + Self.figuresInterval
      tell(.figures(run: run))
    }
    return [next, nextFigures, scrub?.due].compactMap { $0 }.min()
  }

  // MARK: Orders

  private func perform(_ task: DubTask, now: Instant) {
    guard !isShutDown else { return }
    switch task {
    case .start(let run, let source, let language, let isOn):
      let engine = engine ?? open(now: now)
      self.run = run
      told = Told()
      ending = nil
      isRunning = true
      scrub = nil
      nextFigures = now + Self.figuresInterval
      engine.perform(.dubbing(isOn), now: now)
      engine.perform(.start(source: source, language: language), now: now)
    case .order(.configure(let settings)):
      self.settings = settings
      engine?.perform(.configure(settings), now: now)
    case .order(let order):
      if case .stop = order {
        isRunning = false
        scrub = nil
      }
      engine?.perform(order, now: now)
    case .scrub(let direction): scrub = direction == 0 ? nil : (direction, now)
    case .lowPower: engine?.perform(.lowPower(isSaving), now: now)
    case .shutDown:
      engine?.perform(.shutDown, now: now)
      isShutDown = true
      isRunning = false
    }
  }

  private func open(now: Instant) -> any DubEngine {
    let engine = makeEngine { [weak self] in self?.hear($0) }
    engine.perform(.configure(settings), now: now)
    if isSaving { engine.perform(.lowPower(true), now: now) }
    self.engine = engine
    return engine
  }

  private var isSaving: Bool { power.withLock { $0.isLow && $0.isHeeded } }

  private func stepScrub(_ engine: any DubEngine, now: Instant) {
    guard let (direction, due) = scrub, now >= due else { return }
    engine.perform(.seek(seconds: Double(direction) * Self.scrubSeconds), now: now)
    scrub = (direction, now + Self.scrubInterval)
  }

  // MARK: What has changed

  private func hear(_ news: DubEvent) {
    guard isRunning else { return }
    switch news {
    case .started(_, let languages): offer(languages)
    case .fellBack(let rung, let reason): heard(rung, reason)
    // Higher than before; whether it is the highest, the status says.
    case .returned: break
    case .linkLost(let reason):
      told.bufferingReason = reason
      report(.linkLost(reason))
    case .linkRestored:
      told.bufferingReason = ""
      report(.linkRestored)
    case .language:
      // The machine takes what is heard for the original until it is told otherwise.
      told.rung = .original
      told.reason = ""
    case .ended:
      isRunning = false
      ending = .ended
    case .failed(let fault):
      isRunning = false
      ending = .failed(code: fault.code, text: fault.text)
    case .remark(let text): tell(.remark(text))
    }
  }

  private func tellChanges(_ status: DubStatus) {
    offer(status.languages)
    switch status.phase {
    case .playing:
      guard told.isPlaying != true else { break }
      told.isPlaying = true
      report(.playing)
    case .buffering:
      guard told.isPlaying != false else { break }
      told.isPlaying = false
      report(.buffering(told.bufferingReason))
    case .paused, .idle: break
    }
    // The dub of the first utterances comes without news, and why it is not a better one may change.
    heard(status.rung, status.reason)
  }

  private func heard(_ rung: DubRung, _ reason: String) {
    guard rung != told.rung || reason != told.reason else { return }
    told.rung = rung
    told.reason = reason
    report(.rung(HeardRung(rung), reason: reason))
  }

  private func offer(_ languages: [String]) {
    guard languages != told.languages else { return }
    told.languages = languages
    report(.languages(languages))
  }

  private func report(_ report: Appliance.DubReport) { tell(.report(report, run: run)) }
}

extension HeardRung {
  init(_ rung: DubRung) {
    self =
      switch rung {
      case .service: .service
      case .rendition: .rendition
      case .sidecar: .sidecar
      case .synthesised: .synthesised
      case .original: .original
      }
  }
}
