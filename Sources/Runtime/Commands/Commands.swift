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
      let keys = call.text("key").map { [$0] } ?? Settings.keys.map(\.key)
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

  /// All or none: everything is tried on a copy first.
  private func set(_ wanted: [String: JSONValue], _ reply: Reply) {
    var trial = device.state.settings
    var changes: [(String, SettingValue)] = []
    for key in wanted.keys.sorted() {
      guard let json = wanted[key], let value = SettingValue(json) else {
        return reply(.failure(CommandFailure(.badArgument, "\(key): a number, a word or true/false is expected")))
      }
      do throws(SettingError) {
        try trial.set(key, to: value)
      } catch {
        return reply(.failure(CommandFailure(FailureCode(rawValue: error.code) ?? .badArgument, "\(error)")))
      }
      changes.append((key, value))
    }
    if let reason = device.state.refusal(of: trial) { return reply(.failure(failure(reason))) }
    for (key, value) in changes { _ = device.handle(.command(.set(key: key, value: value))) }
    var result: [String: JSONValue] = [:]
    for (key, _) in changes { result[key] = device.state.settings.value(of: key)?.json }
    reply(.success(.object(result)))
  }

  // MARK: Refusals

  func refuse(_ call: CommandCall, _ reply: Reply) {
    reply(.failure(CommandFailure(.unsupported, "\(call.method) is not in this firmware yet")))
  }

  func failure(_ reason: IgnoredReason) -> CommandFailure {
    CommandFailure(FailureCode(rawValue: reason.code) ?? .unsupported, device.state.explain(reason))
  }
}
