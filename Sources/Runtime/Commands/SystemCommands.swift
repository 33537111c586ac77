internal import Appliance
internal import Board
public import Budget
internal import Console
internal import Hardware
public import JSON
internal import Sound

/// `budget.*`, `log.*`, `system.*`, `fault.*`.
extension Commands {
  func system(_ call: CommandCall, _ reply: @escaping Reply) {
    switch call.method {
    case "budget.report": reply(.success(device.budget.report().json))
    case "log.tail": reply(.success(device.events.log.answer(call)))
    case "system.info": reply(.success(information))
    case "system.doctor": examine(reply)
    case "system.selftest": selftest(call, reply)
    case "fault.inject":
      do {
        try inject(try FaultGrammar.parse(call.text("fault") ?? ""))
        reply(.success([:]))
      } catch let error as CommandFailure {
        reply(.failure(error))
      } catch {
        reply(.failure(CommandFailure(.badArgument, "\(error)")))
      }
    default: refuse(call, reply)
    }
  }

  /// Makes a fault happen, where the hardware can have them on demand.
  func inject(_ fault: Fault) throws(CommandFailure) {
    guard let faults = device.faults else {
      throw CommandFailure(.unsupported, "this device's faults are its own; only the simulator has them on demand")
    }
    do throws(DeviceError) { try faults.inject(fault, at: device.clock.now) } catch { throw CommandFailure(error) }
    if fault == .powerCut { onPowerCut() }
  }

  private var information: JSONValue {
    let health = device.state.health
    let status = device.storage.status
    let sound = device.media.status
    var microphone: [String: JSONValue] = ["present": .bool(health.hasMicrophone)]
    if let grant = sound.grant {
      microphone["sampleRate"] = .integer(grant.format.sampleRate)
      microphone["channels"] = .integer(grant.format.channels)
      microphone["sampleType"] = .string(grant.sampleType)
      microphone["periodFrames"] = .integer(grant.periodFrames)
      microphone["timestamps"] = .string(grant.timestamps)
    }
    var display: [String: JSONValue] = ["present": .bool(health.hasDisplay)]
    if let delay = device.display?.delay, delay.pictures > 0 {
      display["soundToPictureMilliseconds"] = [
        "last": .number(delay.last.inSeconds * 1000), "mean": .number(delay.mean.inSeconds * 1000),
        "longest": .number(delay.longest.inSeconds * 1000), "pictures": .integer(delay.pictures),
      ]
    }
    return [
      "version": .string(device.version), "board": .string(device.boardName),
      "uptimeSeconds": .number((device.clock.now - device.startedAt).inSeconds),
      "wallTime": .string(device.clock.wallNow.iso8601),
      "devices": [
        "microphone": .object(microphone), "speaker": ["present": .bool(health.hasSpeaker)],
        "display": .object(display),
      ],
      "storage": [
        "freeBytes": status.freeBytes.map { .integer($0) } ?? .null,
        "totalBytes": status.totalBytes.map { .integer($0) } ?? .null, "takes": .integer(status.takes),
      ],
    ]
  }
}

extension ChannelLevel {
  /// One channel of `recorder.meters`; silence reads −120 dB.
  var json: JSONValue {
    let finite = { (decibels: Double) -> JSONValue in .number(max(-120, decibels)) }
    return [
      "averageDecibels": finite(rmsDB), "peakDecibels": finite(peakDB), "holdDecibels": finite(holdDB),
      "clips": .integer(clips),
    ]
  }
}

extension BudgetReport {
  /// The result of `budget.report` and of `mynah budget --json`.
  public var json: JSONValue {
    let number = { (value: Int?) -> JSONValue in value.map { .integer($0) } ?? .null }
    let percent = { (value: Double?) -> JSONValue in value.map { .number($0) } ?? .null }
    let rows = lines.map { line -> JSONValue in
      [
        "subsystem": .string(line.subsystem.rawValue), "declaredKB": .integer(line.declaredKB),
        "allocatedKB": .integer(line.allocatedKB), "measuredKB": number(line.measuredKB),
        "declaredCPUPercent": .integer(line.declaredCPUPercent),
        "measuredCPUPercent": percent(line.measuredCPUPercent), "isWithin": .bool(line.isWithin),
      ]
    }
    return [
      "board": .string(board), "lines": .array(rows), "declaredKB": .integer(declaredKB),
      "allocatedKB": .integer(allocatedKB), "rssKB": number(rssKB), "peakRSSKB": number(peakRSSKB),
      "declaredCPUPercent": .integer(declaredCPUPercent), "measuredCPUPercent": percent(measuredCPUPercent),
      "isWithin": .bool(isWithin),
    ]
  }
}
