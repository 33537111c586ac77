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
    /// No take was begun.
    case failed(code: String, text: String)
    /// The take is not quite what the settings ask for, and why.
    case told(code: String, text: String)
  }

  private enum Order {
    /// With the settings of then.
    case start(Instant, RecordingSettings)
    case pause(Instant)
    case resume(Instant)
    case mark(Instant, title: String?, told: MarkReply?)
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
  private var take: TakeInProgress?
  /// Number of the last file of the takes before.
  private var lastNumber = 0
  private var gain: Float = 1
  /// Orders that wait for the microphone's first sound, and until when, or for the end of the take before.
  private var held: [Order] = []
  private var heldUntil = Instant.zero

  /// How long STOP waits for sound of before the press that has not arrived.
  private static let endPatience = Duration.seconds(1)
  /// Sound since a press that had to wait which is given up for settings that need the microphone opened anew.
  private static let leastKept = Duration.milliseconds(250)

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
    input.shape(settings.shaping)
    input.hearsVoice = settings.silence != nil
    input.prefer(settings.sources, returnsInTakes: settings.returnsInTakes)
    setGain(decibels: settings.gainDB)
  }

  /// Whether a take is open.
  public var isRecording: Bool { take != nil }
  /// The open take, and until the next one begins the last.
  public private(set) var latest: TakeSoFar?
  /// The one before that, which may still be on its way to the storage.
  public private(set) var previous: TakeSoFar?
  /// Whether there was more to encode than one step may.
  public var isBehind: Bool { take?.isBehind ?? false }

  // MARK: Orders

  /// Changes the settings; during a take they wait for its end, but for the gain and the sources.
  public func configure(_ new: RecordingSettings) {
    input.prefer(new.sources, returnsInTakes: new.returnsInTakes)
    setGain(decibels: new.gainDB)
    pendingSettings = new
    applySettings()
  }

  /// Begins a take with the sound of `instant` minus the pre-record time. One that is ending goes down the pipe first.
  public func start(at instant: Instant) {
    // Its format may have been changed a moment ago.
    if take == nil { input.open(ifDue: clock.now) }
    obey(.start(instant, pendingSettings ?? settings))
  }

  public func pause(at instant: Instant) { obey(.pause(instant)) }

  public func resume(at instant: Instant) { obey(.resume(instant)) }

  /// Marks the sound of `instant`.
  public func mark(at instant: Instant, title: String?, told: MarkReply? = nil) {
    obey(.mark(instant, title: title, told: told))
  }

  /// Ends the take with the sound of `instant`.
  public func stop(at instant: Instant, reason: StopReason) { obey(.stop(instant, reason)) }

  /// Ends the take that goes into this file with what the storage has: it took no more.
  public func abandon(_ file: Int, reason: StopReason) { openTake(of: file)?.abandon(reason: reason) }

  /// Ends the safety take that goes into this file, beside the open one: the storage took no more of it.
  public func abandonSafety(_ file: Int, _ text: String) { openTake(of: file)?.abandonSafety(text) }

  /// The open one; `nil`: it was one before.
  private func openTake(of file: Int) -> TakeInProgress? { file % RecordingOpening.safety > lastNumber ? take : nil }

  /// Sets the input gain in dB; 0 leaves samples untouched. Glides over 5 ms.
  private func setGain(decibels: Int) {
    gain = decibels == 0 ? 1 : Float(Decibels.amplitude(Double(decibels)))
    take?.setGain(gain)
    input.setGain(gain)
  }

  // MARK: Carrying them out

  /// Carries an order out; one that comes before the microphone's first sound waits for it, because only then is it
  /// known which frame its instant is.
  private func obey(_ order: Order) {
    if held.isEmpty, !input.isUntimed, !mustFollow(order) { return carryOut(order) }
    if held.isEmpty { heldUntil = clock.now + Self.endPatience }
    held.append(order)
  }

  /// Whether it is about a take that comes behind one whose last sound has not found room in the pipe yet.
  private func mustFollow(_ order: Order) -> Bool {
    if case .start = order { take?.isEnding == true } else { false }
  }

  private func carryOutHeld(now: Instant) {
    while let order = held.first {
      if mustFollow(order) { heldUntil = now + Self.endPatience }
      guard !mustFollow(order), !input.isUntimed || now >= heldUntil else { return }
      held.removeFirst()
      carryOut(order)
    }
  }

  private func carryOut(_ order: Order) {
    switch order {
    case .start(let instant, _): begin(at: instant)
    case .pause(let instant): take?.pause(at: instant)
    case .resume(let instant): take?.resume(at: instant)
    case .mark(let instant, let title, let told):
      guard let take else {
        told?(("not-found", "no take is being recorded any more"))
        break
      }
      take.mark(at: instant, title: title, told: told)
    case .stop(let instant, let reason):
      take?.end(at: instant, reason: reason, giveUp: clock.now + Self.endPatience)
    }
  }

  private func begin(at instant: Instant) {
    guard take == nil else { return report(.failed(code: "busy", text: "a take is open already")) }
    // What was heard before it went away is kept.
    guard input.isRunning || input.frame(at: instant) < input.endFrame else {
      return report(.failed(code: "device-lost", text: "no microphone: plug one in, then press REC again"))
    }
    input.keep(from: instant)
    let press = input.frame(at: instant)
    let wanted = press - settings.preRecordSeconds * input.format.sampleRate
    // A press from before the microphone was there counts from its first frame on. What the history has lost since a press
    // that had to wait is missing in the take, and told as that.
    let earliest = max(press, input.firstFrameOfOpening, input.firstQuietFrame)
    let first = max(wanted, min(input.firstKept(before: press), earliest))
    let pressed = max(press, first)
    // The device was still speaking: the take begins where that cannot be heard any more.
    let late =
      first == input.firstQuietFrame ? input.format.duration(ofFrames: pressed - press) : .zero
    do throws(MediaError) {
      let (possible, lack) = settings.possible(at: input.format.sampleRate, isRateNew: isRateNew)
      if let lack { report(.told(code: "unsupported", text: lack)) }
      isRateNew = false
      let moments = TakeMoments(input: input, clock: clock)
      let preRecorded = input.format.duration(ofFrames: pressed - first)
      let beginning = moments.beginning(
        at: instant - preRecorded + late, pressed: instant, preRecordedFrames: pressed - first)
      func make(_ kind: RecordingKind) throws(MediaError) -> TakeFiles {
        try TakeFiles(
          number: lastNumber + 1, settings: possible, format: input.format, pipe: pipe, source: input.name,
          beginning: beginning, kind: kind)
      }
      let files = try make(.take)
      if settings.hasSafetyTake {
        files.safety = SafetyLine(input, gain: gain) { () throws(MediaError) in try make(.safety) }
      }
      take = TakeInProgress(
        files, possible, input: input, moments: moments, first: first, pressed: pressed, gain: gain, report: report)
      (previous, latest) = (latest, TakeSoFar(possible, pressed: instant))
      input.want()
    } catch {
      report(.failed(code: "internal", text: "cannot start the encoder: \(error)"))
    }
  }

  /// Encodes what of the history belongs to the take, a bounded piece of it at a time.
  ///
  /// - Returns: `now` if there is more to be done; else the next block of the microphone is what to wait for.
  public func step(now: Instant) -> Instant? {
    carryOutHeld(now: now)
    applySettings()
    pipe.sendBacklog()
    take?.step(now: now)
    if let take { latest?.frames = take.frames }
    if let ended = take, ended.isOver {
      lastNumber = ended.number
      take = nil
      // It has the settings of its press; its sound is in the history, which is not begun anew for them once it is long.
      if case .start(let press, let wanted)? = held.first {
        if isSameSound(wanted) {
          adopt(wanted)
        } else if now - press < Self.leastKept {
          adopt(wanted)
          input.open(ifDue: now)
        }
      }
      carryOutHeld(now: now)
      applySettings()
    }
    return isBehind ? now : nil
  }

  /// One that waits for the microphone's first sound has the settings of its press, not those that have come since.
  private func applySettings() {
    guard take == nil, held.isEmpty, let new = pendingSettings else { return }
    pendingSettings = nil
    adopt(new)
  }

  /// Whether the sound that is in the history is as these settings want it.
  private func isSameSound(_ new: RecordingSettings) -> Bool {
    input.request(for: PCMFormat(settings: new)) == input.request(for: PCMFormat(settings: settings))
      && new.fileRate == settings.fileRate && new.session == settings.session && new.forcedRate == settings.forcedRate
      && new.preRecordSeconds == settings.preRecordSeconds && (new.silence == nil) == (settings.silence == nil)
  }

  private func adopt(_ new: RecordingSettings) {
    isRateNew = isRateNew || new.sampleRate != settings.sampleRate
    settings = new
    input.shape(new.shaping)
    input.hearsVoice = new.silence != nil
    input.configure(
      request: input.request(for: PCMFormat(settings: new)), historySeconds: new.preRecordSeconds,
      fileRate: new.fileRate, session: AudioSessions.session(new.session, forcedRate: new.forcedRate))
  }
}
