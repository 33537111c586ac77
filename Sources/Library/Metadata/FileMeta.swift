public import Hardware

/// What is known about a take; kept as JSON beside its sound file.
///
/// The first block of fields has the seed's names, the second is ours. Fields that this version does not know are in
/// `unknown` (and in those of the nested values) and survive a rewrite.
public struct FileMeta: Hashable, Sendable {
  /// File name of the sound in `recordings/`: the take's identity for as long as it exists.
  public var id: String
  /// Name for people; the file keeps its own.
  public var displayName: String
  /// When REC was pressed, by the wall clock of that time, in whole seconds; the sound begins `preRecordSeconds` before.
  public var createdAt: WallTime
  /// Seconds from the start.
  public var lastPlayedPosition: Double?
  public var bookmarks: [Bookmark] = []
  public var audio: AudioAttributes
  public var userTags: [String] = []
  public var custom: [String: String] = [:]

  /// Why it ended: `user`, `storage-full`, `device-lost`, `power`, `recovered`, `split`, `voice`, `error`.
  public var stopReason: String?
  /// Its session number, the same as in the file name; `nil` for files that came from elsewhere.
  public var session: Int?
  public var gaps: [Gap] = []
  /// Seconds of sound from before the REC press.
  public var preRecordSeconds: Double?
  public var loudness: Loudness?
  public var favourite = false
  /// Locked against deletion.
  public var isProtected = false
  /// The id of the take that this one continues.
  public var linkedTake: String?
  /// Exact length in frames at `audio.sampleRate`.
  public var frames = 0
  /// True from the creation of the file until it is complete: how a crash is noticed.
  public var inProgress = false
  /// Name of the microphone.
  public var source: String?
  /// Seconds of the monotonic clock at the first sample.
  public var startedMonotonic: Double?
  /// Fields that this version does not know.
  public var unknown: [String: StoredValue] = [:]

  /// Durations and positions beyond a hundred years are damage.
  static let longestSeconds = 3.2e9

  public init(id: String, displayName: String, createdAt: WallTime, audio: AudioAttributes) {
    self.id = id
    self.displayName = displayName
    self.createdAt = createdAt.wholeSeconds
    self.audio = audio
  }

  /// Sets the exact length and, from it, the duration and, where there is none, the mean bit rate.
  public mutating func setLength(frames: Int, fileSizeBytes: Int) {
    self.frames = max(0, frames)
    audio.duration = Double(self.frames) / Double(max(1, audio.sampleRate))
    audio.fileSizeBytes = max(0, fileSizeBytes)
    if audio.bitrateKbps == nil, audio.duration > 0 {
      let kilobits = (Double(audio.fileSizeBytes) * 8 / audio.duration / 1000).rounded()
      audio.bitrateKbps = kilobits < 1_000_000 ? Int(kilobits) : nil
    }
  }

  // MARK: The file

  /// Reads a metadata file.
  ///
  /// - Parameter path: its path, for errors.
  public init(json bytes: [UInt8], path: String) throws(MetadataError) {
    try self.init(StoredValue.parse(bytes, path: path), path: path)
  }

  /// The metadata file's content: pretty-printed, keys sorted; equal metadata gives equal bytes.
  public func json() -> [UInt8] { value.document() }

  init(_ value: StoredValue, path: String) throws(MetadataError) {
    var fields = try FieldReader(value, path: path)
    let id = try fields.text("id")
    self.id = try fields.required(id, "id")
    displayName = try fields.text("displayName") ?? self.id
    let createdAt = try fields.time("createdAt")
    self.createdAt = try fields.required(createdAt, "createdAt")
    lastPlayedPosition = try fields.number("lastPlayedPosition", in: 0...Self.longestSeconds)
    for item in try fields.list("bookmarks") {
      bookmarks.append(try Bookmark(item, path: fields.place("bookmarks")))
    }
    let audio = fields.object("audio")
    self.audio = try AudioAttributes(fields.required(audio, "audio"), path: fields.place("audio"))
    userTags = try fields.texts("userTags")
    if let custom = fields.object("custom") {
      for (key, item) in try FieldReader(custom, path: fields.place("custom")).rest {
        guard case .text(let text) = item else {
          throw MetadataError(path: fields.place("custom"), reason: "\(key): expected text")
        }
        self.custom[key] = text
      }
    }
    stopReason = try fields.text("stopReason")
    session = try fields.integer("session", in: 0...TakeName.highestNumber)
    for item in try fields.list("gaps") { gaps.append(try Gap(item, path: fields.place("gaps"))) }
    preRecordSeconds = try fields.number("preRecordSeconds", in: 0...Self.longestSeconds)
    if let loudness = fields.object("loudness") {
      self.loudness = try Loudness(loudness, path: fields.place("loudness"))
    }
    favourite = try fields.flag("favourite") ?? false
    isProtected = try fields.flag("protected") ?? false
    linkedTake = try fields.text("linkedTake")
    frames = try fields.integer("frames", in: 0...Int.max) ?? 0
    inProgress = try fields.flag("inProgress") ?? false
    source = try fields.text("source")
    startedMonotonic = try fields.number("startedMonotonic", in: -Self.longestSeconds...Self.longestSeconds)
    unknown = fields.rest
  }

  var value: StoredValue {
    var fields = unknown
    fields["id"] = .text(id)
    fields["displayName"] = .text(displayName)
    fields["createdAt"] = .text(createdAt.iso8601)
    fields["lastPlayedPosition"] = lastPlayedPosition.map(StoredValue.number)
    fields["bookmarks"] = .list(bookmarks.map(\.value))
    fields["audio"] = audio.value
    fields["userTags"] = .list(userTags.map(StoredValue.text))
    fields["custom"] = .object(custom.mapValues(StoredValue.text))
    fields["stopReason"] = stopReason.map(StoredValue.text)
    fields["session"] = session.map(StoredValue.integer)
    fields["gaps"] = .list(gaps.map(\.value))
    fields["preRecordSeconds"] = preRecordSeconds.map(StoredValue.number)
    fields["loudness"] = loudness?.value
    fields["favourite"] = .flag(favourite)
    if isProtected { fields["protected"] = .flag(true) }
    fields["linkedTake"] = linkedTake.map(StoredValue.text)
    fields["frames"] = .integer(frames)
    fields["inProgress"] = .flag(inProgress)
    fields["source"] = source.map(StoredValue.text)
    fields["startedMonotonic"] = startedMonotonic.map(StoredValue.number)
    return .object(fields)
  }
}

extension FileMeta: Codable {
  public init(from decoder: any Decoder) throws {
    try self.init(StoredValue(from: decoder), path: "metadata")
  }

  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Bookmark: Codable {
  public init(from decoder: any Decoder) throws {
    try self.init(StoredValue(from: decoder), path: "bookmark")
  }

  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension AudioAttributes: Codable {
  public init(from decoder: any Decoder) throws {
    try self.init(StoredValue(from: decoder), path: "audio")
  }

  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Loudness: Codable {
  public init(from decoder: any Decoder) throws {
    try self.init(StoredValue(from: decoder), path: "loudness")
  }

  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Gap: Codable {
  public init(from decoder: any Decoder) throws {
    try self.init(StoredValue(from: decoder), path: "gap")
  }

  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
