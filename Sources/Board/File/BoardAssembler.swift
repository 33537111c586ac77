internal import Hardware

/// Makes the typed description out of settings and defaults, and holds them against each other.
struct BoardAssembler {
  private let settings: [String: BoardSetting]
  private let files: [String]
  private let file: String
  private(set) var problems: [BoardProblem]

  init(_ chain: BoardChain) {
    settings = chain.settings
    files = chain.files
    file = chain.files.last ?? ""
    problems = chain.problems
  }

  /// The board; only worth anything if `problems` is empty after the call.
  mutating func board() -> BoardDescription {
    let fileName = file.split(separator: "/").last.map(String.init) ?? file
    let name = text("name", or: fileName.hasSuffix(".toml") ? String(fileName.dropLast(5)) : fileName)
    let board = BoardDescription(
      name: name, title: text("title", or: name), file: file, isTemplate: flag("template"), models: texts("models"),
      ramMB: integer("ram_mb"), header: word("header", .none), gpioDriver: word("gpio.driver", .none),
      microphone: sound("microphone"), speaker: sound("speaker"), aac: word("encoder.aac", .fast), camera: camera(),
      clips: ClipDescription(
        longestSeconds: integer("clips.longest_seconds"), stallSeconds: integer("clips.stall_seconds")),
      dub: dub(), trigger: input("trigger", "debounce_ms"), powerKey: input("power_key", "hold_ms"),
      brownOut: input("brown_out", "hold_ms"), buttons: buttons(), keypad: keypad(), leds: leds(),
      display: DisplayDescription(
        controller: word("display.controller", .none), bus: text("display.bus"), address: integer("display.address"),
        width: integer("display.width"), height: integer("display.height"), rotation: integer("display.rotate"),
        contrast: integer("display.contrast"), refreshHz: integer("display.refresh_hz")),
      screen: ScreenDescription(
        driver: word("screen.driver", .none), card: text("screen.card"), lines: integer("screen.lines")),
      console: ConsoleDescription(
        tty: text("console.tty"), also: texts("console.also"), baud: integer("console.baud"),
        socket: text("console.socket")),
      storage: storage(),
      watchdog: WatchdogDescription(device: text("watchdog.device"), seconds: integer("watchdog.seconds")),
      rtcWake: text("clock.rtc_wake"),
      sessionStrategy: word("session.strategy", .baseline), sessionRate: integer("session.rate_hz"), budget: budget(),
      governor: governor(), presets: presets(), firstOperator: firstOperator(),
      origins: settings.mapValues(\.place))
    // A file that could not be read leaves settings out, and problems that only follow from that would mislead.
    if problems.isEmpty {
      problems += LineClaims(board, rank: { self.settings[$0]?.rank }).conflicts()
    }
    order()
    return board
  }

  private mutating func sound(_ table: String) -> SoundDescription {
    let sound = SoundDescription(
      driver: word("\(table).driver", .none), pcm: text("\(table).pcm"), connector: word("\(table).connector", .none),
      format: PCMFormat(
        sampleRate: integer("\(table).rate"), channels: integer("\(table).channels"), bits: integer("\(table).bits")),
      periodFrames: integer("\(table).period_frames"), bufferFrames: integer("\(table).buffer_frames"))
    if sound.driver == .alsa, sound.pcm.isEmpty {
      complain(["\(table).pcm", "\(table).driver"], "\(table).pcm: expected an ALSA name, because the driver is alsa")
    }
    if sound.bufferFrames < 2 * sound.periodFrames {
      complain(
        ["\(table).buffer_frames", "\(table).period_frames"],
        "\(table).buffer_frames: expected at least two periods (\(2 * sound.periodFrames) frames), "
          + "found \(sound.bufferFrames)" + other("\(table).period_frames"))
    }
    return sound
  }

  private mutating func camera() -> CameraDescription {
    var codecs: [VideoCodec] = []
    for word in texts("camera.formats") {
      guard let codec = VideoCodec(rawValue: word) else {
        let known = VideoCodec.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        complain(["camera.formats"], "camera.formats: expected some of \(known), found \(word.quoted)")
        continue
      }
      if !codecs.contains(codec) { codecs.append(codec) }
    }
    var camera = CameraDescription(
      driver: word("camera.driver", .none), device: text("camera.device"), command: texts("camera.command"),
      codecs: codecs, width: integer("camera.width"), height: integer("camera.height"),
      framesPerSecond: integer("camera.fps"), bitrateKbps: integer("camera.bitrate_kbps"),
      keyframeInterval: integer("camera.keyframe_interval"), encoder: word("camera.encoder", .auto))
    camera.exposureMicroseconds = optional("camera.exposure_us")
    camera.focus = optional("camera.focus")
    camera.powerLineHertz = optional("camera.power_line_hz")
    for (name, size) in [("width", camera.width), ("height", camera.height)] where size % 2 != 0 {
      complain(["camera.\(name)"], "camera.\(name): expected an even number, found \(size)")
    }
    if codecs.isEmpty { complain(["camera.formats"], "camera.formats: expected at least one coding, found none") }
    check(camera)
    return camera
  }

  /// A driver and what it needs go together.
  private mutating func check(_ camera: CameraDescription) {
    switch camera.driver {
    case .v4l2 where camera.device.isEmpty:
      complain(
        ["camera.device", "camera.driver"],
        "camera.device: expected the path of a device such as /dev/video0, because the driver is v4l2")
    case .command where camera.command.isEmpty:
      complain(
        ["camera.command", "camera.driver"],
        "camera.command: expected a program and its arguments, because the driver is command")
    case .command where !camera.codecs.contains(.h264):
      complain(
        ["camera.formats", "camera.driver"], "camera.formats: expected h264 among them, because a command writes that")
    case .v4l2, .command, .simulated, .none: break
    }
    let blanks = ["{width}", "{height}", "{rate}", "{bitrate}", "{keyframe}"]
    for word in camera.command {
      // Between one brace and the next there can only be a blank that is known.
      let parts = word.split(separator: "{", omittingEmptySubsequences: false).dropFirst()
      guard parts.contains(where: { part in !blanks.contains { ("{" + part).hasPrefix($0) } }) else { continue }
      complain(
        ["camera.command"],
        "camera.command: expected no blanks but \(blanks.joined(separator: ", ")), found \(word.quoted)")
    }
  }

  private mutating func dub() -> DubDescription {
    let memory = integer("ram_mb")
    let dub = DubDescription(
      sources: texts("dub.sources"), service: text("dub.service"),
      segments: optional("dub.segments") ?? (memory < 1024 ? 1 : memory < 4096 ? 2 : 3))
    for source in dub.sources where !AddressSyntax.isAbsolute(Self.address(of: source), schemes: ["http", "https"]) {
      complain(
        ["dub.sources"],
        "dub.sources: expected addresses with http:// or https://, with or without Name= before it, found "
          + source.quoted)
    }
    if !dub.service.isEmpty, !AddressSyntax.isAbsolute(dub.service, schemes: ["ws", "wss"]) {
      complain(
        ["dub.service"], "dub.service: expected an address with ws:// or wss://, found " + dub.service.quoted)
    }
    return dub
  }

  /// What stands after `Name=`.
  private static func address(of source: String) -> String {
    guard let equals = source.firstIndex(of: "="), !source[..<equals].contains("/") else { return source }
    return String(source[source.index(after: equals)...])
  }

  /// A line that is no key of the panel.
  ///
  /// - Parameter rest: the name of the time for which it must stay.
  private mutating func input(_ table: String, _ rest: String) -> ButtonLine? {
    guard let line = line(of: table) else { return nil }
    return ButtonLine(
      button: .rec, chip: text("\(table).chip", or: text("gpio.chip")), line: line,
      isActiveLow: flag("\(table).active_low"),
      bias: LineBias(rawValue: text("\(table).bias", or: text("gpio.bias"))) ?? .asIs,
      debounceMilliseconds: integer("\(table).\(rest)"))
  }

  private mutating func buttons() -> [ButtonLine] {
    var lines: [ButtonLine] = []
    for button in Button.allCases {
      let table = "buttons.\(button.rawValue)"
      guard let line = line(of: table) else { continue }
      lines.append(
        ButtonLine(
          button: button, chip: text("\(table).chip", or: text("gpio.chip")), line: line,
          isActiveLow: flag("\(table).active_low"),
          bias: LineBias(rawValue: text("\(table).bias", or: text("gpio.bias"))) ?? .asIs,
          debounceMilliseconds: optional("\(table).debounce_ms") ?? integer("gpio.debounce_ms")))
    }
    return lines
  }

  private mutating func keypad() -> KeypadDescription {
    var keypad = KeypadDescription(devices: texts("keypad.devices"), keys: [])
    for button in Button.allCases where flag("buttons.\(button.rawValue).enabled") {
      let name = "buttons.\(button.rawValue).keys"
      for text in texts(name) {
        guard let code = KeyCodes.code(named: text) else {
          let hint =
            KeyCodes.nearest(to: text).map { "; did you mean \"\($0)\"?" }
            ?? "; evtest shows the name of a key when it is pressed"
          complain(
            [name], "\(name): expected names of keys as in linux/input-event-codes.h, found \(text.quoted)\(hint)")
          continue
        }
        if let other = keypad.keys.first(where: { $0.code == code }), other.button != button {
          complain([name], "\(name): \(KeyCodes.name(of: code)) is \(other.button.rawValue) already")
        }
        keypad.keys.append(InputKey(button, code: code))
      }
      if !texts(name).isEmpty, keypad.devices.isEmpty, settings["keypad.devices"] == nil {
        complain([name], "keypad.devices: expected the device that has these keys; mynah doctor lists those there are")
      }
    }
    if !keypad.devices.isEmpty, keypad.keys.isEmpty, problems.isEmpty {
      complain(["keypad.devices"], "keypad.devices: expected keys for it, such as buttons.REC.keys = [\"KEY_RECORD\"]")
    }
    return keypad
  }

  private mutating func leds() -> [LampLine] {
    var lines: [LampLine] = []
    for lamp in Lamp.allCases {
      let table = "leds.\(lamp.rawValue)"
      guard let line = line(of: table) else { continue }
      lines.append(
        LampLine(
          lamp: lamp, chip: text("\(table).chip", or: text("gpio.chip")), line: line,
          isActiveLow: flag("\(table).active_low")))
    }
    return lines
  }

  /// May be said of inputs that are nowhere else: they are inherited, or not.
  private static let switches: Set<String> = ["trigger.enabled", "power_key.enabled", "brown_out.enabled"]

  /// The line of a key or lamp; nil if it has none, or if its lines are not real ones.
  private mutating func line(of table: String) -> Int? {
    guard text("gpio.driver") == GPIODriver.chardev.rawValue, flag("\(table).enabled") else { return nil }
    if let line = optional("\(table).line") { return line }
    // A key may be on a keypad and on no line.
    let mentions = settings.filter {
      $0.key.hasPrefix(table + ".") && $0.key != table + ".keys" && !Self.switches.contains($0.key)
    }
    if let first = mentions.values.map(\.place).min(by: { ($0.file, $0.line) < ($1.file, $1.line) }) {
      problems.append(BoardProblem(first, "\(table).line: expected the number of a line; [\(table)] has none"))
    }
    return nil
  }

  private mutating func storage() -> StorageDescription {
    let storage = StorageDescription(
      data: text("storage.data"), reserveMB: integer("storage.reserve_mb"), lowMB: integer("storage.low_mb"))
    if storage.lowMB <= storage.reserveMB {
      complain(
        ["storage.low_mb", "storage.reserve_mb"],
        "storage.low_mb: expected more than the reserve (\(storage.reserveMB) MiB), found \(storage.lowMB)"
          + other("storage.reserve_mb"))
    }
    if storage.data.isEmpty { complain(["storage.data"], "storage.data: expected the path of a directory, found none") }
    return storage
  }

  private func budget() -> BudgetDescription {
    var lines: [BudgetLine] = []
    for subsystem in Subsystem.allCases {
      let table = "budget.\(subsystem.rawValue)"
      let line = BudgetLine(
        subsystem, memoryKB: integer("\(table).memory_kb"), cpuPercent: integer("\(table).cpu_percent"))
      if line.memoryKB > 0 || line.cpuPercent > 0 { lines.append(line) }
    }
    return BudgetDescription(
      rssMB: integer("budget.rss_mb"), cpuPercent: integer("budget.cpu_percent"),
      stepMilliseconds: integer("budget.step_ms"), lines: lines)
  }

  private mutating func governor() -> GovernorDescription {
    var rungs: [GovernorRung] = []
    for word in texts("governor.rungs") {
      guard let rung = GovernorRung(rawValue: word), !rungs.contains(rung) else {
        let known = GovernorRung.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        complain(["governor.rungs"], "governor.rungs: expected some of \(known), each once, found \(word.quoted)")
        continue
      }
      rungs.append(rung)
    }
    return GovernorDescription(
      rungs: rungs, sampleSeconds: integer("governor.sample_seconds"), fallSeconds: integer("governor.fall_seconds"),
      calmSeconds: integer("governor.calm_seconds")
    ) { integer("governor.\($0.key ?? "")") }
  }

  private func presets() -> [BoardPreset] {
    settings.filter { $0.key.hasPrefix(BoardSchema.presets + ".") }.sorted { $0.key < $1.key }.compactMap {
      BoardPreset(String($0.key.dropFirst(BoardSchema.presets.count + 1)), $0.value)
    }
  }

  private mutating func firstOperator() -> FirstOperator? {
    let (name, password) = (text("operator.name"), text("operator.password"))
    guard !name.isEmpty || !password.isEmpty else { return nil }
    guard !name.isEmpty, !password.isEmpty else {
      complain(
        ["operator.name", "operator.password"], "operator: expected name and password, found one of them")
      return nil
    }
    return FirstOperator(
      name: name, password: password,
      place: settings["operator.name"]?.place ?? SourcePlace(file: file, line: 1))
  }

  // MARK: Settings, with the schema's defaults

  private func value(_ name: String) -> BoardValue? {
    settings[name]?.value ?? BoardSchema.key(named: name)?.standard
  }

  private func optional(_ name: String) -> Int? {
    if case .integer(let number) = value(name) { number } else { nil }
  }

  private func integer(_ name: String) -> Int { optional(name) ?? 0 }

  private func text(_ name: String, or standard: String = "") -> String {
    if case .text(let text) = value(name) { text } else { standard }
  }

  private func flag(_ name: String) -> Bool { value(name) == .flag(true) }

  private func texts(_ name: String) -> [String] {
    if case .texts(let texts) = value(name) { texts } else { [] }
  }

  private func word<Word: RawRepresentable<String>>(_ name: String, _ standard: Word) -> Word {
    Word(rawValue: text(name)) ?? standard
  }

  // MARK: Problems

  /// Complains where the first of `names` that is set anywhere was set.
  private mutating func complain(_ names: [String], _ message: String) {
    let place = names.compactMap({ settings[$0]?.place }).first ?? SourcePlace(file: file, line: 1)
    problems.append(BoardProblem(place, message))
  }

  /// ` (NAME is set at FILE:LINE)`, or nothing where a default holds.
  private func other(_ name: String) -> String {
    settings[name].map { " (\(name) is set at \($0.place))" } ?? ""
  }

  /// Puts the problems in the order of files and lines.
  private mutating func order() {
    let ranks = Dictionary(zip(files, files.indices), uniquingKeysWith: { first, _ in first })
    func rank(_ problem: BoardProblem) -> (Int, Int) { (ranks[problem.place.file] ?? files.count, problem.place.line) }
    problems.sort { rank($0) < rank($1) }
  }
}
