import Board
import Hardware
import LinuxHardware

extension HardwareSet {
  /// The real devices that the board file names.
  ///
  /// Making them touches nothing: displays, lines and consoles are opened by their users, report what is wrong then, and
  /// may come later.
  ///
  /// - Parameter console: a console that takes the place of the board file's of the same kind.
  init(_ board: BoardDescription, storage: any Storage, console: String?) {
    self.init(clock: SystemClock(), storage: storage)
    if board.microphone.driver == .alsa {
      microphone = ALSAMicrophone(pcm: board.microphone.pcm)
      otherMicrophones = ALSASources(besides: board.microphone.pcm)
    }
    if board.speaker.driver == .alsa { speaker = ALSASpeaker(pcm: board.speaker.pcm) }
    camera = board.camera.real
    trigger = board.trigger.map { GPIOButtons(lines: [$0]) }
    powerInputs = [(PowerInput.Meaning.key, board.powerKey), (.failing, board.brownOut)].compactMap { meaning, line in
      line.map { PowerInput(meaning, hold: .milliseconds($0.debounceMilliseconds), line: GPIOButtons(lines: [$0])) }
    }
    if board.gpioDriver == .chardev {
      if !board.buttons.isEmpty { buttons = [GPIOButtons(lines: board.buttons)] }
      if !board.leds.isEmpty { lamps = GPIOLamps(lines: board.leds) }
    }
    display = board.display.panel.map { I2CDisplay(bus: board.display.bus, address: board.display.address, panel: $0) }
    if board.screen.driver == .drm { screen = DRMScreen(card: board.screen.card) }
    stick = USBStick()
    consolePorts = board.console.paths(instead: console).map { Host.consolePort($0, baud: board.console.baud) }
    wakeAlarm = board.rtcWake.isEmpty ? nil : RTCWakeAlarm(clock: board.rtcWake)
    system = SystemRequests()
    sensors = LinuxSensors()
    addServiceManager()
    if !board.watchdog.device.isEmpty {
      watchdogs.append(KernelWatchdog(path: board.watchdog.device, seconds: board.watchdog.seconds))
    }
    openNetwork = HostNetwork.open
  }
}

extension ConsoleDescription {
  /// The console's socket and serial line, where there are any.
  ///
  /// - Parameter console: takes the place of the one of the same kind.
  func paths(instead console: String?) -> [String] {
    var (socket, line) = (socket, tty)
    if let console { if console.hasPrefix("/dev/") { line = console } else { socket = console } }
    return [socket, line].filter { !$0.isEmpty }
  }
}

extension CameraDescription {
  /// What the file says of its picture.
  var tuning: CameraTuning {
    CameraTuning(exposureMicroseconds: exposureMicroseconds, focus: focus, powerLineHertz: powerLineHertz)
  }

  /// The board's camera, if it is a real one.
  var real: (any Camera)? {
    switch driver {
    case .v4l2: V4L2Camera(path: device, tuning: tuning)
    case .command: PipeCamera(command: CameraCommand(command))
    case .simulated, .none: nil
    }
  }
}

extension DisplayDescription {
  /// The board's OLED, if it is a real one.
  var panel: OLEDPanel? {
    let real: OLEDController
    switch controller {
    case .ssd1306: real = .ssd1306
    case .sh1106: real = .sh1106
    case .simulated, .none: return nil
    }
    return OLEDPanel(
      controller: real, width: width, height: height, isRotated: rotation == 180,
      contrast: UInt8(clamping: contrast))
  }
}
