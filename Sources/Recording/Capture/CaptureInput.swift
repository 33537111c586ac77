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
  private var request: SoundRequest { didSet { sessionChanges &+= 1 } }
  /// What the board file says of its microphone, and how the rate is settled.
  private let board: SoundRequest
  private var session: any AudioSession = BaselineSession()
  private var historySeconds: Int
  /// Seconds that somebody else than the recorder wants to be held.
  private var clipSeconds = 0
  /// What was heard before is not in a take; `nil`: nothing is kept at all.
  private var keptFrom: Instant? = .zero
  /// Nor is what was heard before this: the device itself has spoken.
  private var quietFrom = Instant.zero
  private var timeline: CaptureTimeline
  /// The frame that the timeline counts from: it starts afresh with every opening.
  private var timelineStart = 0
  private var meter: LevelMeter
  /// What is metered goes the way that the file's sound goes; the history keeps the sound as it came.
  private var meterShaper: SoundShaper
  private var automatic: AutomaticGain
  private var shaping = ShapingSettings()
  /// Voice or noise, of the sound as it comes.
  public private(set) var voice: VoiceDetector
  private var gain: Float = 1
  /// Whether levels are those of a take, and not of the microphone.
  private var metersTakes = true
  /// The last seconds as a picture.
  public private(set) var waveform: WaveformStrip
  private let scratch: UnsafeMutablePointer<Float>
  /// Somebody still takes sound of before now out of the history.
  private var isWanted = false
  /// The first block of another source has not come yet; it may begin before the last one of the source before ended.
  private var isJoining = false
  /// The source that was heard last, and what those before it have counted.
  private var lastSource: String?
  private var countersBefore = SoundCounters()
  private var nextAttempt: Instant? = .zero
  private var hasReportedLoss = false
  /// When the end of the last block was at the converter; zero while the microphone is closed.
  public private(set) var heardUntil = Instant.zero
  /// When the block after the last one should be there.
  private var expected = Instant.zero

  /// How often the microphone has been tried to open; grows once a second while it is not there.
  public private(set) var attempts = 0
  /// What the microphone granted; `nil` while there is none.
  public var grant: SoundGrant? { line?.grant }
  /// The format of the frames: the granted one, or its mono mix.
  public private(set) var format: PCMFormat { didSet { sessionChanges &+= 1 } }
  /// The last seconds of sound.
  public private(set) var history: PreRecordRing
  /// Gaps of the last seconds, oldest first.
  public private(set) var gaps: [CaptureGap] = []
  /// Where another source begins, within the last seconds, oldest first.
  public private(set) var changes: [(frame: Int, source: String, name: String)] = []
  /// Grows whenever the frames before and after do not follow one another in time: at every opening.
  public private(set) var generation = 0

  /// Frames that are moved at a time.
  public static let chunkFrames = 2048
  /// How often a missing microphone is tried again.
  private static let retryInterval = Duration.seconds(1)
  /// Slack of the history beyond the pre-record time: what a late media worker or a full pipe may use up.
  private static let slackSeconds = 3
  /// From the end of a period at the converter to its block in the ring: the driver's thread has to wake first.
  private static let deliveryTime = Duration.milliseconds(1)

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
    self.request = request
    board = request
    self.historySeconds = historySeconds
    self.report = report
    format = request.format
    timeline = CaptureTimeline(format: request.format)
    meter = LevelMeter(format: request.format)
    automatic = AutomaticGain(format: request.format, seconds: 1)
    voice = VoiceDetector(format: request.format)
    meterShaper = SoundShaper(format: request.format, settings: shaping, automatic: nil)
    waveform = WaveformStrip(format: request.format)
    history = PreRecordRing(
      format: request.format, capacity: Self.historyFrames(format: request.format, seconds: historySeconds))
    scratch = .allocate(capacity: Self.chunkFrames * 2)
    scratch.initialize(repeating: 0, count: Self.chunkFrames * 2)
    startShaping()
  }

  deinit {
    line?.close()
    scratch.deallocate()
  }

  /// The device's name for metadata.
  public var name: String { line?.microphone.name ?? sources.firstName }
  /// Whether sound is arriving.
  public var isRunning: Bool { line != nil }
  /// Whether there is any microphone to be opened.
  public var hasDevice: Bool { sources.hasAny }
  /// What the one that is heard is called in the order of sources; `nil` while none is.
  public var source: String? { line?.source }
  /// The frame after the last one received.
  public var endFrame: Int { history.endFrame }
  /// Whether this frame will be lost within a quarter of a second: the history is nearly full of what is behind it.
  public func isPressing(_ frame: Int) -> Bool { history.capacity - (endFrame - frame) < format.sampleRate / 4 }
  /// The counters that the drivers' threads leave.
  public var counters: SoundCounters { line.map { countersBefore + $0.microphone.counters } ?? countersBefore }
  /// Seconds of sound from before now that a take could begin with.
  public var heldSeconds: Double {
    Double(max(0, history.endFrame - firstKept(before: history.endFrame))) / Double(format.sampleRate)
  }

  // MARK: What may be in a take

  /// What is heard from `instant` on may be in a take; of before, what was kept already.
  public func keep(from instant: Instant) { keptFrom = min(keptFrom ?? instant, instant) }

  /// Nothing that has been heard so far, or will be, is to be in a take, until `keep(from:)`.
  public func forget() { keptFrom = nil }

  /// What is heard before `instant`, which may be to come, is in no take or clip: the device itself speaks until then.
  public func hush(until instant: Instant) { quietFrom = max(quietFrom, instant) }

  /// The first frame that has nothing of what the device has said; it may be one to come.
  public var firstQuietFrame: Int { quietFrom == .zero ? 0 : frame(at: quietFrom) }

  /// The first frame of before `frame` that a take may begin with; a later one if the device is still speaking.
  public func firstKept(before frame: Int) -> Int {
    let kept = keptFrom.map { self.frame(at: $0) } ?? frame
    return max(history.firstFrame, firstQuietFrame, min(kept, frame))
  }

  /// The same periods, in time, for another format.
  public func request(for format: PCMFormat) -> SoundRequest {
    let rate = request.format.sampleRate
    return SoundRequest(
      format: format, periodFrames: request.periodFrames * format.sampleRate / rate,
      bufferFrames: request.bufferFrames * format.sampleRate / rate)
  }

  /// Whether the microphone runs and has not delivered yet, so that nobody knows which instant its first frame is of.
  public var isUntimed: Bool { isRunning && timeline.frame(at: .zero) == nil }

  /// The frame that was (or will be) at the converter at `instant`.
  public func frame(at instant: Instant) -> Int {
    timeline.frame(at: instant).map { max(0, timelineStart + $0) } ?? history.endFrame
  }

  /// When a frame of this opening was (or will be) at the converter; `nil` before the first sound.
  public func instant(ofFrame frame: Int) -> Instant? { timeline.instant(ofFrame: frame - timelineStart) }

  /// The first frame of this opening.
  public var firstFrameOfOpening: Int { timelineStart }

  /// Levels since the last call.
  public func takeLevels() -> [ChannelLevel] {
    let reading = meter.take()
    return format.channels == 1 ? [reading.left] : [reading.left, reading.right]
  }

  /// Whether somebody wants to know of voices.
  public var hearsVoice = false

  // MARK: The way into a file

  /// Sets what is done to sound on its way into a file, and into the meters. Not during a take.
  public func shape(_ settings: ShapingSettings) {
    guard settings != shaping else { return }
    shaping = settings
    startShaping()
  }

  /// Sets the gain of that way, as a factor.
  public func setGain(_ gain: Float) {
    self.gain = gain
    if metersTakes { meterShaper.gain.setGain(gain) }
  }

  /// Whether levels are those of a take, or those of the microphone.
  public func meterTakes(_ metersTakes: Bool) {
    guard metersTakes != self.metersTakes else { return }
    self.metersTakes = metersTakes
    startShaping()
  }

  /// That way, from its beginning, with the automatic gain that was measured.
  ///
  /// - Parameter isPlain: without automatic gain and limiter.
  func makeShaper(gain: Float, isPlain: Bool = false) -> SoundShaper {
    SoundShaper(
      format: format, settings: isPlain ? ShapingSettings(lowCutHz: shaping.lowCutHz) : shaping,
      automatic: automatic, gain: gain)
  }

  private func startShaping() {
    if shaping.hasAutomaticGain {
      automatic = AutomaticGain(format: format, seconds: max(historySeconds, clipSeconds) + Self.slackSeconds)
    }
    meterShaper =
      metersTakes
      ? makeShaper(gain: gain) : SoundShaper(format: format, settings: ShapingSettings(), automatic: nil)
  }

  /// How far the microphone's clock is off, in parts per million.
  public var driftPPM: Double { timeline.driftPPM }

  /// Changes what is asked for, and how: the device is closed only if the strategy does not keep it as it is. Not during a
  /// take.
  ///
  /// - Parameter session: the strategy; `nil`: the same.
  public func configure(request: SoundRequest, historySeconds: Int, session: (any AudioSession)? = nil) {
    let isOther = session.map { !$0.isSame(as: self.session) } ?? false
    if let session { self.session = session }
    let wantsNewFormat = request != self.request
    guard wantsNewFormat || isOther || historySeconds != self.historySeconds else { return }
    self.request = request
    self.historySeconds = historySeconds
    guard wantsNewFormat || isOther else { return resizeHistory() }
    // What was refused is asked for anew with another strategy only.
    if let line, !isOther || line.fallback == nil,
      self.session.requests(for: request, held: line.grant, board: board).isEmpty
    {
      beginHistory(of: line)
    } else {
      close()
      nextAttempt = .zero
    }
  }

  /// Grows whenever `sessionState` may have become another: the state itself is too dear to be asked for in each step.
  public private(set) var sessionChanges = 0

  /// Requested, granted, delivered.
  public var sessionState: SessionState {
    SessionState(
      requested: request.format, granted: line?.grant, delivered: line == nil ? nil : format, fallback: line?.fallback)
  }

  private var requests: [SoundRequest] {
    session.requests(for: request, held: nil, board: board).map { request in
      var request = request
      if isPrompt { request.periodFrames = min(request.periodFrames, request.format.sampleRate / 100) }
      return request
    }
  }

  /// Whether periods of 10 ms at most are asked for, by who hears the microphone at once. The device is opened anew for that,
  /// unless somebody wants its sound of before: then it is as soon as it is opened.
  public var isPrompt = false {
    didSet {
      guard isPrompt != oldValue, !isWanted else { return }
      close()
      nextAttempt = .zero
    }
  }

  /// Holds at least so many seconds for clips, beside what the recorder wants; keeps what fits.
  public func hold(clipSeconds seconds: Int) {
    guard seconds != clipSeconds else { return }
    clipSeconds = seconds
    resizeHistory()
  }

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
    return line == nil ? nextAttempt.map { isWanted ? max($0, now + Self.retryInterval) : $0 } : nextArrival(now: now)
  }

  /// Opens the microphone if that is due: its format may have been changed a moment ago.
  public func open(ifDue now: Instant) {
    if line == nil, let due = nextAttempt, due <= now { open(now: now) }
  }

  /// The driver's thread must not wake anybody (that takes a lock), so the next look is timed by the blocks' own
  /// clock: right after the next one is due; a late one is looked for less and less often.
  private func nextArrival(now: Instant) -> Instant {
    guard let grant else { return now }
    let period = grant.format.duration(ofFrames: grant.periodFrames)
    if now < expected { return min(expected, now + period + period) }
    return now + min(period, max(Self.deliveryTime, .nanoseconds((now - expected).nanoseconds / 2)))
  }

  /// Gives the device back.
  public func close() {
    sources.drop()
    release()
  }

  private func release() {
    countersBefore = counters
    line?.close()
    line = nil
    heardUntil = .zero
  }

  // MARK: Sources

  /// Sets which microphones are preferred, best first, and whether a better one that comes back is heard at once even in a
  /// take. A change of the order counts at once.
  public func prefer(_ order: [String], returnsInTakes: Bool) { sources.set(order, returnsInTakes: returnsInTakes) }

  /// The one after (or before) the one that is heard, of those that are there; `nil`: there is no other.
  public func sourceBeside(by step: Int) -> String? { sources.neighbour(of: source ?? "", by: step) }

  /// Those that are there.
  public func presentSources() -> [String] { sources.present() }

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
        return begin(try MicrophoneLine(source, microphone, requests), .lost, now: now)
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
    let asked = PCMFormat(
      sampleRate: request.format.sampleRate, channels: min(request.format.channels, opened.grant.format.channels))
    opened.deliver(as: session.delivered(for: asked, granted: opened.nativeFormat(channels: asked.channels)))
    if opened.format != format || history.heldFrames > 0 {
      format = opened.format
      meter = LevelMeter(format: format)
      waveform = WaveformStrip(format: format)
    }
    voice = VoiceDetector(format: format)
    startShaping()
    startHistory()
  }

  /// Goes on with another source in the same history.
  private func join(_ opened: MicrophoneLine, _ reason: SourceChangeReason, now: Instant) {
    opened.deliver(as: format)
    adopt(opened, now: now)
    timeline.changeSource()
    isJoining = true
    changes.append((history.endFrame, opened.source, opened.microphone.name))
    tellChange(reason)
  }

  private func adopt(_ opened: MicrophoneLine, now: Instant) {
    line = opened
    countersBefore = countersBefore - opened.microphone.counters
    sources.settle(on: opened.source, now: now)
  }

  private func tellChange(_ reason: SourceChangeReason) {
    guard let source else { return }
    if let before = lastSource {
      if source != before { report(.changed(to: source, from: before, reason)) }
    } else if let best = sources.best(unless: source) {
      report(.changed(to: source, from: best, .absent))
    }
    lastSource = source
  }

  /// Whether another source can go on in the history. One of another format does only where a take or a clip needs that.
  private func canJoin(_ opened: MicrophoneLine) -> Bool {
    guard !isUntimed, history.heldFrames > 0 else { return false }
    let own = opened.nativeFormat(channels: request.format.channels)
    return isWanted || session.converts
      ? opened.canDeliver(at: format.sampleRate)
      : (own.sampleRate, own.channels) == (format.sampleRate, format.channels)
  }

  /// The next of the order goes on for one that went away; false: there is none.
  private func fallBack(from lost: String, now: Instant) -> Bool {
    for (source, microphone) in sources.candidates(but: lost) {
      guard let opened = try? MicrophoneLine(source, microphone, requests) else { continue }
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
    guard let better = sources.better(than: present.source, requests, now: now, isInTake: isWanted) else {
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

  /// A new, empty history whose first frame goes on counting where the old one ended.
  private func startHistory() {
    let end = history.endFrame
    let capacity = Self.historyFrames(format: format, seconds: max(historySeconds, clipSeconds))
    generation += 1
    if history.format != format || history.capacity != capacity {
      history = PreRecordRing(format: format, capacity: capacity)
    }
    history.restart(at: end)
    timeline = CaptureTimeline(format: format)
    timelineStart = end
    isJoining = false
    gaps = []
    changes = []
  }

  private func resizeHistory() {
    let capacity = Self.historyFrames(format: format, seconds: max(historySeconds, clipSeconds))
    guard history.capacity != capacity else { return }
    history = history.resized(capacity: capacity)
    // The automatic gain is known for as long.
    if shaping.hasAutomaticGain { startShaping() }
  }

  /// Bytes of the ring between driver and worker, and of the history, for the budget.
  public static func ringBytes(_ format: PCMFormat) -> Int {
    format.sampleRate * MicrophoneLine.ringSeconds * format.channels * 4
  }
  public static func historyBytes(_ format: PCMFormat, seconds: Int) -> Int {
    PreRecordRing.byteCount(format: format, capacity: historyFrames(format: format, seconds: seconds))
  }

  private static func historyFrames(format: PCMFormat, seconds: Int) -> Int {
    (seconds + slackSeconds) * format.sampleRate
  }

  // MARK: Receiving

  private func receive(from line: MicrophoneLine, now: Instant) {
    while var block = line.next() {
      if isJoining { skipOverlap(of: &block, line) }
      let placement = timeline.add(block)
      if placement.gapFrames > 0 {
        let reason = placement.cause == .lost ? "source" : "overrun"
        gaps.append(CaptureGap(frame: history.endFrame, frames: placement.gapFrames, reason: reason))
        history.pushSilence(frames: placement.gapFrames)
      }
      switch block.kind {
      case .sound:
        pushSound(from: line, frames: Int(block.frames))
        heardUntil = block.end
        expected = block.end + format.duration(ofFrames: Int(block.frames)) + Self.deliveryTime
      case .discontinuity: break
      case .lost:
        close()
        nextAttempt = now + Self.retryInterval
        guard !fallBack(from: line.source, now: now) else { return }
        hasReportedLoss = true
        report(.lost("\(line.microphone.name) went away (errno \(block.code)); plug it in again"))
        return
      }
    }
    let oldest = history.firstFrame
    gaps.removeAll { $0.frame + $0.frames < oldest }
    if !changes.isEmpty { changes.removeAll { $0.frame < oldest } }
  }

  /// Leaves out what the source before has told already.
  private func skipOverlap(of block: inout CaptureBlock, _ line: MicrophoneLine) {
    guard block.kind == .sound, block.frames > 0 else { return }
    var overlap = min(timeline.overlap(of: block), Int(block.frames))
    block.frames -= Int32(truncatingIfNeeded: overlap)
    isJoining = block.frames == 0
    while overlap > 0 {
      let skipped = line.read(into: scratch, frames: min(overlap, Self.chunkFrames))
      guard skipped > 0 else { return }
      overlap -= skipped
    }
  }

  private func pushSound(from line: MicrophoneLine, frames: Int) {
    var rest = frames
    while rest > 0 {
      let got = line.read(into: scratch, frames: min(rest, Self.chunkFrames))
      guard got > 0 else { return }
      let frame = history.endFrame
      history.push(scratch, frames: got)
      if hearsVoice { voice.add(scratch, frames: got, at: frame) }
      meterShaper.process(scratch, frames: got, at: frame, isHeard: true)
      meter.add(scratch, frames: got)
      waveform.add(scratch, frames: got)
      rest -= got
    }
  }
}
