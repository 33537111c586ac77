internal import CV4L2
internal import Glibc
public import Hardware
public import Threads

/// A camera behind Video4Linux: one capture device, one real-time thread.
///
/// Control calls come from one thread; `counters` and `requestKeyframe` are for any.
public final class V4L2Camera: Camera, @unchecked Sendable {
  public let name: String
  /// Path of the device.
  public let path: String
  private let tuning: CameraTuning
  private let priority: Int
  private let gauges: UnsafeMutablePointer<CameraGauges>
  private var opened: NegotiatedCamera?
  private var running: Running?

  private struct Running {
    var thread: RealtimeThread
    var device: UnsafeMutablePointer<mynah_v4l2>
    var port: UnsafeMutablePointer<mynah_camera_port>
    var loop: UnsafeMutablePointer<V4L2Loop>
    var head: UnsafeMutableRawPointer
    /// Kept so that the loop's writer stays good.
    var queue: FrameQueue

    func deallocate() {
      device.deallocate()
      port.deallocate()
      loop.deallocate()
      head.deallocate()
    }
  }

  /// - Parameters:
  ///   - path: of the device: `/dev/video0`, better a link of `/dev/v4l/by-id`, which does not change.
  ///   - name: for people and metadata; the path if none is given.
  ///   - priority: the thread's at SCHED_FIFO, 1…99; the default is below the sound's, since the device buffers more.
  public init(path: String, name: String? = nil, tuning: CameraTuning = CameraTuning(), priority: Int = 60) {
    self.path = path
    self.name = name ?? path
    self.tuning = tuning
    self.priority = priority
    gauges = .allocate(capacity: 1)
    gauges.initialize(to: CameraGauges())
  }

  deinit {
    close()
    gauges.deinitialize(count: 1)
    gauges.deallocate()
  }

  /// The device's own name, while it is open. Control thread.
  public var card: String? { opened?.card }
  /// Controls that the device has and would not set, at the last `open`. Control thread.
  public var refusedControls: [String] { opened?.refused ?? [] }
  /// How the thread of the last `start` is scheduled. Control thread.
  public private(set) var scheduling: RealtimeThread.Scheduling?

  public func open(_ request: CameraRequest) throws(DeviceError) -> CameraGrant {
    guard opened == nil else {
      throw DeviceError(.failed, device: path, operation: "open a second time", hint: "close it first")
    }
    let camera = try V4L2Negotiation(path: path, tuning: tuning).open(request)
    opened = camera
    return camera.grant
  }

  public func start(into queue: FrameQueue) throws(DeviceError) {
    guard let opened, running == nil else {
      throw DeviceError(.failed, device: path, operation: "start", hint: "open it first, and start it once")
    }
    gauges.pointee.reset()
    let device = UnsafeMutablePointer<mynah_v4l2>.allocate(capacity: 1)
    device.initialize(to: opened.device)
    let result = mynah_v4l2_start(device)
    guard result == 0 else {
      device.deallocate()
      throw V4L2Errors.error(path, "start it", code: -result)
    }
    let port = UnsafeMutablePointer<mynah_camera_port>.allocate(capacity: 1)
    port.initialize(to: mynah_v4l2_port(device))
    let head = UnsafeMutableRawPointer.allocate(byteCount: FrameDelivery.headCapacity, alignment: 8)
    head.initializeMemory(as: UInt8.self, repeating: 0, count: FrameDelivery.headCapacity)
    let loop = UnsafeMutablePointer<V4L2Loop>.allocate(capacity: 1)
    let delivery = FrameDelivery(
      gauges: gauges, writer: queue.writer, shape: opened.shape, head: head, now: mynah_camera_now(port))
    loop.initialize(to: V4L2Loop(port: port, gauges: gauges, delivery: delivery))
    do throws(RealtimeThread.StartError) {
      let thread = try RealtimeThread.start(name: "camera", priority: priority, context: loop) { raw in
        raw?.assumingMemoryBound(to: V4L2Loop.self).pointee.run()
      }
      scheduling = thread.scheduling
      running = Running(thread: thread, device: device, port: port, loop: loop, head: head, queue: queue)
    } catch {
      device.deallocate()
      port.deallocate()
      loop.deallocate()
      head.deallocate()
      throw DeviceError(
        .failed, device: path, operation: "start its thread", code: error.code, hint: "raise TasksMax= or free memory")
    }
  }

  public func requestKeyframe() { gauges.pointee.askForKeyframe() }

  /// Waits for the thread: at most some 50 ms, or a driver's call that hangs in the kernel.
  public func close() {
    if let running {
      gauges.pointee.stop()
      running.thread.join()
      withExtendedLifetime(running.queue) { running.deallocate() }
      self.running = nil
    }
    if var camera = opened {
      mynah_v4l2_close(&camera.device)
      opened = nil
    }
  }

  public var counters: CameraCounters { gauges.pointee.counters }
}
