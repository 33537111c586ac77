internal import Appliance
internal import Clips
internal import Dictaphone
internal import Hardware
internal import Recording
internal import Sound
internal import Synchronization
internal import Threads

/// What the media worker is told; orders are carried out in sequence.
enum MediaOrder: Sendable {
  case start(at: Instant)
  case pause(at: Instant)
  case resume(at: Instant)
  case mark(at: Instant, title: String?, told: MarkReply?)
  case stop(at: Instant, reason: StopReason)
  case stepSource(by: Int)
  /// Tells the names of the microphones that are there.
  case listSources(@Sendable ([String]) -> Void)
  /// The storage takes no more of this file: end its take with what it has.
  case abandon(Int, StopReason)
  /// The same of a safety take alone, and why.
  case abandonSafety(Int, String)
  /// How often the microphone's sound is looked at while nothing is open.
  case pace(MeterPace)
  /// Whether what the microphone hears from now on may be in the next take.
  case listen(Bool)
  case configure(RecordingSettings)
  /// A take is looked for, to be played or only opened; the number names this request.
  case expect(Int, playing: Bool)
  /// Its files, and where in them it is to begin.
  case found([PlayerFile], frame: Int, for: Int)
  /// There is none.
  case missed(Int, code: String, text: String)
  /// What was in the player before the start.
  case restore([PlayerFile], frame: Int)
  case play
  case pausePlayback
  case stopPlayback
  case unload(id: String)
  case seek(seconds: Double)
  /// To a frame of the file.
  case go(to: Int)
  case scrub(direction: Int)
  case stepLoop(at: Instant)
  case loop(ClosedRange<Double>?)
  /// A mark was set in what is played: a tick tells of it.
  case tick
  case configurePlayer(PlaybackSettings)
  /// Whether the picture of the played file waits.
  case holdOverview(Bool)
  /// How the speaker's rate is settled; the recorder's settings say it of the microphone.
  case configureSession(SessionPlan)
  case clip(ClipOrder)
  case configureClips(ClipSettings)
  /// The storage takes no more of this clip.
  case abandonClip(Int, reason: StopReason)
  /// Of the sound's socket.
  case client(ConsolePortEvent)
  /// Close every device; the process ends.
  case shutDown
}

/// What the media worker tells the control loop.
enum MediaEvent: Sendable {
  case recorder(Recorder.Event)
  case player(Player.Event)
  case microphone(CaptureInput.Event)
  case sourceBeside(String?)
  /// Another format is requested, granted or delivered.
  case session(SessionStatus)
  /// Of the sound's socket, for the log.
  case client(String)
  case clips(ClipRecorder.Event)
  /// Once a second while the ring is being filled.
  case telemetry(Telemetry)
}

/// A picture of recorder and player for screens and status calls.
struct MediaStatus: Sendable {
  var isMicrophoneRunning = false
  /// How often the microphone has been tried to open.
  var attempts = 0
  /// How often the worker has gone round.
  var turns = 0
  var microphone = SoundCounters()
  var speaker = SoundCounters()
  var format = PCMFormat(sampleRate: 48_000, channels: 2)
  var grant: SoundGrant?
  /// What is heard, by its name in the order of sources.
  var source: String?
  var session = SessionStatus()
  var heldSeconds = 0.0
  /// The open take, and until the next one begins the last; and the one before.
  var take: TakeSoFar?
  var takeBefore: TakeSoFar?
  /// Of the microphone.
  var levels: [ChannelLevel] = []
  /// When the oldest sound that these levels are the first to count was at the microphone.
  var levelsFrom = Instant.zero
  /// The last seconds of the microphone as a picture.
  var waveform = WaveformStrip(format: PCMFormat(sampleRate: 48_000, channels: 2))
  /// Of what is played; none while nothing is.
  var playerLevels: [ChannelLevel] = []
  var player = Player.Status()
  var queuedBytes = 0
  var clips = ClipStatus()
  var clients: [PCMClientRow] = []
}

/// What makes clips on the media lane, where the board has a camera.
struct ClipMaking {
  let recorder: ClipRecorder
  let pipe: RecordingPipe
  let report: (MediaEvent) -> Void
}

/// Runs recorder and player on the media lane, and keeps the status that others read.
final class MediaWorker: Stepper, @unchecked Sendable {
  private let recorder: Recorder
  private let input: CaptureInput
  private let player: Player
  private let pipe: RecordingPipe
  private let clips: ClipMaking?
  private let speaker: SessionSpeaker?
  private let others: PCMClients
  private let shapes: IdleShapes
  private var plan: SessionPlan
  private let onSession: (SessionStatus) -> Void
  private var toldSession = SessionStatus()
  private var seenSession: SessionChanges?
  private let orders: Mailbox<MediaOrder>
  private let wakeStorage: () -> Void
  private let onLevels: () -> Void
  private let onSource: (String?) -> Void
  private let quietFrom: () -> Instant
  private let shared = Mutex(MediaStatus())
  private var nextLevels = Instant.zero
  /// The end of the sound that the last levels are of.
  private var meteredUntil = Instant.zero
  private var isShutDown = false
  private var pace = MeterPace.lively
  private var ordersSeen = 0
  private var clipOrdersSeen = 0
  private var nextTelemetry = Instant.zero
  private var nextStorageWake = Instant.zero
  /// Steps in a row that had to leave something for the next one.
  private var stepsBehind = 0

  /// Sound may wait this long in the pipe: the storage wakes once for every fragment that it writes and syncs.
  private static let storageInterval = Duration.milliseconds(180)
  /// While a past is caught up with, the storage is woken after so many steps: half a second of a take's sound.
  private static let stepsPerWake = 6
  /// Least time over which a level reading is made: some 30 readings a second, as the periods fall.
  private static let levelInterval = Duration.milliseconds(30)
  private static let telemetryInterval = Duration.seconds(1)

  /// - Parameters:
  ///   - wakeStorage: called when the pipe holds something that should go to the storage now.
  ///   - onLevels: called when there are new levels to be shown.
  ///   - quietFrom: when the last prompt cannot be heard any more.
  ///   - onSource: is told of the microphone beside the present one.
  ///   - speaker: the speaker under its session.
  ///   - others: who else hears the microphone, or plays.
  ///   - plan: that session at first.
  ///   - shapes: makes pictures of takes while there is nothing else to do.
  ///   - onSession: is told when another format is requested, granted or delivered.
  init(
    recorder: Recorder, input: CaptureInput, player: Player, pipe: RecordingPipe, speaker: SessionSpeaker?,
    others: PCMClients, plan: SessionPlan, shapes: IdleShapes, clips: ClipMaking?, wake: @escaping @Sendable () -> Void,
    wakeStorage: @escaping @Sendable () -> Void,
    onLevels: @escaping @Sendable () -> Void, quietFrom: @escaping () -> Instant, onSource: @escaping (String?) -> Void,
    onSession: @escaping (SessionStatus) -> Void
  ) {
    self.recorder = recorder
    self.input = input
    self.player = player
    self.pipe = pipe
    self.clips = clips
    self.wakeStorage = wakeStorage
    self.onLevels = onLevels
    self.onSource = onSource
    self.onSession = onSession
    self.speaker = speaker
    self.others = others
    self.shapes = shapes
    self.plan = plan
    self.quietFrom = quietFrom
    orders = Mailbox(onPost: wake)
    orders.post(.configureSession(plan))
  }

  /// Queues an order. Any thread.
  func post(_ order: MediaOrder) { orders.post(order) }

  /// The latest status. Any thread; holds a lock for a copy.
  var status: MediaStatus { shared.withLock { $0 } }

  func step(now: Instant) -> Instant? {
    // Before a take begins: who has it begun has ended the prompt before.
    let due = orders.drain()
    input.hush(until: quietFrom())
    for order in due { perform(order, now: now) }
    guard !isShutDown else { return nil }
    // What is heard now comes first, then what open takes and clips still want of the past, in bounded pieces.
    let isHistoryWanted = recorder.isRecording || clips?.recorder.wantsHistory == true
    var nextBlock = input.step(now: now, isWanted: isHistoryWanted)
    let nextForOthers = others.step(now: now, input)
    if others.isEmpty, let soon = nextBlock { nextBlock = max(soon, now + pace.interval) }
    let nextForTake = recorder.step(now: now)
    let nextForPlayer = player.step(now: now)
    let nextForClips = clips?.recorder.step(now: now)
    let nextForShapes = shapes.step(now: now, isIdle: isIdle)
    wakeStorageIfDue(now: now)
    publish(now: now)
    return [nextBlock, nextForOthers, nextForTake, nextForPlayer, nextForClips, nextForShapes, tellTelemetry(now: now)]
      .compactMap { $0 }.min()
  }

  /// Nobody wants anything of the sound; where it rests, somebody else plays.
  private var isIdle: Bool {
    let isFree = pace != .resting && !recorder.isRecording && !player.isPlaying && !player.isOverviewHeld
    return isFree && others.isEmpty && clips?.recorder.wantsHistory != true
  }

  /// A reading a second while the ring is being filled.
  ///
  /// - Returns: when the next one is due.
  private func tellTelemetry(now: Instant) -> Instant? {
    guard let clips, clips.recorder.status.isArmed else {
      nextTelemetry = now
      return nil
    }
    guard now >= nextTelemetry else { return nextTelemetry }
    nextTelemetry = now + Self.telemetryInterval
    clips.report(.telemetry(clips.recorder.telemetry(now: now)))
    return nextTelemetry
  }

  /// Wakes the storage for every order, and now and then for sound: more often while a past is caught up with, so that
  /// it is on the storage nearly as soon as it is encoded.
  private func wakeStorageIfDue(now: Instant) {
    let clipBytes = clips?.pipe.queuedBytes ?? 0
    let clipOrders = clips?.pipe.ordersSent ?? 0
    let isBehind = recorder.isBehind || clips?.recorder.isBehind == true
    let hasCaughtUp = !isBehind && stepsBehind > 0
    stepsBehind = isBehind ? stepsBehind + 1 : 0
    guard pipe.queuedBytes > 0 || clipBytes > 0 else { return }
    guard
      pipe.ordersSent != ordersSeen || clipOrders != clipOrdersSeen || now >= nextStorageWake || hasCaughtUp
        || isBehind && stepsBehind % Self.stepsPerWake == 0
    else { return }
    ordersSeen = pipe.ordersSent
    clipOrdersSeen = clipOrders
    nextStorageWake = now + Self.storageInterval
    wakeStorage()
  }

  private func publish(now: Instant) {
    let wantsLevels = now >= nextLevels
    if wantsLevels { nextLevels = now + max(pace.interval, Self.levelInterval) }
    let levels = wantsLevels ? input.takeLevels() : nil
    let metered = meteredUntil
    if wantsLevels { meteredUntil = input.heardUntil }
    let playerLevels = wantsLevels ? player.takeLevels() : nil
    tellSession()
    shared.withLock {
      $0.isMicrophoneRunning = input.isRunning
      $0.attempts = input.attempts
      $0.turns &+= 1
      $0.microphone = input.counters
      $0.speaker = player.counters
      $0.format = input.format
      $0.grant = input.grant
      $0.source = input.source
      $0.heldSeconds = input.heldSeconds
      $0.take = recorder.latest
      $0.takeBefore = recorder.previous
      if let levels {
        $0.levels = levels
        $0.levelsFrom = metered
        $0.waveform = input.waveform
      }
      if let playerLevels { $0.playerLevels = playerLevels }
      $0.player = player.status
      $0.queuedBytes = pipe.queuedBytes
      if let clips { $0.clips = clips.recorder.status }
      if !others.isEmpty || !$0.clients.isEmpty { $0.clients = others.rows }
    }
    if wantsLevels, pace != .resting { onLevels() }
  }

  /// Tells of formats as soon as they are others; between two openings of a device nobody wants anything.
  private func tellSession() {
    let changes = SessionChanges(plan: plan, capture: input.sessionChanges, playback: speaker?.changes ?? 0)
    guard changes != seenSession else { return }
    seenSession = changes
    let status = SessionStatus(
      strategy: plan.strategy, rate: plan.rate, capture: input.sessionState,
      playback: speaker?.state ?? SessionState())
    guard status != toldSession else { return }
    toldSession = status
    shared.withLock { $0.session = status }
    onSession(status)
  }

  private func perform(_ order: MediaOrder, now: Instant) {
    switch order {
    case .start(let at): recorder.start(at: at)
    case .pause(let at): recorder.pause(at: at)
    case .resume(let at): recorder.resume(at: at)
    case .mark(let at, let title, let told): recorder.mark(at: at, title: title, told: told)
    case .stop(let at, let reason):
      recorder.stop(at: at, reason: reason)
      shapes.lookAgain()
    case .stepSource(let step): onSource(input.sourceBeside(by: step))
    case .listSources(let tell): tell(input.presentSources())
    case .abandon(let file, let reason): recorder.abandon(file, reason: reason)
    case .abandonSafety(let file, let reason): recorder.abandonSafety(file, reason)
    case .pace(let pace): self.pace = pace
    case .listen(let listens): listens ? input.keep(from: now) : input.forget()
    case .configure(let settings): recorder.configure(settings)
    case .expect(let request, let playing): player.expect(request, playing: playing)
    case .found(let files, let frame, let request): player.found(files, frame: frame, for: request)
    case .missed(let request, let code, let text): player.missed(request, code: code, text: text)
    case .restore(let files, let frame): player.restore(files, frame: frame)
    case .play: player.play()
    case .pausePlayback: player.pause()
    case .stopPlayback: player.stop()
    case .unload(let id): player.unload(id)
    case .seek(let seconds): player.seek(bySeconds: seconds)
    case .go(let frame): player.go(to: frame)
    case .scrub(let direction): player.scrub(direction: direction, now: now)
    case .stepLoop(let at): player.stepLoop(at: at, now: now)
    case .loop(let seconds): player.loop(seconds: seconds)
    case .tick: player.markHeard()
    case .configurePlayer(let settings): player.configure(settings)
    case .holdOverview(let isHeld): player.isOverviewHeld = isHeld
    case .configureSession(let plan):
      self.plan = plan
      speaker?.use(plan.session)
      others.talk(plan.talksBack, input)
    case .clip(let order): perform(order, now: now)
    case .configureClips(let settings): clips?.recorder.configure(settings)
    case .abandonClip(let clip, let reason): clips?.recorder.abandon(clip: clip, reason: reason)
    case .client(let event): others.take(event)
    case .shutDown:
      player.unload()
      others.close()
      clips?.recorder.disarm(at: now)
      input.close()
      isShutDown = true
    }
  }

  private func perform(_ order: ClipOrder, now: Instant) {
    guard let recorder = clips?.recorder else { return }
    switch order {
    // Clips are not shaped.
    case .arm:
      recorder.arm()
      input.meterTakes(false)
    case .disarm:
      recorder.disarm(at: now)
      input.meterTakes(true)
    case .trigger(let at, let source): recorder.trigger(at: at, cause: source)
    case .continuous(let at): recorder.startContinuous(at: at)
    case .timeLapse(let milliseconds, let at):
      recorder.startTimeLapse(every: .milliseconds(milliseconds), at: at)
    case .endPostRoll(let at): recorder.endPostRoll(at: at)
    case .forgetKept: recorder.forgetKept()
    case .snapshot(let at): recorder.snapshot(at: at)
    }
  }
}
