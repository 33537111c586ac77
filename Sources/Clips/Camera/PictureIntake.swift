internal import Hardware
internal import Media

/// Puts a camera's pictures into the ring: gaps are noted, times made even, raw pictures encoded, turns told where they
/// come out of order. Camera lane only.
final class PictureIntake {
  private let buffer: PictureBuffer
  private var grant: CameraGrant?
  private var encoder: VideoEncoder?
  private var stream = H264Stream()
  private var order = PictureOrder()
  private var parameters: H264Parameters?
  private var clock = PictureClock(nominal: .milliseconds(33))
  private var placement = PictureClock.Placement(time: .zero)
  /// Nothing is put into the ring before the next keyframe.
  private var needsKeyframe = true
  /// Since when that has been so, and pictures come.
  private var waitsSince: Instant?
  /// The camera sends fields for frames.
  private var hasFields = false
  /// Pictures that others refer to were missing before the one in hand.
  private var isBehindHole = false
  /// What is waited for may have come, and was too large.
  private var isTooLarge = false
  /// What the next picture in the ring is to say of those before it.
  private var missing: (count: Int, cause: FrameRing.MissingCause) = (0, .none)
  private var countersSeen = CameraCounters()
  /// Of `PictureBuffer.Shared`: what another arming has made is not for the pictures of before.
  var releases = 0
  /// What pictures are to be spared, and are, from one keyframe to the next.
  var wanted = PictureEconomy()
  private var economy = PictureEconomy()
  /// Pictures since the last keyframe.
  private var sinceKeyframe = 0

  /// A camera that sends no keyframe for so long has to be set otherwise.
  private static let patience = Duration.seconds(5)
  /// One whose pictures are too large; the ring grows meanwhile, as far as it may.
  static let patienceWithSize = Duration.seconds(1)

  init(_ buffer: PictureBuffer) { self.buffer = buffer }

  /// The camera was opened.
  func begin(_ granted: CameraGrant, _ encoder: VideoEncoder?, counters: CameraCounters) {
    let kept = encoder?.output ?? granted.format
    // What the pictures themselves say of their size is not the grant's to say.
    let isSame = grant.map { $0.format == granted.format } ?? false
    if !isSame || buffer.withLock({ $0.format }) == nil {
      clock = PictureClock(nominal: granted.format.frameDuration)
      stream = H264Stream()
      parameters = nil
      buffer.withLock { $0.begin(kept) }
    }
    grant = granted
    self.encoder = encoder
    clock.restart()
    needsKeyframe = true
    waitsSince = nil
    (hasFields, isTooLarge) = (false, false)
    countersSeen = counters
    buffer.withLock { ($0.isRunning, $0.complaint) = (true, nil) }
  }

  /// The camera is closed: what comes next cannot be decoded together with what was.
  func end() {
    encoder = nil
    interrupt()
    buffer.withLock { $0.isRunning = false }
  }

  private func interrupt() {
    missing = (missing.count, .lost)
    beginAnew()
  }

  /// What comes before the next keyframe cannot be decoded.
  private func beginAnew() {
    needsKeyframe = true
    buffer.withLock { shared in
      order.flush { shared.ring?.settle($0, turn: $1) }
      shared.ring?.interrupt()
    }
  }

  /// Takes in a picture.
  ///
  /// - Returns: whether the camera had better send a keyframe.
  func take(
    _ record: FrameRecord, _ bytes: UnsafeRawBufferPointer, counters: CameraCounters, forcesKeyframe: Bool
  ) -> Bool {
    let isHoled = noteLosses(record, counters)
    placement = clock.add(record.time, skipped: record.missedBefore, isCounted: grant?.numbersPictures ?? false)
    if placement.missing > 0 {
      missing.count += placement.missing
      if missing.cause == .none { missing.cause = .missed }
    }
    if placement.isLate { buffer.withLock { $0.losses.late += 1 } }
    if isLeftOut(forcesKeyframe: forcesKeyframe) { return isHoled }
    if let encoder {
      encode(bytes, by: encoder, forcesKeyframe: forcesKeyframe)
    } else if grant?.format.codec == .h264 {
      // The stream is being changed during this call: nobody else may look at it.
      isBehindHole = false
      stream.add(bytes) { self.keep($0, $1) }
      return isHoled || isBehindHole
    } else {
      if let (width, height) = JPEGScan.size(in: bytes) { note(width: width, height: height) }
      keep(bytes, isKeyframe: true, time: placement.time)
    }
    return isHoled
  }

  /// Whether a picture is spared: every other one after a keyframe. It is no loss; the one before is seen for longer.
  private func isLeftOut(forcesKeyframe: Bool) -> Bool {
    guard encoder != nil || grant?.format.codec == .mjpeg else { return false }
    // Of these each one is a keyframe.
    if encoder == nil { economy = wanted }
    sinceKeyframe += 1
    return economy.hasHalfThePictures && sinceKeyframe % 2 == 1 && !forcesKeyframe
  }

  /// A keyframe is out: what is to be spared is from here on.
  private func beginGroup(_ encoder: VideoEncoder) {
    sinceKeyframe = 0
    guard wanted != economy else { return }
    economy = wanted
    encoder.spare(economy.hasHalfTheBits)
  }

  private func encode(_ bytes: UnsafeRawBufferPointer, by encoder: VideoEncoder, forcesKeyframe: Bool) {
    // Of half the pictures the encoder would make a group of twice the time.
    let isDue = economy.hasHalfThePictures && sinceKeyframe >= encoder.keyframeInterval
    do throws(MediaError) {
      try encoder.encode(bytes, time: placement.time.nanoseconds, forcesKeyframe: forcesKeyframe || isDue) { picture in
        if picture.isKeyframe { self.beginGroup(encoder) }
        self.keep(picture.bytes, isKeyframe: picture.isKeyframe, time: Instant(nanoseconds: picture.time))
      }
    } catch {
      lose(1, .missed) { $0.refused += 1 }
    }
  }

  // MARK: What the pictures are

  /// Another size begins another epoch: no clip can hold both.
  private func note(width: Int, height: Int) {
    buffer.withLock { shared in
      guard var format = shared.format, format.width != width || format.height != height else { return }
      (format.width, format.height) = (width, height)
      order.flush { shared.ring?.settle($0, turn: $1) }
      shared.begin(format)
    }
  }

  private func note(_ found: H264Parameters) {
    defer { parameters = found }
    guard let last = parameters, last != found else { return note(width: found.width, height: found.height) }
    buffer.withLock { shared in
      guard !last.isLike(found), var format = shared.format else { return }
      (format.width, format.height) = (found.width, found.height)
      order.flush { shared.ring?.settle($0, turn: $1) }
      shared.begin(format)
    }
  }

  // MARK: Keeping

  private func keep(_ bytes: UnsafeRawBufferPointer, _ place: H264Stream.Place) {
    if place.isField { hasFields = true }
    guard !hasFields else { return refuseFields() }
    if let parameters = place.parameters { note(parameters) }
    // Where as many are missing as may be without the numbers telling, they say nothing.
    if place.isBehindHole || !place.isInstant && placement.missing >= place.mostUntold {
      isBehindHole = true
      missing = (max(1, missing.count), missing.cause == .none ? .missed : missing.cause)
      beginAnew()
    }
    var entry = FrameRing.Entry(time: placement.time, isKeyframe: place.isKeyframe)
    entry.isInstant = place.isInstant
    (entry.isReferred, entry.mostReferred) = (place.isReferred, UInt8(clamping: place.mostReferred))
    (entry.order, entry.orderBits) = (Int32(clamping: place.order), UInt8(clamping: place.orderBits))
    entry.lag = FrameRing.Entry.unsettled
    entry.depth = Int32(clamping: place.reorderDepth ?? order.depth)
    // The stream counts what others refer to; between two of these there are as many as may be out of order: by what it
    // says itself, for the first picture of all is not in `order` yet.
    entry.recovery = Int32(clamping: place.recovery * (1 + Int(entry.depth)))
    guard let number = keep(bytes, entry) else { return }
    buffer.withLock { shared in
      order.add(number, place) { shared.ring?.settle($0, turn: $1) }
      shared.reorderDepth = order.depth
    }
  }

  private func keep(_ bytes: UnsafeRawBufferPointer, isKeyframe: Bool, time: Instant) {
    var entry = FrameRing.Entry(time: time, isKeyframe: isKeyframe)
    entry.isInstant = isKeyframe
    _ = keep(bytes, entry)
  }

  /// - Returns: its number in the ring; `nil` if it was not kept.
  private func keep(_ bytes: UnsafeRawBufferPointer, _ new: FrameRing.Entry) -> Int? {
    guard !needsKeyframe || new.isKeyframe else {
      wait()
      lose(1, missing.cause == .none ? .missed : missing.cause) { $0.droppedBeforeKeyframe += 1 }
      return nil
    }
    needsKeyframe = false
    var entry = new
    entry.missing = Int32(clamping: missing.count)
    entry.cause = missing.cause
    entry.shift = Int32(clamping: placement.shift.nanoseconds)
    entry.period = Int32(clamping: Int(clock.period) * (economy.hasHalfThePictures ? 2 : 1))
    entry.isLate = placement.isLate
    let (kept, capacity) = buffer.withLock { [entry] shared -> (Int?, Int?) in
      guard let ring = shared.ring, shared.releases == releases else { return (nil, nil) }
      var entry = entry
      // A camera that was away comes back on its own times; the smoothed ones may have run ahead of them.
      if let newest = ring.newest, newest.time >= entry.time { entry.time = newest.time + .microseconds(1) }
      entry.epoch = shared.epoch
      let isKept = ring.push(bytes, entry)
      ring.evict(before: entry.time - shared.window - PictureBuffer.slack, pinned: shared.pinned)
      if isKept { shared.complaint = nil }
      return (isKept ? ring.end - 1 : nil, ring.capacity)
    }
    guard let capacity else { return nil }
    if kept != nil {
      missing = (0, .none)
      waitsSince = nil
      isTooLarge = false
    } else {
      needsKeyframe = true
      if bytes.count > capacity {
        isTooLarge = true
        wait(Self.patienceWithSize)
      }
      lose(1, .missed) { $0.refused += 1 }
    }
    return kept
  }

  /// Pictures come, and none of them is one to begin with.
  private func wait(_ patience: Duration = PictureIntake.patience) {
    let since = waitsSince ?? placement.time
    waitsSince = since
    guard placement.time - since >= patience else { return }
    guard !isTooLarge else { return complainOfSize() }
    buffer.withLock {
      $0.complaint =
        "the camera sends no keyframes; set its keyframe interval to half a second, with IDR pictures or recovery points"
    }
  }

  /// A field is half a picture: kept as one, it would count twice, and be seen for half of its time. Frames between fields
  /// refer to them.
  private func refuseFields() {
    needsKeyframe = true
    lose(1, .missed) { $0.refused += 1 }
    buffer.withLock { shared in
      order.flush { shared.ring?.settle($0, turn: $1) }
      shared.ring?.interrupt()
      shared.complaint =
        "the camera sends each picture as two fields (PAFF), which cannot be kept; set it to frames: progressive, or MBAFF"
    }
  }

  /// Pictures are larger than what is there for them.
  func complainOfSize() {
    buffer.withLock {
      $0.complaint =
        "the camera's pictures are larger than the board has room for; lower its size, its rate or its quality"
    }
  }

  private func lose(
    _ count: Int, _ cause: FrameRing.MissingCause, _ note: (inout PictureBuffer.Losses) -> Void
  ) {
    missing = (missing.count + count, missing.cause == .none ? cause : missing.cause)
    buffer.withLock { note(&$0.losses) }
  }

  /// Counts what the device and the queue lost before this picture. Pictures in H.264 that follow a hole refer to what is
  /// not there: they wait for the next keyframe. What the device skipped before it was coded, nobody refers to; where it was
  /// coded, the stream tells (`H264Stream.Place.isBehindHole`).
  private func noteLosses(_ record: FrameRecord, _ now: CameraCounters) -> Bool {
    let overflows = now.overflows - countersSeen.overflows
    let device = max(
      now.missed + now.broken - countersSeen.missed - countersSeen.broken, record.missedBefore - overflows)
    let isBroken = now.broken > countersSeen.broken
    countersSeen = now
    guard overflows > 0 || device > 0 else { return false }
    buffer.withLock { shared in
      shared.losses.droppedInQueue += max(0, overflows)
      shared.losses.missedByDevice += max(0, device)
    }
    if overflows > 0 { isTooLarge = true }
    guard overflows > 0 || isBroken, encoder == nil, grant?.format.codec == .h264 else { return false }
    needsKeyframe = true
    buffer.withLock { $0.ring?.interrupt() }
    return true
  }
}
