/// One line of the catalogue: eight hexadecimal digits of checksum, then fields with tabs between them.
///
/// `+` puts a take (and replaces an earlier line of it), `-` takes one out. Tab, line feed, the separator of tags and
/// the backslash are escaped in texts. The layout is ours alone: any line that is not understood is dropped and
/// what it said is read from the take's own files.
enum CatalogueLine: Equatable {
  case put(TakeRecord)
  case remove(String)

  /// First line of the file; another one means another layout, and the catalogue is made anew.
  static let header = Array("mynah catalogue 1\n".utf8)

  private static let tab = UInt8(ascii: "\t")
  private static let newline = UInt8(ascii: "\n")
  private static let backslash = UInt8(ascii: "\\")
  /// Unit separator, between tags and between titles of marks.
  private static let tagMark: UInt8 = 0x1F

  /// The line with its final line feed.
  var bytes: [UInt8] {
    var body: [UInt8] = []
    switch self {
    case .put(let record):
      body.reserveCapacity(160)
      body.append(UInt8(ascii: "+"))
      func add(_ text: String) {
        body.append(Self.tab)
        Self.escape(text, into: &body)
      }
      func add(_ number: some BinaryInteger) {
        body.append(Self.tab)
        body.append(contentsOf: String(number).utf8)
      }
      func add(_ texts: [String]) {
        body.append(Self.tab)
        for (index, text) in texts.enumerated() {
          if index > 0 { body.append(Self.tagMark) }
          Self.escape(text, into: &body)
        }
      }
      add(record.id)
      add(record.size)
      add(record.modified)
      add(record.metaSize)
      add(record.metaModified)
      add(record.createdSeconds)
      add(record.frames)
      add(record.sampleRate)
      add(record.channels)
      add(record.bitrateKbps)
      add(record.format)
      add(record.stopReason)
      add(record.position.isFinite ? "\(record.position)" : "-1")
      add(record.bookmarks)
      add(record.flags)
      add(record.displayName)
      add(record.tags)
      if record.bookmarks > 0, !record.hasUntoldMarks { add(record.markTitles) }
    case .remove(let id):
      body.append(UInt8(ascii: "-"))
      body.append(Self.tab)
      Self.escape(id, into: &body)
    }
    let checksum = Checksum.hexadecimal(UInt64(Checksum.fnv32(body)), digits: 8)
    return Array(checksum.utf8) + body + [Self.newline]
  }

  /// Reads a line without its line feed; `nil` if it is torn or damaged.
  init?(_ line: ArraySlice<UInt8>) {
    guard line.count > 10 else { return nil }
    let body = line.dropFirst(8)
    guard let checksum = Self.hexadecimal(line.prefix(8)), checksum == Checksum.fnv32(body) else { return nil }
    let fields = body.split(separator: Self.tab, omittingEmptySubsequences: false)
    switch (body.first, fields.count) {
    case (UInt8(ascii: "-"), 2): self = .remove(Self.text(fields[1]))
    case (UInt8(ascii: "+"), 18...19):
      guard let record = TakeRecord(fields: fields) else { return nil }
      self = .put(record)
    default: return nil
    }
  }

  private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt32? {
    var value: UInt32 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return value
  }

  fileprivate static func integer<Value: FixedWidthInteger>(_ digits: ArraySlice<UInt8>) -> Value? {
    guard let first = digits.first else { return nil }
    let isNegative = first == UInt8(ascii: "-")
    var value: Value = 0
    for digit in isNegative ? digits.dropFirst() : digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let units = Value(digit - UInt8(ascii: "0"))
      let (sum, overflows) = isNegative ? tens.subtractingReportingOverflow(units) : tens.addingReportingOverflow(units)
      guard !isTooLarge, !overflows else { return nil }
      value = sum
    }
    return value
  }

  private static func escape(_ text: String, into body: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case tab: body.append(contentsOf: [backslash, UInt8(ascii: "t")])
      case newline: body.append(contentsOf: [backslash, UInt8(ascii: "n")])
      case tagMark: body.append(contentsOf: [backslash, UInt8(ascii: "u")])
      case backslash: body.append(contentsOf: [backslash, backslash])
      default: body.append(byte)
      }
    }
  }

  fileprivate static func text(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.contains(backslash) else { return String(decoding: bytes, as: UTF8.self) }
    var plain: [UInt8] = []
    var isEscaped = false
    for byte in bytes {
      if isEscaped {
        isEscaped = false
        switch byte {
        case UInt8(ascii: "t"): plain.append(tab)
        case UInt8(ascii: "n"): plain.append(newline)
        case UInt8(ascii: "u"): plain.append(tagMark)
        default: plain.append(byte)
        }
      } else if byte == backslash {
        isEscaped = true
      } else {
        plain.append(byte)
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }

  fileprivate static func texts(_ bytes: ArraySlice<UInt8>) -> [String] {
    bytes.isEmpty ? [] : bytes.split(separator: tagMark, omittingEmptySubsequences: false).map(text)
  }
}

extension TakeRecord {
  /// What is so in the lowest eight bits, the link above.
  fileprivate var flags: UInt64 {
    let flags = [favourite, inProgress, verified, isProtected, isUnreadable, hasNewMarks, isLinked, isForeign]
    return flags.enumerated().reduce(UInt64(link) << 8) { $1.element ? $0 | 1 << UInt64($1.offset) : $0 }
  }

  /// From the fields of a `+` line, the sign included.
  fileprivate init?(fields: [ArraySlice<UInt8>]) {
    guard let size: Int = CatalogueLine.integer(fields[2]), size >= 0,
      let modified: Int64 = CatalogueLine.integer(fields[3]),
      let metaSize: Int = CatalogueLine.integer(fields[4]),
      let metaModified: Int64 = CatalogueLine.integer(fields[5]),
      let createdSeconds: Int64 = CatalogueLine.integer(fields[6]),
      // What 64 bits of nanoseconds can hold.
      (-9_200_000_000...9_200_000_000).contains(createdSeconds),
      let frames: Int = CatalogueLine.integer(fields[7]), (0...FileMeta.mostFrames).contains(frames),
      let sampleRate: Int32 = CatalogueLine.integer(fields[8]), sampleRate >= 0,
      let channels: UInt8 = CatalogueLine.integer(fields[9]),
      let bitrateKbps: Int32 = CatalogueLine.integer(fields[10]),
      let position = Double(String(decoding: fields[13], as: UTF8.self)), abs(position) <= FileMeta.longestSeconds,
      let bookmarks: Int32 = CatalogueLine.integer(fields[14]),
      let flags: UInt64 = CatalogueLine.integer(fields[15])
    else { return nil }
    id = CatalogueLine.text(fields[1])
    session = TakeName.number(in: id) ?? 0
    self.size = size
    self.modified = modified
    self.metaSize = metaSize
    self.metaModified = metaModified
    self.createdSeconds = createdSeconds
    self.frames = frames
    self.sampleRate = sampleRate
    self.channels = channels
    self.bitrateKbps = bitrateKbps
    format = CatalogueLine.text(fields[11])
    stopReason = CatalogueLine.text(fields[12])
    self.position = position
    self.bookmarks = bookmarks
    favourite = flags & 1 != 0
    inProgress = flags & 2 != 0
    verified = flags & 4 != 0
    isProtected = flags & 8 != 0
    isUnreadable = flags & 16 != 0
    hasNewMarks = flags & 32 != 0
    // Older ones say that it is linked, and not to what: it is asked again.
    link = UInt32(truncatingIfNeeded: flags >> 8)
    isForeign = flags & 128 != 0
    displayName = CatalogueLine.text(fields[16])
    tags = CatalogueLine.texts(fields[17])
    if fields.count > 18 { markTitles = CatalogueLine.texts(fields[18]) } else { hasUntoldMarks = bookmarks > 0 }
    refreshSearchKey()
  }
}
