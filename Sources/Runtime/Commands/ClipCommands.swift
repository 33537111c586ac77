internal import Appliance
internal import Clips
internal import Console
internal import Hardware
internal import JSON

/// `clips.*`: what is captured is the machine's to decide; files are the storage lane's.
extension Commands {
  func clips(_ call: CommandCall, _ reply: @escaping Reply) {
    guard let context = device.clips else {
      return reply(.failure(failure(.notOnBoard(.camera))))
    }
    switch call.method {
    case "clips.trigger": order(.trigger, reply)
    case "clips.endPostRoll": order(.endPostRoll, reply)
    case "clips.continuous": order(.continuous, reply)
    case "clips.timeLapse":
      order(.timeLapse(milliseconds: Int(((call.number("seconds") ?? 1) * 1000).rounded())), reply)
    case "clips.snapshot": order(.snapshot, reply)
    case "clips.status": reply(.success(status(context)))
    case "clips.telemetry":
      let readings = context.telemetry.all.suffix(call.integer("count") ?? 60)
      reply(.success(["readings": .array(readings.map(\.json))]))
    default: clipFiles(call, reply)
    }
  }

  private func status(_ context: ClipContext) -> JSONValue {
    let state = device.state
    let clips = device.media.status.clips
    var camera: [String: JSONValue] = [
      "present": .bool(state.health.hasCamera), "opening": .bool(state.health.isCameraOpening),
    ]
    if let grant = context.grant {
      camera["name"] = .string(context.cameraName)
      camera["codec"] = .string(grant.format.codec.rawValue)
      camera["width"] = .integer(grant.format.width)
      camera["height"] = .integer(grant.format.height)
      camera["framesPerSecond"] = .integer(grant.format.framesPerSecond)
      camera["timestamps"] = .string(grant.timestamps)
    }
    let open = state.clips.open.map { clip -> JSONValue in
      [
        "clip": .integer(clip.number), "saving": .bool(clip.isSaving),
        "endTime": clip.ends == .distantFuture ? .null : .number(clip.ends.seconds),
      ]
    }
    return [
      "mode": .string(state.modeName), "armed": .bool(clips.isArmed), "camera": .object(camera),
      "bufferSeconds": .number(clips.ring.seconds), "windowSeconds": .number(clips.ring.wantedSeconds),
      "largestWindowSeconds": .integer(state.clips.largestSeconds), "bufferBytes": .integer(clips.ring.bytes),
      "capacityBytes": .integer(clips.ring.capacity), "overheadBytes": .integer(clips.ring.overheadBytes),
      "reserveBytes": .integer(context.reserveBytes), "onDisk": .bool(clips.isSpooling),
      "fps": .number(clips.framesPerSecond), "dropped": .integer(clips.droppedPictures), "open": .array(open),
      "secondsToGo": clips.remainingSeconds.isFinite ? .number(clips.remainingSeconds) : .null,
      "continuous": .bool(clips.isContinuous),
      "last": state.clips.last.map { .string($0.id) } ?? .null,
    ]
  }
}
