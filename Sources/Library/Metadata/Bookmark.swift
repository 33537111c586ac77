public import Hardware
public import JSON

/// A mark in a take, set by T-MARK or on the console. Field names are the seed's; `frame` is ours.
public struct Bookmark: Hashable, Sendable {
  /// Unique in its take; UUID-shaped.
  public var id: String
  /// Seconds from the start of the take.
  public var time: Double
  public var title: String?
  public var note: String?
  /// When it was set, by the wall clock; whole seconds.
  public var createdAt: WallTime
  /// Frame of the take, exact; `nil` in files of other programs.
  public var frame: Int?
  /// Fields that this version does not know.
  public var unknown: [String: JSONValue] = [:]

  public init(
    id: String, time: Double, title: String? = nil, note: String? = nil, createdAt: WallTime, frame: Int? = nil
  ) {
    self.id = id
    self.time = time
    self.title = title
    self.note = note
    self.createdAt = createdAt.wholeSeconds
    self.frame = frame
  }

  /// A mark at an exact frame, with an id that follows from take, frame and ordinal: the same run gives the same
  /// bytes twice, and setting the same mark again after a stalled storage does not set two.
  ///
  /// - Parameter ordinal: how many marks the take already has.
  public init(takeID: String, frame: Int, sampleRate: Int, ordinal: Int, title: String?, createdAt: WallTime) {
    self.init(
      id: Self.makeID(takeID: takeID, frame: frame, ordinal: ordinal),
      time: Double(frame) / Double(max(1, sampleRate)), title: title, createdAt: createdAt, frame: frame)
  }

  /// Where it is in the take; files of other programs say it in seconds only.
  public func place(sampleRate: Int) -> Int { frame ?? Int(min(time * Double(sampleRate), 1e15).rounded()) }

  /// Puts it elsewhere in its take.
  public mutating func move(to frame: Int, sampleRate: Int) {
    self.frame = frame
    time = Double(frame) / Double(max(1, sampleRate))
  }

  /// A UUID of version 8 (RFC 9562, vendor-defined) from two 64-bit hashes of what identifies the mark.
  public static func makeID(takeID: String, frame: Int, ordinal: Int) -> String {
    let seed = "\(takeID)/\(frame)/\(ordinal)"
    var high = Checksum.fnv64(seed.utf8)
    var low = Checksum.fnv64("\(seed)/low".utf8)
    high = high & ~0xF000 | 0x8000
    low = low & ~(0b11 << 62) | 0b10 << 62
    let digits = Checksum.hexadecimal(high, digits: 16) + Checksum.hexadecimal(low, digits: 16)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return text
  }

  init(_ value: JSONValue, path: String) throws(MetadataError) {
    var fields = try FieldReader(value, path: path)
    let time = try fields.number("time", in: 0...FileMeta.longestSeconds)
    self.time = try fields.required(time, "time")
    // Other programs number marks, or not at all; the list's place then tells them apart.
    let id = try fields.text("id")
    self.id = id ?? "time-\(self.time)"
    title = try fields.text("title")
    note = try fields.text("note")
    createdAt = try fields.time("createdAt") ?? WallTime(nanosecondsSince1970: 0)
    frame = try fields.integer("frame", in: 0...FileMeta.mostFrames)
    unknown = fields.rest
  }

  var value: JSONValue {
    var fields = unknown
    fields["id"] = .string(id)
    fields["time"] = .number(time)
    fields["createdAt"] = .string(createdAt.iso8601)
    fields["title"] = title.map(JSONValue.string)
    fields["note"] = note.map(JSONValue.string)
    fields["frame"] = frame.map(JSONValue.integer)
    return .object(fields)
  }
}
