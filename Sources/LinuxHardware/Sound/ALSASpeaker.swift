public import Hardware
public import Threads

/// A speaker behind ALSA: one PCM, one real-time thread.
///
/// Control calls come from one thread; `isLost` and `counters` may be read from any.
public final class ALSASpeaker: Speaker, @unchecked Sendable {
  public let name: String
  private let stream: ALSAStream

  /// - Parameters: as of `ALSAMicrophone`, with a priority below the microphone's: what is heard can be heard again.
  public init(pcm: String, name: String? = nil, priority: Int = 65) {
    self.name = name ?? pcm
    stream = ALSAStream(pcm: pcm, direction: .playback, priority: priority)
  }

  /// ALSA's name of the PCM.
  public var pcm: String { stream.pcm }
  /// How the thread of the last `start` is scheduled. Control thread.
  public var scheduling: RealtimeThread.Scheduling? { stream.scheduling }

  public func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant { try stream.open(request) }

  public func start(from ring: UnsafeMutablePointer<RenderRing>) throws(DeviceError) {
    let gauges = stream.gauges
    try stream.start("speaker") { buffers, shape in
      PlaybackLoop(
        port: UnsafePointer(buffers.port), gauges: gauges, ring: ring, shape: shape, raw: buffers.raw,
        floats: buffers.floats)
    } run: { raw in
      raw?.assumingMemoryBound(to: PlaybackLoop.self).pointee.run()
    }
  }

  /// Waits for the thread: at most the longer of a period and 15 ms, or a driver's call that hangs in the kernel.
  public func close() { stream.close() }

  public var isLost: Bool { stream.gauges.pointee.loss != 0 }

  public var counters: SoundCounters { stream.gauges.pointee.counters }
}
