internal import Appliance
internal import Console
internal import Hardware

/// Tells the service manager how the appliance does, and feeds the watchdogs as long as it does its work.
///
/// On the control lane: if that stands still, nothing is fed.
final class WatchdogFeeder: Stepper {
  private struct Guarded {
    let watchdog: any Watchdog
    var rule: FeedingRule
    var nextLook: Instant
    var hasFailed = false
  }

  private let manager: (any ServiceManager)?
  private let media: MediaWorker
  private let microphone: (any Microphone)?
  private let loop: ControlLoop
  private let log: (String, Instant) -> Void
  private var guarded: [Guarded] = []
  private var waiting: [any Watchdog]
  private var isReady = false
  private var isEnding = false
  private var lastStatus = ""
  private var nextStatus = Instant.zero

  /// A status line is for people: not more often than this.
  private static let statusInterval = Duration.seconds(1)

  /// - Parameters:
  ///   - microphone: the board's; without one, the audio cannot stand still.
  ///   - log: takes a sentence about a watchdog that cannot be had.
  init(
    manager: (any ServiceManager)?, watchdogs: [any Watchdog], media: MediaWorker,
    microphone: (any Microphone)?, loop: ControlLoop, log: @escaping (String, Instant) -> Void
  ) {
    self.manager = manager
    waiting = watchdogs
    self.media = media
    self.microphone = microphone
    self.loop = loop
    self.log = log
  }

  /// `nil` where nobody watches.
  convenience init?(_ ground: Ground, media: MediaWorker, loop: ControlLoop) {
    let hardware = ground.hardware
    guard hardware.serviceManager != nil || !hardware.watchdogs.isEmpty else { return nil }
    let events = ground.events
    self.init(
      manager: hardware.serviceManager, watchdogs: hardware.watchdogs, media: media, microphone: hardware.microphone,
      loop: loop
    ) { events.log(.info, "watchdog", $0, at: $1) }
  }

  func step(now: Instant) -> Instant? {
    let status = media.status
    if loop.isShuttingDown { beginEnding(at: now) }
    startWatchdogs(now: now)
    feed(status, now: now)
    tell(status, now: now)
    var next = guarded.map(\.nextLook).min()
    if manager != nil { next = min(next ?? .distantFuture, max(nextStatus, now + .milliseconds(10))) }
    return next
  }

  /// The appliance is going to end in order.
  private func beginEnding(at now: Instant) {
    guard !isEnding else { return }
    isEnding = true
    manager?.tellStopping()
    for index in guarded.indices { guarded[index].rule.beginEnding(at: now) }
  }

  /// Everything is closed. Stops the watchdogs.
  func end() {
    for entry in guarded { entry.watchdog.stop() }
    guarded = []
    waiting = []
  }

  // MARK: Watchdogs

  private func startWatchdogs(now: Instant) {
    for watchdog in waiting {
      do throws(DeviceError) {
        let period = try watchdog.start()
        guarded.append(Guarded(watchdog: watchdog, rule: FeedingRule(period: period), nextLook: now))
        log("\(watchdog.name): to be fed within \(period.inSeconds) s", now)
      } catch {
        log("runs without a watchdog: \(error)", now)
      }
    }
    waiting = []
  }

  private func feed(_ status: MediaStatus, now: Instant) {
    // Asked of the driver itself, not of the media worker: that may be waiting for a file.
    let heard = microphone?.counters
    let progress = Progress(
      control: loop.turns, audio: heard.map { $0.frames &+ $0.ringOverflows &+ status.attempts },
      media: heard.map { _ in status.turns })
    for index in guarded.indices where now >= guarded[index].nextLook {
      guarded[index].nextLook = now + guarded[index].rule.interval
      guard guarded[index].rule.mayFeed(progress, at: now) else { continue }
      do throws(DeviceError) {
        try guarded[index].watchdog.feed()
        guarded[index].hasFailed = false
      } catch {
        if !guarded[index].hasFailed { log("the watchdog is not fed: \(error)", now) }
        guarded[index].hasFailed = true
      }
    }
  }

  // MARK: The service manager

  private func tell(_ status: MediaStatus, now: Instant) {
    guard let manager, !isEnding else { return }
    let isUp = loop.state.health.hasMicrophone || microphone == nil
    let isWithout = status.attempts > 0 && !status.isMicrophoneRunning
    if !isReady, isUp || isWithout {
      isReady = true
      manager.tellReady()
    }
    guard isReady, now >= nextStatus else { return }
    nextStatus = now + Self.statusInterval
    let text = Self.text(loop.state)
    if text != lastStatus { manager.tell(status: text) }
    lastStatus = text
  }

  /// What the device does, in some words: for `systemctl status`.
  static func text(_ state: State) -> String {
    var words: [String] =
      switch state.activity {
      case .idle where state.mode == .clips && state.clips.activity != .buffering: [state.clips.activity.rawValue]
      case .idle: [state.isArmed ? "armed" : "not armed"]
      case .recording, .paused, .saving: [state.activity.rawValue + (state.openTake.map { " \($0.id)" } ?? "")]
      case .playing: ["playing"]
      case .playbackPaused: ["playback paused"]
      }
    if !state.health.hasMicrophone { words.append("no microphone") }
    switch state.health.storageTrouble(in: state.mode) {
    case .missing: words.append("no storage")
    case .refusing: words.append("storage read-only")
    case .full: words.append("storage full")
    case nil: if state.health.isStorageLow { words.append("storage low") }
    }
    if state.isLocked { words.append("locked") }
    return words.joined(separator: ", ")
  }
}
