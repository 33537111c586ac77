internal import Hardware
public import JSON

extension Receipt {
  /// A clip's, as it is in its file and in the event; names are stable, absent things are left out.
  public var json: JSONValue {
    var object: JSONValue = [
      "version": 1, "clip": .integer(number),
      "triggers": .array(
        causes.map {
          [
            "number": .integer($0.trigger.number), "t": .number($0.trigger.time.seconds),
            "cause": .string($0.trigger.cause.rawValue), "outcome": .string($0.outcome),
          ]
        }),
      "requestedStart": .number(requestedStart.seconds), "start": .number(start.seconds),
      "startErrorSeconds": .number((start - requestedStart).inSeconds), "durationSeconds": .number(duration),
      "pictures": [
        "codec": .string(pictures.codec), "width": .integer(pictures.width), "height": .integer(pictures.height),
        "captured": .integer(pictures.captured), "keyframes": .integer(pictures.keyframes),
        "late": .integer(pictures.late), "longestDeltaSeconds": .number(pictures.longestDelta),
        "largestSmoothingSeconds": .number(pictures.largestSmoothing),
        "dropped": [
          "byDevice": .integer(pictures.missedByDevice), "queue": .integer(pictures.droppedInQueue),
          "keyframe": .integer(pictures.droppedBeforeKeyframe), "storage": .integer(pictures.droppedForStorage),
        ],
      ],
      "gaps": .array(
        gaps.map {
          [
            "track": .string($0.track), "start": .number($0.start), "seconds": .number($0.seconds),
            "reason": .string($0.reason),
          ]
        }),
      "soundDriftPPM": .number(soundDriftPPM), "largestSkewSeconds": .number(largestSkew),
      "anchors": anchorsJSON, "protected": .bool(isProtected),
    ]
    if !id.isEmpty {
      object["id"] = .string(id)
      object["path"] = .string("clips/\(id)")
    }
    if sound.channels > 0 {
      object["sound"] = [
        "sampleRate": .integer(sound.sampleRate), "channels": .integer(sound.channels),
        "frames": .integer(sound.frames), "bitrateKbps": .integer(sound.bitrateKbps),
      ]
    }
    if let timeLapseSeconds { object["timeLapseSeconds"] = .number(timeLapseSeconds) }
    if let continues { object["continues"] = .integer(continues) }
    if let operatorName { object["operator"] = .string(operatorName) }
    addEnd(to: &object)
    return object
  }

  /// What is only known at the end.
  private func addEnd(to object: inout JSONValue) {
    guard !stopReason.isEmpty else {
      object["inProgress"] = true
      return
    }
    object["requestedEnd"] = .number(requestedEnd.seconds)
    object["end"] = .number(end.seconds)
    object["endErrorSeconds"] = .number((end - requestedEnd).inSeconds)
    object["stopReason"] = .string(stopReason)
    object["fileBytes"] = .integer(fileBytes)
    addMeanwhile(to: &object)
    guard durableAt > .zero else { return }
    object["lastMediaAt"] = .number(lastMediaAt.seconds)
    object["durableAt"] = .number(durableAt.seconds)
    object["mediaToDurableSeconds"] = .number((durableAt - lastMediaAt).inSeconds)
    if let triggeredAt { object["triggerToDurableSeconds"] = .number((durableAt - triggeredAt).inSeconds) }
  }

  /// The receipt's file.
  public var document: [UInt8] { Array("\(json.text)\n".utf8) }

  /// A take's, as it is in its notes beside the seed's fields; gaps and marks are there already.
  public var takeJSON: JSONValue {
    var object: JSONValue = [
      "version": 1, "frames": .integer(sound.frames), "capturedFrames": .integer(sound.frames - sound.lostFrames),
      "lostFrames": .integer(sound.lostFrames),
      "xruns": ["device": .integer(xruns.device), "ring": .integer(xruns.ring)],
      "start": .number(start.seconds), "end": .number(end.seconds), "durationSeconds": .number(duration),
      "soundDriftPPM": .number(soundDriftPPM), "fileBytes": .integer(fileBytes),
      "lastMediaAt": .number(lastMediaAt.seconds), "anchors": anchorsJSON,
    ]
    if sound.requestedRate > 0 { object["requestedSampleRate"] = .integer(sound.requestedRate) }
    if let coder = sound.coder { object["coder"] = .string(coder) }
    if sound.coderFalls > 0 || sound.coderClimbs > 0 {
      object["coderSteps"] = ["cheaper": .integer(sound.coderFalls), "dearer": .integer(sound.coderClimbs)]
    }
    if sound.grantedRate > 0 { object["grantedSampleRate"] = .integer(sound.grantedRate) }
    if !sound.changes.isEmpty {
      object["sources"] = .array(
        sound.changes.map { ["frame": .integer($0.frame), "source": .string($0.source)] })
    }
    addMeanwhile(to: &object)
    if durableAt > .zero {
      object["durableAt"] = .number(durableAt.seconds)
      object["mediaToDurableSeconds"] = .number((durableAt - lastMediaAt).inSeconds)
    }
    if let triggeredAt { object["triggeredAt"] = .number(triggeredAt.seconds) }
    if let firstDurableAt { object["firstDurableAt"] = .number(firstDurableAt.seconds) }
    if part > 1 || stopReason == StopReason.split.rawValue { object["part"] = .integer(part) }
    return object
  }

  /// What the board did while it was open.
  private func addMeanwhile(to object: inout JSONValue) {
    if !longestSteps.isEmpty { object["longestStepMilliseconds"] = .object(longestSteps.mapValues { .number($0) }) }
    guard !governor.isEmpty else { return }
    object["governor"] = .array(
      governor.map {
        [
          "t": .number($0.at.seconds), "rung": .string($0.rung), "direction": .string($0.direction),
          "reason": .string($0.reason), "value": .number($0.value), "limit": .number($0.limit),
        ]
      })
  }

  private var anchorsJSON: JSONValue {
    .array(anchors.map { ["t": .number($0.instant.seconds), "wall": .integer(Int($0.wall.nanosecondsSince1970))] })
  }
}
