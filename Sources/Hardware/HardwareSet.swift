/// Every device of the appliance, as the composition root puts them together.
///
/// An absent device is `nil`: the appliance goes on with the rest and says so.
public struct HardwareSet {
  public var clock: any DeviceClock
  /// The board's own.
  public var microphone: (any Microphone)?
  /// What else may be plugged in.
  public var otherMicrophones: (any MicrophoneSources)?
  public var speaker: (any Speaker)?
  public var camera: (any Camera)?
  /// Opens the network, through a proxy and with the user's own authorities (empty texts: without); opened anew
  /// when one of them is set differently. `nil`: there is none.
  public var openNetwork: (@Sendable (_ proxy: String, _ authorities: String) -> any Network)?
  public var buttons: [any Buttons] = []
  /// The input that keeps a clip: each press is a trigger, whatever key it names.
  public var trigger: (any Buttons)?
  /// Lines that say that the power is to go.
  public var powerInputs: [PowerInput] = []
  public var lamps: (any Lamps)?
  public var display: (any Display)?
  /// The screen for pictures of what is played.
  public var screen: (any PictureScreen)?
  public var consolePorts: [any ConsolePort] = []
  public var storage: any Storage
  /// The socket for a stick, on which people take files away.
  public var stick: (any RemovableStorage)?
  /// What the board says of its strain.
  public var sensors: (any BoardSensors)?
  /// Timers that are fed only while the appliance does its work.
  public var watchdogs: [any Watchdog] = []
  /// The clock that can switch the sleeping board on, where it has one.
  public var wakeAlarm: (any WakeAlarm)?
  /// Who sets the clock, and starts the board anew. `nil`: nobody does.
  public var system: (any BoardSystem)?
  public var serviceManager: (any ServiceManager)?
  public var faults: (any FaultInjector)?
  /// Simulated devices that need to be stepped by the runtime; empty on real hardware.
  public var steppers: [any Stepper] = []

  public init(clock: any DeviceClock, storage: any Storage) {
    self.clock = clock
    self.storage = storage
  }
}
