public import Hardware

/// What a simulated device is made of.
public struct SimulationOptions: Sendable {
  public var clock: any SimulatorClock
  /// When frame 0 of the microphone's source is at the converter, and frame 0 of the speaker's file is heard; the
  /// start of the run.
  public var origin: Instant
  public var microphone: MicrophoneChoice
  /// What the microphone hears, instead of what `microphone` names.
  public var source: (any SoundSource)?
  /// What else may be plugged in, by name, and what it hears.
  public var others: [(name: String, source: any SoundSource)] = []
  /// How far the microphone's crystal is off.
  public var microphoneClockError: ClockError
  public var speaker: SpeakerChoice
  /// The only rates that microphone and speaker have, Hz; `nil`: any.
  public var microphoneRate: Int?
  public var speakerRate: Int?
  public var camera: CameraChoice
  /// Tells the size of a picture in H.264, of a film that is the camera.
  public var pictureSize: (@Sendable (UnsafeRawBufferPointer) -> (width: Int, height: Int)?)?
  /// How the camera differs from a perfect one.
  public var cameraOptions: SimulatedCameraOptions
  /// The screen for pictures, by its size; `nil`: there is no socket for one.
  public var screen: (width: Int, height: Int)?
  /// Whether it is plugged in at the start.
  public var isScreenPlugged: Bool
  /// Makes the network that carries out what the simulated one is asked for; `nil`: there is none.
  public var openNetwork: (@Sendable (_ proxy: String, _ authorities: String) -> any Network)?
  /// How many messages one that is sent over a WebSocket brings back at least; see `SimulatedNetwork`.
  public var expectedReplies: @Sendable (WebSocketMessage) -> Int
  /// Where the data directory really is.
  public var storage: any Storage
  /// What is on the stick that scripts put in; `nil`: memory, gone with the run.
  public var stick: (any Storage)?
  /// Decides noise, babble, and what a power cut keeps if `powerCutKeepsSome`.
  public var seed: UInt64
  /// Whether a power cut leaves a random part of the unsynced writes, else nothing of them.
  public var powerCutKeepsSome: Bool

  /// - Parameter origin: the start of the run; `nil`: now.
  public init(clock: any SimulatorClock, storage: any Storage, origin: Instant? = nil) {
    self.clock = clock
    self.storage = storage
    stick = nil
    self.origin = origin ?? clock.now
    microphone = .speech
    source = nil
    microphoneClockError = .none
    speaker = .none
    microphoneRate = nil
    speakerRate = nil
    camera = .bars
    cameraOptions = SimulatedCameraOptions()
    screen = nil
    isScreenPlugged = true
    openNetwork = nil
    expectedReplies = { _ in 1 }
    seed = 1
    powerCutKeepsSome = false
  }
}

/// A whole set of simulated devices, and the handles by which tests and front panels reach into them.
public final class SimulatedHardware: Sendable {
  public let clock: any SimulatorClock
  /// `nil` if the choice was `alsa:`; the composition root puts the real one into `hardwareSet`.
  public let microphone: SimulatedMicrophone?
  public let otherMicrophones: SimulatedSources
  /// `nil` if the choice was `alsa:`.
  public let speaker: SimulatedSpeaker?
  /// `nil` if the choice was `none` or `v4l2:`; the composition root puts the real one into `hardwareSet`.
  public let camera: SimulatedCamera?
  public let buttons: SimulatedButtons
  public let lamps: SimulatedLamps
  public let display: SimulatedDisplay
  /// `nil` if there is no socket for one.
  public let screen: SimulatedScreen?
  public let storage: SimulatedStorage
  /// Not in its socket at first.
  public let stick: SimulatedStick
  /// What the network is like; every network that `hardwareSet` opens is on it. `nil` if there is none.
  public let link: SimulatedLink?
  public let system: SimulatedBoardSystem
  public let sensors = SimulatedSensors()
  public let faults: SimulatedFaults
  private let openNetwork: (@Sendable (_ proxy: String, _ authorities: String) -> any Network)?

  /// Size of a stick in memory.
  private static let stickBytes = 1 << 30

  /// Makes the devices; opens the microphone's file, if there is one.
  public init(_ options: SimulationOptions) throws(DeviceError) {
    clock = options.clock
    let heard = if let source = options.source { source } else { try options.microphone.source(options) }
    microphone = heard.map {
      SimulatedMicrophone(
        source: $0, clock: options.clock, origin: options.origin, clockError: options.microphoneClockError,
        onlyRate: options.microphoneRate)
    }
    otherMicrophones = SimulatedSources(
      options.others.map {
        SimulatedMicrophone(name: $0.name, source: $0.source, clock: options.clock, origin: options.origin)
      })
    switch options.speaker {
    case .none: speaker = SimulatedSpeaker(onlyRate: options.speakerRate, clock: options.clock, origin: options.origin)
    case .file(let path):
      speaker = SimulatedSpeaker(
        output: .file(path), onlyRate: options.speakerRate, clock: options.clock, origin: options.origin)
    case .alsa: speaker = nil
    }
    let seen: (any PictureSource)?
    switch options.camera {
    case .bars: seen = TestCard()
    case .file(let path): seen = try VideoFileSource(path: path, size: options.pictureSize)
    case .none, .v4l2: seen = nil
    }
    camera = seen.map {
      SimulatedCamera(source: $0, clock: options.clock, origin: options.origin, options: options.cameraOptions)
    }
    buttons = SimulatedButtons(clock: options.clock)
    lamps = SimulatedLamps(clock: options.clock)
    display = SimulatedDisplay()
    screen = options.screen.map { [options] size in
      SimulatedScreen(
        width: size.width, height: size.height, clock: options.clock, isPlugged: options.isScreenPlugged)
    }
    storage = SimulatedStorage(wrapping: options.storage, clock: options.clock)
    stick = SimulatedStick(
      holding: options.stick ?? MemoryStorage(capacity: Self.stickBytes, clock: options.clock), clock: options.clock)
    if let open = options.openNetwork {
      let (link, clock, replies) = (SimulatedLink(), options.clock, options.expectedReplies)
      self.link = link
      openNetwork = { proxy, authorities in
        SimulatedNetwork(wrapping: open(proxy, authorities), clock: clock, link: link, expectedReplies: replies)
      }
    } else {
      link = nil
      openNetwork = nil
    }
    system = SimulatedBoardSystem(clock: options.clock)
    faults = SimulatedFaults(
      clock: options.clock, microphone: microphone, others: otherMicrophones, speaker: speaker, camera: camera,
      display: display, screen: screen, storage: storage, link: link, stick: stick,
      sensors: sensors, powerCutOutcome: options.powerCutKeepsSome ? .someKept(seed: options.seed) : .nothingKept)
  }

  /// The devices as the appliance knows them. Its steppers are the buttons, the microphone, the speaker and
  /// the camera.
  public var hardwareSet: HardwareSet {
    var set = HardwareSet(clock: clock, storage: storage)
    set.microphone = microphone
    set.otherMicrophones = otherMicrophones.all.isEmpty ? nil : otherMicrophones
    set.speaker = speaker
    set.camera = camera
    set.openNetwork = openNetwork
    set.buttons = [buttons]
    set.lamps = lamps
    set.display = display
    set.screen = screen
    set.stick = stick
    set.faults = faults
    set.system = system
    set.sensors = sensors
    set.steppers =
      [buttons] + [microphone].compactMap { $0 } + [speaker].compactMap { $0 }
      + [camera].compactMap { $0 } + otherMicrophones.all
    return set
  }
}
