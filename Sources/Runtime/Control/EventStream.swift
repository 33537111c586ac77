internal import Appliance
internal import Console
internal import Hardware
internal import JSON

/// What the device tells the world: events for whoever subscribed, lines for the log. Control lane only.
final class EventStream {
  /// The code of what is wrong in the settings that the board was started with.
  static let boardMistake = "board-settings"

  let hub = EventHub()
  /// Consoles that wait for what they have ordered to be played.
  let player = PlayerAnswers()
  private(set) var log = Log()
  /// The latest events, oldest first, those aside that come many times a second, and answers to a script.
  private(set) var recent: [EventRecord] = []
  static let mostRecent = 200
  /// Is given every line of the log: the consoles.
  var onLine: ((LogLine) -> Void)?
  private let clock: any DeviceClock
  private let echo: ((LogLine) -> Void)?
  private let writer: LogWriter
  private let blackBox: (any BlackBox)?
  /// Whether names of files and addresses are left out of the log.
  private var isPrivate = false
  private var receipts: [String: [String: JSONValue]] = [:]

  /// - Parameters:
  ///   - echo: is given every log line; standard error, the terminal panel.
  ///   - writer: brings them to the storage.
  init(clock: any DeviceClock, echo: ((LogLine) -> Void)?, writer: LogWriter, blackBox: (any BlackBox)?) {
    self.clock = clock
    self.echo = echo
    self.writer = writer
    self.blackBox = blackBox
    _ = hub.attach { [unowned self] event in
      // Ten a second of them would leave no room for what has happened.
      guard event.topic != .onTelemetryUpdate else { return }
      blackBox?.keep(event: isPrivate ? "\(event.t.seconds) \(event.topic.rawValue)" : event.line)
      // What a script was answered may be a list of all takes, and two hundred of them a megabyte.
      guard event.topic != .result else { return }
      recent.append(event)
      if recent.count > 2 * Self.mostRecent { recent.removeFirst(Self.mostRecent) }
    }
  }

  /// Tells which program this is, and how the run before ended.
  func tellStart(of program: String, at now: Instant) {
    guard let end = blackBox?.lastEnd else { return }
    log(end.isInOrder ? .info : .warning, "system", "\(program) starts; \(end.sentence)", at: now)
    if case .crashed = end { publish(.error(code: "crashed", text: end.sentence), at: now) }
  }

  /// Tells what was wrong in the settings that the board was started with.
  func tellMistakes(_ mistakes: [String], at now: Instant) {
    for text in mistakes { publish(.error(code: Self.boardMistake, text: text), at: now) }
  }

  /// - Parameter figures: what is to be said beyond what the machine knows.
  func publish(_ announcement: Announcement, adding figures: [String: JSONValue] = [:], at now: Instant) {
    var extra = figures
    switch announcement {
    case .takeSaved(let take, _), .captureCompleted(_, let take): extra = receipts.removeValue(forKey: take.id) ?? [:]
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

  /// Follows the settings of what is logged.
  func keepLog(_ settings: Settings) {
    log.threshold = LogSeverity(settings.logLevel)
    isPrivate = !settings.hasNamesInLog
  }

  /// What earlier runs have logged.
  func noteEarlier(_ lines: [LogLine]) { log.precede(lines) }

  func log(_ severity: LogSeverity, _ subsystem: String, _ text: String, at now: Instant) {
    guard severity >= log.threshold else { return }
    let isOfNetwork = subsystem == "dub" || subsystem == "network"
    let line = LogLine(
      at: now, wall: clock.wallNow, severity, subsystem,
      isPrivate ? LogPrivacy.strip(text, isOfNetwork: isOfNetwork) : HiddenAddress.text(text))
    log.append(line)
    echo?(line)
    onLine?(line)
    writer.add(line)
    blackBox?.keep(line: line.stampedLine)
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
    case .sourceChanged(let name, let before, let reason):
      log(reason == .lost ? .warning : .info, "microphone", "\(name) after \(before), \(reason.rawValue)", at: now)
    case .storage(let level): log(level == .ample ? .info : .warning, "storage", "space is \(level.rawValue)", at: now)
    case .error(let code, let text): log(.error, "appliance", "\(code): \(text)", at: now)
    case .settingChanged(let key, let value):
      log(.info, "settings", "\(key) is \(isPrivate && Self.mayBeName(value) ? "set" : value.description)", at: now)
    case .bufferReady(let seconds): log(.info, "clips", "the ring is full: \(seconds) s", at: now)
    case .captureStarted(let number, let source, _, _):
      log(.info, "clips", "clip \(number) of this run, by \(source.rawValue)", at: now)
    case .captureExtended(let number, let source, _, _):
      log(.info, "clips", "clip \(number) of this run goes on, by \(source.rawValue)", at: now)
    case .captureCompleted(_, let clip):
      log(.info, "clips", "saved \(clip.id), \((clip.seconds * 100).rounded() / 100) s", at: now)
    case .dubbing(let status): note(status, extra, at: now)
    case .feed(let status): note(status, at: now)
    case .snapshotSaved(let path): log(.info, "clips", "picture \(path)", at: now)
    case .modeChanged, .mark, .lock: break
    }
  }

  private func note(_ status: DubbingStatus, _ figures: [String: JSONValue], at now: Instant) {
    let name = status.source.map { isPrivate ? "(name)" : $0.name } ?? "nothing"
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

  private func note(_ status: FeedStatus, at now: Instant) {
    let name = status.item.map { isPrivate ? "(title)" : $0.title.shown } ?? "nothing"
    let why = status.fault.map { isPrivate ? " (\($0.code))" : " (\($0.text))" } ?? ""
    let muted = status.isMuted ? ", muted" : ""
    log(.info, "feed", "\(name): \(status.isPaused ? "paused" : status.activity.rawValue)\(muted)\(why)", at: now)
  }

  /// Words that settings have are short, and of letters.
  private static func mayBeName(_ value: SettingValue) -> Bool {
    if case .text(let text) = value { text.count > 16 || !text.allSatisfy { $0.isLetter || $0 == "-" } } else { false }
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
