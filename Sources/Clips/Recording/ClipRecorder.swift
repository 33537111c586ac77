public import Hardware
internal import Media
public import Recording

/// Makes clips of what the camera and the microphone have seen and heard already, and go on to.
///
/// Who calls what, on which lane:
/// - **camera lane**: `CameraInput.step`. Opens and reopens the camera while the recorder is armed, encodes raw
///   pictures, puts them into the ring (`PictureBuffer`). May block for as long as a camera takes to open.
/// - **media lane**: everything of `ClipRecorder`, next to the dictaphone's recorder, whose `CaptureInput` it shares;
///   the lane steps that one first. Plans cuts, encodes sound, sends samples down the `RecordingPipe`.
/// - **storage lane**: `FileWriter.step` writes, syncs and completes the files through `RecordingStore`s.
///
/// Made in this order: `PictureBuffer`, `CameraInput`, `RecordingPipe`, `ClipRecorder`, `FileWriter`. The runtime wakes the
/// storage lane when `pipe.queuedBytes` has grown, as with takes, and gives `FileWriter.Event.refused` back by `abandon`.
public final class ClipRecorder {
  /// What the recorder tells the control loop.
  public enum Event: Sendable {
    /// The ring holds the whole window now (`onBufferReady`); once for every arming and every change of the window.
    case bufferReady(RingStatus)
    /// What became of a trigger. `started` is `onCaptureStarted`.
    case triggered(Trigger, TriggerOutcome)
    /// The clip's media is whole and in the pipe; what is left is the storage's.
    case saving(clip: Int)
    /// Nothing came of a clip or of a snapshot; a stable code and a sentence.
    case failed(clip: Int?, code: String, text: String)
  }

  public private(set) var status = ClipStatus()

  private let world: ClipWorld
  private let report: (Event) -> Void
  private var settings: ClipSettings
  private var planner: CutPlanner
  private(set) var clips: [OpenClip] = []
  private var spool = Spool()
  private var detector = TriggerDetector()
  private var clock = ClipClock()
  private var timeLapse: TimeLapse?
  /// Those that wait for their pictures.
  private var snapshots: [Instant] = []
  private var isReady = false
  /// Pictures that had been crowded out of the ring when it was made or changed.
  private var crowdedBefore = 0
  /// Bytes to which the ring has grown for this camera and window; 0 if it has not.
  private var grownBytes = 0
  private var rate = RateMeter()
  /// What the present step may still do.
  private let slice = WorkSlice()
  private var turn = 0

  /// While a clip is being made, pictures are looked for this often where no sound sets the pace.
  private static let busyInterval = Duration.milliseconds(15)
  private static let idleInterval = Duration.milliseconds(100)

  /// - Parameters:
  ///   - buffer: as given to `CameraInput`.
  ///   - sound: the microphone; who steps the recorder steps it before.
  ///   - clock: for wall times, and for what is ordered from outside of `step`.
  public init(
    buffer: PictureBuffer, sound: CaptureInput, pipe: RecordingPipe, clock: any DeviceClock, settings: ClipSettings,
    report: @escaping (Event) -> Void
  ) {
    world = ClipWorld(buffer: buffer, sound: sound, pipe: pipe, clock: clock)
    self.settings = settings
    self.report = report
    planner = CutPlanner(rules: settings.rules)
    adopt(settings)
  }

  // MARK: Orders

  /// Changes the settings. A longer or shorter window keeps what fits.
  public func configure(_ new: ClipSettings) {
    let old = settings
    let hasGrown = grownBytes > 0 && new.camera == old.camera && new.ringBytes != old.ringBytes
    adopt(new)
    guard status.isArmed else { return }
    // A camera that sends more than the ring was made for does so whatever the window is.
    if hasGrown { grownBytes = max(new.ringBytes, min(new.largestRingBytes, wantedBytes(of: status.ring, for: new))) }
    isReady = isReady && new.preRollSeconds <= old.preRollSeconds
    crowdedBefore = status.ring.crowdedOut
    let (seconds, request) = (new.preRollSeconds, new.camera)
    let bytes = max(new.ringBytes, grownBytes)
    let isOpen = clips.contains { !$0.cut.isSpool }
    world.buffer.withLock { shared in
      shared.window = .seconds(seconds)
      // For the same window, one that has grown for its camera stays as it is, and so does what open clips still need.
      if new.ringBytes != old.ringBytes {
        shared.ring = shared.ring.map { $0.resized(to: max(bytes, isOpen ? $0.capacity : 0)) }
      }
      shared.request = request
    }
    world.sound.hold(clipSeconds: new.preRollSeconds)
    world.buffer.wakeCamera()
  }

  private func adopt(_ new: ClipSettings) {
    if new.ringBytes != settings.ringBytes || new.camera != settings.camera { grownBytes = 0 }
    settings = new
    planner.rules = new.rules
    detector.configure(new)
  }

  /// Lets the camera run and fills the ring.
  public func arm() {
    guard !status.isArmed else { return }
    status.isArmed = true
    isReady = false
    rate = RateMeter()
    let (seconds, request) = (settings.preRollSeconds, settings.camera)
    let bytes = max(settings.ringBytes, grownBytes)
    crowdedBefore = world.buffer.withLock { shared in
      // Clips of a moment ago may still be taking pictures from it.
      if let ring = shared.ring, ring.capacity < bytes { shared.ring = ring.resized(to: bytes) }
      let ring = shared.ring ?? FrameRing(bytes: bytes)
      shared.ring = ring
      shared.window = .seconds(seconds)
      shared.request = request
      shared.armings += 1
      return ring.crowdedOut
    }
    detector.skip(world)
    world.pipe.occupy()
    world.sound.hold(clipSeconds: settings.preRollSeconds)
    world.buffer.wakeCamera()
  }

  /// Ends open clips at `instant`, closes the camera and gives the ring's memory back as soon as they are in the pipe.
  public func disarm(at instant: Instant) {
    guard status.isArmed else { return }
    status.isArmed = false
    sendSnapshots(now: world.clock.now, mayWait: false)
    endSpool(at: instant)
    endPostRoll(at: instant)
    release()
  }

  private func release() {
    guard !status.isArmed, clips.isEmpty else { return }
    world.pipe.vacate()
    let hadAny = world.buffer.withLock { shared in
      guard shared.ring != nil || shared.request != nil else { return false }
      shared.ring = nil
      shared.request = nil
      shared.pinned = nil
      shared.releases += 1
      return true
    }
    guard hadAny else { return }
    world.sound.hold(clipSeconds: 0)
    world.buffer.wakeCamera()
  }

  /// Makes a clip around `instant`.
  public func trigger(at instant: Instant, cause: TriggerSource) {
    guard status.isArmed else { return refuse(instant, cause) }
    announce(planner.trigger(at: instant, cause: cause))
  }

  /// Records without end from `instant` minus the pre-roll on, in clips of `longestSeconds` that join without a seam;
  /// `endPostRoll` ends it.
  public func startContinuous(at instant: Instant) {
    guard status.isArmed else { return refuse(instant, .continuous) }
    announce(planner.startContinuous(at: instant))
  }

  /// Keeps a picture every `interval` (0.1 s or more) from `instant` on, as a clip of 30 pictures a second without sound,
  /// until `endPostRoll` or `disarm`. Clips can be made meanwhile.
  public func startTimeLapse(every interval: Duration, at instant: Instant) {
    guard status.isArmed else { return refuse(instant, .timeLapse) }
    guard timeLapse == nil else { return refuse(instant, .timeLapse, "a time-lapse is being made already") }
    let (number, trigger) = planner.takeNumber(at: instant)
    timeLapse = TimeLapse(number: number, trigger: trigger, interval: interval)
    report(.triggered(trigger, .started(clip: number, continues: nil)))
  }

  private func stepTimeLapse(now: Instant) {
    timeLapse?.step(world, now: now)
    guard let over = timeLapse?.over else { return }
    let interval = timeLapse?.interval ?? .seconds(1)
    endTimeLapse(over)
    // Pictures of another kind go on in another clip.
    if over == .split { startTimeLapse(every: interval, at: now) }
  }

  private func endTimeLapse(_ reason: StopReason) {
    guard var ending = timeLapse else { return }
    timeLapse = nil
    ending.end(world, now: world.clock.now, reason)
    let complaint = ending.complaint.map { ("unsupported", $0) } ?? ("empty", "no picture came for it")
    report(
      ending.pictures > 0
        ? .saving(clip: ending.number)
        : .failed(clip: ending.number, code: complaint.0, text: "no clip was made: \(complaint.1)"))
  }

  private func refuse(
    _ instant: Instant, _ cause: TriggerSource,
    _ text: String = "the ring is not filled outside of clip mode; change the mode first"
  ) {
    report(.triggered(Trigger(number: 0, time: instant, cause: cause), .refused(code: "busy", text: text)))
  }

  private func announce(_ planned: (trigger: Trigger, outcome: TriggerOutcome, new: CutPlanner.Cut?)) {
    if let cut = planned.new { open(cut) }
    report(.triggered(planned.trigger, planned.outcome))
    pin()
  }

  /// Ends every open clip, and continuous recording, at `instant` instead of after the post-roll.
  public func endPostRoll(at instant: Instant) {
    planner.endAll(at: instant)
    endTimeLapse(.user)
  }

  /// The storage takes no more of this clip: it ends with what is on it.
  public func abandon(clip number: Int, reason: StopReason) {
    if timeLapse?.number == number { return endTimeLapse(reason) }
    planner.refuse(number, at: world.clock.now)
    guard let clip = clips.first(where: { $0.number == number }) else { return }
    clip.refusal = reason
    guard clip.cut.isSpool else { return }
    endSpool(at: world.clock.now)
    spool.rest(from: world.clock.now)
  }

  /// A clip has been deleted: the next one begins with all that the ring holds of its pre-roll.
  public func forgetKept() { planner.forgetKept() }

  /// Keeps the picture of `instant` as a JPEG: an image of the camera's as it is, else decoded on the storage lane, which
  /// tells what became of it.
  public func snapshot(at instant: Instant) {
    guard status.isArmed else {
      return report(.failed(clip: nil, code: "device-lost", text: "the picture was not kept: there is no camera"))
    }
    snapshots.append(instant)
    sendSnapshots(now: world.clock.now, mayWait: true)
  }

  /// Sends snapshots down the pipe, in their order, each when the picture is there that was to be seen then.
  private func sendSnapshots(now: Instant, mayWait: Bool) {
    while let instant = snapshots.first {
      let mayWait = mayWait && now < instant + ClipBeginning.patience
      guard let order = world.buffer.snapshot(of: instant, takenAt: world.wall(of: instant, now: now), mayWait: mayWait)
      else { return }
      snapshots.removeFirst()
      world.pipe.append(.task(.snapshot(order)))
    }
  }

  /// Whether media of a clip is still to be sent.
  public var isBusy: Bool { clips.contains { !$0.cut.isSpool } || timeLapse != nil }

  // MARK: Work

  /// Sends down the pipe what of sound and pictures belongs to open clips, a bounded piece of it at a time.
  ///
  /// - Returns: when to be called again at the latest: `now` if there is more to be done.
  public func step(now: Instant) -> Instant? {
    slice.begin()
    clock.follow(world.sound, now: now, isFree: clips.allSatisfy { !$0.isRunning })
    world.pipe.sendBacklog()
    if status.isArmed {
      for (time, cause) in detector.detect(world, isHearing: clock.isHearing) { trigger(at: time, cause: cause) }
    }
    keepSpool(now: now)
    // Each is the first in its turn: one with a long past must not use up what the others may do.
    turn &+= 1
    let count = clips.count
    for index in 0..<count { work(on: clips[(index + turn) % count], now: now) }
    // Splitting has appended.
    var index = count
    while index < clips.count {
      work(on: clips[index], now: now)
      index += 1
    }
    clips.removeAll(where: \.isOver)
    if spool.letGo(isWanted: isSpoolWanted, hasPieces: clips.contains(where: \.cut.isSpool)) {
      world.pipe.append(.task(.clearSpool))
    }
    stepTimeLapse(now: now)
    sendSnapshots(now: now, mayWait: true)
    pin()
    publish(now: now)
    release()
    guard status.isArmed || !clips.isEmpty else { return nil }
    if slice.isUsedUp { return now }
    return now + (clips.isEmpty ? Self.idleInterval : Self.busyInterval)
  }

  /// Makes the ring larger for a camera that sends more than it was made for, as far as the budget goes.
  ///
  /// - Returns: false if it is as large as it may be.
  private func grow(_ ring: RingStatus) -> Bool {
    guard ring.capacity < settings.largestRingBytes else { return false }
    let bytes = min(settings.largestRingBytes, max(wantedBytes(of: ring, for: settings), ring.capacity / 4 * 5))
    world.buffer.withLock { $0.ring = $0.ring?.resized(to: bytes) }
    grownBytes = bytes
    crowdedBefore = ring.crowdedOut
    return true
  }

  /// Makes the ring larger, as far as the budget goes, before what an open clip waits to send is crowded out of it: a
  /// card that does not answer holds up pictures for longer than the window.
  private func hold(_ ring: RingStatus) {
    let used = max(ring.bytes, ring.pictures * FrameRing.bytesPerPicture)
    guard ring.seconds > ring.wantedSeconds, used > ring.capacity / 8 * 7, ring.capacity < settings.largestRingBytes
    else { return }
    let bytes = min(settings.largestRingBytes, ring.capacity / 2 * 3)
    world.buffer.withLock { $0.ring = $0.ring?.resized(to: bytes) }
  }

  /// Bytes that a window takes of what the camera sends.
  private func wantedBytes(of ring: RingStatus, for settings: ClipSettings) -> Int {
    // Its rate is known once some of it is there; pictures are kept somewhat longer than the window.
    let rate = Double(ring.bytes) / max(0.5, ring.seconds)
    return Int(rate * (Double(settings.preRollSeconds) + PictureBuffer.slack.inSeconds + 1) * 1.1)
  }

  private func open(_ cut: CutPlanner.Cut) {
    clips.append(OpenClip(cut, bitrateKbps: settings.soundBitrateKbps, world: world))
  }

  /// Whether what an open clip begins with is known, and its media goes down the pipe, until its end.
  private func work(on clip: OpenClip, now: Instant) {
    if let cut = planner[clip.number] { clip.cut = cut }
    if clip.isWaiting {
      // A clip that begins where another ends waits until it is known where that is.
      if let before = clip.cut.continues, clips.contains(where: { $0.number == before && $0.end == nil && !$0.isOver })
      {
        return
      }
      // One that goes on waits for the microphone's new rate: nobody may go by the old one any more.
      let others = clips.contains { $0.isRunning && !$0.cut.isSpool && $0.number != clip.cut.continues }
      let isWaiting = isOutOfTune && !world.sound.isUntimed && !others
      if isWaiting, clip.cut.isSplit, !clip.cut.isSpool { return }
      clip.begin(now: now, clock: clock)
    }
    while let time = clip.send(now: now, clock: clock, splitAt: split(of: clip, now: now), slice: slice) {
      split(clip, at: time)
    }
    if let end = clip.end, planner[clip.number] != nil { planner.close(clip.number, at: end) }
    if clip.cut.isSpool {
      if clip.refused != nil { spool.rest(from: now) }
    } else if clip.isDone {
      status.clips += 1
      report(.saving(clip: clip.number))
    } else if let (code, text) = clip.refused {
      planner.drop(clip.number)
      report(.failed(clip: clip.number, code: code, text: text))
    }
  }

  // MARK: Splitting

  /// The microphone's rate has changed, and open clips go by the old one.
  private var isOutOfTune: Bool { world.sound.isRunning && world.sound.format.sampleRate != clock.rate }

  /// A clip that goes on for longer than this is not left without the sound of another format.
  private static let longestDeafness = Duration.seconds(10)

  /// Where an open clip has to be split.
  private func split(of clip: OpenClip, now: Instant) -> Instant? {
    if clip.cut.isSpool { return Spool.split(of: clip.cut, window: .seconds(settings.preRollSeconds)) }
    if let since = clip.listen(at: now), clip.cut.end - since > Self.longestDeafness,
      !clips.contains(where: { $0.isRunning && $0 !== clip && !$0.cut.isSpool })
    {
      return since
    }
    return planner.split(of: clip.cut)
  }

  /// Ends a clip at a keyframe and has another one go on there.
  private func split(_ clip: OpenClip, at time: Instant) {
    if clip.cut.isSpool {
      clip.cut.end = time
      clip.cut.isSplitAway = true
      return openPiece(from: time, continuing: clip.number)
    }
    guard let cut = planner.split(clip.number, at: time) else {
      clip.cut.end = time
      return
    }
    open(cut)
    // Nobody has asked for it, and everybody has to know of it.
    let trigger = Trigger(number: 0, time: time, cause: .continuous)
    report(.triggered(trigger, .started(clip: cut.number, continues: clip.number)))
    if let cut = planner[clip.number] { clip.cut = cut }
  }

  // MARK: The spool

  private var isSpoolWanted: Bool { status.isArmed && settings.ringStore == .disk }

  private func openPiece(from start: Instant, continuing before: Int?) {
    var cut = CutPlanner.Cut(
      number: planner.reserveNumber(), start: start, end: .distantFuture, triggers: [], continues: before,
      isSplit: before != nil)
    cut.isSpool = true
    open(cut)
  }

  private func keepSpool(now: Instant) {
    let pieces = clips.filter(\.cut.isSpool)
    switch spool.step(
      now: now, isWanted: isSpoolWanted && status.hasCamera && !isOutOfTune,
      backlog: Double(world.pipe.queuedBytes) / Double(world.pipe.capacity),
      pieces: (!pieces.isEmpty, pieces.contains { $0.cut.end == .distantFuture }))
    {
    case .goOn: break
    case .begin: openPiece(from: now, continuing: nil)
    case .end: endSpool(at: now)
    }
  }

  /// Ends the piece that is being made.
  private func endSpool(at instant: Instant) {
    for clip in clips where clip.cut.isSpool && clip.cut.end > instant { clip.cut.end = instant }
  }

  /// Whether there was more to be sent than one step may.
  public var isBehind: Bool { slice.isUsedUp }

  /// Whether an open clip still has to take sound of before a loss of the microphone.
  public var wantsHistory: Bool { clips.contains { $0.wantsHistory(clock) } }

  /// Tells the camera lane what must not be let go.
  private func pin() {
    let open = clips
    world.buffer.withLock { shared in
      shared.pinned = shared.ring.flatMap { ring in open.compactMap { $0.pinned(in: ring) }.min() }
    }
  }

  private func publish(now: Instant) {
    let (ring, isRunning, losses, end, format) = world.buffer.withLock { shared in
      (
        shared.ring?.status(window: shared.window) ?? RingStatus(), shared.isRunning, shared.losses,
        shared.ring?.end ?? 0, shared.format
      )
    }
    rate.add(end, at: now)
    status.ring = ring
    status.hasCamera = isRunning
    status.format = isRunning ? format : nil
    status.framesPerSecond = isRunning ? rate.perSecond : 0
    status.droppedPictures = losses.total
    let open = clips.filter { $0.end == nil && !$0.cut.isSpool }
    status.capturing = open.count
    status.isSpooling = clips.contains { $0.cut.isSpool && $0.isRunning }
    status.isContinuous = planner.isContinuous
    status.timeLapsePictures = timeLapse?.pictures
    let last = timeLapse == nil ? open.map(\.cut.end).max() : .distantFuture
    status.remainingSeconds =
      last.map { $0 == .distantFuture ? .infinity : max(0, ($0 - now).inSeconds) } ?? 0
    if !open.isEmpty { hold(ring) }
    if status.isArmed, ring.crowdedOut > crowdedBefore, !ring.isFull, grow(ring) { return }
    // A ring that is too small for the window is as full as it gets; its status says so.
    if status.isArmed, !isReady, ring.isFull || ring.crowdedOut > crowdedBefore && ring.pictures > 0 {
      isReady = true
      report(.bufferReady(ring))
    }
  }

  /// Telemetry of now: what the recorder knows of it.
  public func telemetry(now: Instant) -> Telemetry {
    Telemetry(
      time: now, framesPerSecond: status.framesPerSecond, dropped: status.droppedPictures,
      bufferSeconds: status.ring.seconds, bufferBytes: status.ring.bytes,
      soundDriftPPM: world.sound.isRunning ? world.sound.driftPPM : 0)
  }
}
