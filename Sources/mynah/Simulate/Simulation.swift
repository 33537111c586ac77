import ArgumentParser
import Board
import Budget
import Console
import Hardware
import LinuxHardware
import Media
import Panel
import Runtime
import SimulatedHardware

/// One run on simulated hardware: what the options ask for, put together.
final class Simulation {
  var options: RuntimeOptions
  let devices: SimulatedHardware
  private let hardware: HardwareSet
  private let scheduler: any Scheduler
  private let isVirtual: Bool
  private let lock: DirectoryLock
  private let dataPath: String

  /// Pictures a second in virtual time, where nobody looks at most of them.
  private static let virtualFramesPerSecond = 4

  init(_ command: Simulate, board: BoardDescription, isVirtual: Bool) throws {
    self.isVirtual = isVirtual
    dataPath = command.data
    options = RuntimeOptions(board: board, version: Version.text)
    options.examination = command.oneProcess ? nil : Host.examination(of: command.data)
    options.writeFile = Host.write
    options.isRealTime = !isVirtual
    let selftest = Selftest(board: board, data: command.data)
    options.selftest = { selftest.run() }
    if isVirtual { options.framesPerSecond = min(options.framesPerSecond, Self.virtualFramesPerSecond) }
    do throws(BudgetError) { try BudgetPlan(board).requireFit() } catch {
      throw Host.failure(Exit.badConfiguration, "\(error)")
    }
    let files = try Host.storage(command.data, reserveMB: board.storage.reserveMB)
    lock = try Host.lock(command.data)
    do throws(DeviceError) {
      var set: HardwareSet
      if isVirtual {
        let clock = VirtualClock()
        devices = try Self.devices(command, clock: clock, files: files)
        scheduler = VirtualScheduler { clock.advance(to: $0) }
      } else {
        let clock = RealClock()
        devices = try Self.devices(command, clock: clock, files: files)
        scheduler = ThreadedScheduler(clock: clock)
      }
      set = devices.hardwareSet
      if let screen = devices.screen {
        options.pictureOfScreen = {
          screen.shown.map { PNG.encode(width: $0.width, height: $0.height, pixels: $0.pixels) }
        }
      }
      if let pcm = command.chosenMicrophone?.alsaName {
        set.microphone = ALSAMicrophone(pcm: pcm)
        if command.source.isEmpty { set.otherMicrophones = ALSASources(besides: pcm) }
      }
      if let pcm = command.chosenSpeaker?.alsaName { set.speaker = ALSASpeaker(pcm: pcm) }
      if let path = command.chosenCamera.videoDevice { set.camera = V4L2Camera(path: path) }
      if !isVirtual {
        set.addServiceManager()
        options.blackBox = Host.blackBox(in: command.data, board: board)
        options.probes = BoardProbes.common(to: board, data: command.data, appliance: nil)
      }
      set.consolePorts = command.console.map { Host.consolePort($0, baud: board.console.baud) }
      set.soundPort = command.console.first.flatMap { Host.soundPort(beside: $0) }
      hardware = set
    } catch {
      throw Host.failure(Exit.unavailable, "\(error)")
    }
  }

  private static func devices(
    _ command: Simulate, clock: any SimulatorClock, files: any Storage
  ) throws(DeviceError) -> SimulatedHardware {
    var options = SimulationOptions(clock: clock, storage: files)
    if let text = command.chosenMicrophone { options.microphone = try MicrophoneChoice(parsing: text) }
    for text in command.source {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, let source = try MicrophoneChoice(parsing: parts[1]).source(options) else {
        throw DeviceError(
          .unsupported, device: text, operation: "use it as a microphone", hint: "write NAME=tone:440, for example")
      }
      options.others.append((parts[0], source))
    }
    if let text = command.chosenSpeaker { options.speaker = try SpeakerChoice(parsing: text) }
    for (name, rate) in [("--microphone-rate", command.microphoneRate), ("--speaker-rate", command.speakerRate)] {
      guard let rate, !(8000...192_000).contains(rate) else { continue }
      throw DeviceError(
        .unsupported, device: "\(name) \(rate)", operation: "run at that rate", hint: "name 8000 to 192000 Hz")
    }
    (options.microphoneRate, options.speakerRate) = (command.microphoneRate, command.speakerRate)
    options.screen = try ScreenSize(parsing: command.screen)?.size
    options.camera = try CameraChoice(parsing: command.chosenCamera)
    options.pictureSize = { H264Parameters(in: $0).map { ($0.width, $0.height) } }
    var film: CameraFile?
    defer { film?.release() }
    if case .file(let path) = options.camera {
      let file = try CameraFile(path)
      options.camera = .file(file.path)
      film = file
    }
    if let folder = command.stick {
      do throws(StorageError) { options.stick = try FileStorage(root: folder, reserveBytes: 0) } catch {
        throw DeviceError(.failed, device: folder, operation: "use it as a stick: \(error)", hint: "name a folder")
      }
    }
    if command.network == .real {
      options.openNetwork = HostNetwork.open
      options.expectedReplies = { DubReplies.expected(to: $0) }
    }
    return try SimulatedHardware(options)
  }

  /// Runs without a panel, to the end of the script.
  func run() throws -> ScriptError? { try makeRuntime().run() }

  /// Runs with the front panel on the terminal, until `q`.
  func showPanel() throws {
    guard !isVirtual else {
      throw ValidationError("the front panel keeps real time: leave out --clock virtual, or give a --script")
    }
    let pictures = PictureFolder(path: dataPath, clock: devices.clock)
    let panel = TerminalFrontPanel(
      lamps: devices.lamps, display: devices.display, clock: SystemClock(), hasColour: Host.wantsColour
    ) { pictures.save($0) }
    options.onLog = { panel.log($0) }
    options.onStatus = { panel.show(status: $0, isLocked: $1) }
    let runtime = try makeRuntime()
    do throws(DeviceError) {
      try panel.start { request in
        switch request {
        case .press(let button, let length): runtime.press(button, for: length)
        case .quit: runtime.requestShutDown()
        }
      }
    } catch {
      throw Host.failure(Exit.inputOutput, "\(error)")
    }
    _ = runtime.run()
    panel.stop()
    Host.say("Takes are in \(dataPath)/recordings.")
  }

  private func makeRuntime() throws -> ApplianceRuntime {
    do throws(BudgetRefusal) {
      let runtime = try ApplianceRuntime(hardware: hardware, scheduler: scheduler, options: options)
      if !isVirtual { Signals.onEnd({ runtime.requestShutDown() }, culprits: { runtime.culprits }) }
      return runtime
    } catch {
      throw Host.failure(Exit.badConfiguration, "\(error)")
    }
  }
}

/// The size of the simulated screen.
private struct ScreenSize {
  let size: (width: Int, height: Int)

  /// `nil` for `none`.
  init?(parsing text: String) throws(DeviceError) {
    guard text != "none" else { return nil }
    let parts = text.split(separator: "x").compactMap { Int($0) }
    guard parts.count == 2, parts.allSatisfy({ (16...4096).contains($0) }) else {
      throw DeviceError(
        .unsupported, device: "simulated screen", operation: "be \(text)", hint: "name its size, such as 640x360")
    }
    size = (parts[0], parts[1])
  }
}

extension String {
  /// The PCM of `alsa:PCM`.
  fileprivate var alsaName: String? { hasPrefix("alsa:") ? String(dropFirst(5)) : nil }

  /// The device of `v4l2:/dev/videoN`.
  fileprivate var videoDevice: String? { hasPrefix("v4l2:") ? String(dropFirst(5)) : nil }
}
