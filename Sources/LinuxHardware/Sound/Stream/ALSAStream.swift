internal import CALSA
internal import Hardware
internal import Threads

/// One PCM of ALSA in one direction, and the real-time thread that serves it: what microphone and speaker share.
///
/// Control calls come from one thread; what `gauges` holds may be read from any.
final class ALSAStream: @unchecked Sendable {
  /// ALSA's name of the PCM.
  let pcm: String
  let gauges: UnsafeMutablePointer<StreamGauges>
  /// How the thread of the last `start` is scheduled.
  private(set) var scheduling: RealtimeThread.Scheduling?

  private let direction: SoundDirection
  private let priority: Int
  private var device: NegotiatedPCM?
  private var running: Running?

  private struct Running {
    var thread: RealtimeThread
    var buffers: StreamBuffers
    /// Gives the loop's memory back, and lets go of what its pointers lead to.
    var release: () -> Void
  }

  init(pcm: String, direction: SoundDirection, priority: Int) {
    self.pcm = pcm
    self.direction = direction
    self.priority = priority
    gauges = .allocate(capacity: 1)
    gauges.initialize(to: StreamGauges())
  }

  deinit {
    close()
    gauges.deinitialize(count: 1)
    gauges.deallocate()
  }

  /// Shape of the open PCM's periods; `nil` while it is closed.
  var shape: StreamShape? { device?.shape }
  var isRunning: Bool { running != nil }

  func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant {
    guard device == nil else {
      throw DeviceError(.failed, device: pcm, operation: "open a second time", hint: "close it first")
    }
    let opened = try ALSANegotiation(device: pcm, direction: direction).open(request)
    device = opened
    return opened.grant
  }

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: the thread's.
  ///   - kept: what the loop's pointers lead to; it lives until the thread has ended.
  ///   - make: the loop that it runs, from what was negotiated and allocated for it.
  ///   - run: runs the loop at the address given until the gauges say stop. Real time.
  func start<Loop>(
    _ name: String, keeping kept: AnyObject? = nil, make: (StreamBuffers, StreamShape) -> Loop,
    run: RealtimeThread.Body
  ) throws(DeviceError) {
    guard let device, running == nil else {
      throw DeviceError(
        .failed, device: pcm, operation: "start", hint: "open it first, and start it once")
    }
    gauges.pointee.reset()
    let buffers = StreamBuffers(port: mynah_alsa_port(device.handle), shape: device.shape)
    let loop = UnsafeMutablePointer<Loop>.allocate(capacity: 1)
    loop.initialize(to: make(buffers, device.shape))
    do throws(RealtimeThread.StartError) {
      let thread = try RealtimeThread.start(name: name, priority: priority, context: loop, body: run)
      scheduling = thread.scheduling
      running = Running(thread: thread, buffers: buffers) { withExtendedLifetime(kept) { loop.deallocate() } }
    } catch {
      loop.deallocate()
      buffers.deallocate()
      throw DeviceError(
        .failed, device: pcm, operation: "start its thread", code: error.code, hint: "raise TasksMax= or free memory")
    }
  }

  /// Waits for the thread: at most the longer of a period and 15 ms, or a driver's call that hangs in the kernel.
  func close() {
    if let running {
      gauges.pointee.stop()
      running.thread.join()
      running.release()
      running.buffers.deallocate()
      self.running = nil
    }
    if let device {
      snd_pcm_drop(device.handle)
      snd_pcm_close(device.handle)
      self.device = nil
    }
  }
}
