import ArgumentParser
import Board
import Budget
import Hardware
import LinuxHardware
import Runtime
import Threads

/// `mynah run`: the appliance on a real board.
struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the appliance on a board.",
    discussion: "SIGTERM and ^C complete what is open, then end. Logs go to standard error.")

  @Option(help: "Board file, or the name of a built-in board.") var board: String
  @Option(help: "Data directory; the board file's without it.") var data: String?
  @Option(help: "Unix socket or tty for the console, beside those of the board file.") var console: String?

  func run() throws {
    LargeBlocks.giveBack()
    let board = try Host.board(board)
    guard !board.isTemplate else {
      throw Host.failure(Exit.badConfiguration, "\(board.file): a template for other boards; name one that inherits it")
    }
    do throws(BudgetError) {
      try BudgetPlan(board).requireFit(
        physicalMemoryKB: ProcessUsage.physicalMemoryKB(), cores: ProcessUsage.cores())
    } catch {
      throw Host.failure(Exit.badConfiguration, "\(error)")
    }
    let hardware: LinuxHardware
    do throws(DeviceError) {
      var configuration = LinuxHardwareConfiguration(board, data: data ?? board.storage.data)
      if let console { configuration.addConsole(console, baud: board.console.baud) }
      hardware = try LinuxHardware(configuration)
    } catch {
      throw Host.failure(Exit.unavailable, "\(error)")
    }
    try appliance(on: hardware, board: board)
  }

  private func appliance(on hardware: LinuxHardware, board: BoardDescription) throws {
    var options = RuntimeOptions(board: board, version: Version.text)
    options.probes = BoardProbes.all(of: board, data: data ?? board.storage.data)
    options.onLog = { Host.complain($0) }
    options.examination = Host.examination(of: data ?? board.storage.data)
    let selftest = Selftest(board: board, data: data ?? board.storage.data)
    options.selftest = { selftest.run() }
    var devices = hardware.hardwareSet
    devices.openNetwork = HostNetwork.open
    let scheduler = ThreadedScheduler(clock: devices.clock)
    do throws(BudgetRefusal) {
      let runtime = try ApplianceRuntime(hardware: devices, scheduler: scheduler, options: options)
      Signals.onEnd({ runtime.requestShutDown() }, culprits: { runtime.culprits })
      if case .refused(let code) = MemoryLock.lockAll() {
        Host.complain("mynah: memory is not locked (errno \(code)): a busy system may page it out; raise LimitMEMLOCK")
      }
      _ = runtime.run()
    } catch {
      throw Host.failure(Exit.badConfiguration, "\(error)")
    }
  }
}

extension LinuxHardwareConfiguration {
  /// What the board file says, in the drivers' words.
  init(_ board: BoardDescription, data: String) {
    self.init(dataDirectory: data, reserveBytes: board.storage.reserveMB << 20)
    if board.microphone.driver == .alsa { microphone = ALSAMicrophone(pcm: board.microphone.pcm) }
    if board.speaker.driver == .alsa { speaker = ALSASpeaker(pcm: board.speaker.pcm) }
    camera = board.camera.real
    trigger = board.trigger.map {
      GPIOButtonLine(
        button: .rec, chip: $0.chip, line: $0.line, isActiveLow: $0.isActiveLow, bias: GPIOBias($0.bias))
    }
    if board.gpioDriver == .chardev {
      buttons = board.buttons.map {
        GPIOButtonLine(
          button: $0.button, chip: $0.chip, line: $0.line, isActiveLow: $0.isActiveLow, bias: GPIOBias($0.bias))
      }
      lamps = board.leds.map {
        GPIOLampLine(lamp: $0.lamp, chip: $0.chip, line: $0.line, isActiveLow: $0.isActiveLow)
      }
    }
    display = DisplayPlace(board.display)
    if board.screen.driver == .drm { screen = DRMScreen(card: board.screen.card) }
    if !board.console.socket.isEmpty { consoleSocket = board.console.socket }
    if !board.watchdog.device.isEmpty {
      watchdog = WatchdogPlace(path: board.watchdog.device, seconds: board.watchdog.seconds)
    }
    if !board.console.tty.isEmpty { consoleLine = SerialPlace(path: board.console.tty, baud: board.console.baud) }
  }

  /// Puts the console of the command line in the place of the board file's of the same kind.
  mutating func addConsole(_ path: String, baud: Int) {
    if path.hasPrefix("/dev/") { consoleLine = SerialPlace(path: path, baud: baud) } else { consoleSocket = path }
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

extension LinuxHardwareConfiguration.DisplayPlace {
  /// The board's OLED, if it is a real one.
  fileprivate init?(_ display: DisplayDescription) {
    let controller: OLEDController
    switch display.controller {
    case .ssd1306: controller = .ssd1306
    case .sh1106: controller = .sh1106
    case .simulated, .none: return nil
    }
    let panel = OLEDPanel(
      controller: controller, width: display.width, height: display.height, isRotated: display.rotation == 180,
      contrast: UInt8(clamping: display.contrast))
    self.init(bus: display.bus, address: display.address, panel: panel)
  }
}

extension GPIOBias {
  fileprivate init(_ bias: LineBias) {
    switch bias {
    case .pullUp: self = .pullUp
    case .pullDown: self = .pullDown
    case .disabled: self = .disabled
    case .asIs: self = .asIs
    }
  }
}
