public import Hardware

/// A thread's worth of work. On a device every lane is one thread; in virtual time they take turns in this order.
public enum Lane: Int, CaseIterable, Sendable {
  /// Simulated devices; without members on real hardware.
  case devices
  /// The control loop: never blocks.
  case control
  /// The camera: opening, and encoding of raw pictures.
  case camera
  /// Capture, encoding, decoding.
  case media
  /// Streams, dubs, and the mixing of both.
  case dubbing
  /// Speech from text: seconds of work at a time.
  case speech
  /// Pictures of what is dubbed, and of the camera: decoding, and the screen.
  case pictures
  /// Everything that touches the data directory.
  case storage
  /// The display's bus.
  case display
  /// Spoken prompts: milliseconds of work after a key, for which somebody waits.
  case prompts

  /// The thread's name, at most 15 bytes (Linux TASK_COMM_LEN).
  public var threadName: String { "mynah-\(self)" }

  /// How far the thread stands back (nice(1)): speech is made seconds ahead, and pictures may be late; sound may
  /// not wait for either.
  public var niceness: Int {
    switch self {
    case .speech: 10
    case .pictures: 5
    case .display: 2
    case .devices, .control, .camera, .media, .dubbing, .storage, .prompts: 0
    }
  }

  /// Whether the board file bounds its steps. Pictures and sentences are worked on as a whole; nobody waits for what is
  /// simulated.
  var isBound: Bool {
    switch self {
    case .devices, .camera, .speech, .pictures: false
    case .control, .media, .dubbing, .storage, .display, .prompts: true
    }
  }
}

/// Runs steppers, each on its lane, in real or in virtual time.
public protocol Scheduler: AnyObject, Sendable {
  /// What wakes the lanes and ends the run; parts keep this, and not the scheduler, which keeps them.
  var signals: LaneSignals { get }
  /// Adds a stepper; before `run` only.
  func add(_ stepper: any Stepper, to lane: Lane)
  /// Runs until it is told to stop; the calling thread becomes the control lane.
  func run()
}

extension Scheduler {
  /// Makes the lane's steppers run as soon as possible. Any thread, any time.
  public func wake(_ lane: Lane) { signals.wake(lane) }

  /// Ends `run` after the steps under way. Any thread.
  public func stop() { signals.stop() }
}
