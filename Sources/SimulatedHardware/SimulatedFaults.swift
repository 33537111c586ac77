internal import Glibc
public import Hardware

/// Routes faults to the simulated devices. Any thread.
public final class SimulatedFaults: FaultInjector, Sendable {
  private let clock: any SimulatorClock
  private let microphone: SimulatedMicrophone?
  private let others: SimulatedSources
  private let speaker: SimulatedSpeaker?
  private let camera: SimulatedCamera?
  private let display: SimulatedDisplay?
  private let screen: SimulatedScreen?
  private let storage: SimulatedStorage?
  private let link: SimulatedLink?
  private let stick: SimulatedStick?
  private let sensors: SimulatedSensors?
  private let powerCutOutcome: PowerCutOutcome

  /// Devices that are `nil` refuse their faults with `missing`.
  public init(
    clock: any SimulatorClock, microphone: SimulatedMicrophone? = nil,
    others: SimulatedSources = SimulatedSources([]), speaker: SimulatedSpeaker? = nil,
    camera: SimulatedCamera? = nil, display: SimulatedDisplay? = nil, screen: SimulatedScreen? = nil,
    storage: SimulatedStorage? = nil, link: SimulatedLink? = nil,
    stick: SimulatedStick? = nil, sensors: SimulatedSensors? = nil,
    powerCutOutcome: PowerCutOutcome = .nothingKept
  ) {
    self.clock = clock
    self.microphone = microphone
    self.others = others
    self.speaker = speaker
    self.camera = camera
    self.display = display
    self.screen = screen
    self.storage = storage
    self.link = link
    self.stick = stick
    self.sensors = sensors
    self.powerCutOutcome = powerCutOutcome
  }

  public func inject(_ fault: Fault, at now: Instant) throws(DeviceError) {
    switch fault {
    case .microphoneUnplug: try present(microphone, "microphone").unplug(at: now)
    case .microphoneReplug: try present(microphone, "microphone").replug()
    case .microphoneOverrun(let length): try present(microphone, "microphone").overrun(length, at: now)
    case .microphoneStall(let length): try present(microphone, "microphone").stall(length, at: now)
    case .sourceUnplug(let name): try present(others[name], "source \(name)").unplug(at: now)
    case .sourceReplug(let name): try present(others[name], "source \(name)").replug()
    case .storageFull: try present(storage, "storage").setFull(true)
    case .storageOK:
      try present(storage, "storage").setFull(false)
      storage?.limitFreeSpace(to: nil)
    case .storageFree(let megabytes): try present(storage, "storage").limitFreeSpace(to: megabytes << 20)
    case .storageStall(let length): try present(storage, "storage").stall(length, at: now)
    case .storageSlow(let length): try present(storage, "storage").slow(by: length)
    case .stickIn: try present(stick, "stick").plugIn()
    case .stickOut: try present(stick, "stick").pullOut()
    case .stickOutAfter(let bytes): try present(stick, "stick").pullOut(afterBytes: bytes)
    case .stickFull: try present(stick, "stick").setFull(true)
    case .stickReadOnly: try present(stick, "stick").setReadOnly(true)
    case .stickOK:
      try present(stick, "stick").setFull(false)
      stick?.setReadOnly(false)
    case .displayUnplug: try present(display, "display").unplug()
    case .displayReplug: try present(display, "display").replug()
    case .screenUnplug: try present(screen, "screen").unplug()
    case .screenReplug: try present(screen, "screen").replug()
    case .speakerUnplug: try present(speaker, "speaker").unplug()
    case .speakerReplug: try present(speaker, "speaker").replug()
    case .speakerDrift(let parts): try present(speaker, "speaker").drift(partsPerMillion: Double(parts), at: now)
    case .cameraUnplug: try present(camera, "camera").unplug(at: now)
    case .cameraReplug: try present(camera, "camera").replug()
    case .cameraStall(let length): try present(camera, "camera").stall(length, at: now)
    case .cameraGarbage: try present(camera, "camera").breakPictures()
    case .networkDown: try present(link, "network").goDown(at: now)
    case .networkUp: try present(link, "network").comeUp(at: now)
    case .networkLatency(let latency): try present(link, "network").setLatency(latency)
    case .networkBandwidth(let rate): try present(link, "network").setBandwidth(rate)
    case .board(let fault): try present(sensors, "board").change(fault)
    case .clockJump(let length): clock.jumpWall(by: length)
    case .powerCut:
      let storage = try present(storage, "storage")
      do throws(StorageError) { try storage.cutPower(powerCutOutcome) } catch {
        throw DeviceError(
          .failed, device: "storage", operation: "take back unsynced changes: \(error)", code: error.code,
          hint: "the data directory is not what a power cut would leave")
      }
    }
  }

  private func present<Device>(_ device: Device?, _ name: String) throws(DeviceError) -> Device {
    guard let device else {
      throw DeviceError(
        .missing, device: name, operation: "have a fault", code: ENODEV, hint: "this run has no simulated \(name)")
    }
    return device
  }
}
