internal import Appliance
internal import Console
internal import Hardware
internal import JSON

/// What the device tells the world: events for whoever subscribed, lines for the log. Control lane only.
final class EventStream {
  let hub = EventHub()
  private(set) var log = Log()
  private let echo: ((LogLine) -> Void)?
  /// Gaps of the take that is open, or else of the last one.
  private(set) var gapsOfTake = 0
  private var receipts: [String: [String: JSONValue]] = [:]

  /// - Parameter echo: is given every log line; standard error, the terminal panel.
  init(echo: ((LogLine) -> Void)?) { self.echo = echo }

  /// - Parameter figures: what is to be said beyond what the machine knows.
  func publish(_ announcement: Announcement, adding figures: [String: JSONValue] = [:], at now: Instant) {
    var extra = figures
    switch announcement {
    case .takeSaved(let take, _), .captureCompleted(_, let take): extra = receipts.removeValue(forKey: take.id) ?? [:]
    case .takeStarted: gapsOfTake = 0
    case .gap: gapsOfTake += 1
    default: break
    }
    let (topic, data) = announcement.event(adding: extra)
    publish(topic, data, at: now)
    note(announcement, extra, at: now)
  }

  func publish(_ topic: EventTopic, _ data: JSONValue, at now: Instant) { _ = hub.publish(topic, data, at: now) }

  /// Remembers what is to be said of a take beyond what the machine knows, when it is announced.
  func noteSaved(id: String, bytes: Int) { receipts[id] = ["bytes": .integer(bytes)] }

  /// Remembers the receipt of a clip, for when it is announced.
  func noteReceipt(_ receipt: JSONValue, id: String) { receipts[id] = receipt.objectValue }

  /// Follows the setting of what is logged at least.
  func keepLog(_ settings: Settings) { log.threshold = LogSeverity(settings.logLevel) }

  func log(_ severity: LogSeverity, _ subsystem: String, _ text: String, at now: Instant) {
    let line = LogLine(at: now, severity, subsystem, text)
    log.append(line)
    if severity >= log.threshold { echo?(line) }
  }

  /// The log line of an announcement, where it deserves one.
  private func note(_ announcement: Announcement, _ extra: [String: JSONValue], at now: Instant) {
    switch announcement {
    case .takeStarted(let take, _): log(.info, "recorder", "recording \(take.id)", at: now)
    case .takeSaved(let take, let reason):
      log(.info, "recorder", "saved \(take.id), \(take.frames) frames, stopped: \(reason.rawValue)", at: now)
    case .gap(let frame, let frames, let reason):
      log(.warning, "recorder", "\(frames) frames missing at frame \(frame) (\(reason)); silence stands there", at: now)
    case .deviceLost(let device, let text): log(.warning, device.rawValue, "lost: \(text)", at: now)
    case .deviceReturned(let device, let text): log(.info, device.rawValue, "ready: \(text)", at: now)
    case .storage(let level): log(level == .ample ? .info : .warning, "storage", "space is \(level.rawValue)", at: now)
    case .error(let code, let text): log(.error, "appliance", "\(code): \(text)", at: now)
    case .settingChanged(let key, let value): log(.info, "settings", "\(key) is \(value.description)", at: now)
    case .bufferReady(let seconds): log(.info, "clips", "the ring is full: \(seconds) s", at: now)
    case .captureStarted(let number, let source, _, _):
      log(.info, "clips", "clip \(number) of this run, by \(source.rawValue)", at: now)
    case .captureExtended(let number, let source, _, _):
      log(.info, "clips", "clip \(number) of this run goes on, by \(source.rawValue)", at: now)
    case .captureCompleted(_, let clip):
      log(.info, "clips", "saved \(clip.id), \((clip.seconds * 100).rounded() / 100) s", at: now)
    case .dubbing(let status): note(status, extra, at: now)
    case .snapshotSaved(let path): log(.info, "clips", "picture \(path)", at: now)
    case .modeChanged, .mark, .lock: break
    }
  }

  private func note(_ status: DubbingStatus, _ figures: [String: JSONValue], at now: Instant) {
    let name = status.source?.name ?? "nothing"
    let why = status.reason.isEmpty ? "" : " (\(status.reason))"
    let link = status.isLinkLost ? ", link lost" : ""
    switch status.activity {
    case .idle: log(.info, "dub", "idle\(Self.receipt(figures))", at: now)
    case .buffering: log(.info, "dub", "\(name) buffers\(why)\(link)", at: now)
    case .playing:
      let sound = status.isOn ? "\(status.language): \(status.rung.rawValue)" : "the original"
      log(.info, "dub", "\(name) \(status.isPaused ? "is paused" : "plays"), \(sound)\(why)\(link)", at: now)
    }
  }

  /// How well what was played last was dubbed, for the log.
  private static func receipt(_ figures: [String: JSONValue]) -> String {
    guard let utterances = figures["utterances"]?.integerValue, utterances > 0 else { return "" }
    let percent = Int((figures["onTimePercent"]?.numberValue ?? 0).rounded())
    let drift = ((figures["driftMs"]?.numberValue ?? 0) * 100).rounded() / 100
    let gap = ((figures["longestGapMs"]?.numberValue ?? 0) * 10).rounded() / 10
    return "; \(percent) % of \(utterances) utterances dubbed on time, \(figures["fallbacks"]?.integerValue ?? 0) "
      + "fallbacks, drift \(drift) ms, longest gap \(gap) ms"
  }
}

extension LogSeverity {
  init(_ level: LogLevel) {
    self =
      switch level {
      case .error: .error
      case .warning: .warning
      case .info: .info
      case .debug: .debug
      }
  }
}
