internal import Glibc
public import Hardware
internal import Synchronization

/// How a simulated camera differs from a perfect one.
public struct SimulatedCameraOptions: Hashable, Sendable {
  /// How far its crystal is off. Its time stamps are true all the same, as the kernel's are.
  public var clockError = ClockError.none
  /// Pictures are taken up to this much early or late, in a way that the seed decides; less than half a picture.
  public var jitter = Duration.zero
  /// From when a picture is taken to when it is delivered.
  public var latency = Duration.zero
  /// Whether the picture is white for 100 ms from each full second of the device's clock since the origin on, together
  /// with the bursts of `BeepSource`.
  public var flashesEverySecond = true
  /// Decides the jitter.
  public var seed: UInt64 = 1

  public init() {}
}

/// A camera that sees a `PictureSource` on the device's clock.
///
/// Picture `n` is taken at `origin + n / framesPerSecond` (by its own crystal), whenever the device was opened, and is
/// delivered in `step`. A step that comes late delivers everything that has elapsed. Any thread; calls are serialised by
/// a lock, which real devices do not have.
public final class SimulatedCamera: Camera, Stepper, Sendable {
  public let name: String

  private struct Stream {
    let queue: FrameQueue
    /// The next picture to take, counted from the origin.
    var next: Int
    /// Absent pictures that the next record has to tell of.
    var missed = 0
    /// When the last picture was delivered, or the stream was started.
    var lastSign: Instant
  }

  private struct Core {
    var isPlugged = true
    var grant: CameraGrant?
    var stream: Stream?
    var stalledUntil = Instant.zero
    /// Pictures still to be broken.
    var garbage = 0
    /// When the flash was asked for.
    var flashes: [Instant] = []
    /// A loss that did not fit into the queue yet.
    var owedLoss: FrameRecord?
    var counters = CameraCounters()
    var wake: @Sendable () -> Void = {}
  }

  /// How long the flash lasts.
  public static let flashLength = Duration.milliseconds(100)
  /// A camera that is silent for this long is lost; a slow one gets the time of two and a half pictures.
  private static let patience = Duration.seconds(1)
  /// While a loss could not be announced because the queue was full, `step` tries again after this long.
  private static let retryInterval = Duration.milliseconds(20)

  private let clock: any DeviceClock
  private let source: any PictureSource
  private let origin: Instant
  private let options: SimulatedCameraOptions
  private let core = Mutex(Core())

  /// - Parameters:
  ///   - source: what it sees; colour bars if none is given.
  ///   - clock: the device's clock.
  ///   - origin: when picture 0 is taken.
  public init(
    name: String = "simulated camera", source: any PictureSource = TestCard(), clock: any DeviceClock,
    origin: Instant, options: SimulatedCameraOptions = SimulatedCameraOptions()
  ) {
    self.name = name
    self.source = source
    self.clock = clock
    self.origin = origin
    self.options = options
  }

  // MARK: Camera

  /// Grants even sizes of 128 × 72…1920 × 1080 at 1…120 pictures a second; a file only its own.
  public func open(_ request: CameraRequest) throws(DeviceError) -> CameraGrant {
    guard let codec = request.codecs.first(where: { source.codecs.contains($0) }) else {
      let asked = request.codecs.map(\.rawValue).joined(separator: ", ")
      let known = source.codecs.map(\.rawValue).joined(separator: ", ")
      throw DeviceError(
        .unsupported, device: name, operation: "deliver \(asked.isEmpty ? "pictures" : asked)", code: EINVAL,
        hint: "it has \(known)")
    }
    let rate = min(120, max(1, request.framesPerSecond))
    var format =
      source.fixedFormat
      ?? VideoFormat(
        codec: codec, width: min(1920, max(128, request.width)) & ~1, height: min(1080, max(72, request.height)) & ~1,
        framesPerSecond: rate)
    format.codec = codec
    if format.framesPerSecond == 0 { format.framesPerSecond = rate }
    let grant = CameraGrant(
      format: format, timestamps: "simulated", canForceKeyframe: false, numbersPictures: true,
      largestPicture: source.largestPicture)
    let isPlugged = core.withLock { core in
      guard core.isPlugged else { return false }
      core.grant = grant
      core.stream = nil
      core.owedLoss = nil
      return true
    }
    guard isPlugged else {
      throw DeviceError(.missing, device: name, operation: "open", code: ENODEV, hint: "plug it in (fault replug)")
    }
    source.prepare(format)
    return grant
  }

  public func start(into queue: FrameQueue) throws(DeviceError) {
    let now = clock.now
    let problem: DeviceError.Kind? = core.withLock { core in
      guard core.isPlugged else { return .missing }
      guard let grant = core.grant else { return .unsupported }
      core.stream = Stream(queue: queue, next: number(atOrAfter: now, grant.format), lastSign: now)
      core.wake()
      return nil
    }
    if let problem {
      throw DeviceError(
        problem, device: name, operation: "start", code: problem == .missing ? ENODEV : EINVAL,
        hint: problem == .missing ? "plug it in (fault replug)" : "open it first")
    }
  }

  public func requestKeyframe() {}

  public func close() {
    core.withLock { core in
      core.stream = nil
      core.grant = nil
      core.owedLoss = nil
    }
  }

  public var counters: CameraCounters { core.withLock { $0.counters } }

  // MARK: Stepper

  public func attach(wake: @escaping @Sendable () -> Void) { core.withLock { $0.wake = wake } }

  public func step(now: Instant) -> Instant? {
    core.withLock { core in
      if core.owedLoss != nil { deliverLoss(&core) }
      return deliverDue(&core, now) ?? (core.owedLoss == nil ? nil : now + Self.retryInterval)
    }
  }

  // MARK: Faults

  /// Takes the device away: what has been taken is delivered, then `lost`.
  public func unplug(at now: Instant) {
    core.withLock { core in
      guard core.isPlugged else { return }
      _ = deliverDue(&core, now)
      core.isPlugged = false
      lose(&core, code: ENODEV, at: now)
    }
  }

  /// Brings the device back; it has to be opened and started again.
  public func replug() { core.withLock { $0.isPlugged = true } }

  /// Takes no pictures for `length`. After a second of that the device is lost, and can be opened again.
  public func stall(_ length: Duration, at now: Instant) {
    core.withLock { core in
      _ = deliverDue(&core, now)
      core.stalledUntil = max(core.stalledUntil, now + length)
      core.wake()
    }
  }

  /// Breaks the next `count` pictures: the device marks their buffers, and the driver leaves them out.
  public func breakPictures(_ count: Int = 1) { core.withLock { $0.garbage += max(0, count) } }

  /// Makes the picture white for 100 ms from `time` on.
  public func flash(at time: Instant) { core.withLock { $0.flashes.append(time) } }

  // MARK: Delivery

  /// When picture `number` is taken.
  private func time(of number: Int, _ format: VideoFormat) -> Instant {
    let rate = Int64(format.framesPerSecond)
    let (seconds, rest) = Int64(number).quotientAndRemainder(dividingBy: rate)
    let nominal = Duration.nanoseconds(seconds * 1_000_000_000 + (rest * 1_000_000_000 + rate / 2) / rate)
    var moment = origin + options.clockError.actual(nominal)
    if options.jitter > .zero {
      let most = min(options.jitter.nanoseconds, format.frameDuration.nanoseconds / 2 - 1)
      let part = ExactMath.spread(options.seed &+ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9)
      moment = moment + .nanoseconds(Int64((Double(most) * part).rounded()))
    }
    return moment
  }

  private func number(atOrAfter now: Instant, _ format: VideoFormat) -> Int {
    let elapsed = options.clockError.nominal(now - origin).nanoseconds
    let (seconds, rest) = elapsed.quotientAndRemainder(dividingBy: 1_000_000_000)
    var number = max(
      0, Int(seconds * Int64(format.framesPerSecond) + rest * Int64(format.framesPerSecond) / 1_000_000_000) - 2)
    while time(of: number, format) < now { number += 1 }
    return number
  }

  private func lose(_ core: inout Core, code: Int32, at now: Instant) {
    guard core.stream != nil else { return }
    core.owedLoss = FrameRecord(.lost, code: code, time: now)
    deliverLoss(&core)
    core.wake()
  }

  private func deliverLoss(_ core: inout Core) {
    guard let stream = core.stream, let loss = core.owedLoss, stream.queue.write(loss, nil) else { return }
    core.owedLoss = nil
    core.stream = nil
  }

  /// Delivers every picture that is due and says when the next one is; `nil` if nothing runs.
  private func deliverDue(_ core: inout Core, _ now: Instant) -> Instant? {
    guard core.isPlugged, let grant = core.grant else { return nil }
    let patience = max(Self.patience, grant.format.frameDuration * 5 / 2)
    while core.owedLoss == nil, let stream = core.stream {
      let taken = time(of: stream.next, grant.format)
      let due = taken + options.latency
      if taken < core.stalledUntil {
        let end = stream.lastSign + patience
        if end <= min(now, due) {
          lose(&core, code: ETIMEDOUT, at: end)
          continue
        }
        guard due <= now else { return min(due, end) }
        core.counters.missed += 1
        core.stream?.missed += 1
      } else {
        guard due <= now else { return due }
        deliver(&core, stream, taken: taken)
        core.stream?.lastSign = due
      }
      core.stream?.next += 1
    }
    return nil
  }

  private func deliver(_ core: inout Core, _ stream: Stream, taken: Instant) {
    if core.garbage > 0 {
      core.garbage -= 1
      core.counters.broken += 1
      core.stream?.missed += 1
      return
    }
    var isDelivered = false
    let moment = PictureMoment(number: stream.next, time: taken - origin, isFlash: isFlash(&core, at: taken))
    source.take(moment) { bytes, isKeyframe in
      let record = FrameRecord(
        .picture, isKeyframe: isKeyframe, bytes: bytes.count, missedBefore: stream.missed, time: taken)
      isDelivered = stream.queue.write(record, bytes.baseAddress)
    }
    if isDelivered {
      core.counters.frames += 1
      core.stream?.missed = 0
    } else {
      core.counters.overflows += 1
      core.stream?.missed += 1
    }
  }

  private func isFlash(_ core: inout Core, at taken: Instant) -> Bool {
    core.flashes.removeAll { $0 + Self.flashLength <= taken }
    if core.flashes.contains(where: { $0 <= taken }) { return true }
    return options.flashesEverySecond
      && (taken - origin).nanoseconds % 1_000_000_000 < Self.flashLength.nanoseconds && taken >= origin
  }
}
