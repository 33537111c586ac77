public import JSON

/// What kind of sound a take holds. Field names are the seed's.
public struct AudioAttributes: Hashable, Sendable {
  /// Seconds; the exact length is `FileMeta.frames`.
  public var duration: Double
  public var bitrateKbps: Int?
  /// Hertz.
  public var sampleRate: Int
  public var channels: Int
  /// `aac`, `wav`, `flac`, `alac`; other programs' files also `mp3`, `opus`, `vorbis`.
  public var format: String
  public var fileSizeBytes: Int
  /// Fields that this version does not know.
  public var unknown: [String: JSONValue] = [:]

  public init(
    duration: Double, bitrateKbps: Int? = nil, sampleRate: Int, channels: Int, format: String, fileSizeBytes: Int
  ) {
    self.duration = duration
    self.bitrateKbps = bitrateKbps
    self.sampleRate = sampleRate
    self.channels = channels
    self.format = format
    self.fileSizeBytes = fileSizeBytes
  }

  private static let highestRate = 1_000_000
  private static let mostChannels = 255

  init(_ value: JSONValue, path: String) throws(MetadataError) {
    var fields = try FieldReader(value, path: path)
    duration = try fields.number("duration", in: 0...FileMeta.longestSeconds) ?? 0
    bitrateKbps = try fields.integer("bitrateKbps", in: 0...1_000_000)
    // 0: not known, of a sealed take whose notes were lost.
    let sampleRate = try fields.integer("sampleRate", in: 0...Self.highestRate)
    self.sampleRate = try fields.required(sampleRate, "sampleRate")
    let channels = try fields.integer("channels", in: 0...Self.mostChannels)
    self.channels = try fields.required(channels, "channels")
    format = try fields.text("format") ?? ""
    fileSizeBytes = try fields.integer("fileSizeBytes", in: 0...FileMeta.mostFrames) ?? 0
    unknown = fields.rest
  }

  var value: JSONValue {
    var fields = unknown
    fields["duration"] = .number(duration)
    fields["bitrateKbps"] = bitrateKbps.map(JSONValue.integer)
    // What is written can be read again, whatever a file's head has claimed.
    fields["sampleRate"] = .integer(min(max(0, sampleRate), Self.highestRate))
    fields["channels"] = .integer(min(max(0, channels), Self.mostChannels))
    fields["format"] = .string(format)
    fields["fileSizeBytes"] = .integer(fileSizeBytes)
    return .object(fields)
  }
}

/// Loudness of a whole take by EBU R 128, measured while it was recorded.
public struct Loudness: Hashable, Sendable {
  /// Integrated loudness; `nil` if there was nothing above the gate (silence).
  public var integratedLUFS: Double?
  /// Highest true peak of all channels.
  public var truePeakDBTP: Double?
  /// Fields that this version does not know.
  public var unknown: [String: JSONValue] = [:]

  public init(integratedLUFS: Double?, truePeakDBTP: Double?) {
    self.integratedLUFS = integratedLUFS
    self.truePeakDBTP = truePeakDBTP
  }

  init(_ value: JSONValue, path: String) throws(MetadataError) {
    var fields = try FieldReader(value, path: path)
    integratedLUFS = try fields.number("integratedLUFS", in: -1000...1000)
    truePeakDBTP = try fields.number("truePeakDBTP", in: -1000...1000)
    unknown = fields.rest
  }

  var value: JSONValue {
    var fields = unknown
    // Silence is minus infinity, which JSON does not have: the field is left out.
    fields["integratedLUFS"] = integratedLUFS.flatMap { $0.isFinite ? .number($0) : nil }
    fields["truePeakDBTP"] = truePeakDBTP.flatMap { $0.isFinite ? .number($0) : nil }
    return .object(fields)
  }
}

/// Sound that is missing from a take and is heard as exact silence.
public struct Gap: Hashable, Sendable {
  /// First silent frame of the take.
  public var frame: Int
  /// Number of silent frames.
  public var frames: Int
  /// `overrun`, `device-lost`, `storage`, `damaged`.
  public var reason: String
  /// Fields that this version does not know.
  public var unknown: [String: JSONValue] = [:]

  /// The reason of what was there, and cannot be read any more: of an M4A there is nothing in the file in its place.
  static let damaged = "damaged"
  /// Of pictures of a clip that was cut off: none came, and nobody knows any more why.
  static let cameraMissed = "camera-missed"

  public init(frame: Int, frames: Int, reason: String) {
    self.frame = frame
    self.frames = frames
    self.reason = reason
  }

  init(_ value: JSONValue, path: String) throws(MetadataError) {
    var fields = try FieldReader(value, path: path)
    let frame = try fields.integer("frame", in: 0...FileMeta.mostFrames)
    self.frame = try fields.required(frame, "frame")
    let frames = try fields.integer("frames", in: 0...FileMeta.mostFrames)
    self.frames = try fields.required(frames, "frames")
    reason = try fields.text("reason") ?? ""
    unknown = fields.rest
  }

  var value: JSONValue {
    var fields = unknown
    fields["frame"] = .integer(frame)
    fields["frames"] = .integer(frames)
    fields["reason"] = .string(reason)
    return .object(fields)
  }
}
