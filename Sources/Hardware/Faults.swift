/// Faults that can be asked of a simulated or rigged device. Real drivers have none.
public enum Fault: Hashable, Sendable {
  case microphoneUnplug
  case microphoneReplug
  /// The microphone loses this much sound.
  case microphoneOverrun(Duration)
  /// The microphone delivers nothing for this long, then everything.
  case microphoneStall(Duration)
  case storageFull
  case storageOK
  /// So many MiB are free, and no more than that can be written.
  case storageFree(megabytes: Int)
  /// The storage does not answer for this long.
  case storageStall(Duration)
  case displayUnplug
  case displayReplug
  /// The screen for pictures.
  case screenUnplug
  case screenReplug
  case speakerUnplug
  case speakerReplug
  /// The speaker's crystal is off by this many parts in a million from now on; above zero it runs fast.
  case speakerDrift(Int)
  case cameraUnplug
  case cameraReplug
  /// The camera takes no pictures for this long; after a second of it, it is lost.
  case cameraStall(Duration)
  /// The camera's next picture is broken.
  case cameraGarbage
  /// The link to the network is cut.
  case networkDown
  case networkUp
  /// What is asked of the network from now on comes this much later.
  case networkLatency(Duration)
  /// Bits per second that the network has from now on; `nil`: no limit.
  case networkBandwidth(Int?)
  /// The wall clock jumps by this much.
  case clockJump(Duration)
  /// Power goes at once: what was not synced is gone.
  case powerCut
}

/// Takes faults, where the hardware can have them on demand.
public protocol FaultInjector: AnyObject, Sendable {
  /// Makes the fault happen at `now`. Any thread.
  func inject(_ fault: Fault, at now: Instant) throws(DeviceError)
}

/// Every device of the appliance, as the composition root puts them together.
///
/// An absent device is `nil`: the appliance goes on with the rest and says so.
public struct HardwareSet {
  public var clock: any DeviceClock
  public var microphone: (any Microphone)?
  public var speaker: (any Speaker)?
  public var camera: (any Camera)?
  /// Opens the network, through a proxy and with the user's own authorities (empty texts: without); opened anew
  /// when one of them is set differently. `nil`: there is none.
  public var openNetwork: (@Sendable (_ proxy: String, _ authorities: String) -> any Network)?
  public var buttons: [any Buttons]
  /// The input that keeps a clip: each press is a trigger, whatever key it names.
  public var trigger: (any Buttons)?
  public var lamps: (any Lamps)?
  public var display: (any Display)?
  /// The screen for pictures of what is played.
  public var screen: (any PictureScreen)?
  public var consolePorts: [any ConsolePort]
  public var storage: any Storage
  /// Timers that are fed only while the appliance does its work.
  public var watchdogs: [any Watchdog]
  public var serviceManager: (any ServiceManager)?
  public var faults: (any FaultInjector)?
  /// Simulated devices that need to be stepped by the runtime; empty on real hardware.
  public var steppers: [any Stepper]

  public init(clock: any DeviceClock, storage: any Storage) {
    self.clock = clock
    self.storage = storage
    microphone = nil
    speaker = nil
    camera = nil
    openNetwork = nil
    buttons = []
    trigger = nil
    lamps = nil
    display = nil
    screen = nil
    consolePorts = []
    watchdogs = []
    serviceManager = nil
    faults = nil
    steppers = []
  }
}
