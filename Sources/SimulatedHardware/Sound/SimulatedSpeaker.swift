internal import Glibc
public import Hardware
internal import Synchronization

/// A speaker on the device's clock: renders one period at a time, in `step`, and keeps or hands on what was heard.
///
/// Frame `n` of its timeline is heard at `origin + n / sampleRate`, as its own crystal has it; while nothing plays there
/// is silence. What is
/// rendered at a time is heard from that time on. Any thread; calls are serialised by a lock.
public final class SimulatedSpeaker: Speaker, Stepper, Sendable {
  /// Where the sound goes besides the listener.
  public enum Output: Hashable, Sendable {
    case none
    /// A 16-bit WAV file of the whole timeline, silence included; the first `open` decides its format, and later ones
    /// are granted only that.
    case file(String)
  }

  /// Gets each rendered period: when its first frame is heard, the interleaved samples, frames, format. It is called
  /// under the speaker's lock and must return at once.
  public typealias Listener =
    @Sendable (_ at: Instant, _ samples: UnsafeBufferPointer<Float>, _ format: PCMFormat) -> Void

  public let name: String

  private struct Stream: @unchecked Sendable {
    /// The caller keeps it alive until `close`.
    var ring: UnsafeMutablePointer<RenderRing>
    /// The next frame of the timeline to render.
    var position: Int
  }

  private struct Core {
    var isPlugged = true
    var isLost = false
    var grant: SoundGrant?
    var stream: Stream?
    var sink: WAVFileSink?
    var sinkFormat: PCMFormat?
    var counters = SoundCounters()
    var buffer: [Float] = []
    var listener: Listener?
    var wake: @Sendable () -> Void = {}
    var clockError = ClockError.none
    /// The crystal is off by `clockError` from here on: a time, and what its own clock showed then, from the origin.
    var turn: (at: Instant, shown: Duration)
  }

  private let clock: any DeviceClock
  private let output: Output
  private let onlyRate: Int?
  private let origin: Instant
  private let core: Mutex<Core>

  /// - Parameters:
  ///   - onlyRate: the one rate that it has, Hz; `nil`: any.
  ///   - origin: when frame 0 of the timeline is heard.
  public init(
    name: String = "simulated speaker", output: Output = .none, onlyRate: Int? = nil, clock: any DeviceClock,
    origin: Instant
  ) {
    self.onlyRate = onlyRate
    self.name = name
    self.output = output
    self.clock = clock
    self.origin = origin
    core = Mutex(Core(turn: (origin, .zero)))
  }

  /// Sets who receives each period; `nil`: no one.
  public func listen(_ listener: Listener?) { core.withLock { $0.listener = listener } }

  // MARK: Speaker

  /// Grants what is asked for within 8000…192000 Hz, 1…2 channels; with a file, only what the file has.
  public func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant {
    let name = name
    let (output, onlyRate) = (output, onlyRate)
    let result: Result<SoundGrant, DeviceError> = core.withLock { core in
      guard core.isPlugged else {
        return .failure(
          DeviceError(.missing, device: name, operation: "open", code: ENODEV, hint: "plug it in (fault replug)"))
      }
      let asked = request.format
      let format =
        core.sinkFormat
        ?? PCMFormat(
          sampleRate: onlyRate ?? min(192_000, max(8000, asked.sampleRate)), channels: min(2, max(1, asked.channels)),
          bits: 16)
      if case .file(let path) = output, core.sink == nil {
        do throws(DeviceError) {
          core.sink = try WAVFileSink(path: path, format: format)
          core.sinkFormat = format
        } catch { return .failure(error) }
      }
      let period = min(format.sampleRate, max(1, request.periodFrames))
      let grant = SoundGrant(
        format: format, periodFrames: period, bufferFrames: max(2 * period, request.bufferFrames),
        sampleType: "S16_LE", timestamps: "simulated")
      core.grant = grant
      core.isLost = false
      core.buffer = Array(repeating: 0, count: period * format.channels)
      return .success(grant)
    }
    return try result.get()
  }

  public func start(from ring: UnsafeMutablePointer<RenderRing>) throws(DeviceError) {
    let now = clock.now
    let started = Stream(ring: ring, position: 0)
    let problem: DeviceError.Kind? = core.withLock { core in
      guard core.isPlugged else { return .missing }
      guard let grant = core.grant else { return .unsupported }
      var stream = started
      stream.position = grant.format.frames(in: core.turn.shown + core.clockError.nominal(now - core.turn.at))
      if time(of: stream.position, grant.format, core) < now { stream.position += 1 }
      core.stream = stream
      core.wake()
      return nil
    }
    if let problem {
      throw DeviceError(
        problem, device: name, operation: "start", code: problem == .missing ? ENODEV : EINVAL,
        hint: problem == .missing ? "plug it in (fault replug)" : "open it first")
    }
  }

  public func close() {
    core.withLock { core in
      core.stream = nil
      core.grant = nil
      core.sink?.finish()
    }
  }

  public var isLost: Bool { core.withLock { $0.isLost } }

  public var counters: SoundCounters { core.withLock { $0.counters } }

  // MARK: Stepper

  public func attach(wake: @escaping @Sendable () -> Void) { core.withLock { $0.wake = wake } }

  public func step(now: Instant) -> Instant? {
    core.withLock { core in
      guard let grant = core.grant else { return nil }
      while let stream = core.stream {
        let at = time(of: stream.position, grant.format, core)
        guard at <= now else { return at }
        render(&core, stream, grant, at: at)
        core.stream?.position += grant.periodFrames
      }
      return nil
    }
  }

  private func render(_ core: inout Core, _ stream: Stream, _ grant: SoundGrant, at: Instant) {
    let frames = grant.periodFrames
    core.buffer.withUnsafeMutableBufferPointer { buffer in
      guard let samples = buffer.baseAddress else { return }
      let starved = stream.ring.pointee.starvedFrames
      stream.ring.pointee.render(into: samples, frames: frames)
      stream.ring.pointee.setDeviceDelay(frames: frames, at: at.nanoseconds)
      if stream.ring.pointee.starvedFrames > starved { core.counters.xruns += 1 }
      core.counters.frames += frames
      core.sink?.write(samples, frames: frames, at: stream.position)
      core.listener?(at, UnsafeBufferPointer(buffer), grant.format)
    }
  }

  private func time(of frame: Int, _ format: PCMFormat, _ core: Core) -> Instant {
    core.turn.at + core.clockError.actual(format.duration(ofFrames: frame) - core.turn.shown)
  }

  // MARK: Faults

  /// Takes the device away; nothing is rendered until it is replugged, opened and started again.
  public func unplug() {
    core.withLock { core in
      core.isPlugged = false
      core.isLost = core.stream != nil
      core.stream = nil
      core.sink?.finish()
    }
  }

  public func replug() { core.withLock { $0.isPlugged = true } }

  /// The crystal is off by this much from `now` on.
  public func drift(partsPerMillion: Double, at now: Instant) {
    core.withLock { core in
      core.turn = (now, core.turn.shown + core.clockError.nominal(now - core.turn.at))
      core.clockError = ClockError(partsPerMillion: partsPerMillion)
      core.wake()
    }
  }
}
