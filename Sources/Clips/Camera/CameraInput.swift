public import Hardware
public import Media

/// Keeps the camera open while the recorder is armed, and puts its pictures into the ring; raw ones are encoded first.
///
/// Camera lane only: opening a camera and encoding take long, and nobody waits for them. A camera that is not there is
/// tried again every second.
public final class CameraInput: Stepper {
  /// What happened to the camera.
  public enum Event: Sendable {
    case opened(CameraGrant, name: String)
    /// A sentence; told once, not at every attempt.
    case lost(String)
  }

  let camera: (any Camera)?
  let buffer: PictureBuffer
  let encoders: [VideoEncoderKind]
  let report: (Event) -> Void

  private var request: CameraRequest?
  var grant: CameraGrant?
  var queue: FrameQueue?
  var encoder: VideoEncoder?
  var completer = KeyframeCompleter()
  var clock = PictureClock(nominal: .milliseconds(33))
  var nextAttempt = Instant.zero
  var hasReportedLoss = false
  /// Nothing is put into the ring before the next keyframe.
  var needsKeyframe = true
  /// What the next picture in the ring is to say of those before it.
  private var missing: (count: Int, cause: FrameRing.MissingCause) = (0, .none)
  var countersSeen = CameraCounters()
  private var placement = PictureClock.Placement(time: .zero)

  static let retryInterval = Duration.seconds(1)
  /// Pictures that the queue between the driver's thread and this lane holds at least.
  static let queuedPictures = 6

  /// - Parameters:
  ///   - camera: the device, or `nil` if the board has none.
  ///   - encoders: for cameras that only deliver raw pictures, best first.
  public init(
    camera: (any Camera)?, buffer: PictureBuffer, encoders: [VideoEncoderKind] = VideoEncoderKind.allCases,
    report: @escaping (Event) -> Void
  ) {
    self.camera = camera
    self.buffer = buffer
    self.encoders = encoders
    self.report = report
  }

  deinit { camera?.close() }

  /// The device's name for receipts.
  public var name: String { camera?.name ?? "none" }
  /// The driver's counters. Any thread.
  public var counters: CameraCounters { camera?.counters ?? CameraCounters() }

  public func attach(wake: @escaping @Sendable () -> Void) { buffer.attach(wake: wake) }

  /// Opens the camera if it is due, and moves everything that has arrived into the ring.
  ///
  /// - Returns: when the next picture should have arrived, or when to try a missing camera again.
  public func step(now: Instant) -> Instant? {
    let (wanted, wantsKeyframe) = buffer.withLock { shared in
      defer { shared.wantsKeyframe = false }
      return (shared.request, shared.wantsKeyframe)
    }
    if wanted != request {
      close()
      request = wanted
      nextAttempt = now
      hasReportedLoss = false
    }
    guard let request else { return nil }
    if wantsKeyframe { camera?.requestKeyframe() }
    if grant == nil, camera == nil {
      if !hasReportedLoss { report(.lost("the board file names no camera")) }
      hasReportedLoss = true
      return nil
    }
    if grant == nil, nextAttempt <= now { open(request, now: now) }
    var hasReceived = false
    if let queue { hasReceived = receive(from: queue, now: now, wantsKeyframe: wantsKeyframe) }
    guard let grant else { return nextAttempt }
    // The driver's thread must not wake anybody, and every look costs. After a picture the next one is looked for a
    // little early, and if it is not there, a little later: so looks stay just behind the pictures, at most two each,
    // and an eighth of a picture's time is no delay that counts.
    return now + (hasReceived ? grant.format.frameDuration / 16 * 15 : grant.format.frameDuration / 8)
  }

  /// Gives the device back.
  public func close() {
    if grant != nil { camera?.close() }
    grant = nil
    queue = nil
    encoder = nil
    interrupt()
    buffer.withLock { $0.isRunning = false }
  }

  /// What comes next cannot be decoded together with what was.
  private func interrupt() {
    needsKeyframe = true
    missing = (missing.count, .lost)
    buffer.withLock { $0.ring?.interrupt() }
  }

  // MARK: Receiving

  /// - Returns: whether there was a picture.
  private func receive(from queue: FrameQueue, now: Instant, wantsKeyframe: Bool) -> Bool {
    var forces = wantsKeyframe
    var hasReceived = false
    while let (record, bytes) = queue.peek() {
      switch record.kind {
      case .picture:
        take(record, bytes, forcesKeyframe: forces)
        forces = false
        hasReceived = true
        queue.drop()
      case .lost:
        close()
        nextAttempt = now + Self.retryInterval
        hasReportedLoss = true
        report(.lost("\(name) went away (errno \(record.code)); plug it in again"))
        return hasReceived
      }
    }
    return hasReceived
  }

  private func take(_ record: FrameRecord, _ bytes: UnsafeRawBufferPointer, forcesKeyframe: Bool) {
    noteLosses(record)
    placement = clock.add(
      record.time, skipped: record.missedBefore, isCounted: grant?.numbersPictures ?? false)
    if placement.missing > 0 {
      missing.count += placement.missing
      if missing.cause == .none { missing.cause = .missed }
    }
    if placement.isLate { buffer.withLock { $0.losses.late += 1 } }
    guard let encoder else {
      guard grant?.format.codec == .h264 else { return keep(bytes, isKeyframe: true, time: placement.time) }
      return completer.complete(bytes) { whole, isKeyframe in
        // Not from the completer, which is being changed during this call.
        if isKeyframe { self.noteParameters(H264Parameters(in: whole)) }
        self.keep(whole, isKeyframe: isKeyframe, time: self.placement.time)
      }
    }
    do throws(MediaError) {
      try encoder.encode(bytes, time: placement.time.nanoseconds, forcesKeyframe: forcesKeyframe) { picture in
        self.keep(picture.bytes, isKeyframe: picture.isKeyframe, time: Instant(nanoseconds: picture.time))
      }
    } catch {
      lose(1, .missed) { $0.refused += 1 }
    }
  }

  /// Another size or other tables, in the middle of a stream: clips that are open cannot go on with it.
  private func noteParameters(_ found: H264Parameters?) {
    guard let parameters = found, parameters != lastParameters else { return }
    let isFirst = lastParameters == nil
    lastParameters = parameters
    guard !isFirst else { return }
    buffer.withLock { shared in
      shared.epoch += 1
      shared.ring?.clear()
    }
  }

  private var lastParameters: H264Parameters?

  private func keep(_ bytes: UnsafeRawBufferPointer, isKeyframe: Bool, time: Instant) {
    guard !needsKeyframe || isKeyframe else {
      return lose(1, missing.cause == .none ? .missed : missing.cause) { $0.droppedBeforeKeyframe += 1 }
    }
    needsKeyframe = false
    let period = Int32(clamping: Int(clock.period))
    let (missing, shift, isLate) = (missing, Int32(clamping: placement.shift.nanoseconds), placement.isLate)
    let isKept = buffer.withLock { shared -> Bool in
      guard let ring = shared.ring else { return true }
      var entry = FrameRing.Entry(time: time, isKeyframe: isKeyframe)
      // A camera that was away comes back on its own times; the smoothed ones may have run ahead of them.
      if let newest = ring.newest, newest.time >= time { entry.time = newest.time + .microseconds(1) }
      entry.missing = Int32(clamping: missing.count)
      entry.cause = missing.cause
      entry.shift = shift
      entry.period = period
      entry.isLate = isLate
      let isKept = ring.push(bytes, entry)
      ring.evict(before: entry.time - shared.window - PictureBuffer.slack, pinned: shared.pinned)
      return isKept
    }
    if isKept {
      self.missing = (0, .none)
    } else {
      needsKeyframe = true
      lose(1, .missed) { $0.refused += 1 }
    }
  }

  private func lose(
    _ count: Int, _ cause: FrameRing.MissingCause, _ note: (inout PictureBuffer.Losses) -> Void
  ) {
    missing = (missing.count + count, missing.cause == .none ? cause : missing.cause)
    buffer.withLock { note(&$0.losses) }
  }

  /// Counts what the device and the queue lost before this picture. Pictures in H.264 that follow a hole refer to what is
  /// not there: they wait for the next keyframe.
  private func noteLosses(_ record: FrameRecord) {
    let now = counters
    let overflows = now.overflows - countersSeen.overflows
    let device = max(
      now.missed + now.broken - countersSeen.missed - countersSeen.broken, record.missedBefore - overflows)
    let isBroken = now.broken > countersSeen.broken
    countersSeen = now
    guard overflows > 0 || device > 0 else { return }
    buffer.withLock { shared in
      shared.losses.droppedInQueue += max(0, overflows)
      shared.losses.missedByDevice += max(0, device)
    }
    guard overflows > 0 || isBroken, encoder == nil, grant?.format.codec == .h264 else { return }
    needsKeyframe = true
    camera?.requestKeyframe()
  }
}
