internal import Appliance
internal import Board
internal import Budget
internal import Clips
public import Console
public import Doctor
public import Hardware
public import JSON
internal import Operators
internal import Sound
internal import Threads

enum SystemDoctor: DeviceTask {
  static let row = MethodRow(
    "system.doctor", "probes every device and says how to mend what does not work", .viewer,
    discussion: "Verdicts: works, in use, limited, absent; missing, denied, busy, failed have to be mended.")
  typealias Answer = DoctorReport

  /// What the appliance knows of the devices that it has open, and what the probes find of the rest.
  static func perform(_: NoParameters, in device: CommandContext, reply: @escaping Reply) {
    // Who did what is only written down where there are operators.
    guard device.operators.isOn else { return probe(device.findings, in: device, reply: reply) }
    let reading = BetweenSteps(AuditFiles.Reading(device.storage.storage, most: 0))
    let looked: (Result<DeviceFinding, CommandFailure>) -> Void = { found in
      let finding: DeviceFinding =
        switch found {
        case .success(let finding): finding
        case .failure(let failure):
          DeviceFinding("audit", .failed, failure.message, remedy: "see what the storage says")
        }
      probe(device.findings + [finding], in: device, reply: reply)
    }
    device.onLibraryInSteps(looked) { _ in
      reading.value.step() ? finding(reading.value.check) : nil
    }
  }

  private static func finding(_ check: AuditCheck) -> DeviceFinding {
    guard let problem = check.problem else {
      return DeviceFinding("audit", .works, "\(check.lines) lines of who did what, as they were written")
    }
    return DeviceFinding(
      "audit", .failed, "\(AuditFiles.path): \(problem)",
      remedy: "somebody has changed the record of who did what: copy log/audit* away, then remove them here")
  }

  /// What a password costs on this board.
  private static func login(by clock: any DeviceClock) -> DeviceFinding {
    let begun = clock.now
    _ = PasswordHash.matches("nobody's", PasswordHash.ofNobody)
    let milliseconds = Int(((clock.now - begun).inSeconds * 1000).rounded())
    let kilobytes = PasswordHash.memoryBytes >> 10
    return DeviceFinding(
      "login", .works, "a password takes \(milliseconds) ms and \(kilobytes >> 10) MiB for that long",
      facts: ["milliseconds": .integer(milliseconds), "KB": .integer(kilobytes)])
  }

  private static func probe(_ own: [DeviceFinding], in device: CommandContext, reply: @escaping Reply) {
    let probes = device.probes
    let board = device.boardName
    let version = device.version
    // In virtual time there are no other devices, and the answer must not depend on another thread.
    guard !probes.isEmpty else {
      return reply(.success(DoctorReport(board: board, version: version, findings: own)))
    }
    let answer = ControlLaneReply(device.inbox, reply)
    let (clock, hasOperators) = (device.clock, device.operators.isOn)
    // A thread of its own: opening a sound card may take seconds, and nobody else is to wait for it.
    let thread = WorkerThread(ifPossible: "mynah-doctor") {
      let known = Set(own.map(\.device))
      let found = probes.flatMap { $0.examine() }.filter { !known.contains($0.device) }
      let login = hasOperators ? [login(by: clock)] : []
      answer.send(.success(DoctorReport(board: board, version: version, findings: own + login + found)))
    }
    if thread == nil { reply(.failure(.noThread)) }
  }
}

extension DoctorReport: WireObject {
  /// The result of `system.doctor`; the same as that of `mynah doctor --json`.
  public static let fields: [Field<DoctorReport>] = [
    Field("board", \.board, "name of the board file"), Field("version", \.version, "of the firmware"),
    Field("works", \.isInOrder, "whether nothing has to be mended"),
    Field("failed", \.failures.count, "how many have to be"), Field("summary", \.summary, "for people"),
    Field("checks", \.findings, "device by device"),
  ]
}

extension DeviceFinding: WireObject {
  public static let fields: [Field<DeviceFinding>] = [
    Field("device", \.device, "its name in the board file"), Field("place", \.place, "where it is connected"),
    Field("verdict", \.verdict.rawValue, "in a word"),
    Field("works", { !$0.verdict.isFailure }, "whether nothing has to be mended"),
    Field("detail", \.detail, "what was seen"),
    Field("remedy", { $0.remedy.isEmpty ? nil : $0.remedy }, "how to mend it; null if it works"),
    Field("facts", \.facts, "what was negotiated, under names of its own"),
  ]
}

extension Fact: WireValue {
  public static var schema: Schema { .scalar }

  public var json: JSONValue {
    switch self {
    case .integer(let value): .integer(value)
    case .number(let value): .number(value)
    case .text(let value): .string(value)
    case .flag(let value): .bool(value)
    }
  }
}

extension CommandContext {
  /// The devices that the appliance has open itself, by what it sees of them. Control lane only.
  var findings: [DeviceFinding] {
    [
      microphoneFinding, cameraFinding, speakerFinding, displayFinding, governorFinding, stepsFinding, operatorsFinding,
    ].compactMap { $0 }
  }

  private var microphoneFinding: DeviceFinding? {
    let status = media.status
    guard state.health.hasMicrophone, let grant = status.grant else {
      guard status.attempts > 0 else { return nil }
      // The probes say more of one that is not there, but where it has none, somebody must.
      return probes.isEmpty
        ? DeviceFinding("microphone", .missing, "it is not there", remedy: "plug it in; it is looked for every second")
        : nil
    }
    let format = grant.format
    let lost = status.microphone.ringOverflows
    let session = status.session.capture
    let isLimited = session.isOtherRate || session.fallback != nil
    let told = session.isConverted || isLimited ? "; \(session)" : ""
    let text =
      "\(format.sampleRate) Hz, \(format.channels) channels, \(grant.sampleType), period \(grant.periodFrames), "
      + "buffer \(grant.bufferFrames), \(grant.timestamps) timestamps; \(status.microphone.frames) frames, "
      + "\(status.microphone.xruns) overruns\(told)"
    return DeviceFinding(
      "microphone", lost == 0 && !isLimited ? .works : .limited, text,
      remedy: lost > 0
        ? "lower the load of the machine"
        : session.isOtherRate
          ? "set session.strategy to locked: then it is converted to what is asked for"
          : isLimited ? "set microphone.rate in the board file to \(format.sampleRate)" : "",
      facts: facts(session).merging([
        "sampleRate": .integer(format.sampleRate), "channels": .integer(format.channels),
        "bits": .integer(format.bits), "sampleType": .text(grant.sampleType),
        "periodFrames": .integer(grant.periodFrames), "bufferFrames": .integer(grant.bufferFrames),
        "timestamps": .text(grant.timestamps), "frames": .integer(status.microphone.frames),
        "xruns": .integer(status.microphone.xruns), "ringOverflows": .integer(lost),
      ]) { $1 })
  }

  /// What was asked for and what reaches the recorder or comes from the player, beside what was granted.
  private func facts(_ session: SessionState) -> [String: Fact] {
    var facts: [String: Fact] = ["strategy": .text(media.status.session.strategy.rawValue)]
    facts["askedSampleRate"] = session.requested.map { .integer($0.sampleRate) }
    facts["grantedSampleRate"] = session.granted.map { .integer($0.format.sampleRate) }
    facts["deliveredSampleRate"] = session.delivered.map { .integer($0.sampleRate) }
    return facts
  }

  /// Known only in clip mode: at other times it is closed, and the probe opens it.
  private var cameraFinding: DeviceFinding? {
    guard let clips, state.mode == .clips || probes.isEmpty else { return nil }
    guard state.health.hasCamera, let grant = clips.grant else {
      guard state.mode == .clips else { return DeviceFinding("camera", .works, "closed; it is opened in clip mode") }
      return DeviceFinding("camera", .missing, "it is not there", remedy: "plug it in; it is looked for every second")
    }
    let format = grant.format
    let status = media.status.clips
    let text =
      "\(clips.cameraName), \(format.width) x \(format.height), \(format.codec.rawValue), "
      + "\(format.framesPerSecond) a second, times by \(grant.timestamps); \(status.droppedPictures) pictures lost"
    let lost = status.droppedPictures > 0
    return DeviceFinding(
      "camera", lost ? .limited : .works, text, remedy: lost ? "lower its size or rate in the board file" : "",
      facts: [
        "width": .integer(format.width), "height": .integer(format.height), "codec": .text(format.codec.rawValue),
        "framesPerSecond": .integer(format.framesPerSecond), "timestamps": .text(grant.timestamps),
        "dropped": .integer(status.droppedPictures),
      ])
  }

  /// Known only while it plays: at other times it is closed, and the probe opens it.
  private var speakerFinding: DeviceFinding? {
    guard state.health.hasSpeaker, state.activity == .playing || probes.isEmpty else { return nil }
    let counters = media.status.speaker
    return DeviceFinding(
      "speaker", .works, "\(media.status.session.playback); \(counters.frames) frames, \(counters.xruns) underruns",
      facts: facts(media.status.session.playback).merging([
        "frames": .integer(counters.frames), "xruns": .integer(counters.xruns),
      ]) { $1 })
  }

  /// What has given way, and why the last of it did.
  private var governorFinding: DeviceFinding {
    let state = governor.governor
    let spared = state.rungs.prefix(state.place).map(\.rawValue).joined(separator: ", ")
    guard state.place > 0 else {
      return DeviceFinding("governor", .works, "nothing gives way; \(state.falls) falls, \(state.climbs) climbs")
    }
    return DeviceFinding(
      "governor", .limited, "\(spared) gave way; last step: \(governor.last?.sentence ?? "")",
      remedy: "lower the strain: `governor` tells what is beyond its limit")
  }

  /// Lanes that have let others wait for longer than the board grants.
  private var stepsFinding: DeviceFinding? {
    let long = budget.steps.filter { !$0.isWithin }
    guard !long.isEmpty else { return nil }
    return DeviceFinding(
      "steps", .limited, long.map(\.sentence).joined(separator: "; "),
      remedy: "lower the load of the machine, or raise budget.step_ms in the board file")
  }

  /// Whether one has to log in, and what that takes.
  private var operatorsFinding: DeviceFinding {
    if let damage = operators.damage {
      return DeviceFinding(
        "operators", .failed, "\(damage); nobody can log in",
        remedy: "put the card into a computer and take operators.json and operators.json.bak away")
    }
    let entries = operators.book.entries
    guard !entries.isEmpty else {
      return DeviceFinding(
        "operators", .works,
        "none are set up: at a console everybody may do everything; `operators add NAME technician`")
    }
    let roles = Role.allCases.map { role in "\(entries.filter { $0.role == role }.count) \(role.rawValue)" }
    return DeviceFinding(
      "operators", .works, roles.joined(separator: ", "), facts: ["operators": .integer(entries.count)])
  }

  private var displayFinding: DeviceFinding? {
    if state.health.hasDisplay { return DeviceFinding("display", .works, "shows what it is sent") }
    return probes.isEmpty
      ? DeviceFinding("display", .missing, "it is not there", remedy: "check its wires and address") : nil
  }
}
