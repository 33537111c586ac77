public import Hardware

/// What a real board has, and where. Plain values; the composition root fills it from the board file.
public struct LinuxHardwareConfiguration {
  /// An OLED on an I2C bus.
  public struct DisplayPlace: Hashable, Sendable {
    /// Path of the adapter: `/dev/i2c-1`.
    public var bus: String
    /// 7-bit address, mostly 0x3c.
    public var address: Int
    public var panel: OLEDPanel

    public init(bus: String, address: Int, panel: OLEDPanel) {
      self.bus = bus
      self.address = address
      self.panel = panel
    }
  }

  /// A serial line with a console.
  public struct SerialPlace: Hashable, Sendable {
    /// Path of the line: `/dev/ttyS0`.
    public var path: String
    /// Bits a second.
    public var baud: Int

    public init(path: String, baud: Int = 115_200) {
      self.path = path
      self.baud = baud
    }
  }

  /// A hardware watchdog.
  public struct WatchdogPlace: Hashable, Sendable {
    /// Path of the device: `/dev/watchdog`.
    public var path: String
    /// Seconds within which it is to be fed.
    public var seconds: Int

    public init(path: String, seconds: Int) {
      self.path = path
      self.seconds = seconds
    }
  }

  /// Path of the data directory.
  public var dataDirectory: String
  /// What ordinary writes leave free, bytes.
  public var reserveBytes: Int
  public var microphone: (any Microphone)?
  public var speaker: (any Speaker)?
  public var camera: (any Camera)?
  /// The input that keeps a clip; its key means nothing.
  public var trigger: GPIOButtonLine?
  public var buttons: [GPIOButtonLine] = []
  public var lamps: [GPIOLampLine] = []
  public var display: DisplayPlace?
  public var screen: (any PictureScreen)?
  /// Path of the console socket; `nil`: none.
  public var consoleSocket: String?
  public var consoleLine: SerialPlace?
  public var watchdog: WatchdogPlace?

  public init(dataDirectory: String, reserveBytes: Int) {
    self.dataDirectory = dataDirectory
    self.reserveBytes = reserveBytes
  }
}

/// The devices of a real board.
///
/// Making it touches nothing but the data directory: displays, lines and consoles are opened by their users, report what
/// is wrong then, and may come later.
public final class LinuxHardware {
  /// The devices as the appliance knows them.
  public let hardwareSet: HardwareSet
  /// Held as long as this object lives: the data directory has one writer.
  private let lock: DirectoryLock

  /// Makes the data directory, takes it for this process, and makes the drivers.
  ///
  /// - Throws: `busy`, with the other's process id, if another process works in the data directory; `denied`, `missing`
  ///   or `failed` if it cannot be made.
  public init(_ configuration: LinuxHardwareConfiguration) throws(DeviceError) {
    let storage: FileStorage
    do throws(StorageError) {
      storage = try FileStorage(root: configuration.dataDirectory, reserveBytes: configuration.reserveBytes)
    } catch {
      throw DirectoryLock.unusable(configuration.dataDirectory, "make the data directory", error.code)
    }
    lock = try DirectoryLock(directory: configuration.dataDirectory)
    var set = HardwareSet(clock: SystemClock(), storage: storage)
    set.microphone = configuration.microphone
    set.speaker = configuration.speaker
    set.camera = configuration.camera
    set.trigger = configuration.trigger.map { GPIOButtons(lines: [$0]) }
    if !configuration.buttons.isEmpty { set.buttons = [GPIOButtons(lines: configuration.buttons)] }
    if !configuration.lamps.isEmpty { set.lamps = GPIOLamps(lines: configuration.lamps) }
    set.display = configuration.display.map { I2CDisplay(bus: $0.bus, address: $0.address, panel: $0.panel) }
    set.screen = configuration.screen
    if let path = configuration.consoleSocket { set.consolePorts.append(SocketConsolePort(path: path)) }
    if let line = configuration.consoleLine {
      set.consolePorts.append(TTYConsolePort(path: line.path, baud: line.baud))
    }
    set.addServiceManager()
    if let place = configuration.watchdog {
      set.watchdogs.append(KernelWatchdog(path: place.path, seconds: place.seconds))
    }
    hardwareSet = set
  }
}

extension HardwareSet {
  /// Adds the service manager that started this process, and its watchdog, if there are any. Once a process.
  public mutating func addServiceManager() {
    guard let service = SystemdManager.ofThisProcess() else { return }
    serviceManager = service.manager
    if let watchdog = service.watchdog { watchdogs.append(watchdog) }
  }
}
