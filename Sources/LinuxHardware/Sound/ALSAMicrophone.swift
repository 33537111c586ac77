public import Hardware
public import Threads

/// A microphone behind ALSA: one PCM, one real-time thread.
///
/// Control calls come from one thread; `counters` may be read from any.
public final class ALSAMicrophone: Microphone, @unchecked Sendable {
  public let name: String
  private let stream: ALSAStream

  /// - Parameters:
  ///   - pcm: ALSA's name: `hw:CARD=Device,DEV=0`, `plughw:1`, `default`.
  ///   - name: for people and metadata; the PCM's if none is given.
  ///   - priority: the thread's at SCHED_FIFO, 1…99; the default is above what Linux gives its own interrupt
  ///     threads (50).
  public init(pcm: String, name: String? = nil, priority: Int = 70) {
    self.name = name ?? pcm
    stream = ALSAStream(pcm: pcm, direction: .capture, priority: priority)
  }

  /// ALSA's name of the PCM.
  public var pcm: String { stream.pcm }
  /// How the thread of the last `start` is scheduled. Control thread.
  public var scheduling: RealtimeThread.Scheduling? { stream.scheduling }

  public func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant { try stream.open(request) }

  public func start(into ring: CaptureRing) throws(DeviceError) {
    guard stream.shape?.channels ?? ring.channels == ring.channels else {
      throw DeviceError(.failed, device: pcm, operation: "start", hint: "give it a ring of its channels")
    }
    let gauges = stream.gauges
    try stream.start("microphone", keeping: ring) { buffers, shape in
      CaptureLoop(
        port: UnsafePointer(buffers.port), gauges: gauges, writer: ring.writer, shape: shape, raw: buffers.raw,
        floats: buffers.floats)
    } run: { raw in
      raw?.assumingMemoryBound(to: CaptureLoop.self).pointee.run()
    }
  }

  /// Waits for the thread: at most the longer of a period and 15 ms, or a driver's call that hangs in the kernel.
  public func close() { stream.close() }

  public var counters: SoundCounters { stream.gauges.pointee.counters }
}
