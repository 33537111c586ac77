import Board
import Budget
import Doctor
import Hardware
import LinuxHardware
import Media
import Runtime

/// The probes of a board: one for every device that its file names.
enum BoardProbes {
  /// - Parameters:
  ///   - data: the data directory.
  ///   - mistakes: what was wrong in the settings that the board was started with, a line each.
  static func all(of board: BoardDescription, data: String, mistakes: [String] = []) -> [any Probe] {
    let appliance = DirectoryLock.process(in: data)
    var probes: [any Probe] = mistakes.map { mistake in
      FixedProbe([
        DeviceFinding("settings", .limited, mistake, remedy: "mend the line on the card, and start again")
      ])
    }
    probes += [
      sound("microphone", board.microphone) { SoundProbe.microphone(pcm: $0, request: $1) },
      sound("speaker", board.speaker) { SoundProbe.speaker(pcm: $0, request: $1) },
      camera(board, appliance),
      panel(board, appliance), display(board.display), screen(board, appliance),
    ]
    let console = board.console
    if !board.keypad.devices.isEmpty {
      probes.append(KeypadProbe(devices: board.keypad.devices, keys: board.keypad.keys))
    }
    for path in [console.tty] + console.also where !path.isEmpty {
      probes.append(SerialProbe(path: path, baud: console.baud))
    }
    if !console.socket.isEmpty { probes.append(SocketProbe(path: console.socket)) }
    if console.tty.isEmpty, console.also.isEmpty, console.socket.isEmpty { probes.append(FixedProbe.absent("console")) }
    return probes + common(to: board, data: data, appliance: appliance)
  }

  /// What any board has, a simulated one too: storage, crash reports, clock, rights, network, watchdog, budget.
  static func common(to board: BoardDescription, data: String, appliance: Int?) -> [any Probe] {
    [
      StorageProbe(
        root: data, reserveBytes: board.storage.reserveMB << 20, lowBytes: board.storage.lowMB << 20,
        appliance: appliance),
      SystemProbe(appliance: appliance),
      CrashProbe(data: data),
      NetworkPlaces.probe(of: board, data: data),
      board.watchdog.device.isEmpty
        ? FixedProbe.absent("watchdog")
        : WatchdogProbe(path: board.watchdog.device, seconds: board.watchdog.seconds),
      BudgetProbe(
        BudgetPlan(board), physicalMemoryKB: ProcessUsage.physicalMemoryKB(), cores: ProcessUsage.cores()),
    ]
  }

  private static func sound(
    _ device: String, _ description: SoundDescription, probe: (String, SoundRequest) -> SoundProbe
  ) -> any Probe {
    switch description.driver {
    case .alsa: probe(description.pcm, description.request)
    case .simulated: FixedProbe.simulated(device)
    case .none: FixedProbe.absent(device)
    }
  }

  private static func camera(_ board: BoardDescription, _ appliance: Int?) -> any Probe {
    let camera = board.camera
    let request = camera.request
    let encoder: CameraProbe.EncoderTrial = { format in
      do throws(MediaError) {
        let kinds = camera.encoder.kinds
        return .success(
          try VideoEncoder(
            format, bitrate: request.bitrate, keyframeInterval: request.keyframeInterval, kinds: kinds
          ).name)
      } catch {
        return .failure(
          DeviceError(.unsupported, device: "camera", operation: "encode its pictures", hint: "\(error)"))
      }
    }
    return switch camera.driver {
    case .v4l2:
      CameraProbe.v4l2(path: camera.device, tuning: camera.tuning, request: request, encoder: encoder)
    case .command:
      CameraProbe.command(CameraCommand(camera.command), request: request, appliance: appliance, encoder: encoder)
    case .simulated: FixedProbe.simulated("camera")
    case .none: FixedProbe.absent("camera")
    }
  }

  private static func panel(_ board: BoardDescription, _ appliance: Int?) -> any Probe {
    switch board.gpioDriver {
    case .chardev: GPIOProbe(buttons: board.buttons, lamps: board.leds, appliance: appliance)
    case .simulated:
      FixedProbe([DeviceFinding("buttons", .works, "simulated"), DeviceFinding("leds", .works, "simulated")])
    case .none: FixedProbe([DeviceFinding("buttons", .absent, "the board file names none")])
    }
  }

  private static func screen(_ board: BoardDescription, _ appliance: Int?) -> any Probe {
    switch board.screen.driver {
    case .drm: ScreenProbe(card: board.screen.card, appliance: appliance)
    case .simulated: FixedProbe.simulated("screen")
    case .none: FixedProbe.absent("screen")
    }
  }

  private static func display(_ display: DisplayDescription) -> any Probe {
    if let panel = display.panel {
      return DisplayProbe(bus: display.bus, address: display.address, controller: panel.controller)
    }
    return display.controller == .simulated ? FixedProbe.simulated("display") : FixedProbe.absent("display")
  }
}
