public import Hardware

/// What is known of a take before its first sample is written.
public struct TakePlan: Hashable, Sendable {
  /// Wall clock at the press of REC; the sound begins `preRecordSeconds` before it.
  public var createdAt: WallTime
  /// Monotonic clock at the press of REC.
  public var started: Instant
  /// `aac`, `wav`, `flac`, `alac`: `audio.format` of the metadata.
  public var format: String
  /// `m4a`, `wav`, `flac`.
  public var fileExtension: String
  /// Hertz.
  public var sampleRate: Int
  public var channels: Int
  public var bitrateKbps: Int?
  /// Seconds of sound from before the press.
  public var preRecordSeconds: Double
  /// Name of the microphone.
  public var source: String?
  /// The id of the take that this one continues.
  public var linkedTake: String?

  public init(
    createdAt: WallTime, started: Instant, format: String, fileExtension: String, sampleRate: Int, channels: Int,
    bitrateKbps: Int? = nil, preRecordSeconds: Double = 0, source: String? = nil, linkedTake: String? = nil
  ) {
    self.createdAt = createdAt
    self.started = started
    self.format = format
    self.fileExtension = fileExtension
    self.sampleRate = sampleRate
    self.channels = channels
    self.bitrateKbps = bitrateKbps
    self.preRecordSeconds = preRecordSeconds
    self.source = source
    self.linkedTake = linkedTake
  }
}

/// A take that has a file and receives sound.
public struct TakeHandle: Sendable {
  /// The take's identity.
  public var id: String
  /// Empty, open for reading and writing; whoever began the take closes it before `complete`.
  public var file: any StoredFile
  /// The provisional metadata as written; grow this copy and give it to `update` and `complete`.
  public var meta: FileMeta
}

/// A take in a list.
public struct TakeSummary: Hashable, Sendable {
  public var id: String
  public var displayName: String
  public var createdAt: WallTime
  /// Exact length; 0 while it is being recorded.
  public var frames: Int
  /// Hertz.
  public var sampleRate: Int
  public var channels: Int
  public var format: String
  public var bitrateKbps: Int?
  public var fileSizeBytes: Int
  public var userTags: [String]
  public var favourite: Bool
  /// Locked against deletion.
  public var isProtected = false
  /// A file from elsewhere of which nothing can be made; it is listed, and left as it is.
  public var isUnreadable = false
  /// Being recorded, or cut off and not yet repaired.
  public var inProgress: Bool
  public var stopReason: String?
  /// Seconds.
  public var lastPlayedPosition: Double?
  public var bookmarkCount: Int

  /// Seconds.
  public var duration: Double { sampleRate > 0 ? Double(frames) / Double(sampleRate) : 0 }
}
