internal import CALSA
public import Hardware
public import Threads

/// A microphone behind ALSA: one PCM, one real-time thread.
///
/// Control calls come from one thread; `counters` may be read from any.
public final class ALSAMicrophone: Microphone, @unchecked Sendable {
  public let name: String
  /// ALSA's name of the PCM.
  public let pcm: String

  /// How the thread of the last `start` is scheduled. Control thread.
  public private(set) var scheduling: RealtimeThread.Scheduling?

  private let priority: Int
  private let gauges: UnsafeMutablePointer<StreamGauges>
  private var device: NegotiatedPCM?
  private var running: Running?

  private struct Running {
    var thread: RealtimeThread
    var loop: UnsafeMutablePointer<CaptureLoop>
    var buffers: StreamBuffers
    /// Kept so that the thread's pointers stay good.
    var ring: CaptureRing
  }

  /// - Parameters:
  ///   - pcm: ALSA's name: `hw:CARD=Device,DEV=0`, `plughw:1`, `default`.
  ///   - name: for people and metadata; the PCM's if none is given.
  ///   - priority: the thread's at SCHED_FIFO, 1…99; the default is above what Linux gives its own interrupt
  ///     threads (50).
  public init(pcm: String, name: String? = nil, priority: Int = 70) {
    self.pcm = pcm
    self.name = name ?? pcm
    self.priority = priority
    gauges = .allocate(capacity: 1)
    gauges.initialize(to: StreamGauges())
  }

  deinit {
    close()
    gauges.deinitialize(count: 1)
    gauges.deallocate()
  }

  public func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant {
    guard device == nil else {
      throw DeviceError(.failed, device: pcm, operation: "open a second time", hint: "close it first")
    }
    let opened = try ALSANegotiation(device: pcm, direction: .capture).open(request)
    device = opened
    return opened.grant
  }

  public func start(into ring: CaptureRing) throws(DeviceError) {
    guard let device, running == nil, ring.channels == device.shape.channels else {
      throw DeviceError(
        .failed, device: pcm, operation: "start",
        hint: "open it first, start it once, and give it a ring of its channels")
    }
    gauges.pointee.reset()
    let buffers = StreamBuffers(port: mynah_alsa_port(device.handle), shape: device.shape)
    let loop = UnsafeMutablePointer<CaptureLoop>.allocate(capacity: 1)
    loop.initialize(
      to: CaptureLoop(
        port: UnsafePointer(buffers.port), gauges: gauges, writer: ring.writer, shape: device.shape, raw: buffers.raw,
        floats: buffers.floats))
    do throws(RealtimeThread.StartError) {
      let thread = try RealtimeThread.start(name: "microphone", priority: priority, context: loop) { raw in
        raw?.assumingMemoryBound(to: CaptureLoop.self).pointee.run()
      }
      scheduling = thread.scheduling
      running = Running(thread: thread, loop: loop, buffers: buffers, ring: ring)
    } catch {
      loop.deallocate()
      buffers.deallocate()
      throw DeviceError(
        .failed, device: pcm, operation: "start its thread", code: error.code,
        hint: "raise TasksMax= or free memory")
    }
  }

  /// Waits for the thread: at most the longer of a period and 15 ms, or a driver's call that hangs in the kernel.
  public func close() {
    if let running {
      gauges.pointee.stop()
      running.thread.join()
      running.loop.deallocate()
      running.buffers.deallocate()
      self.running = nil
    }
    if let device {
      snd_pcm_drop(device.handle)
      snd_pcm_close(device.handle)
      self.device = nil
    }
  }

  public var counters: SoundCounters { gauges.pointee.counters }
}
