internal import Appliance
internal import Board
internal import Budget
internal import Console
internal import Doctor
internal import Hardware
internal import Library

extension Words {
  private struct SettingWord: ParameterSet {
    let key: String?
    let value: SettingValue?

    init(_ given: inout Given) throws(CommandFailure) {
      key = try given.optional("key", .settingKey, "one setting; all of them without it")
      value = try given.optional("value", .settingValue, "its new value")
    }
  }

  private struct ScheduleWord: ParameterSet {
    let number: Int?
    let isOn: Bool?

    init(_ given: inout Given) throws(CommandFailure) {
      number = try given.optional("number", .integer(1...999), "of a schedule; all are shown without it")
      isOn = try given.optional("on", .flag, "whether it counts")
    }
  }

  /// `clock`, `clock 2026-11-23 16:30`, `clock 16:30`.
  private struct ClockWord: ParameterSet {
    let time: String?

    init(_ given: inout Given) throws(CommandFailure) {
      let day = try given.optional(
        "date", .text(limit: 40), "2026-11-23, or a time of today; shows the clock without it")
      let time = try given.optional("time", .text(limit: 40), "16:30 or 16:30:00")
      self.time = day.map { day in time.map { "\(day) \($0)" } ?? day }
    }
  }

  /// `update`, `update install`, `update install /var/lib/mynah/mynah.raucb`, `update install https://example.org/new.raucb`.
  private struct UpdateWord: ParameterSet {
    enum Action: String, CaseIterable, Sendable {
      case status
      case install
      case cancel
      case confirm
    }

    let action: Action
    let install: UpdateInstall.Parameters

    init(_ given: inout Given) throws(CommandFailure) {
      action = try given.value("action", .choice(.status), default: .status, "status, install, cancel or confirm")
      install = try UpdateInstall.Parameters(&given)
    }
  }

  private struct LogWord: ParameterSet {
    let tail: LogTail.Parameters
    let isFollowing: Bool

    init(_ given: inout Given) throws(CommandFailure) {
      tail = try LogTail.Parameters(&given)
      isFollowing = try given.value("follow", .flag, default: false, "goes on with what comes, until ^C")
    }
  }

  private struct BundleWord: ParameterSet {
    enum Way: String, CaseIterable, Sendable {
      case line
      case stick
      case off
    }

    let way: Way

    init(_ given: inout Given) throws(CommandFailure) {
      way = try given.value(
        "way", .choice(.line), default: .line,
        "line: by ZMODEM; stick: to the USB stick; off: the file is made and stays")
    }
  }

  private struct SelftestWord: ParameterSet {
    enum Extent: String, CaseIterable, Sendable {
      case program
      case all
    }

    let extent: Extent

    init(_ given: inout Given) throws(CommandFailure) {
      extent = try given.value(
        "extent", .choice(.program), default: .program, "all: LEDs, screen, keys, sound, camera and storage, with you")
    }
  }

  static let device: [Word<CommandContext>] = [
    Word(
      "settings", "shows or changes settings",
      discussion: "For example: settings recording.format wav; settings recording.format tells all about it; "
        + "settings reset recording.format puts the default back, settings reset all every one.",
      methods: [SettingsGet.self, SettingsSet.self]
    ) { (word: SettingWord, call: Call) in
      guard let key = word.key else {
        return call.show(SettingsGet.self, SettingsGet.Parameters(key: nil), SettingsText.values)
      }
      if key != SettingsText.reset, word.value == nil {
        return call.show(SettingsGet.self, SettingsGet.Parameters(key: key), SettingsText.all)
      }
      do throws(CommandFailure) {
        let values =
          if key != SettingsText.reset, let value = word.value { [key: value] } else {
            try SettingsText.defaults(word.value)
          }
        call.show(SettingsSet.self, SettingsSet.Parameters(values: values), SettingsText.values)
      } catch {
        call.fail(error)
      }
    },
    Word(
      "clock", "shows or sets date and time",
      discussion: "By the clocks of the setting clock.zone. For example: clock 2026-11-23 16:30.",
      methods: [ClockGet.self, ClockSet.self]
    ) { (word: ClockWord, call: Call) in
      let lines: @Sendable (ClockAnswer, Int) -> [String] = { clock, _ in DeviceText.clock(clock) }
      guard let time = word.time else { return call.show(ClockGet.self, NoParameters(), lines) }
      call.show(ClockSet.self, ClockSet.Parameters(time: time, zone: nil), lines)
    },
    Word(
      "update", "shows how far an update is, or installs one: update install",
      discussion: "For example: update install, with the file on a stick, or "
        + "update install https://example.org/new.raucb; update cancel ends what is being fetched.",
      methods: [UpdateStatus.self, UpdateInstall.self, UpdateCancel.self, UpdateConfirm.self]
    ) { (word: UpdateWord, call: Call) in
      switch word.action {
      case .status: call.show(UpdateStatus.self, NoParameters()) { answer, _ in DeviceText.update(answer.report) }
      case .install: call.show(UpdateInstall.self, word.install)
      case .cancel:
        call.show(UpdateCancel.self, NoParameters()) { answer, _ in
          [answer.isCancelled ? "ended; nothing of it stays" : "nothing is being fetched"]
        }
      case .confirm: call.show(UpdateConfirm.self, NoParameters())
      }
    },
    Word("reboot", "saves what is open, then starts the board anew", typedInFull: true, calls: SystemReboot.self),
    Word("poweroff", "saves what is open, then switches the board off", typedInFull: true, calls: SystemPowerOff.self),
    Word(
      "schedules", "shows when the device records by itself, or has a schedule count or rest",
      methods: [ScheduleList.self, ScheduleEnable.self]
    ) { (word: ScheduleWord, call: Call) in
      if let number = word.number, let isOn = word.isOn {
        call.show(ScheduleEnable.self, ScheduleEnable.Parameters(number: number, isOn: isOn))
      } else {
        call.show(ScheduleList.self, NoParameters()) { list, _ in DeviceText.schedules(list) }
      }
    },
    Word(
      "schedule", "has the device record by itself",
      discussion: "For example: schedule daily sunrise-30 09:00 every 15 for 2.", calls: ScheduleAdd.self),
    Word("unschedule", "takes a schedule off", calls: ScheduleRemove.self),
    Word(
      "budget", "shows memory and processor time, declared and used", calls: BudgetNow.self, lines: DeviceText.budget),
    Word("governor", "shows what gives way because the board is under strain", calls: GovernorStatus.self) {
      answer, _ in
      GovernorText.lines(answer)
    },
    Word(
      "selftest", "checks the running device; selftest all: its panel and devices too, with you at it",
      discussion:
        "selftest all asks for what only you can see, waits for each key, measures a tone from the speaker to the "
        + "microphone, and ends with a report to print. ^C ends it.", methods: TrialDialogue.methods
    ) { (word: SelftestWord, call: Call) in
      switch word.extent {
      case .program: call.show(SystemSelftest.self, NoParameters(), DeviceText.selftest)
      case .all: TrialDialogue(call).begin()
      }
    },
    Word("doctor", "probes every device and says how to mend it", calls: SystemDoctor.self, lines: DeviceText.doctor),
    Word(
      "log", "shows the latest lines of the log", discussion: "log --follow goes on with what comes, until ^C.",
      methods: [LogTail.self, LogFollow.self, ClockGet.self]
    ) { (word: LogWord, call: Call) in
      if word.isFollowing { call.followLog(word.tail.level) }
      call.call(ClockGet.self, NoParameters()) { clock in
        call.show(LogTail.self, word.tail) { log, _ in
          (log.lost > 0 ? ["(\(log.lost) older lines are gone)"] : [])
            + (log.lines.isEmpty ? ["nothing logged"] : log.lines.map { $0.line(dated: clock.zone.localText) })
        }
      }
    },
    Word(
      "trace", "shows the latest events: what happened, and when",
      discussion: "For example: trace 50 onMark onGap. \"events\" shows those to come.", calls: EventsRecent.self
    ) { answer, _ in
      answer.events.isEmpty ? ["nothing has happened"] : answer.events.map(\.textForPeople)
    },
    Word(
      "bundle", "gathers all that helps to find out what is wrong, and sends it by ZMODEM or to the stick",
      discussion: "Start rz there, or let the terminal program receive. Names of takes, addresses and secrets are left "
        + "out. bundle stick copies it to the USB stick; bundle off only makes the file, for files.read.",
      methods: [SystemBundle.self, FilesRead.self, LibraryExport.self]
    ) { (wanted: BundleWord, call: Call) in
      call.call(SystemBundle.self, NoParameters()) { bundle in
        let name = SupportFile.name
        switch wanted.way {
        case .off: return call.show(["\(name), \(PeopleText.bytes(Double(bundle.bytes)))"])
        case .stick:
          let order = LibraryExport.Parameters(word: name, as: .asIs, withSafety: false)
          return call.show(LibraryExport.self, order) { answer, _ in LibraryText.exported(answer.end) }
        case .line: break
        }
        call.send([
          TransferFile(name: name, modified: nil) { offset, bytes, answer in
            call.ask(FilesRead.self, FilesRead.Parameters(name, offset: offset, bytes: bytes)) {
              answer($0.map { ($0.piece.data, $0.piece.total) })
            }
          }
        ])
      }
    },
    Word("crash", "shows the report of a crash", calls: LogCrash.self) { report, _ in
      report.path == nil ? ["no crash is reported"] : report.lines
    },
    Word(
      "version", "tells version, board, uptime and devices",
      discussion: "system.info has more: what the threads' work has cost.",
      methods: [SystemVersion.self, SystemInfo.self, ClockGet.self]
    ) { (_: NoParameters, call: Call) in
      guard call.may(SystemInfo.self), call.may(ClockGet.self) else {
        return call.show(SystemVersion.self, NoParameters()) { answer, _ in
          ["Mynah \(answer.version) on \(answer.board)"]
        }
      }
      call.call(ClockGet.self, NoParameters()) { clock in
        call.show(SystemInfo.self, NoParameters()) { info, width in DeviceText.version(clock.local(info), width: width)
        }
      }
    },
    Word("fault", "makes a device fail, in the simulator and on the rig", calls: FaultInject.self),
  ]
}

/// What is known of the device's parts, as people read it.
enum DeviceText {
  static func update(_ report: UpdateReport) -> [String] {
    let words =
      switch report.phase {
      case .none: "no update was asked for since the start"
      case .fetching: "fetching, \(report.percent) %"
      case .checking: "checking, nothing is written yet"
      case .writing: "writing, \(report.percent) %"
      case .installed: "installed; reboot starts it"
      case .refused: "refused, nothing was written"
      case .failed: "failed; the version from before runs"
      case .trial: "on trial: armed for a minute, then a self-test"
      case .good: "proved itself"
      }
    return [report.text.isEmpty ? words : "\(words): \(report.text)"]
  }

  @Sendable static func budget(_ report: BudgetReport, width: Int) -> [String] {
    /// A line of the table: a subsystem, or the whole.
    struct Row {
      let name: String
      let kilobytes: [Int?]
      let percents: [Double?]
      let isWithin: Bool
    }
    let rows =
      report.lines.map { line in
        Row(
          name: line.subsystem.rawValue, kilobytes: [line.declaredKB, line.allocatedKB, line.measuredKB, line.peakKB],
          percents: [Double(line.declaredCPUPercent), line.measuredCPUPercent], isWithin: line.isWithin)
      } + [
        Row(
          name: "total", kilobytes: [report.declaredKB, report.allocatedKB, report.rssKB, report.peakRSSKB],
          percents: [Double(report.declaredCPUPercent), report.measuredCPUPercent], isWithin: report.isWithin)
      ]
    func size(_ column: Int) -> (Row) -> String { { megabytes($0.kilobytes[column]) ?? "-" } }
    func percent(_ column: Int) -> (Row) -> String {
      { row in row.percents[column].map { PeopleText.fixed($0, 1) } ?? "-" }
    }
    let table = PeopleTable<Row>([
      .init("MiB and % of a core", shrinks: true, cell: \.name),
      .init("declared", alignsRight: true, cell: size(0)), .init("allocated", alignsRight: true, cell: size(1)),
      .init("used", alignsRight: true, cell: size(2)), .init("peak", alignsRight: true, cell: size(3)),
      .init("% declared", alignsRight: true, cell: percent(0)),
      .init("% used", alignsRight: true, cell: percent(1)), .init("") { $0.isWithin ? "" : "OVER" },
    ])
    let steps = PeopleTable<BudgetReport.Step>([
      .init("longest step", shrinks: true, cell: \.lane),
      .init("ms declared", alignsRight: true) { $0.declaredMilliseconds.map { "\($0)" } ?? "-" },
      .init("ms used", alignsRight: true) { $0.milliseconds.map { PeopleText.fixed($0, 1) } ?? "-" },
      .init("") { $0.isWithin ? "" : "OVER" },
    ])
    return table.lines(rows, width: width)
      + (report.steps.isEmpty ? [] : [""] + steps.lines(report.steps, width: width))
  }

  @Sendable static func version(_ info: SystemInfo.Answer, width: Int) -> [String] {
    let microphone = info.devices.microphone
    let grant = microphone.grant.map {
      ": \($0.format.sampleRate) Hz, \($0.format.channels) channels, \($0.sampleType)"
    }
    let status = info.storage.status
    let room = status.freeBytes.flatMap { free in
      status.totalBytes.map { "\(PeopleText.bytes(Double(free))) free of \(PeopleText.bytes(Double($0)))" }
    }
    func there(_ isPresent: Bool) -> String { isPresent ? "works" : "is not there" }
    return identity(info, width: width)
      + table(
        [
          ("microphone", there(microphone.isPresent) + (grant ?? "")),
          ("speaker", there(info.devices.hasSpeaker)), ("display", there(info.devices.display.isPresent)),
          ("storage", "\(room ?? "not known yet"); takes: \(status.takes)"),
        ], width: width)
  }

  /// Which device it is, and how it does.
  static func identity(_ info: SystemInfo.Answer, width: Int) -> [String] {
    let machine = info.machine
    let (who, now) = (machine.identity, machine.readings)
    let battery = now.battery.map { "\($0.percent) %\($0.isDischarging ? "" : ", on the supply")" }
    let wear = who.cardWearPercent.map { "\($0) % of its life are used" }
    let rows: [(String, String?)] = [
      ("version", info.version), ("board", info.board), ("machine", who.model), ("serial", who.serial),
      ("up", PeopleText.duration(info.uptimeSeconds)), ("time", info.wallTime), ("battery", battery),
      ("temperature", now.temperature.map { "\(PeopleText.fixed($0, 1)) C" }),
      ("throttle", now.throttle.map { $0.words.isEmpty ? "none" : $0.words.joined(separator: ", ") }), ("card", wear),
    ]
    return table(rows.compactMap { row in row.1.map { (row.0, $0) } }, width: width)
  }

  private static func table(_ rows: [(String, String)], width: Int) -> [String] {
    let margin = String(repeating: " ", count: 12)
    return rows.flatMap { PeopleText.wrap($0.1, width: width, first: PeopleText.pad($0.0, 12), rest: margin) }
  }

  @Sendable static func selftest(_ answer: SystemSelftest.Answer, width: Int) -> [String] {
    let lines = answer.checks.flatMap { check in
      PeopleText.wrap(
        check.detail, width: width,
        first: PeopleText.pad(check.isGood ? "ok" : "FAILED", 8) + PeopleText.pad(check.name, 12),
        rest: String(repeating: " ", count: 20))
    }
    return lines + [answer.checks.allSatisfy(\.isGood) ? "all checks passed" : "something failed"]
  }

  @Sendable static func doctor(_ report: DoctorReport, width: Int) -> [String] {
    let name = max(12, (report.findings.map { PeopleText.width(of: $0.device) }.max() ?? 0) + 2)
    var advice = ""
    let lines = report.findings.flatMap { finding in
      let first = PeopleText.pad(finding.device, name) + PeopleText.pad(finding.verdict.rawValue, 9)
      let margin = String(repeating: " ", count: name + 9)
      // What helps several devices in a row is said once.
      let remedy = finding.remedy == advice ? "" : finding.remedy
      advice = finding.remedy
      return PeopleText.wrap(finding.detail, width: width, first: first, rest: margin)
        + (remedy.isEmpty ? [] : PeopleText.wrap(remedy, width: width, first: margin, rest: margin))
    }
    return lines + PeopleText.wrap(report.summary, width: width)
  }

  static func clock(_ clock: ClockAnswer) -> [String] {
    let care = clock.isKept.map { $0 ? "; kept right by the network" : "; nothing keeps it right" } ?? ""
    return [
      "\(clock.zone.dateText(clock.time, in: .english)), \(clock.zoneName)\(care)", "\(clock.time.iso8601) in UTC",
    ] + (clock.time.isPlausible ? [] : ["it has not been set: clock 2026-11-23 16:30 sets it"])
  }

  static func schedules(_ list: ScheduleList.Answer) -> [String] {
    guard !list.schedules.isEmpty else { return ["nothing is planned"] }
    let rows = list.schedules.map { row in
      let waits = row.schedule.isOn && row.schedule.needsPlace && list.place.isEmpty
      return "\(PeopleText.pad(String(row.schedule.number), 4))\(PeopleText.pad(row.schedule.isOn ? "on" : "off", 4))"
        + row.schedule.text + (row.next.map { "; next \($0)" } ?? (waits ? "; waits for clock.place" : ""))
    }
    return rows + ["by the clocks of \(list.zone)" + (list.running.map { "; schedule \($0) records now" } ?? "")]
  }

  private static func megabytes(_ kilobytes: Int?) -> String? {
    kilobytes.map { PeopleText.fixed(Double($0) / 1024, 1) }
  }
}
