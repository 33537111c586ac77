internal import Hardware

/// The one table of everything that a board file may say.
enum BoardSchema {
  static let keys: [BoardKey] =
    board + sound("microphone") + sound("speaker") + camera + power + panel + rest + governor + people

  /// The table of the device's own settings: its keys are those of the manual's page on settings.
  static let presets = "settings"

  private static let people: [BoardKey] = [
    BoardKey(
      "operator.name", .text,
      "technician of a device that has no operators yet; whoever can read this file can read the password"),
    BoardKey("operator.password", .text, "what this technician logs in with; nothing once there is an operator"),
  ]

  private static let board: [BoardKey] = [
    BoardKey("inherits", .text, "file that this one adds to: a path beside it, or the name of a built-in board"),
    BoardKey("name", .text, "short name; without it, the name of the file"),
    BoardKey("title", .text, "name for people; without it, the short one"),
    BoardKey("template", .flag, default: .flag(false), "only there to be inherited, not a board"),
    BoardKey(
      "models", .texts, default: .texts([]), "beginnings of /proc/device-tree/model by which the board is recognised"),
    BoardKey("ram_mb", .integer(64...1_048_576), unit: "MiB", default: .integer(512), "memory of its smallest variant"),
    BoardKey("header", .choice(names(HeaderLayout.self)), default: .text("none"), "which pins are led out, and where"),
  ]

  private static func sound(_ table: String) -> [BoardKey] {
    let tool = table == "microphone" ? "arecord" : "aplay"
    return [
      BoardKey("\(table).driver", .choice(names(SoundDriver.self)), default: .text("none"), "how it is reached"),
      BoardKey("\(table).pcm", .text, default: .text(""), "ALSA name, as `\(tool) -L` lists it"),
      BoardKey(
        "\(table).connector", .choice(names(SoundConnector.self)), default: .text("none"), "where it is plugged in"),
      BoardKey(
        "\(table).rate", .number([8000, 11025, 16000, 22050, 32000, 44100, 48000, 88200, 96000, 176400, 192_000]),
        unit: "Hz", default: .integer(48000), "sample rate to ask for"),
      BoardKey("\(table).channels", .integer(1...2), default: .integer(2), "1 mono, 2 stereo"),
      BoardKey("\(table).bits", .number([16, 24]), default: .integer(16), "significant bits of a sample"),
      BoardKey(
        "\(table).period_frames", .integer(32...8192), unit: "frames", default: .integer(480),
        "how much sound one wake-up of the thread handles"),
      BoardKey(
        "\(table).buffer_frames", .integer(64...262_144), unit: "frames", default: .integer(4800),
        "how much sound the device itself may hold, two periods or more"),
    ]
  }

  private static let camera: [BoardKey] = [
    BoardKey("camera.driver", .choice(names(CameraDriver.self)), default: .text("none"), "how it is reached"),
    BoardKey("camera.device", .text, default: .text(""), "path of the V4L2 device, such as /dev/video0"),
    BoardKey(
      "camera.command", .texts, default: .texts([]),
      "program and arguments that write H.264 (Annex B) to standard output; {width}, {height}, {rate}, {bitrate} and {keyframe} "
        + "in them are filled in"),
    BoardKey(
      "camera.formats", .texts, default: .texts(VideoCodec.allCases.map(\.rawValue)),
      "codings to ask for, best first, of h264, mjpeg, yuyv, nv12; the last two are encoded here"),
    BoardKey("camera.width", .integer(128...1920), unit: "pixels", default: .integer(1280), "pixels across, even"),
    BoardKey("camera.height", .integer(72...1080), unit: "pixels", default: .integer(720), "pixels down, even"),
    BoardKey("camera.fps", .integer(1...120), unit: "1/s", default: .integer(30), "pictures a second"),
    BoardKey(
      "camera.bitrate_kbps", .integer(100...50_000), unit: "kbit/s", default: .integer(4000),
      "rate of the pictures, and what the ring is laid out for"),
    BoardKey(
      "camera.keyframe_interval", .integer(1...300), unit: "pictures", default: .integer(15),
      "most pictures from one keyframe to the next"),
    BoardKey(
      "camera.encoder", .choice(names(EncoderChoice.self)), default: .text("auto"),
      "what encodes pictures of a camera that does not; auto prefers the hardware"),
    BoardKey(
      "camera.exposure_us", .integer(1...1_000_000), unit: "µs", "length of an exposure; the camera's choice without it"
    ),
    BoardKey("camera.focus", .integer(0...65_535), "in the camera's own units; it focuses by itself without it"),
    BoardKey(
      "camera.power_line_hz", .number([0, 50, 60]), unit: "Hz", "what lamps flicker at; the camera's choice without it"),
    BoardKey(
      "clips.longest_seconds", .integer(10...3600), unit: "s", default: .integer(600),
      "a clip that would become longer goes on in another, without a seam"),
    BoardKey(
      "clips.stall_seconds", .integer(1...60), unit: "s", default: .integer(10),
      "how long a storage that does not answer is survived without losing anything"),
    BoardKey("trigger.enabled", .flag, default: .flag(true), "false takes an inherited trigger input away"),
    BoardKey("trigger.chip", .text, "path of the chip; without it, gpio.chip"),
    BoardKey("trigger.line", .integer(0...1023), "line of the input that keeps a clip; none without it"),
    BoardKey("trigger.active_low", .flag, default: .flag(true), "the edge to low is what counts"),
    BoardKey("trigger.bias", .choice(names(LineBias.self)), "resistor; without it, gpio.bias"),
    BoardKey(
      "trigger.debounce_ms", .integer(0...1000), unit: "ms", default: .integer(20),
      "how long the input must rest before another edge counts"),
  ]

  private static let power: [BoardKey] =
    powerInput(
      "power_key", "power key", holdMilliseconds: 1500,
      "how long it is held before the board goes off; less does nothing"
    )
    + powerInput(
      "brown_out", "input of a supply that fails", holdMilliseconds: 5,
      "how long it is active before takes are saved and the board goes off")

  private static func powerInput(
    _ table: String, _ what: String, holdMilliseconds: Int, _ meaning: String
  ) -> [BoardKey] {
    [
      BoardKey("\(table).enabled", .flag, default: .flag(true), "false takes an inherited \(what) away"),
      BoardKey("\(table).chip", .text, "path of the chip; without it, gpio.chip"),
      BoardKey("\(table).line", .integer(0...1023), "line of the \(what); none without it"),
      BoardKey("\(table).active_low", .flag, default: .flag(true), "low is what counts"),
      BoardKey("\(table).bias", .choice(names(LineBias.self)), "resistor; without it, gpio.bias"),
      BoardKey(
        "\(table).hold_ms", .integer(0...10_000), unit: "ms", default: .integer(holdMilliseconds), meaning),
    ]
  }

  private static let panel: [BoardKey] = [
    BoardKey(
      "gpio.driver", .choice(names(GPIODriver.self)), default: .text("none"), "how key and lamp lines are reached"),
    BoardKey("gpio.chip", .text, default: .text("/dev/gpiochip0"), "chip of lines that name no other"),
    BoardKey("gpio.bias", .choice(names(LineBias.self)), default: .text("pull-up"), "resistor of keys that name none"),
    BoardKey(
      "gpio.debounce_ms", .integer(0...100), unit: "ms", default: .integer(8), "debounce of keys that name none"),
    BoardKey("buttons.*.enabled", .flag, default: .flag(true), "false takes an inherited key away"),
    BoardKey("buttons.*.chip", .text, "path of the chip; without it, gpio.chip"),
    BoardKey("buttons.*.line", .integer(0...1023), "line of the chip; on a Raspberry Pi the BCM number"),
    BoardKey("buttons.*.active_low", .flag, default: .flag(true), "the line is low while the key is held"),
    BoardKey("buttons.*.bias", .choice(names(LineBias.self)), "resistor; without it, gpio.bias"),
    BoardKey("buttons.*.debounce_ms", .integer(0...100), unit: "ms", "debounce; without it, gpio.debounce_ms"),
    BoardKey(
      "buttons.*.keys", .texts, default: .texts([]),
      "keys of keypad.devices that are this one: names such as KEY_KPENTER, or their numbers of two digits or more"),
    BoardKey(
      "keypad.devices", .texts, default: .texts([]),
      "input devices (USB keypads, headset remotes) whose keys count: beginnings of their names, or paths in /dev/input"
    ),
    BoardKey("leds.*.enabled", .flag, default: .flag(true), "false takes an inherited lamp away"),
    BoardKey("leds.*.chip", .text, "path of the chip; without it, gpio.chip"),
    BoardKey("leds.*.line", .integer(0...1023), "line of the chip; on a Raspberry Pi the BCM number"),
    BoardKey(
      "leds.*.active_low", .flag, default: .flag(false), "the lamp is lit, or the buzzer sounds, while the line is low"),
    BoardKey("display.controller", .choice(names(DisplayController.self)), default: .text("none"), "chip of the OLED"),
    BoardKey("display.bus", .text, default: .text("/dev/i2c-1"), "I2C adapter"),
    BoardKey("display.address", .integer(0x08...0x77), default: .integer(0x3c), "7-bit I2C address; 60 is 0x3c"),
    BoardKey(
      "display.width", .number([64, 72, 96, 128]), unit: "pixels", default: .integer(128),
      "pixels across; the screens are drawn for 128, and shown on no other"),
    BoardKey(
      "display.height", .number([16, 32, 40, 48, 64]), unit: "pixels", default: .integer(64),
      "pixels down; the screens are drawn for 64, and shown on no other"),
    BoardKey("display.rotate", .number([0, 180]), unit: "degrees", default: .integer(0), "180 if mounted upside down"),
    BoardKey("display.contrast", .integer(0...255), default: .integer(207), "brightness"),
    BoardKey(
      "display.refresh_hz", .integer(1...60), unit: "Hz", default: .integer(30),
      "most frames a second; a full one takes 25 ms of a 400 kHz bus"),
    BoardKey(
      "screen.driver", .choice(names(ScreenDriver.self)), default: .text("none"),
      "how a screen for pictures is reached, whenever one is plugged in: drm is HDMI or DSI by the kernel"),
    BoardKey("screen.card", .text, default: .text(""), "path of its card; empty for the first one with a screen"),
    BoardKey(
      "screen.lines", .integer(144...1080), unit: "pixels", default: .integer(480),
      "most lines of the pictures that are asked for; what the board can decode"),
  ]

  private static let rest: [BoardKey] = [
    BoardKey(
      "encoder.aac", .choice(names(AACEffort.self)), default: .text("fast"),
      "what takes of AAC are coded with; thorough costs two to three times as much, for a little less noise"),
    BoardKey("console.tty", .text, default: .text(""), "serial line; empty for none"),
    BoardKey(
      "console.also", .texts, default: .texts([]),
      "further serial lines, each with a console of its own, such as /dev/ttyGS0 of a USB gadget"),
    BoardKey(
      "console.baud", .number([9600, 19200, 38400, 57600, 115200, 230_400, 460_800, 921_600]), unit: "bit/s",
      default: .integer(115200), "speed of the serial lines"),
    BoardKey("console.socket", .text, default: .text(""), "Unix socket; empty for one in the data directory"),
    BoardKey("storage.data", .text, default: .text("/var/lib/mynah"), "where takes are kept"),
    BoardKey(
      "storage.reserve_mb", .integer(1...65536), unit: "MiB", default: .integer(64),
      "space that takes never use, for index and settings"),
    BoardKey(
      "storage.low_mb", .integer(2...1_048_576), unit: "MiB", default: .integer(512),
      "free space below which the device says so; more than the reserve"),
    BoardKey("watchdog.device", .text, default: .text(""), "hardware watchdog that is fed; empty for none"),
    BoardKey(
      "watchdog.seconds", .integer(2...300), unit: "s", default: .integer(15),
      "without being fed for this long, it resets the board"),
    BoardKey(
      "clock.rtc_wake", .text, default: .text(""),
      "folder of the real-time clock that can wake the board for a schedule, /sys/class/rtc/rtc0; empty for none"),
    BoardKey(
      "dub.sources", .texts, default: .texts([]),
      "streams that can be played with a dub: `Name=https://…/live.m3u8`, or addresses alone"),
    BoardKey(
      "dub.service", .text, default: .text(""), "address of a service that dubs, ws:// or wss://; empty for none"),
    BoardKey(
      "dub.segments", .integer(1...3),
      "segments of a stream that may wait; without it, 1 below 1024 MiB of memory, 3 from 4096 MiB on, else 2"),
    BoardKey(
      "session.strategy", .choice(names(SessionStrategy.self)), default: .text("baseline"),
      "how the sample rate is held"),
    BoardKey(
      "session.rate_hz", .integer(8000...192_000), unit: "Hz", default: .integer(8000),
      "what forced-rate runs microphone and speaker at"),
    BoardKey("budget.rss_mb", .integer(1...65536), unit: "MiB", default: .integer(24), "memory of the whole firmware"),
    BoardKey(
      "budget.cpu_percent", .integer(1...6400), unit: "% of a core", default: .integer(25),
      "processor time of the whole firmware"),
    BoardKey(
      "budget.step_ms", .integer(1...1000), unit: "ms", default: .integer(20),
      "most processor time that one step of a lane may take for which others wait"),
    BoardKey(
      "budget.*.memory_kb", .integer(0...67_108_864), unit: "KiB", default: .integer(0), "most that it may allocate"),
    BoardKey(
      "budget.*.cpu_percent", .integer(0...6400), unit: "% of a core", default: .integer(0), "most that it may use"),
  ]

  private static let governor: [BoardKey] = [
    BoardKey(
      "governor.rungs", .texts, default: .texts(GovernorRung.allCases.map(\.rawValue)),
      "what gives way under strain, in this order; what the board has not is passed over"),
    BoardKey(
      "governor.sample_seconds", .integer(2...5), unit: "s", default: .integer(4),
      "from one look at the board to the next"),
    BoardKey(
      "governor.fall_seconds", .integer(2...600), unit: "s", default: .integer(4),
      "strain lasts so long before the next rung gives way"),
    BoardKey(
      "governor.calm_seconds", .integer(2...3600), unit: "s", default: .integer(30),
      "calm lasts so long before a rung comes back; twice as long after each fall that follows, up to 16 times"),
    limit(.memory, 0...1000, "% of the grant", 95, "resident memory above which there is strain"),
    limit(.cpu, 0...10_000, "% of the grant", 150, "processor time of the firmware"),
    limit(.thread, 0...100, "% of a core", 90, "the busiest of the lanes that record"),
    limit(
      .cpuPressure, 0...100, "% of 10 s", 60, "time for which some process waited for a processor (/proc/pressure/cpu)"),
    limit(.memoryPressure, 0...100, "% of 10 s", 20, "for memory"),
    limit(.ioPressure, 0...100, "% of 10 s", 80, "for storage"),
    limit(.temperature, 0...150, "°C", 80, "the processor's"),
    limit(.storage, 0...60_000, "ms", 1500, "the longest that the storage let the firmware wait"),
    limit(.battery, 0...100, "%", 15, "charge of a discharging battery, below which there is strain"),
  ]

  private static func limit(
    _ reading: GovernorReading, _ range: ClosedRange<Int>, _ unit: String, _ standard: Int, _ meaning: String
  ) -> BoardKey {
    BoardKey(
      "governor.\(reading.key ?? "")", .integer(range), unit: unit, default: .integer(standard),
      meaning + "; 0: it is not looked at")
  }

  /// The names that `*` stands for in the table `family`.
  static func members(of family: String) -> [String] {
    switch family {
    case "buttons": names(Button.self)
    case "leds": names(Lamp.self)
    case "budget": names(Subsystem.self)
    default: []
    }
  }

  /// The rows by full name, families written out.
  private static let rows: [String: BoardKey] = {
    var rows: [String: BoardKey] = [:]
    for key in keys {
      for member in key.path.contains("*") ? members(of: key.path[0]) : [""] {
        rows[key.path.map { $0 == "*" ? member : $0 }.joined(separator: ".")] = key
      }
    }
    return rows
  }()

  /// The row of a full name, if there is one.
  static func key(named name: String) -> BoardKey? { rows[name] }

  /// The row of a full name in parts, if there is one. A quoted key may have points of its own, hence the count.
  static func key(_ path: [String]) -> BoardKey? {
    guard let key = rows[path.joined(separator: ".")], key.path.count == path.count else { return nil }
    return key
  }

  /// Whether `path` names a table that has keys in it.
  static func isTable(_ path: [String]) -> Bool {
    path.isEmpty || keys.contains { $0.path.count > path.count && matches($0, path) }
  }

  /// The names that may follow the table `path`, in the order of the schema.
  static func names(in path: [String]) -> [String] {
    var found: [String] = []
    for key in keys where key.path.count > path.count && matches(key, path) {
      let next = key.path[path.count]
      for name in next == "*" ? members(of: key.path[0]) : [next] where !found.contains(name) { found.append(name) }
    }
    return path.isEmpty ? found + [presets] : found
  }

  /// Whether the row's name begins with `path`.
  private static func matches(_ key: BoardKey, _ path: [String]) -> Bool {
    for (pattern, part) in zip(key.path, path) {
      if pattern == "*" ? !members(of: key.path[0]).contains(part) : pattern != part { return false }
    }
    return true
  }

  private static func names<Words: CaseIterable & RawRepresentable<String>>(_: Words.Type) -> [String] {
    Words.allCases.map(\.rawValue)
  }
}
