internal import Appliance
public import Console
public import Hardware

enum SystemInfo: DeviceMethod {
  static let row = MethodRow("system.info", "tells version, board, uptime and devices", .viewer)

  struct Answer: WireObject {
    let version: String
    let board: String
    let machine: Machine
    let uptimeSeconds: Double
    var wallTime: String
    let devices: Devices
    let storage: StorageAnswer
    let lanes: [LaneAnswer]
    let voice: Voice?

    static let fields: [Field<Self>] = [
      Field("version", \.version, "of the firmware"), Field("board", \.board, "name of the board file"),
      Field("machine", \.machine, "what the machine below tells of itself"),
      Field("uptimeSeconds", \.uptimeSeconds, "since the start"),
      Field("wallTime", \.wallTime, "the wall clock, in ISO 8601"), Field("devices", \.devices, "what is connected"),
      Field("storage", \.storage, "where recordings are"),
      Field("lanes", \.lanes, "what the threads' work has cost since the start; of those that have some"),
      Field("voice", ifAny: \.voice, "what is said aloud; absent without a speaker"),
    ]
  }

  struct Voice: WireObject {
    let counters: PromptCounters
    let heldBack: Int

    static let fields: [Field<Self>] = [
      Field("spoken", \.counters.spoken, "prompts whose sound has begun"),
      Field("heldBack", \.heldBack, "prompts that were held back because something was being recorded"),
      Field(
        "delayMilliseconds", ifAny: { $0.counters.lastDelay.map { $0.inSeconds * 1000 } },
        "from the key to the first sound on its way to the speaker, of the last prompt"),
      Field(
        "longestDelayMilliseconds", ifAny: { $0.counters.longestDelay.map { $0.inSeconds * 1000 } }, "the longest"),
      Field("problem", ifAny: \.counters.problem, "why nothing is heard"),
    ]
  }

  struct Devices: WireObject {
    let microphone: Microphone
    let hasSpeaker: Bool
    let display: Display

    static let fields: [Field<Self>] = [
      Field("microphone", \.microphone, "the source of takes"), Field("speaker", \.speaker, "the speaker"),
      Field("display", \.display, "the OLED"),
    ]

    private var speaker: Presence { Presence(isPresent: hasSpeaker) }
  }

  struct Presence: WireObject {
    let isPresent: Bool
    static let fields: [Field<Self>] = [Field("present", \.isPresent, "whether it is there")]
  }

  struct Microphone: WireObject {
    let isPresent: Bool
    let grant: SoundGrant?

    static let fields: [Field<Self>] = [
      Field("present", \.isPresent, "whether it is there"),
      Field("sampleRate", ifAny: \.grant?.format.sampleRate, "Hz, as granted"),
      Field("channels", ifAny: \.grant?.format.channels, "how many, as granted"),
      Field("sampleType", ifAny: \.grant?.sampleType, "as ALSA names it"),
      Field("periodFrames", ifAny: \.grant?.periodFrames, "frames that come at a time"),
      Field("timestamps", ifAny: \.grant?.timestamps, "who stamps them"),
    ]
  }

  struct Display: WireObject {
    let isPresent: Bool
    let delay: PictureDelay?

    static let fields: [Field<Self>] = [
      Field("present", \.isPresent, "whether it is there"),
      Field(
        "soundToPictureMilliseconds", ifAny: \.delay,
        "from sound at the microphone to the picture that shows it; absent before the first"),
    ]
  }

  struct StorageAnswer: WireObject {
    let status: StorageStatus
    static let fields: [Field<Self>] = [
      Field("freeBytes", \.status.freeBytes, "room for recordings; null while it is not known"),
      Field("totalBytes", \.status.totalBytes, "size; null while it is not known"),
      Field("takes", \.status.takes, "takes in the library"),
    ]
  }

  struct Machine: WireObject {
    let identity: BoardIdentity
    let readings: BoardReadings

    init(_ sensors: (any BoardSensors)?) {
      identity = sensors?.identity() ?? BoardIdentity()
      readings = sensors?.read() ?? BoardReadings()
    }

    static let fields: [Field<Self>] = [
      Field("model", ifAny: \.identity.model, "what the board calls itself"),
      Field("serial", ifAny: \.identity.serial, "its serial number"),
      Field("temperatureCelsius", ifAny: \.readings.temperature, "of the processor"),
      Field(
        "throttle", ifAny: \.readings.throttle?.words,
        "what holds the processor back now or did: undervoltage, capped, throttled, hot; "
          + "-before behind it: no longer; absent where nothing tells"),
      Field("battery", ifAny: \.readings.battery, "absent without one"),
      Field("cardWearPercent", ifAny: \.identity.cardWearPercent, "of the card's life that is used, where it tells"),
    ]
  }

  struct LaneAnswer: WireObject {
    let counters: LaneCounters

    static let fields: [Field<Self>] = [
      Field("name", { "\($0.counters.lane)" }, "of the lane; its thread's begins with mynah-"),
      Field("steps", \.counters.steps, "pieces of work done"),
      Field("wakeups", \.counters.wakeups, "times that it went from sleep to work"),
      Field(
        "longestStepMilliseconds", { milliseconds($0.counters.longestStep) },
        "by the clock; null in virtual time, where steps take none"),
      Field(
        "longestStepCPUMilliseconds", { milliseconds($0.counters.longestStepCPU) },
        "of the processor's time; null in virtual time"),
    ]

    private static func milliseconds(_ duration: Duration?) -> Double? { duration.map { $0.inSeconds * 1000 } }
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer { answer(in: device) }

  static func answer(in device: CommandContext) -> Answer {
    let health = device.state.health
    let delay = device.display?.delay
    return Answer(
      version: device.version, board: device.boardName,
      machine: Machine(device.governor.sensors),
      uptimeSeconds: (device.clock.now - device.startedAt).inSeconds,
      wallTime: device.clock.wallNow.iso8601,
      devices: Devices(
        microphone: Microphone(isPresent: health.hasMicrophone, grant: device.media.status.grant),
        hasSpeaker: health.hasSpeaker,
        display: Display(isPresent: health.hasDisplay, delay: delay.flatMap { $0.pictures > 0 ? $0 : nil })),
      storage: StorageAnswer(status: device.storage.status),
      lanes: device.lanes.counters.map(LaneAnswer.init),
      voice: device.prompts.map { Voice(counters: $0.counters, heldBack: $0.heldBack) })
  }
}

extension BoardReadings.Battery: WireObject {
  public static let fields: [Field<Self>] = [
    Field("percent", \.percent, "how full it is"),
    Field("discharging", \.isDischarging, "whether the device runs from it"),
  ]
}

extension PictureDelay: WireObject {
  static let fields: [Field<Self>] = [
    Field("last", { $0.last.inSeconds * 1000 }, "of the latest picture"),
    Field("mean", { $0.mean.inSeconds * 1000 }, "of all pictures"),
    Field("longest", { $0.longest.inSeconds * 1000 }, "the longest"),
    Field("pictures", \.pictures, "how many there were"),
  ]
}
