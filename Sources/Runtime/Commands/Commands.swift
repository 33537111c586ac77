internal import Appliance
internal import Console
internal import Dictaphone
internal import Hardware
internal import JSON
internal import Library

/// Performs the commands of consoles and scripts. Control lane only; what needs the storage is answered later.
final class Commands: CommandPerformer {
  typealias Reply = (Result<JSONValue, CommandFailure>) -> Void

  let device: CommandContext
  /// Told when the power of a simulated device is cut.
  let onPowerCut: () -> Void

  init(device: CommandContext, onPowerCut: @escaping () -> Void) {
    self.device = device
    self.onPowerCut = onPowerCut
  }

  func perform(_ call: CommandCall, reply: @escaping Reply) {
    switch call.method.split(separator: ".").first {
    case "panel": panel(call, reply)
    case "recorder": recorder(call, reply)
    case "player": player(call, reply)
    case "library": library(call, reply)
    case "clips": clips(call, reply)
    case "dub": dub(call, reply)
    case "settings": settings(call, reply)
    default: system(call, reply)
    }
  }

  // MARK: Recorder and player

  private func recorder(_ call: CommandCall, _ reply: Reply) {
    switch call.method {
    case "recorder.start": order(.record, reply)
    case "recorder.pause": order(.pause, reply)
    case "recorder.resume": order(.resume, reply)
    case "recorder.stop": order(.stop, reply)
    case "recorder.mark": order(.mark(title: call.text("title")), reply)
    case "recorder.status": reply(.success(recorderStatus))
    case "recorder.meters": reply(.success(["channels": .array(device.media.status.levels.map(\.json))]))
    default: refuse(call, reply)
    }
  }

  private func player(_ call: CommandCall, _ reply: Reply) {
    switch call.method {
    case "player.play": order(.play(id: call.text("id")), reply)
    case "player.pause": order(.pause, reply)
    case "player.stop": order(.stop, reply)
    case "player.seek": order(.seek(seconds: call.number("seconds") ?? 0), reply)
    case "player.status": reply(.success(playerStatus))
    default: refuse(call, reply)
    }
  }

  /// Has the machine decide on an order; its refusal becomes the failure.
  func order(_ command: Command, _ reply: Reply) {
    if let reason = device.handle(.command(command)) { return reply(.failure(failure(reason))) }
    reply(.success([:]))
  }

  private var recorderStatus: JSONValue {
    let state = device.state
    let status = device.media.status
    var result: [String: JSONValue] = [
      "activity": .string(state.activity.rawValue), "armed": .bool(state.isArmed),
      "seconds": .number(Double(status.elapsedFrames) / Double(max(1, status.format.sampleRate))),
      "frames": .integer(status.elapsedFrames), "sampleRate": .integer(status.format.sampleRate),
      "channels": .integer(status.format.channels), "format": .string(state.settings.recordingFormat.rawValue),
      "preRecordedSeconds": .number(min(status.heldSeconds, Double(state.settings.preRecordSeconds))),
      "xruns": .integer(status.microphone.xruns), "queuedBytes": .integer(status.queuedBytes),
    ]
    if let take = state.openTake, !take.id.isEmpty {
      result["id"] = .string(take.id)
      result["name"] = .string(take.displayName)
    }
    if let free = device.storage.status.freeBytes {
      result["secondsLeft"] = .number(
        Double(free / max(1, device.gatherer.bytesPerSecond(state.settings, status))))
    }
    return .object(result)
  }

  private var playerStatus: JSONValue {
    let player = device.media.status.player
    let rate = Double(max(1, player.sampleRate))
    let activity = device.state.activity
    var result: [String: JSONValue] = [
      "state": .string(activity == .playing ? "playing" : activity == .playbackPaused ? "paused" : "stopped"),
      "seconds": .number(Double(player.frame) / rate), "lengthSeconds": .number(Double(player.frames) / rate),
      "sampleRate": .integer(player.sampleRate), "codec": .string(player.codec),
      "xruns": .integer(device.media.status.speaker.xruns),
    ]
    if let take = device.state.loaded {
      result["id"] = .string(take.id)
      result["name"] = .string(take.displayName)
    }
    return .object(result)
  }

  // MARK: Settings

  private func settings(_ call: CommandCall, _ reply: Reply) {
    switch call.method {
    case "settings.get":
      let keys = call.text("key").map { [$0] } ?? Settings.table.map(\.key)
      var result: [String: JSONValue] = [:]
      for key in keys {
        guard let value = device.state.settings.value(of: key) else {
          return reply(.failure(CommandFailure(.badArgument, "there is no setting \(key)")))
        }
        result[key] = value.json
      }
      reply(.success(.object(result)))
    case "settings.set": set(call.parameters.objectValue ?? [:], reply)
    default: refuse(call, reply)
    }
  }

  /// One change: all or none.
  private func set(_ wanted: [String: JSONValue], _ reply: Reply) {
    var values: [String: SettingValue] = [:]
    for (key, json) in wanted.sorted(by: { $0.key < $1.key }) {
      guard let value = SettingValue(json) else {
        return reply(.failure(CommandFailure(.badArgument, "\(key): a number, a word or true/false is expected")))
      }
      values[key] = value
    }
    if let reason = device.handle(.command(.set(values))) { return reply(.failure(failure(reason))) }
    let result = values.keys.compactMap { key in device.state.settings.value(of: key).map { (key, $0.json) } }
    reply(.success(.object(Dictionary(uniqueKeysWithValues: result))))
  }

  // MARK: Refusals

  func refuse(_ call: CommandCall, _ reply: Reply) {
    reply(.failure(CommandFailure(.unsupported, "\(call.method) is not in this firmware yet")))
  }

  func failure(_ reason: IgnoredReason) -> CommandFailure {
    CommandFailure(FailureCode(rawValue: reason.code) ?? .unsupported, device.state.explain(reason))
  }
}
