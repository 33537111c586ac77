public import Clips
public import Console
internal import Hardware

enum ClipsTelemetry: DeviceMethod {
  static let row = MethodRow("clips.telemetry", "gives the readings of the last minutes, oldest first", .viewer)

  struct Parameters: ParameterSet {
    let count: Int

    init(_ given: inout Given) throws(CommandFailure) {
      count = try given.value("count", .integer(1...600), default: 60, "how many at most")
    }
  }

  struct Answer: WireObject {
    let readings: [Telemetry]
    static let fields: [Field<Self>] = [Field("readings", \.readings, "as onTelemetryUpdate has them")]
  }

  static func answer(_ parameters: Parameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    Answer(readings: try device.camera.telemetry.all.suffix(parameters.count))
  }
}

extension Telemetry: WireObject {
  /// The data of `onTelemetryUpdate`; what is not known is left out.
  public static let fields: [Field<Telemetry>] = [
    Field("t", \.time.seconds, "when, on the monotonic clock, in seconds"),
    Field("fps", \.framesPerSecond, "pictures in the last second"),
    Field("dropped", \.dropped, "pictures lost since the start"),
    Field("bufferSeconds", \.bufferSeconds, "what the ring holds"),
    Field("bufferBytes", \.bufferBytes, "the same in bytes"),
    Field("soundDriftPPM", \.soundDriftPPM, "how far the sound's clock is off"),
    Field("temperature", ifAny: \.temperature, "degrees Celsius"),
    Field("cpuPercent", ifAny: { $0.processorLoad.map { $0 * 100 } }, "percent of a core"),
    Field("rssKB", ifAny: { $0.residentBytes.map { $0 / 1024 } }, "memory in KiB"),
    Field("freeBytes", ifAny: \.storageFreeBytes, "room on the storage"),
  ]
}
