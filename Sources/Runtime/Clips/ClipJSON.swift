internal import Clips
internal import Hardware
internal import JSON

extension Telemetry {
  /// The data of `onTelemetryUpdate`; what is not known is left out.
  var json: JSONValue {
    var result: [String: JSONValue] = [
      "t": .number(time.seconds), "fps": .number(framesPerSecond), "dropped": .integer(dropped),
      "bufferSeconds": .number(bufferSeconds), "bufferBytes": .integer(bufferBytes),
      "soundDriftPPM": .number(soundDriftPPM),
    ]
    if let temperature { result["temperature"] = .number(temperature) }
    if let processorLoad { result["cpuPercent"] = .number(processorLoad * 100) }
    if let residentBytes { result["rssKB"] = .integer(residentBytes / 1024) }
    if let storageFreeBytes { result["freeBytes"] = .integer(storageFreeBytes) }
    return .object(result)
  }
}
