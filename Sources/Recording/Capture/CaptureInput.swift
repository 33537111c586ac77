public import Hardware
public import Sound

/// Keeps the microphone open and turns its blocks into one unbroken run of frames, the last seconds of which
/// are always at hand: the pre-record.
///
/// Frames are counted from the first opening and never restart, so that a take is a range of them. Sound that was
/// lost on the way is there as exact silence and in `gaps`. Media worker only.
public final class CaptureInput {
  /// What happened to the microphone.
  public enum Event: Sendable {
    case opened(SoundGrant, name: String)
    case lost(String)
    /// Another source is heard from now on.
    case changed(to: String, from: String, SourceChangeReason)
  }

  private let sources: SourceOrder
  private var line: MicrophoneLine? { didSet { sessionChanges &+= 1 } }
  private let report: (Event) -> Void
  private var session: CaptureSession { didSet { sessionChanges &+= 1 } }
  private let past: CaptureHistory
  private let meters: CaptureMeters
  private let intake: CaptureIntake
  private var kept = KeptSound()
  private var historySeconds: Int
  /// Seconds that somebody else than the recorder wants to be held.
  private var clipSeconds = 0
  /// Somebody still takes sound of before now out of the history.
  private var isWanted = false
  /// What the sources before the present one have counted.
  private var countersBefore = SoundCounters()
  private var nextAttempt: Instant? = .zero
  private var hasReportedLoss = false

  /// How often the microphone has been tried to open; grows once a second while it is not there.
  public private(set) var attempts = 0
  /// Grows whenever `sessionState` may have become another: the state itself is too dear to be asked for in each step.
  public private(set) var sessionChanges = 0

  /// Frames that are moved at a time.
  public static let chunkFrames = 2048
  /// How often a missing microphone is tried again.
  private static let retryInterval = Duration.seconds(1)

  /// - Parameters:
  ///   - microphone: the board's own, or `nil` if it has none.
  ///   - others: what may be plugged in beside it.
  ///   - request: what is asked of it.
  ///   - historySeconds: pre-record time, 0…60.
  public init(
    microphone: (any Microphone)?, others: (any MicrophoneSources)? = nil, request: SoundRequest, historySeconds: Int,
    report: @escaping (Event) -> Void
  ) {
    sources = SourceOrder(board: microphone, others: others)
    session = CaptureSession(request)
    self.historySeconds = historySeconds
    self.report = report
    past = CaptureHistory(format: request.format, seconds: historySeconds)
    meters = CaptureMeters(format: request.format, seconds: historySeconds)
    intake = CaptureIntake(past, meters)
  }

  deinit { line?.close() }

  /// Bytes of the ring between driver and worker, and of the history, for the budget.
  public static func ringBytes(_ format: PCMFormat) -> Int {
    format.sampleRate * MicrophoneLine.ringSeconds * format.channels * 4
  }
  public static func historyBytes(_ format: PCMFormat, seconds: Int) -> Int {
    CaptureHistory.byteCount(format, seconds: seconds)
  }

  // MARK: The microphone

  /// The device's name for metadata.
  public var name: String { line?.microphone.name ?? sources.firstName }
  /// Whether sound is arriving.
  public var isRunning: Bool { line != nil }
  /// Whether there is any microphone to be opened.
  public var hasDevice: Bool { sources.hasAny }
  /// What the one that is heard is called in the order of sources; `nil` while none is.
  public var source: String? { line?.source }
  /// What the microphone granted; `nil` while there is none.
  public var grant: SoundGrant? { line?.grant }
  /// Requested, granted, delivered.
  public var sessionState: SessionState { session.state(of: line, format) }
  /// The counters that the drivers' threads leave.
  public var counters: SoundCounters { line.map { countersBefore + $0.microphone.counters } ?? countersBefore }

  // MARK: Its sound

  /// When the end of the last block was at the converter; zero while the microphone is closed.
  public var heardUntil: Instant { intake.heardUntil }
  /// The format of the frames: the granted one, or its mono mix.
  public var format: PCMFormat { past.ring.format }
  /// The last seconds of sound.
  public var history: PreRecordRing { past.ring }
  /// The frame after the last one received.
  public var endFrame: Int { past.ring.endFrame }
  /// The first frame of this opening.
  public var firstFrameOfOpening: Int { past.firstOfOpening }
  /// Gaps of the last seconds, oldest first.
  public var gaps: [CaptureGap] { past.gaps }
  /// Where another source begins, within the last seconds, oldest first.
  public var changes: [(frame: Int, source: String, name: String)] { past.changes }
  /// Grows whenever the frames before and after do not follow one another in time: at every opening.
  public var generation: Int { past.generation }
  /// How far the microphone's clock is off, in parts per million.
  public var driftPPM: Double { past.driftPPM }

  /// Frames from this one on that were heard: silence for lost sound does not count.
  public func heardFrames(from frame: Int) -> Int {
    gaps.reduce(endFrame - frame) { $0 - max(0, $1.frame + $1.frames - max($1.frame, frame)) }
  }

  /// Whether this frame will be lost within a quarter of a second, or so many: the history is nearly full of what is
  /// behind it. Of silence nothing can be lost.
  public func isPressing(_ frame: Int, quarters: Int = 1) -> Bool {
    guard !gaps.contains(where: { $0.frame <= frame && frame < $0.frame + $0.frames }) else { return false }
    return history.capacity - (endFrame - frame) < quarters * format.sampleRate / 4
  }

  /// Whether the microphone runs and has not delivered yet, so that nobody knows which instant its first frame is of.
  public var isUntimed: Bool { isRunning && past.isUntimed }

  /// The frame that was (or will be) at the converter at `instant`.
  public func frame(at instant: Instant) -> Int { past.frame(at: instant) }

  /// When a frame of this opening was (or will be) at the converter; `nil` before the first sound.
  public func instant(ofFrame frame: Int) -> Instant? { past.instant(ofFrame: frame) }

  // MARK: What may be in a take

  /// What is heard from `instant` on may be in a take; of before, what was kept already.
  public func keep(from instant: Instant) { kept.keep(from: instant) }

  /// Nothing that has been heard so far, or will be, is to be in a take, until `keep(from:)`.
  public func forget() { kept.forget() }

  /// What is heard before `instant`, which may be to come, is in no take or clip: the device itself speaks until then.
  public func hush(until instant: Instant) { kept.hush(until: instant) }

  /// The first frame that has nothing of what the device has said; it may be one to come.
  public var firstQuietFrame: Int { kept.firstQuiet(frame) }

  /// The first frame of before `frame` that a take may begin with; a later one if the device is still speaking.
  public func firstKept(before frame: Int) -> Int {
    kept.first(before: frame, oldest: history.firstFrame, self.frame)
  }

  /// Seconds of sound from before now that a take could begin with.
  public var heldSeconds: Double {
    Double(max(0, endFrame - firstKept(before: endFrame))) / Double(format.sampleRate)
  }

  // MARK: What is seen of it, and its way into a file

  /// Levels since the last call.
  public func takeLevels() -> [ChannelLevel] { meters.takeLevels() }

  /// The last seconds as a picture.
  public var waveform: WaveformStrip { meters.waveform }

  /// Whether levels are those of a take, or those of the microphone.
  public func meterTakes(_ metersTakes: Bool) { meters.meterTakes(metersTakes) }

  /// Voice or noise, of the sound as it comes.
  public var voice: VoiceDetector { meters.voice }

  /// Whether somebody wants to know of voices.
  public var hearsVoice: Bool {
    get { meters.hearsVoice }
    set { meters.hearsVoice = newValue }
  }

  /// Sets what is done to sound on its way into a file, and into the meters. Not during a take.
  public func shape(_ settings: ShapingSettings) { meters.shape(settings) }

  /// Sets the gain of that way, as a factor.
  public func setGain(_ gain: Float) { meters.setGain(gain) }

  /// That gain.
  public var gain: Float { meters.gain }

  /// That way, from its beginning, with the automatic gain that was measured.
  ///
  /// - Parameter isPlain: without automatic gain and limiter.
  public func makeShaper(gain: Float, isPlain: Bool = false) -> SoundShaper {
    meters.makeShaper(gain: gain, isPlain: isPlain)
  }

  // MARK: What is asked for

  /// The same periods, in time, for another format.
  public func request(for format: PCMFormat) -> SoundRequest { session.request(for: format) }

  /// Changes what is asked for, and how: the device is closed only if the strategy does not keep it as it is. Not during a
  /// take.
  ///
  /// - Parameters:
  ///   - fileRate: the one rate that what is recorded can have, Hz; `nil`: any.
  ///   - session: the strategy; `nil`: the same.
  public func configure(
    request: SoundRequest, historySeconds: Int, fileRate: Int? = nil, session strategy: (any AudioSession)? = nil
  ) {
    let isOther = strategy.map { !$0.isSame(as: session.strategy) } ?? false
    if let strategy { session.strategy = strategy }
    let wantsNewFormat = request != session.request
    let isOtherFile = fileRate != session.fileRate
    if isOtherFile { session.fileRate = fileRate }
    // Most microphones have the file's rate: their history goes on.
    let isConverted = isOtherFile && line.map { session.delivered(by: $0) != format } ?? false
    guard wantsNewFormat || isOther || isConverted || historySeconds != self.historySeconds else { return }
    session.request = request
    self.historySeconds = historySeconds
    guard wantsNewFormat || isOther || isConverted else { return resizeHistory() }
    if let line, !wantsNewFormat && !isOther || session.keeps(line, isOther: isOther) {
      beginHistory(of: line)
    } else {
      openAnew()
    }
  }

  /// Whether periods of 10 ms at most are asked for, by who hears the microphone at once. The device is opened anew for that,
  /// unless somebody wants its sound of before: then it is as soon as it is opened.
  public var isPrompt: Bool {
    get { session.isPrompt }
    set {
      guard newValue != session.isPrompt else { return }
      session.isPrompt = newValue
      if !isWanted { openAnew() }
    }
  }

  /// Holds at least so many seconds for clips, beside what the recorder wants; keeps what fits.
  public func hold(clipSeconds seconds: Int) {
    guard seconds != clipSeconds else { return }
    clipSeconds = seconds
    resizeHistory()
  }

  private var heldFor: Int { max(historySeconds, clipSeconds) }

  private func resizeHistory() {
    if past.hold(seconds: heldFor) { meters.hold(seconds: heldFor) }
  }

  /// Sets which microphones are preferred, best first, and whether a better one that comes back is heard at once even in a
  /// take. A change of the order counts at once.
  public func prefer(_ order: [String], returnsInTakes: Bool) { sources.set(order, returnsInTakes: returnsInTakes) }

  /// The one after (or before) the one that is heard, of those that are there; `nil`: there is no other.
  public func sourceBeside(by step: Int) -> String? { sources.neighbour(of: source ?? "", by: step) }

  /// Those that are there.
  public func presentSources() -> [String] { sources.present() }

  // MARK: Work

  /// Somebody takes sound of before now out of the history already: nothing that is asked for from here on costs it.
  public func want() { isWanted = true }

  /// Opens the microphone if it is due, and moves everything that has arrived into the history.
  ///
  /// Called by the lane before anything else, and between any two pieces of other work: the ring behind the driver holds
  /// two seconds, the history the rest.
  ///
  /// - Parameter isWanted: somebody still takes sound of before a loss out of the history. The microphone is opened again
  ///   after that, because its sound starts a new history.
  /// - Returns: when the next block should have arrived, or when to try a missing microphone again.
  public func step(now: Instant, isWanted: Bool = false) -> Instant? {
    self.isWanted = isWanted
    if !isWanted { open(ifDue: now) }
    if let line {
      receive(from: line, now: now)
      if sources.isLooking { lookForBetter(now: now) }
    }
    if let line { return intake.nextArrival(from: line.grant, now: now) }
    return nextAttempt.map { isWanted ? max($0, now + Self.retryInterval) : $0 }
  }

  /// Opens the microphone if that is due: its format may have been changed a moment ago.
  public func open(ifDue now: Instant) {
    if line == nil, let due = nextAttempt, due <= now { open(now: now) }
  }

  /// Gives the device back.
  public func close() {
    sources.drop()
    release()
  }

  private func openAnew() {
    close()
    nextAttempt = .zero
  }

  private func release() {
    countersBefore = counters
    line?.close()
    line = nil
    intake.stop()
  }

  // MARK: Sources

  private func open(now: Instant) {
    attempts &+= 1
    guard hasDevice else {
      nextAttempt = nil
      report(.lost("the board file names no microphone"))
      return
    }
    var failure: DeviceError?
    for (source, microphone) in sources.candidates() {
      do throws(DeviceError) {
        return begin(try MicrophoneLine(source, microphone, session.requests), .lost, now: now)
      } catch { failure = failure ?? error }
    }
    nextAttempt = now + Self.retryInterval
    if !hasReportedLoss { report(.lost(failure.map { "\($0)" } ?? "no microphone of the written order is there")) }
    hasReportedLoss = true
  }

  /// Begins with a source and a history of its format.
  private func begin(_ opened: MicrophoneLine, _ reason: SourceChangeReason, now: Instant) {
    adopt(opened, now: now)
    hasReportedLoss = false
    beginHistory(of: opened)
    report(.opened(opened.grant, name: name))
    tellChange(reason)
  }

  /// A history of what comes from here on, in the format that the session delivers.
  private func beginHistory(of opened: MicrophoneLine) {
    opened.deliver(as: session.delivered(by: opened))
    let isFirst = opened.format == format && history.heldFrames == 0
    meters.begin(opened.format, seconds: heldFor, isFirst: isFirst)
    past.begin(opened.format, seconds: heldFor)
  }

  /// Goes on with another source in the same history.
  private func join(_ opened: MicrophoneLine, _ reason: SourceChangeReason, now: Instant) {
    opened.deliver(as: format)
    adopt(opened, now: now)
    past.join(opened.source, name: opened.microphone.name)
    tellChange(reason)
  }

  private func adopt(_ opened: MicrophoneLine, now: Instant) {
    line = opened
    countersBefore = countersBefore - opened.microphone.counters
    sources.settle(on: opened.source, now: now)
  }

  private func tellChange(_ reason: SourceChangeReason) {
    guard let source, let change = sources.change(to: source, reason) else { return }
    report(.changed(to: source, from: change.from, change.reason))
  }

  private func canJoin(_ opened: MicrophoneLine) -> Bool {
    !isUntimed && history.heldFrames > 0 && session.canJoin(opened, format, isNeeded: isWanted)
  }

  /// The next of the order goes on for one that went away; false: there is none.
  private func fallBack(from lost: String, now: Instant) -> Bool {
    for (source, microphone) in sources.candidates(but: lost) {
      guard let opened = try? MicrophoneLine(source, microphone, session.requests) else { continue }
      if canJoin(opened) {
        join(opened, .lost, now: now)
      } else if !isWanted {
        begin(opened, .lost, now: now)
      } else {
        opened.close()
        continue
      }
      return true
    }
    return false
  }

  /// Changes to a better source that delivers. The one before is heard up to there, so that nothing is missing.
  private func lookForBetter(now: Instant) {
    guard let present = line else { return }
    guard let better = sources.better(than: present.source, session.requests, now: now, isInTake: isWanted) else {
      if let missing = sources.takeMissing() { report(.changed(to: present.source, from: missing, .absent)) }
      return
    }
    let isJoined = canJoin(better.line)
    if isJoined || !isWanted { receive(from: present, now: now) }
    guard isJoined || !isWanted, line === present else {
      sources.putOff(now: now)
      return better.line.close()
    }
    release()
    isJoined ? join(better.line, better.reason, now: now) : begin(better.line, better.reason, now: now)
    receive(from: better.line, now: now)
  }

  private func receive(from line: MicrophoneLine, now: Instant) {
    guard let code = intake.receive(from: line) else { return }
    close()
    nextAttempt = now + Self.retryInterval
    guard !fallBack(from: line.source, now: now) else { return }
    hasReportedLoss = true
    report(.lost("\(line.microphone.name) went away (errno \(code)); plug it in again"))
  }
}
