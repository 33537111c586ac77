public import Hardware
public import JSON

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
  /// In the order of time.
  public var bookmarks: [Bookmark] = []
  /// They have been changed since the chapters in the file were written.
  var hasNewMarks = false
  /// The device has not made the file, whatever its name is like (`Origin`).
  var isForeign = false
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
  /// Who had logged in where it was started.
  public var operatorName: String?
  /// Seconds of the monotonic clock at the first sample.
  public var startedMonotonic: Double?
  /// Fields that this version does not know.
  public var unknown: [String: JSONValue] = [:]

  /// Durations and positions beyond a hundred years are damage.
  static let longestSeconds = 3.2e9
  /// As many frames at any rate; sums and products of such numbers stay far from overflow.
  static let mostFrames = 1 << 48

  public init(id: String, displayName: String, createdAt: WallTime, audio: AudioAttributes) {
    self.id = id
    self.displayName = displayName
    self.createdAt = createdAt.wholeSeconds
    self.audio = audio
  }

  /// Sets the exact length and, from it, the duration and, where there is none, the mean bit rate.
  public mutating func setLength(frames: Int, fileSizeBytes: Int) {
    self.frames = max(0, frames)
    // What is written can be read again.
    audio.duration = min(Double(self.frames) / Double(max(1, audio.sampleRate)), Self.longestSeconds)
    audio.fileSizeBytes = max(0, fileSizeBytes)
    if audio.bitrateKbps == nil, audio.duration > 0 {
      let kilobits = (Double(audio.fileSizeBytes) * 8 / audio.duration / 1000).rounded()
      audio.bitrateKbps = kilobits < 1_000_000 ? Int(kilobits) : nil
    }
  }

  /// The first file of a split take, and one that was cut off, may be shorter than what was heard before the press.
  public mutating func clampPreRecord() { preRecordSeconds = preRecordSeconds.map { min($0, audio.duration) } }

  /// Notes frames of which nothing can be read any more.
  mutating func note(damaged: [Range<Int>]) {
    guard !damaged.isEmpty else { return }
    for range in damaged where range.lowerBound < frames {
      let end = min(range.upperBound, frames)
      let gap = Gap(frame: range.lowerBound, frames: end - range.lowerBound, reason: Gap.damaged)
      if !gaps.contains(gap) { add(gap) }
    }
    gaps.sort { $0.frame < $1.frame }
  }

  /// Most gaps of a take, and about how many bytes its marks may be while it is recorded: less than half of what can be
  /// read, so that its end, and what people say of it, have room.
  static let mostGaps = 4000
  static let heaviestMarks = 3 << 19

  /// Adds a gap. When there are very many, the last one reaches over all that come, and the sound between.
  public mutating func add(_ gap: Gap) {
    guard gaps.count >= Self.mostGaps, var last = gaps.popLast() else { return gaps.append(gap) }
    last.frames = max(last.frames, gap.frame + gap.frames - last.frame)
    if last.reason != gap.reason { last.reason = "several" }
    gaps.append(last)
  }

  /// Bytes of the marks in the file, or more, and at least thirty times as many as they have values.
  var weightOfMarks: Int {
    bookmarks.reduce(0) { sum, mark in
      let (title, note): (Int, Int) = (mark.title?.utf8.count ?? 0, mark.note?.utf8.count ?? 0)
      return sum + 300 + 2 * title + 6 * note
    }
  }

  /// Adds a mark, or replaces the one with the same id.
  mutating func put(_ mark: Bookmark) {
    bookmarks.removeAll { $0.id == mark.id }
    bookmarks.append(mark)
    bookmarks.sort { ($0.time, $0.id) < ($1.time, $1.id) }
  }

  // MARK: The file

  /// Reads a metadata file.
  ///
  /// - Parameter path: its path, for errors.
  public init(json bytes: [UInt8], path: String) throws(MetadataError) {
    try self.init(JSONValue.parse(bytes, path: path), path: path)
  }

  /// The metadata file's content: pretty-printed, keys sorted; equal metadata gives equal bytes.
  public func json() -> [UInt8] { value.document() }

  init(_ value: JSONValue, path: String) throws(MetadataError) {
    var fields = try FieldReader(value, path: path)
    let id = try fields.text("id")
    self.id = KernelName.listed(try fields.required(id, "id"))
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
        guard case .string(let text) = item else {
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
    hasNewMarks = try fields.flag("newMarks") ?? false
    isForeign = try fields.flag("foreign") ?? false
    linkedTake = try fields.text("linkedTake")
    frames = try fields.integer("frames", in: 0...Self.mostFrames) ?? 0
    inProgress = try fields.flag("inProgress") ?? false
    source = try fields.text("source")
    operatorName = try fields.text("operator")
    startedMonotonic = try fields.number("startedMonotonic", in: -Self.longestSeconds...Self.longestSeconds)
    unknown = fields.rest
  }

  /// The metadata as JSON.
  public var value: JSONValue {
    var fields = unknown
    fields["id"] = .string(id)
    fields["displayName"] = .string(displayName)
    fields["createdAt"] = .string(createdAt.iso8601)
    fields["lastPlayedPosition"] = lastPlayedPosition.map(JSONValue.number)
    fields["bookmarks"] = .array(bookmarks.map(\.value))
    fields["audio"] = audio.value
    fields["userTags"] = .array(userTags.map(JSONValue.string))
    fields["custom"] = .object(custom.mapValues(JSONValue.string))
    fields["stopReason"] = stopReason.map(JSONValue.string)
    fields["session"] = session.map(JSONValue.integer)
    fields["gaps"] = .array(gaps.map(\.value))
    fields["preRecordSeconds"] = preRecordSeconds.map(JSONValue.number)
    fields["loudness"] = loudness?.value
    fields["favourite"] = .bool(favourite)
    if isProtected { fields["protected"] = .bool(true) }
    if hasNewMarks { fields["newMarks"] = .bool(true) }
    if isForeign { fields["foreign"] = .bool(true) }
    fields["linkedTake"] = linkedTake.map(JSONValue.string)
    fields["frames"] = .integer(frames)
    fields["inProgress"] = .bool(inProgress)
    fields["source"] = source.map(JSONValue.string)
    fields["operator"] = operatorName.map(JSONValue.string)
    fields["startedMonotonic"] = startedMonotonic.map(JSONValue.number)
    return .object(fields)
  }
}
