internal import Glibc
public import Hardware
internal import Synchronization

/// A microphone that hears a `SoundSource` on the device's clock.
///
/// Sound is delivered in exact periods, in `step`: frame `n` of the source is at the converter at
/// `origin + n / sampleRate` (by its own crystal), whenever the device was opened. A step that comes late delivers everything that has
/// elapsed, never more. Samples are rounded to the granted bits, as a converter does. Any thread; calls are
/// serialised by a lock, which real devices do not have.
public final class SimulatedMicrophone: Microphone, Stepper, Sendable {
  public let name: String

  private struct Stream {
    var writer: CaptureWriter
    /// Kept so that the pointers in `writer` stay good.
    var ring: CaptureRing
    /// The next frame to deliver, counted from the origin.
    var position: Int
    /// The frame where sound comes back after an overrun that has not been announced yet.
    var resumeAt: Int?
    /// Sound was dropped because the ring was full, or its announcement did not fit.
    var owesDiscontinuity = false
  }

  private struct Core {
    var isPlugged = true
    var grant: SoundGrant?
    var stream: Stream?
    var stalledUntil = Instant.zero
    /// A loss that did not fit into the ring yet.
    var owedLoss: CaptureBlock?
    var counters = SoundCounters()
    var buffer: [Float] = []
    var wake: @Sendable () -> Void = {}
  }

  /// While something could not be announced because the ring was full, `step` tries again after this long.
  private static let retryInterval = Duration.milliseconds(20)

  private let clock: any DeviceClock
  private let source: any SoundSource
  private let onlyRate: Int?
  private let origin: Instant
  private let clockError: ClockError
  private let core = Mutex(Core())

  /// - Parameters:
  ///   - source: what it hears.
  ///   - clock: the device's clock.
  ///   - origin: when frame 0 of the source is at the converter.
  ///   - clockError: how far its crystal is off. Its time stamps are true all the same, as the kernel's are.
  ///   - onlyRate: the one rate that it has, Hz, where the source can make any; `nil`: any.
  public init(
    name: String = "simulated microphone", source: any SoundSource, clock: any DeviceClock, origin: Instant,
    clockError: ClockError = .none, onlyRate: Int? = nil
  ) {
    self.onlyRate = onlyRate
    self.name = name
    self.clockError = clockError
    self.source = source
    self.clock = clock
    self.origin = origin
  }

  // MARK: Microphone

  /// Grants what is asked for within 8000…192000 Hz, 1…2 channels, 16 or 24 bits; a file only its own format.
  public func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant {
    let asked = request.format
    let format =
      source.fixedFormat
      ?? PCMFormat(
        sampleRate: onlyRate ?? min(192_000, max(8000, asked.sampleRate)), channels: min(2, max(1, asked.channels)),
        bits: asked.bits > 16 ? 24 : 16)
    let period = min(format.sampleRate, max(1, request.periodFrames))
    let grant = SoundGrant(
      format: format, periodFrames: period, bufferFrames: max(2 * period, request.bufferFrames),
      sampleType: format.bits > 16 ? "S24_3LE" : "S16_LE", timestamps: "simulated")
    let isPlugged = core.withLock { core in
      guard core.isPlugged else { return false }
      core.grant = grant
      core.owedLoss = nil
      core.buffer = Array(repeating: 0, count: period * format.channels)
      return true
    }
    guard isPlugged else {
      throw DeviceError(.missing, device: name, operation: "open", code: ENODEV, hint: "plug it in (fault replug)")
    }
    source.prepare(format)
    return grant
  }

  public func start(into ring: CaptureRing) throws(DeviceError) {
    let now = clock.now
    let problem: DeviceError.Kind? = core.withLock { core in
      guard core.isPlugged else { return .missing }
      guard let grant = core.grant, grant.format.channels == ring.channels else { return .unsupported }
      // The first frame that is at the converter at or after now.
      var position = grant.format.frames(in: clockError.nominal(now - origin))
      while time(of: position, grant.format) < now { position += 1 }
      core.stream = Stream(writer: ring.writer, ring: ring, position: position)
      core.wake()
      return nil
    }
    if let problem {
      throw DeviceError(
        problem, device: name, operation: "start", code: problem == .missing ? ENODEV : EINVAL,
        hint: problem == .missing ? "plug it in (fault replug)" : "open it first, and give it a ring of its channels")
    }
  }

  public func close() {
    core.withLock { core in
      core.stream = nil
      core.grant = nil
      core.owedLoss = nil
    }
  }

  public var counters: SoundCounters { core.withLock { $0.counters } }

  /// Whether it can be opened.
  public var isPlugged: Bool { core.withLock { $0.isPlugged } }

  // MARK: Stepper

  public func attach(wake: @escaping @Sendable () -> Void) { core.withLock { $0.wake = wake } }

  public func step(now: Instant) -> Instant? {
    core.withLock { core in
      if core.owedLoss != nil { deliverLoss(&core) }
      return deliverDue(&core, now) ?? (core.owedLoss == nil ? nil : now + Self.retryInterval)
    }
  }

  // MARK: Faults

  /// Takes the device away: what has elapsed in whole periods is delivered, then `lost`.
  public func unplug(at now: Instant) {
    core.withLock { core in
      guard core.isPlugged else { return }
      _ = deliverDue(&core, now)
      core.isPlugged = false
      guard let stream = core.stream, let grant = core.grant else { return }
      core.owedLoss = CaptureBlock(.lost, code: ENODEV, end: time(of: stream.position, grant.format))
      deliverLoss(&core)
      core.wake()
    }
  }

  /// Brings the device back; it has to be opened and started again.
  public func replug() { core.withLock { $0.isPlugged = true } }

  /// Loses `length` of sound from the last delivered period on. The loss is announced when sound comes back.
  public func overrun(_ length: Duration, at now: Instant) {
    core.withLock { core in
      _ = deliverDue(&core, now)
      guard let grant = core.grant, var stream = core.stream else { return }
      stream.resumeAt = (stream.resumeAt ?? stream.position) + max(0, grant.format.frames(in: length))
      core.stream = stream
      core.counters.xruns += 1
    }
  }

  /// Delivers nothing for `length`, then everything.
  public func stall(_ length: Duration, at now: Instant) {
    core.withLock { core in
      _ = deliverDue(&core, now)
      core.stalledUntil = max(core.stalledUntil, now + length)
    }
  }

  // MARK: Delivery

  private func time(of frame: Int, _ format: PCMFormat) -> Instant {
    origin + clockError.actual(format.duration(ofFrames: frame))
  }

  private func deliverLoss(_ core: inout Core) {
    guard let stream = core.stream, let loss = core.owedLoss, stream.writer.announce(loss) else { return }
    core.owedLoss = nil
    core.stream = nil
  }

  /// Delivers every period that has elapsed and says when the next one has; `nil` if nothing runs.
  private func deliverDue(_ core: inout Core, _ now: Instant) -> Instant? {
    guard core.isPlugged, core.owedLoss == nil, let grant = core.grant, core.stream != nil else { return nil }
    if now < core.stalledUntil { return core.stalledUntil }
    while true {
      guard let stream = core.stream else { return nil }
      if let resume = stream.resumeAt {
        let back = time(of: resume, grant.format)
        guard back <= now else { return back }
        core.stream?.position = resume
        core.stream?.resumeAt = nil
        core.stream?.owesDiscontinuity = true
        continue
      }
      let next = stream.position + grant.periodFrames
      let end = time(of: next, grant.format)
      guard end <= now else { return end }
      deliverPeriod(&core, stream, grant, end: end)
      core.stream?.position = next
    }
  }

  private func deliverPeriod(_ core: inout Core, _ stream: Stream, _ grant: SoundGrant, end: Instant) {
    let format = grant.format
    let frames = grant.periodFrames
    if stream.owesDiscontinuity {
      let block = CaptureBlock(.discontinuity, end: time(of: stream.position, format))
      guard stream.writer.announce(block) else {
        core.counters.ringOverflows += 1
        return
      }
      core.stream?.owesDiscontinuity = false
    }
    let scale: Float = format.bits > 16 ? 8_388_608 : 32_768
    let delivered = core.buffer.withUnsafeMutableBufferPointer { buffer in
      guard let samples = buffer.baseAddress else { return false }
      source.fill(samples, frames: frames, from: stream.position, format: format)
      if !source.isQuantised { Self.quantise(samples, count: frames * format.channels, scale: scale) }
      return stream.writer.deliver(samples, frames: frames, end: end)
    }
    if delivered {
      core.counters.frames += frames
    } else {
      core.counters.ringOverflows += 1
      core.stream?.owesDiscontinuity = true
    }
  }

  /// Rounds to whole steps of 1 / `scale`, as a converter of that many bits does.
  private static func quantise(_ samples: UnsafeMutablePointer<Float>, count: Int, scale: Float) {
    for index in 0..<count {
      let rounded = (samples[index] * scale).rounded(.toNearestOrEven)
      samples[index] = max(-scale, min(scale - 1, rounded)) / scale
    }
  }
}
