internal import Hardware
internal import Media
internal import Recording
internal import Sound

/// The take that is open: encodes what of the history belongs to it, a bounded piece at a time, and sends that down the pipe.
/// Media lane only.
final class TakeInProgress {
  private let input: CaptureInput
  private let moments: TakeMoments
  private let report: (Recorder.Event) -> Void
  private var take: OpenTake
  /// Frames from before the press.
  private let pressedFrames: Int
  private var marks: AutomaticMarks
  private var voice: VoiceOperation?
  /// What it is encoded with.
  private var ladder: EncoderLadder
  /// Whether somebody has paused it: then no voice has it go on.
  private var isPausedByHand = false
  private let scratch: UnsafeMutablePointer<Float>
  /// Frames that this step may still encode.
  private var allowance = 0
  /// Whether the safety take has to have what the take has had before that goes on in another file.
  private var isSafetyDue = false
  /// Whether this step found no room in the pipe.
  private var isHeldUp = false
  /// Whether there was more to encode than one step may.
  private(set) var isBehind = false
  /// Whether it has ended, and its last packets are in the pipe.
  private(set) var isOver = false

  /// Most frames that are encoded in one step: four access units, some 10 ms of the slowest board's processor. The
  /// microphone's ring is emptied between steps, the history holds what is still to be encoded.
  private static let sliceFrames = 2 * CaptureInput.chunkFrames

  /// - Parameters:
  ///   - files: the first is open.
  ///   - settings: as far as the microphone lets them be.
  ///   - first: its first frame of the capture.
  ///   - pressed: the one that was heard when it was asked for.
  ///   - gain: to begin with, as a factor.
  init(
    _ files: TakeFiles, _ settings: RecordingSettings, input: CaptureInput, moments: TakeMoments, first: Int,
    pressed: Int, gain: Float, report: @escaping (Recorder.Event) -> Void
  ) {
    (self.input, self.moments, self.report) = (input, moments, report)
    let rate = input.format.sampleRate
    take = OpenTake(files: files, format: input.format, first: first, sound: ShapedSound(input, gain: gain))
    pressedFrames = pressed - first
    marks = AutomaticMarks(settings, sampleRate: rate)
    voice = VoiceOperation(settings, sampleRate: rate, from: pressed)
    ladder = EncoderLadder(settings.encoding, coder: settings.coder, sampleRate: rate)
    scratch = .allocate(capacity: CaptureInput.chunkFrames * 2)
    scratch.initialize(repeating: 0, count: CaptureInput.chunkFrames * 2)
  }

  deinit { scratch.deallocate() }

  /// Number of its last file.
  var number: Int { take.files.number }
  /// Frames that are encoded.
  var frames: Int { take.written }

  // MARK: Orders

  func pause(at instant: Instant) {
    isPausedByHand = true
    take.pause(at: input.frame(at: instant))
  }

  func resume(at instant: Instant) {
    isPausedByHand = false
    voice?.resumed(at: input.frame(at: instant))
    take.resume(at: input.frame(at: instant))
    report(.resumed)
  }

  /// Marks the sound of `instant`.
  func mark(at instant: Instant, title: String?, told: MarkReply?) {
    mark(at: take.takeFrame(of: input.frame(at: instant)), title: title, told: told)
  }

  /// Ends it with the sound of `instant`; silence stands for what of that has not come when patience ends.
  func end(at instant: Instant, reason: StopReason, giveUp: Instant) {
    take.end(at: input.frame(at: instant), reason: reason, giveUp: giveUp)
  }

  /// Ends it with what the storage has: it took no more.
  func abandon(reason: StopReason) { take.cut(at: take.cursor, reason: reason) }

  /// Ends the safety take beside it: the storage took no more of that.
  func abandonSafety(_ text: String) { take.files.safety?.refuse(text) }

  /// Whether its end has been ordered, or has come by itself.
  var isEnding: Bool { take.isEnding }

  func setGain(_ gain: Float) { take.setGain(gain) }

  // MARK: Work

  /// Encodes a piece.
  func step(now: Instant) {
    isBehind = false
    isHeldUp = false
    if !input.isRunning { take.cut(at: input.endFrame, reason: .deviceLost) }
    followVoice()
    do throws(MediaError) {
      try encode(now: now)
      try followLadder()
      followSafety()
    } catch {
      fail(error)
    }
  }

  /// Leaves silence out, or marks the voice after it, as the settings have it.
  private func followVoice() {
    guard !isPausedByHand, let step = voice?.step(input.voice, end: input.endFrame) else { return }
    switch step {
    case .pause(let frame):
      take.pause(at: frame)
      report(.waiting(true))
    case .resume(let frame):
      report(.waiting(false))
      // What is about to leave the history is not begun with.
      let oldest = min(input.voice.onset, input.history.firstFrame + input.format.sampleRate / 2)
      take.resume(at: max(frame, oldest))
    case .mark(let frame):
      mark(at: take.takeFrame(of: frame), cause: "voice")
    }
  }

  /// Encodes with less work while the processor is behind, and with more again when it is not.
  private func followLadder() throws(MediaError) {
    guard !isOver, take.isConsuming else { return }
    // What an overrun has left out keeps no processor busy for long.
    let waiting = input.heardFrames(from: take.cursor)
    let falls = ladder.falls
    let rung = ladder.step(
      waiting: waiting, room: input.history.capacity - waiting, heard: input.endFrame,
      isHeldUp: isHeldUp || !take.files.hasRoom)
    switch rung {
    case nil, .asSet: return
    case .coder(let coder):
      let isCheaper = ladder.falls != falls
      try take.files.use(coder, isCheaper: isCheaper)
      let text =
        isCheaper
        ? "The processor is behind: sound is coded with less work from here on (\(coder.rawValue))."
        : "The processor keeps up: sound is coded with more work again (\(coder.rawValue))."
      report(.told(code: isCheaper ? "encoder-behind" : "encoder-recovered", text: text))
    case .plain:
      if take.files.safety?.isBehind == true { take.files.safety?.refuse("the processor is too slow for both") }
      try split(as: .wav)
      report(
        .told(code: "encoder-behind", text: "The processor is too slow for the format: the take goes on as WAV."))
    }
  }

  /// The safety take's past comes after the take's own, but before the history loses it, and before the take goes on in
  /// another file, or ends.
  private func followSafety() {
    guard !isOver, let safety = take.files.safety, safety.isBehind else { return }
    guard !isBehind || isSafetyDue || input.isPressing(safety.oldest ?? take.cursor, quarters: 6) else { return }
    isSafetyDue = false
    var left = Self.sliceFrames
    while left > 0, safety.isBehind, hasRoom(), take.files.safety != nil { left -= max(1, safety.catchUp()) }
    // There is more of it, or the take has waited for it.
    if left < Self.sliceFrames || take.files.safety == nil { isBehind = true }
  }

  private func encode(now: Instant) throws(MediaError) {
    allowance = Self.sliceFrames
    while true {
      skipLostSound()
      guard try encodeOwedSilence(), try encodeSound(now: now) else { return }
      if take.crossPause() {
        finishGap(isRangeOver: true)
        report(.paused)
      } else if !giveUp(now: now) {
        break
      }
    }
    finishGap(isRangeOver: false)
    guard let reason = take.reachedEnd, take.files.hasRoom, take.files.safety?.isBehind != true else { return }
    finishGap(isRangeOver: true)
    close(reason: reason)
  }

  /// Encodes what has arrived up to the next boundary; false if the pipe has no room, or the step has done enough.
  private func encodeSound(now: Instant) throws(MediaError) -> Bool {
    while true {
      // A boundary that lies before what is encoded already has been reached.
      let isOver = !input.isRunning || take.hasGivenUp(at: now)
      let limit = take.limit(available: take.sound.endFrame(isOver: isOver), now: now)
      guard take.cursor < limit else { return true }
      guard let room = try roomInFile() else { return false }
      let frames = take.read(into: scratch, frames: min(CaptureInput.chunkFrames, limit - take.cursor, room))
      guard frames > 0 else { return true }
      allowance -= frames
      let (channels, position) = (take.format.channels, take.written)
      if let place = marks.overload(in: scratch, frames: frames, channels: channels, at: position) {
        mark(at: place, cause: "overload")
      }
      try take.files.encode(scratch, frames: frames, at: position)
      noteGaps(in: take.cursor..<(take.cursor + frames), otherwise: nil)
      take.advance(by: frames)
    }
  }

  /// Encodes the silence that stands for lost sound; false if there is more of it than this step or the pipe takes.
  private func encodeOwedSilence() throws(MediaError) -> Bool {
    while take.owedSilence > 0 {
      guard let room = try roomInFile() else { return false }
      let frames = min(CaptureInput.chunkFrames, take.owedSilence, room)
      allowance -= frames
      scratch.update(repeating: 0, count: frames * take.format.channels)
      try take.files.encode(scratch, frames: frames, at: take.written)
      take.advanceSilence(by: frames)
    }
    return true
  }

  /// Frames that the present file takes, a new one if need be; `nil` if the pipe has no room for a chunk, or the step has
  /// done enough: then there is another step at once.
  private func roomInFile() throws(MediaError) -> Int? {
    while true {
      if allowance <= 0 { isBehind = true }
      guard allowance > 0, hasRoom() else { return nil }
      let room = take.files.room(after: take.written)
      guard room <= 0 else { return room }
      isSafetyDue = take.files.safety?.isBehind == true
      guard !isSafetyDue else { return nil }
      try split()
    }
  }

  /// Whether what a chunk is encoded to fits into the pipe. A safety take ends, with a word, before it costs sound.
  private func hasRoom() -> Bool {
    let files = take.files
    let oldest = files.safety?.oldest ?? take.cursor
    if let safety = files.safety, let reason = safety.mustEnd(isPressing: input.isPressing(oldest)),
      files.hasRoomForEnd
    {
      files.endSafety(
        reason: .error, at: moments.instant(ofFrame: take.cursor), counters: input.counters, moments.anchor)
      report(.told(code: "safety-ended", text: "The safety take ends here: \(reason). The take goes on."))
      if marks.ofGaps { mark(at: safety.written, title: "safety take ends", cause: "safety") }
    }
    let hasRoom = files.hasRoom
    if !hasRoom { isHeldUp = true }
    return hasRoom
  }

  /// Goes on in another file.
  private func split(as encoding: TakeEncoding? = nil) throws(MediaError) {
    take.files.endFile(before: take.written)
    finishGap(isRangeOver: true)
    let instant = moments.instant(ofFrame: take.cursor - take.owedSilence)
    let preRecorded = max(0, pressedFrames - take.written)
    try take.files.split(
      at: take.written, moments.beginning(at: instant, pressed: instant, preRecordedFrames: preRecorded), as: encoding)
  }

  private func mark(at frame: Int, title: String? = nil, cause: String? = nil, told: MarkReply? = nil) {
    let place = take.files.mark(at: frame, title: title ?? cause, encoded: take.written, told: told)
    report(.marked(frame: place.frame, before: place.before, cause: cause))
  }

  // MARK: Its end

  /// Sound of before STOP that has not come in time: silence stands for it, so that the length is true.
  ///
  /// - Returns: whether there is silence to be encoded now.
  private func giveUp(now: Instant) -> Bool {
    guard take.hasGivenUp(at: now), let end = take.boundary, take.cursor < end, take.cursor >= input.endFrame
    else { return false }
    owe(take.cursor..<end, reason: "overrun")
    return true
  }

  private func fail(_ error: MediaError) {
    finishGap(isRangeOver: true)
    close(reason: .error)
    report(.told(code: "internal", text: Self.encoderFailed(error)))
  }

  private func close(reason: StopReason) {
    isOver = true
    do throws(MediaError) {
      try take.files.finish(
        frames: take.written, reason: reason, at: moments.instant(ofFrame: take.cursor), counters: input.counters,
        moments.anchor
      ) { report(.stopping($0)) }
    } catch {
      // Else it has been said.
      if reason != .error { report(.told(code: "internal", text: Self.encoderFailed(error))) }
    }
  }

  private static func encoderFailed(_ error: MediaError) -> String {
    "the encoder failed: \(error); what was recorded is kept"
  }

  // MARK: Missing sound: silence stands for it, so that lengths stay true, and it is told

  /// The storage was so slow that sound fell out of the history before it could be encoded: silence stands for it.
  private func skipLostSound() {
    guard take.isConsuming else { return }
    let first = min(input.history.firstFrame, take.boundary ?? .max)
    if take.cursor < first { owe(take.cursor..<first, reason: "storage") }
  }

  /// Puts silence for these frames of the capture, which will not be read.
  private func owe(_ lost: Range<Int>, reason: String) {
    noteGaps(in: lost, otherwise: reason)
    take.owedSilence += lost.count
    take.cursor += lost.count
  }

  /// Notes what is missing in a range of the capture that begins at the take's cursor.
  ///
  /// - Parameter reason: why the rest of it is missing, too; `nil` if it is not.
  private func noteGaps(in range: Range<Int>, otherwise reason: String?) {
    // From frames of the capture to those of the take.
    let shift = take.position - range.lowerBound
    for change in input.changes where range.contains(change.frame) {
      take.files.change(at: change.frame + shift, to: change.name)
      if marks.ofGaps { mark(at: change.frame + shift, title: "source: \(change.source)", cause: "source") }
    }
    for gap in MissingSound.gaps(in: range, of: input.gaps, otherwise: reason) {
      if let gap = take.noteGap(at: gap.frame + shift, frames: gap.frames, reason: gap.reason) { tell(gap) }
    }
  }

  private func finishGap(isRangeOver: Bool) {
    if let gap = take.takeFinishedGap(isRangeOver: isRangeOver) { tell(gap) }
  }

  private func tell(_ gap: CaptureGap) {
    take.files.tell(gap)
    if marks.takes(gap) { mark(at: gap.frame, cause: "gap") }
    report(.gap(frame: gap.frame, frames: gap.frames, reason: gap.reason))
  }
}
