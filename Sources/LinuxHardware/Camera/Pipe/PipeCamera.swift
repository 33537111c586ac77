internal import CLinux
internal import Glibc
public import Hardware
internal import Threads

/// A camera behind a command that writes H.264. CSI cameras need one: their drivers give raw sensor data only.
///
/// The command runs from `start` to `close`, which ends it and everything that it started. Pictures are timed by their
/// arrival, less a latency that can be set. An unexpected end, or a second of silence or garbage, is a loss,
/// and `lastLoss` tells what the command said last. Control calls come from one thread; `counters` may be read from any.
public final class PipeCamera: Camera, @unchecked Sendable {
  public let name: String
  private let command: CameraCommand
  private let latency: Duration
  private let priority: Int
  private let gauges: UnsafeMutablePointer<CameraGauges>
  private var granted: (arguments: [String], format: VideoFormat)?
  private var running: Running?
  /// How the last run ended if it was lost, and the last line that the command wrote on its standard error.
  public private(set) var lastLoss: DeviceError?

  private struct Running {
    var thread: RealtimeThread
    var process: pid_t
    var output: Int32
    var errors: Int32
    var loop: UnsafeMutablePointer<PipeLoop>
    var words: UnsafeMutablePointer<LastWords>
    var head: UnsafeMutableRawPointer
    /// Kept so that the loop's writer stays good.
    var queue: FrameQueue
  }

  /// A camera's firmware and tuning may take this long to begin.
  private static let grace = 7_000_000_000 as Int64
  /// A command that was asked to end gets this long.
  private static let patienceMilliseconds: Int32 = 500

  /// - Parameters:
  ///   - command: the program.
  ///   - name: for people and metadata; the program's if none is given.
  ///   - latency: from when a picture is taken to when it comes out of the command.
  ///   - priority: the thread's at SCHED_FIFO, 1…99.
  public init(command: CameraCommand, name: String? = nil, latency: Duration = .zero, priority: Int = 60) {
    self.command = command
    self.name = name ?? command.arguments.first ?? "command"
    self.latency = latency
    self.priority = priority
    gauges = .allocate(capacity: 1)
    gauges.initialize(to: CameraGauges())
  }

  deinit {
    close()
    gauges.deinitialize(count: 1)
    gauges.deallocate()
  }

  /// Grants what was asked for, on the command's word: the stream itself says what it is.
  public func open(_ request: CameraRequest) throws(DeviceError) -> CameraGrant {
    guard granted == nil, running == nil else {
      throw DeviceError(.failed, device: name, operation: "open a second time", hint: "close it first")
    }
    lastLoss = nil
    guard request.codecs.contains(.h264) else {
      throw DeviceError(
        .unsupported, device: name, operation: "deliver anything but H.264", code: EINVAL,
        hint: "a command's pictures are passed through")
    }
    guard let arguments = command.filled(for: request) else {
      throw DeviceError(
        .unsupported, device: name, operation: "make its command", code: EINVAL,
        hint: "camera.command takes {width}, {height}, {rate}, {bitrate} and {keyframe}")
    }
    guard Self.exists(arguments[0]) else {
      throw DeviceError(
        .missing, device: name, operation: "find the program \(arguments[0])", code: ENOENT,
        hint: "install it, or correct camera.command in the board file")
    }
    let format = VideoFormat(
      codec: .h264, width: request.width, height: request.height, framesPerSecond: max(1, request.framesPerSecond))
    granted = (arguments, format)
    return CameraGrant(format: format, timestamps: "arrival", canForceKeyframe: false)
  }

  public func start(into queue: FrameQueue) throws(DeviceError) {
    guard let granted, running == nil else {
      throw DeviceError(.failed, device: name, operation: "start", hint: "open it first, and start it once")
    }
    gauges.pointee.reset()
    var process: pid_t = 0
    var output: Int32 = -1
    var errors: Int32 = -1
    var arguments: [UnsafeMutablePointer<CChar>?] = granted.arguments.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    let result = mynah_spawn(&arguments, &process, &output, &errors)
    guard result == 0 else {
      throw DeviceError(
        result == ENOENT ? .missing : result == EACCES ? .denied : .failed, device: name,
        operation: "run \(granted.arguments[0])", code: result,
        hint: "install it, or correct camera.command in the board file")
    }
    let shape = PictureShape(
      codec: .h264, width: granted.format.width, height: granted.format.height, stride: 0,
      patience: PictureShape.patience(framesPerSecond: granted.format.framesPerSecond))
    let head = UnsafeMutableRawPointer.allocate(byteCount: FrameDelivery.headCapacity, alignment: 8)
    head.initializeMemory(as: UInt8.self, repeating: 0, count: FrameDelivery.headCapacity)
    let words = UnsafeMutablePointer<LastWords>.allocate(capacity: 1)
    words.initialize(to: LastWords())
    let loop = UnsafeMutablePointer<PipeLoop>.allocate(capacity: 1)
    let delivery = FrameDelivery(
      gauges: gauges, writer: queue.writer, shape: shape, head: head, now: mynah_now(), grace: Self.grace)
    loop.initialize(
      to: PipeLoop(
        output: output, errors: errors, gauges: gauges, delivery: delivery, latency: max(0, latency.nanoseconds),
        words: words))
    do throws(RealtimeThread.StartError) {
      let thread = try RealtimeThread.start(name: "camera", priority: priority, context: loop) { raw in
        raw?.assumingMemoryBound(to: PipeLoop.self).pointee.run()
      }
      running = Running(
        thread: thread, process: process, output: output, errors: errors, loop: loop, words: words, head: head,
        queue: queue)
    } catch {
      Glibc.close(output)
      Glibc.close(errors)
      _ = mynah_end_process(process, 0, Self.patienceMilliseconds)
      Self.release(loop, words, head)
      throw DeviceError(
        .failed, device: name, operation: "start its thread", code: error.code, hint: "raise TasksMax= or free memory")
    }
  }

  public func requestKeyframe() {}

  /// Ends the command; takes as long as it does, at most half a second.
  public func close() {
    granted = nil
    guard let running else { return }
    self.running = nil
    gauges.pointee.stop()
    running.thread.join()
    Glibc.close(running.output)
    Glibc.close(running.errors)
    let loss = running.loop.pointee.lossCode
    // One that has closed its output is about to end, and is to say how.
    let status = mynah_end_process(running.process, loss == EPIPE ? 200 : 0, Self.patienceMilliseconds)
    if loss != 0 { lastLoss = story(loss, status, running.words.pointee.text) }
    withExtendedLifetime(running.queue) { Self.release(running.loop, running.words, running.head) }
  }

  public var counters: CameraCounters { gauges.pointee.counters }

  /// Why a run ended unexpectedly.
  private func story(_ code: Int32, _ status: Int32, _ words: String) -> DeviceError {
    let quoted = words.isEmpty ? "" : "; it said: \(words)"
    guard code == EPIPE else {
      return DeviceError(
        .failed, device: name, operation: "get a picture within a second", code: code,
        hint: "check the camera's cable\(quoted)")
    }
    // As WIFSIGNALED and WEXITSTATUS of wait(2), which are macros.
    let how = status & 0x7F == 0 ? "with status \(status >> 8 & 0xFF)" : "by signal \(status & 0x7F)"
    return DeviceError(
      .failed, device: name, operation: "keep it running: the command ended \(how)", code: code,
      hint: "check the camera's cable and camera.command\(quoted)")
  }

  private static func release(
    _ loop: UnsafeMutablePointer<PipeLoop>, _ words: UnsafeMutablePointer<LastWords>, _ head: UnsafeMutableRawPointer
  ) {
    loop.deinitialize(count: 1)
    loop.deallocate()
    words.deinitialize(count: 1)
    words.deallocate()
    head.deallocate()
  }

  /// Whether a program can be run: a path, or a name to be found in PATH.
  static func exists(_ program: String) -> Bool {
    if program.utf8.contains(UInt8(ascii: "/")) { return access(program, X_OK) == 0 }
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return folders.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
  }
}
