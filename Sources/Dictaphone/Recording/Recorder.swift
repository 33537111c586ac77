public import Hardware
internal import Media
public import Recording
internal import Sound

/// Makes takes: a take is one or more ranges of the capture's frames, encoded and sent down the pipe, into one file or
/// several that join without a seam.
///
/// Every boundary is the time of a key's edge mapped onto the frame count, so lengths are exact whenever the
/// order arrives; ranges after a pause are joined through 5 ms fades. Media worker only.
public final class Recorder {
  /// What the recorder tells the control loop.
  public enum Event: Sendable {
    case paused
    case resumed
    /// Silence is left out from here on, until a voice is heard (false).
    case waiting(Bool)
    /// At a frame of the take's present file, before which there are others with so many frames; a cause is told of one
    /// that was put by itself.
    case marked(frame: Int, before: Int, cause: String?)
    case gap(frame: Int, frames: Int, reason: String)
    /// The take is ending; its last packets are in the pipe.
    case stopping(StopReason)
    case failed(code: String, text: String)
    /// The take is not quite what the settings ask for, and why.
    case told(code: String, text: String)
  }

  private enum Order {
    case start(Instant)
    case pause(Instant)
    case resume(Instant)
    case mark(Instant, title: String?)
    case stop(Instant, StopReason)
  }

  private let input: CaptureInput
  private let pipe: RecordingPipe
  private let clock: any DeviceClock
  private let report: (Event) -> Void
  private var settings: RecordingSettings
  private var pendingSettings: RecordingSettings?
  /// A sample rate was set, and no take has been made with it yet.
  private var isRateNew = false
  private var take: OpenTake?
  /// Number of the last file, and frames of the open take up to the press.
  private var lastNumber = 0
  private var pressedFrames = 0
  private var gain: Float = 1
  private var voice: VoiceOperation?
  /// What the open take is encoded with.
  private var ladder: EncoderLadder?
  /// Whether this step found no room in the pipe.
  private var isHeldUp = false
  /// Frames of the take before which no other mark is put by itself, for a gap and for an overload.
  private var nextMark = (gap: 0, overload: 0)
  /// Whether somebody has paused the take: then no voice has it go on.
  private var isPausedByHand = false
  /// Orders that wait for the microphone's first sound, and until when.
  private var held: [Order] = []
  private var heldUntil = Instant.zero
  private let scratch: UnsafeMutablePointer<Float>

  /// How long STOP waits for sound of before the press that has not arrived.
  private static let endPatience = Duration.seconds(1)
  /// Most frames that are encoded in one step: four access units, some 10 ms of the slowest board's processor. The
  /// microphone's ring is emptied between steps, the history holds what is still to be encoded.
  static let sliceFrames = 2 * CaptureInput.chunkFrames

  /// Marks that are put by themselves are this far apart at least.
  private static let secondsBetweenGapMarks = 1
  private static let secondsBetweenOverloadMarks = 5
  /// What clips: so many samples in a row at full scale, of 16 bits.
  private static let clipRun = 3
  private static let fullScale: Float = 0.99996

  /// Frames that this step may still encode.
  private var allowance = 0
  /// Whether there was more to encode than one step may.
  public private(set) var isBehind = false

  /// - Parameters:
  ///   - input: the microphone; who steps the recorder steps it before.
  ///   - pipe: where encoded sound goes.
  ///   - clock: for the wall time of takes only.
  public init(
    input: CaptureInput, pipe: RecordingPipe, clock: any DeviceClock, settings: RecordingSettings,
    report: @escaping (Event) -> Void
  ) {
    self.input = input
    self.pipe = pipe
    self.clock = clock
    self.settings = settings
    self.report = report
    scratch = .allocate(capacity: CaptureInput.chunkFrames * 2)
    scratch.initialize(repeating: 0, count: CaptureInput.chunkFrames * 2)
    input.shape(settings.shaping)
    input.hearsVoice = settings.silence != nil
    input.prefer(settings.sources, returnsInTakes: settings.returnsInTakes)
    setGain(decibels: settings.gainDB)
  }

  deinit { scratch.deallocate() }

  /// Whether a take is open.
  public var isRecording: Bool { take != nil }
  /// Frames of the open take that are encoded, and their rate.
  public var elapsedFrames: Int { take?.written ?? 0 }

  // MARK: Orders

  /// Changes the settings; during a take they wait for its end, but for the gain and the sources.
  public func configure(_ new: RecordingSettings) {
    input.prefer(new.sources, returnsInTakes: new.returnsInTakes)
    setGain(decibels: new.gainDB)
    pendingSettings = new
    applySettings()
  }

  /// Begins a take with the sound of `instant` minus the pre-record time.
  public func start(at instant: Instant) {
    // Its format may have been changed a moment ago.
    input.open(ifDue: clock.now)
    obey(.start(instant))
  }

  private func begin(at instant: Instant) {
    guard take == nil else { return report(.failed(code: "busy", text: "a take is open already")) }
    guard input.isRunning else {
      return report(.failed(code: "device-lost", text: "no microphone: plug one in, then press REC again"))
    }
    input.keep(from: instant)
    let wanted = input.frame(at: instant) - settings.preRecordSeconds * input.format.sampleRate
    // A press from before the microphone was there counts from its first frame on.
    let first = max(wanted, input.firstKept(before: input.frame(at: instant)))
    let pressed = max(input.frame(at: instant), first)
    // The device was still speaking: the take begins where that cannot be heard any more.
    let late =
      first == input.firstQuietFrame ? input.format.duration(ofFrames: pressed - input.frame(at: instant)) : .zero
    do throws(MediaError) {
      let (possible, lack) = settings.possible(at: input.format.sampleRate, isRateNew: isRateNew)
      if let lack { report(.told(code: "unsupported", text: lack)) }
      isRateNew = false
      let beginning = beginning(pressed: instant, late: late, preRecordedFrames: pressed - first)
      func make(_ kind: RecordingKind) throws(MediaError) -> TakeFiles {
        try TakeFiles(
          number: lastNumber + 1, settings: possible, format: input.format, pipe: pipe, source: input.name,
          beginning: beginning, kind: kind)
      }
      let files = try make(.take)
      if settings.hasSafetyTake {
        files.safety = SafetyLine(input, gain: gain) { () throws(MediaError) in try make(.safety) }
      }
      take = OpenTake(files: files, format: input.format, first: first, sound: ShapedSound(input, gain: gain))
      pressedFrames = pressed - first
      lastNumber += 1
      ladder = EncoderLadder(possible.encoding, coder: possible.coder, sampleRate: input.format.sampleRate)
      voice = VoiceOperation(settings, sampleRate: input.format.sampleRate, from: pressed)
      isPausedByHand = false
      nextMark = (0, 0)
    } catch {
      report(.failed(code: "internal", text: "cannot start the encoder: \(error)"))
    }
  }

  /// What is known of the first frame of a take.
  private func beginning(pressed instant: Instant, late: Duration, preRecordedFrames: Int) -> TakeFiles.Beginning {
    let before = input.format.duration(ofFrames: preRecordedFrames)
    let first = instant - before + late
    return TakeFiles.Beginning(
      instant: first, wall: wall(of: first), pressed: instant,
      preRecordedFrames: preRecordedFrames, counters: input.counters, granted: grantedRate, anchor: anchor)
  }

  /// Goes on in another file.
  private func split(_ open: OpenTake, as encoding: TakeEncoding? = nil) throws(MediaError) {
    finishGap(isRangeOver: true)
    let instant = input.instant(ofFrame: open.cursor - open.owedSilence) ?? clock.now
    try open.files.split(
      at: open.written,
      TakeFiles.Beginning(
        instant: instant, wall: wall(of: instant), pressed: instant,
        preRecordedFrames: max(0, pressedFrames - open.written), counters: input.counters, granted: grantedRate,
        anchor: anchor),
      as: encoding)
    lastNumber = open.files.number
  }

  private var grantedRate: Int { input.grant?.format.sampleRate ?? 0 }
  private var anchor: Receipt.Anchor { Receipt.Anchor(instant: clock.now, wall: clock.wallNow) }

  private func wall(of instant: Instant) -> WallTime {
    WallTime(nanosecondsSince1970: clock.wallNow.nanosecondsSince1970 - (clock.now - instant).nanoseconds)
  }

  public func pause(at instant: Instant) { obey(.pause(instant)) }

  public func resume(at instant: Instant) { obey(.resume(instant)) }

  /// Marks the sound of `instant`.
  public func mark(at instant: Instant, title: String?) { obey(.mark(instant, title: title)) }

  /// Ends the take with the sound of `instant`.
  public func stop(at instant: Instant, reason: StopReason) { obey(.stop(instant, reason)) }

  /// Ends the take with what the storage has: it took no more.
  public func abandon(reason: StopReason) {
    guard let open = take else { return }
    take?.cut(at: open.cursor, reason: reason)
  }

  /// Ends the safety take beside the open one: the storage took no more of it.
  public func abandonSafety(_ text: String) { take?.files.safety?.refuse(text) }

  /// Whether what a chunk is encoded to fits into the pipe. A safety take ends, with a word, before it costs sound.
  private func hasRoom(_ open: OpenTake) -> Bool {
    if let reason = open.files.safety?.mustEnd(isPressing: input.isPressing(open.cursor)), open.files.hasRoomForEnd {
      open.files.endSafety(
        frames: open.written, reason: .error, at: input.instant(ofFrame: open.cursor) ?? clock.now,
        counters: input.counters, anchor)
      report(.told(code: "safety-ended", text: "The safety take ends here: \(reason). The take goes on."))
      if settings.marksGaps { mark(open, at: open.written, title: "safety take ends", cause: "safety") }
    }
    let hasRoom = open.files.hasRoom
    if !hasRoom { isHeldUp = true }
    return hasRoom
  }

  /// Sets the input gain in dB; 0 leaves samples untouched. Glides over 5 ms.
  private func setGain(decibels: Int) {
    gain = decibels == 0 ? 1 : Float(Decibels.amplitude(Double(decibels)))
    take?.setGain(gain)
    input.setGain(gain)
  }

  /// Carries an order out; one that comes before the microphone's first sound waits for it, because only then is it
  /// known which frame its instant is.
  private func obey(_ order: Order) {
    if held.isEmpty, !input.isUntimed { return carryOut(order) }
    if held.isEmpty { heldUntil = clock.now + Self.endPatience }
    held.append(order)
  }

  private func carryOutHeld(now: Instant) {
    guard !held.isEmpty, !input.isUntimed || now >= heldUntil else { return }
    let due = held
    held = []
    for order in due { carryOut(order) }
  }

  private func carryOut(_ order: Order) {
    if case .start(let instant) = order { return begin(at: instant) }
    guard let open = take else { return }
    switch order {
    case .start: break
    case .pause(let instant):
      isPausedByHand = true
      take?.pause(at: input.frame(at: instant))
    case .resume(let instant):
      isPausedByHand = false
      voice?.resumed(at: input.frame(at: instant))
      take?.resume(at: input.frame(at: instant))
      report(.resumed)
    case .mark(let instant, let title):
      mark(open, at: open.takeFrame(of: input.frame(at: instant)), title: title)
    case .stop(let instant, let reason):
      take?.end(at: input.frame(at: instant), reason: reason, giveUp: clock.now + Self.endPatience)
    }
  }

  // MARK: Work

  /// Encodes what of the history belongs to the take, a bounded piece of it at a time.
  ///
  /// - Returns: `now` if there is more to be done; else the next block of the microphone is what to wait for.
  public func step(now: Instant) -> Instant? {
    carryOutHeld(now: now)
    pipe.sendBacklog()
    isBehind = false
    isHeldUp = false
    if take != nil {
      if !input.isRunning { take?.cut(at: input.endFrame, reason: .deviceLost) }
      followVoice()
      do throws(MediaError) {
        try encode(now: now)
        try followLadder()
      } catch {
        fail(error)
      }
    }
    return isBehind ? now : nil
  }

  /// Encodes with less work while the processor is behind, and with more again when it is not.
  private func followLadder() throws(MediaError) {
    guard let open = take, open.isConsuming, open.files.hasRoom else { return }
    let waiting = input.endFrame - open.cursor
    let falls = ladder?.falls
    let rung = ladder?.step(
      waiting: waiting, room: input.history.capacity - waiting, heard: input.endFrame, isHeldUp: isHeldUp)
    switch rung {
    case nil, .asSet: return
    case .coder(let coder):
      let isCheaper = ladder?.falls != falls
      try open.files.use(coder, isCheaper: isCheaper)
      let text =
        isCheaper
        ? "The processor is behind: sound is coded with less work from here on (\(coder.rawValue))."
        : "The processor keeps up: sound is coded with more work again (\(coder.rawValue))."
      report(.told(code: isCheaper ? "encoder-behind" : "encoder-recovered", text: text))
    case .plain:
      try split(open, as: .wav)
      report(
        .told(code: "encoder-behind", text: "The processor is too slow for the format: the take goes on as WAV."))
    }
  }

  /// Leaves silence out, or marks the voice after it, as the settings have it.
  private func followVoice() {
    guard !isPausedByHand, let open = take, let step = voice?.step(input.voice, end: input.endFrame) else { return }
    switch step {
    case .pause(let frame):
      take?.pause(at: frame)
      report(.waiting(true))
    case .resume(let frame):
      report(.waiting(false))
      // What is about to leave the history is not begun with.
      let oldest = min(input.voice.onset, input.history.firstFrame + input.format.sampleRate / 2)
      take?.resume(at: max(frame, oldest))
    case .mark(let frame):
      mark(open, at: open.takeFrame(of: frame), cause: "voice")
    }
  }

  private func mark(_ open: OpenTake, at frame: Int, title: String? = nil, cause: String? = nil) {
    let place = open.files.mark(at: frame, title: title ?? cause, encoded: open.written)
    report(.marked(frame: place.frame, before: place.before, cause: cause))
  }

  /// Marks the first frames of a chunk that clip as the meter has it, unless there has been such a mark a moment ago.
  private func markOverload(_ open: OpenTake, _ frames: Int) {
    let channels = open.format.channels
    for channel in 0..<channels {
      var run = 0
      for frame in max(0, nextMark.overload - open.written)..<max(0, nextMark.overload - open.written, frames) {
        run = abs(scratch[frame * channels + channel]) >= Self.fullScale ? run + 1 : 0
        guard run == Self.clipRun else { continue }
        let place = open.written + frame + 1 - run
        nextMark.overload = place + open.format.sampleRate * Self.secondsBetweenOverloadMarks
        return mark(open, at: place, cause: "overload")
      }
    }
  }

  private func encode(now: Instant) throws(MediaError) {
    allowance = Self.sliceFrames
    while take != nil {
      skipLostSound()
      guard try encodeOwedSilence(), try encodeSound(now: now) else { return }
      if take?.crossPause() == true {
        finishGap(isRangeOver: true)
        report(.paused)
      } else if !giveUp(now: now) {
        break
      }
    }
    finishGap(isRangeOver: false)
    settle()
  }

  /// Encodes what has arrived up to the next boundary; false if the pipe has no room, or the step has done enough.
  private func encodeSound(now: Instant) throws(MediaError) -> Bool {
    while var open = take {
      // A boundary that lies before what is encoded already has been reached.
      let isOver = !input.isRunning || open.hasGivenUp(at: now)
      let limit = open.limit(available: open.sound.endFrame(isOver: isOver), now: now)
      guard open.cursor < limit else { break }
      guard mayGoOn() else { return false }
      guard hasRoom(open) else { return false }
      if open.files.room(after: open.written) <= 0 {
        try split(open)
        continue
      }
      let wanted = min(CaptureInput.chunkFrames, limit - open.cursor, open.files.room(after: open.written))
      let frames = open.read(into: scratch, frames: wanted)
      guard frames > 0 else { break }
      allowance -= frames
      if settings.marksOverloads { markOverload(open, frames) }
      try open.files.encode(scratch, frames: frames, at: open.written)
      take = open
      noteGaps(in: open.cursor..<(open.cursor + frames), otherwise: nil)
      take?.advance(by: frames)
    }
    return true
  }

  /// Sound of before STOP that has not come in time: silence stands for it, so that the length is true.
  ///
  /// - Returns: whether there is silence to be encoded now.
  private func giveUp(now: Instant) -> Bool {
    guard let open = take, open.hasGivenUp(at: now), let end = open.boundary, open.cursor < end,
      open.cursor >= input.endFrame
    else { return false }
    owe(open.cursor..<end, reason: "overrun")
    return true
  }

  /// Ends the take if its end has been reached.
  private func settle() {
    guard let open = take, let reason = open.reachedEnd, open.files.hasRoom else { return }
    finishGap(isRangeOver: true)
    close(open, reason: reason)
  }

  private func close(_ open: OpenTake, reason: StopReason) {
    take = nil
    var told = reason
    do throws(MediaError) {
      try open.files.finish(
        frames: open.written, reason: reason, at: input.instant(ofFrame: open.cursor) ?? clock.now,
        counters: input.counters, anchor)
    } catch {
      told = .error
      // Else it has been said.
      if reason != .error { report(.failed(code: "internal", text: Self.encoderFailed(error))) }
    }
    report(.stopping(told))
    applySettings()
  }

  /// Encodes the silence that stands for lost sound; false if there is more of it than this step or the pipe takes.
  private func encodeOwedSilence() throws(MediaError) -> Bool {
    while var open = take, open.owedSilence > 0 {
      guard mayGoOn() else { return false }
      guard hasRoom(open) else { return false }
      if open.files.room(after: open.written) <= 0 {
        try split(open)
        continue
      }
      let frames = min(CaptureInput.chunkFrames, open.owedSilence, open.files.room(after: open.written))
      allowance -= frames
      scratch.update(repeating: 0, count: frames * open.format.channels)
      try open.files.encode(scratch, frames: frames, at: open.written)
      open.advanceSilence(by: frames)
      take = open
    }
    return true
  }

  /// Whether this step may encode a chunk more; if not, there is another step at once.
  private func mayGoOn() -> Bool {
    if allowance <= 0 { isBehind = true }
    return allowance > 0
  }

  private func fail(_ error: MediaError) {
    finishGap(isRangeOver: true)
    guard let open = take else { return }
    close(open, reason: .error)
    report(.failed(code: "internal", text: Self.encoderFailed(error)))
  }

  private static func encoderFailed(_ error: MediaError) -> String {
    "the encoder failed: \(error); what was recorded is kept"
  }

  private func applySettings() {
    guard take == nil, let new = pendingSettings else { return }
    pendingSettings = nil
    isRateNew = isRateNew || new.sampleRate != settings.sampleRate
    settings = new
    input.shape(new.shaping)
    input.hearsVoice = new.silence != nil
    input.configure(
      request: input.request(for: PCMFormat(settings: new)), historySeconds: new.preRecordSeconds,
      session: AudioSessions.session(new.session, forcedRate: new.forcedRate))
  }

  // MARK: Missing sound: silence stands for it, so that lengths stay true, and it is told

  /// The storage was so slow that sound fell out of the history before it could be encoded: silence stands for it.
  private func skipLostSound() {
    guard let open = take, open.isConsuming else { return }
    let first = min(input.history.firstFrame, open.boundary ?? .max)
    if open.cursor < first { owe(open.cursor..<first, reason: "storage") }
  }

  /// Puts silence for these frames of the capture, which will not be read.
  private func owe(_ lost: Range<Int>, reason: String) {
    noteGaps(in: lost, otherwise: reason)
    take?.owedSilence += lost.count
    take?.cursor += lost.count
  }

  /// Notes what is missing in a range of the capture that begins at the take's cursor.
  ///
  /// - Parameter reason: why the rest of it is missing, too; `nil` if it is not.
  private func noteGaps(in range: Range<Int>, otherwise reason: String?) {
    guard let start = take?.position else { return }
    if !input.changes.isEmpty { markChanges(in: range, at: start) }
    var place = range.lowerBound
    for gap in input.gaps {
      let missing = (gap.frame..<(gap.frame + gap.frames)).clamped(to: place..<range.upperBound)
      guard !missing.isEmpty else { continue }
      if let reason { noteGap(place..<missing.lowerBound, of: range, at: start, reason: reason) }
      noteGap(missing, of: range, at: start, reason: gap.reason)
      place = missing.upperBound
    }
    if let reason { noteGap(place..<range.upperBound, of: range, at: start, reason: reason) }
  }

  private func markChanges(in range: Range<Int>, at start: Int) {
    guard let open = take else { return }
    for change in input.changes where range.contains(change.frame) {
      let place = start + change.frame - range.lowerBound
      open.files.change(at: place, to: change.name)
      if settings.marksGaps { mark(open, at: place, title: "source: \(change.source)", cause: "source") }
    }
  }

  private func noteGap(_ missing: Range<Int>, of range: Range<Int>, at start: Int, reason: String) {
    let position = start + missing.lowerBound - range.lowerBound
    if let gap = take?.noteGap(at: position, frames: missing.count, reason: reason) { tell(gap) }
  }

  private func finishGap(isRangeOver: Bool) {
    if let gap = take?.takeFinishedGap(isRangeOver: isRangeOver) { tell(gap) }
  }

  private func tell(_ gap: CaptureGap) {
    take?.files.tell(gap)
    // Where another source begins is a mark already.
    if settings.marksGaps, gap.reason != "source", let open = take, gap.frame >= nextMark.gap {
      nextMark.gap = gap.frame + open.format.sampleRate * Self.secondsBetweenGapMarks
      mark(open, at: gap.frame, cause: "gap")
    }
    report(.gap(frame: gap.frame, frames: gap.frames, reason: gap.reason))
  }
}
