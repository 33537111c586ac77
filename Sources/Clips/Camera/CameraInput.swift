public import Hardware
public import Media

/// Keeps the camera open while the recorder is armed, and has its pictures put into the ring.
///
/// Camera lane only: opening a camera and encoding take long, and nobody waits for them. A camera that is not there is
/// tried again every second.
public final class CameraInput: Stepper {
  /// What happened to the camera.
  public enum Event: Sendable {
    case opened(CameraGrant, name: String)
    /// A sentence; told once, not at every attempt.
    case lost(String)
    /// It delivers, and nothing of it can be kept: a sentence that says how to set it. Told once.
    case unusable(String)
  }

  private let camera: (any Camera)?
  private let buffer: PictureBuffer
  private let intake: PictureIntake
  private let encoders: [VideoEncoderKind]
  private let report: (Event) -> Void
  private var request: CameraRequest?
  /// Of `PictureBuffer.Shared`, as they were when last looked at.
  private var counted = (armings: 0, releases: 0)
  private var grant: CameraGrant?
  private var queue: FrameQueue?
  /// When the queue last held a picture, and how many had found no room in it until then.
  private var heard = (at: Instant.zero, overflows: 0)
  private var nextAttempt = Instant.zero
  private var hasReported = false
  /// It was lost, and is open again: that is told by its first picture.
  private var isSilent = false

  private static let retryInterval = Duration.seconds(1)
  /// Pictures that the queue between the driver's thread and this lane holds at least.
  private static let queuedPictures = 6
  /// What a film may claim of the queue for a picture, bytes: its size and its pictures are a file's word.
  private static let mostForPicture = 4 << 20

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
    intake = PictureIntake(buffer)
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
    let (wanted, count, wantsKeyframe) = buffer.withLock { shared in
      defer { shared.wantsKeyframe = false }
      intake.wanted = shared.economy
      intake.releases = shared.releases
      return (shared.request, (shared.armings, shared.releases), shared.wantsKeyframe)
    }
    defer { counted = count }
    if wanted != request || count.1 != counted.releases {
      close()
      request = wanted
      nextAttempt = now
      (hasReported, isSilent) = (false, false)
    }
    guard let request else { return nil }
    if count.0 != counted.armings { goOn() }
    if wantsKeyframe { camera?.requestKeyframe() }
    guard let camera else {
      tellOnce(.lost("the board file names no camera"))
      return nil
    }
    if grant == nil, nextAttempt <= now { open(camera, request, now: now) }
    var hasReceived = false
    if let queue { hasReceived = receive(from: queue, now: now, wantsKeyframe: wantsKeyframe) }
    guard let grant else { return nextAttempt }
    watchQueue(now: now, hasReceived: hasReceived)
    if let complaint = buffer.withLock({ $0.complaint }) { tellOnce(.unusable(complaint)) }
    // The driver's thread must not wake anybody, and every look costs. After a picture the next one is looked for a
    // little early, and if it is not there, a little later: so looks stay just behind the pictures, at most two each,
    // and an eighth of a picture's time is no delay that counts.
    return now + (hasReceived ? grant.format.frameDuration / 16 * 15 : grant.format.frameDuration / 8)
  }

  /// A camera none of whose pictures fits into the queue is not heard of by it.
  private func watchQueue(now: Instant, hasReceived: Bool) {
    guard !hasReceived else {
      heard = (now, counters.overflows)
      return
    }
    guard now - heard.at >= PictureIntake.patienceWithSize, counters.overflows > heard.overflows else { return }
    intake.complainOfSize()
  }

  /// Asked for anew while it is open, since clips of before still take its pictures: who asks knows of no camera yet.
  private func goOn() {
    hasReported = false
    if let grant, !isSilent { report(.opened(grant, name: name)) }
  }

  private func tellOnce(_ event: Event) {
    if !hasReported { report(event) }
    hasReported = true
  }

  // MARK: Opening

  /// Opens the camera, or tells once why that cannot be, and when it is tried again.
  private func open(_ camera: any Camera, _ request: CameraRequest, now: Instant) {
    do throws(DeviceError) {
      let granted = try camera.open(request)
      let queue = FrameQueue(bytes: Self.queueBytes(granted))
      do throws(DeviceError) {
        let encoder = try makeEncoder(granted, request)
        try camera.start(into: queue)
        (self.queue, grant, hasReported) = (queue, granted, false)
        heard = (now, counters.overflows)
        intake.begin(granted, encoder, counters: counters)
        if !isSilent { report(.opened(granted, name: name)) }
      } catch {
        camera.close()
        throw error
      }
    } catch {
      nextAttempt = now + Self.retryInterval
      tellOnce(.lost("\(error)"))
    }
  }

  /// Bytes of the queue between the driver's thread and this lane.
  static func queueBytes(_ grant: CameraGrant) -> Int {
    let format = grant.format
    guard !format.codec.isRaw else { return (format.largestFrameBytes + 256) * queuedPictures }
    // Compressed pictures are hardly ever as large as the largest.
    let largest = grant.largestPicture.map { min(mostForPicture, max($0, format.largestFrameBytes)) }
    return ((largest ?? format.largestFrameBytes) + 256) * 3
  }

  private func makeEncoder(_ granted: CameraGrant, _ request: CameraRequest) throws(DeviceError) -> VideoEncoder? {
    guard granted.format.codec.isRaw else { return nil }
    do throws(MediaError) {
      return try VideoEncoder(
        granted.format, bitrate: request.bitrate, keyframeInterval: request.keyframeInterval, kinds: encoders)
    } catch {
      throw DeviceError(.unsupported, device: name, operation: "encode its pictures", hint: "\(error)")
    }
  }

  /// Gives the device back.
  public func close() {
    if grant != nil { camera?.close() }
    grant = nil
    queue = nil
    intake.end()
  }

  /// - Returns: whether there was a picture.
  private func receive(from queue: FrameQueue, now: Instant, wantsKeyframe: Bool) -> Bool {
    var forces = wantsKeyframe
    var hasReceived = false
    while let (record, bytes) = queue.peek() {
      switch record.kind {
      case .picture:
        if intake.take(record, bytes, counters: counters, forcesKeyframe: forces) { camera?.requestKeyframe() }
        forces = false
        hasReceived = true
        queue.drop()
        if isSilent, let grant {
          isSilent = false
          report(.opened(grant, name: name))
        }
      case .lost:
        close()
        nextAttempt = now + Self.retryInterval
        hasReported = true
        // A camera that opens and sends nothing has been away all the time.
        if !isSilent { report(.lost("\(name) went away (errno \(record.code)); plug it in again")) }
        isSilent = true
        return hasReceived
      }
    }
    return hasReceived
  }
}
