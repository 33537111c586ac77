internal import Hardware

/// The two pages in front of the sound of an Opus file of ours (RFC 7845, 5), which always take the same room.
struct OpusHead {
  /// The number of streams of older programs. The lower half all of ours have, the upper one tells one take from another.
  static let serial: UInt32 = 0x6861_6E4D  // "Mnah"
  /// Where the page of comments begins, and where the sound does.
  static let tagsPlace = OggPage.headBytes + 1 + 19
  static let bytes = tagsPlace + OggPage.headBytes + 65 + tagsBytes
  private static let tagsBytes = 64 * 255
  private static let sectorBytes = 512

  let pcm: PCMFormat
  /// Frames of 48 kHz that the decoder puts out before the first one.
  let preSkip: Int
  /// Number of the stream: pages of another take, which a power cut may leave between or behind its own, have another one.
  let serial: UInt32

  init(pcm: PCMFormat, preSkip: Int, serial: UInt32) {
    self.pcm = pcm
    self.preSkip = preSkip
    self.serial = serial
  }

  /// The number of a stream, by when its take began and what it is called.
  static func serial(of description: FileDescription) -> UInt32 {
    // FNV-1a, 32 bits.
    let take = "\(description.createdAt.nanosecondsSince1970) \(description.title)"
    let sum: UInt32 = take.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    return sum << 16 | serial & 0xFFFF
  }

  /// Whether a stream of this number may be ours.
  static func isOurs(_ serial: UInt32) -> Bool { serial & 0xFFFF == Self.serial & 0xFFFF }

  /// What the first page of a file says; `nil` if it is none of ours.
  init?(_ bytes: [UInt8]) {
    guard let (page, end) = OggPage.whole(bytes, at: 0), end == Self.tagsPlace, Self.isOurs(page.serial) else {
      return nil
    }
    var reader = ByteReader(bytes[(OggPage.headBytes + 1)..<end])
    guard reader.fourCC() == "Opus", reader.fourCC() == "Head", reader.big8() == 1, let channels = reader.big8(),
      (1...2).contains(channels), let preSkip = reader.little16(), let rate = reader.little32(),
      rate == OpusEncoder.sampleRate
    else { return nil }
    pcm = PCMFormat(sampleRate: OpusEncoder.sampleRate, channels: Int(channels))
    self.preSkip = Int(preSkip)
    serial = page.serial
  }

  /// The first page with the one bit put right that is wrong in it, which its checksum tells; `nil` if it is none of
  /// ours then.
  static func mended(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= tagsPlace else { return nil }
    var page = Array(bytes.prefix(tagsPlace))
    for place in page.indices {
      for bit in 0..<8 {
        page[place] ^= UInt8(1) << bit
        if OpusHead(page) != nil { return page }
        page[place] ^= UInt8(1) << bit
      }
    }
    return nil
  }

  /// The first page.
  private func identification(into writer: inout ByteWriter) {
    var head = ByteWriter()
    head.text("OpusHead")
    head.big8(1)
    head.big8(UInt8(truncatingIfNeeded: pcm.channels))
    head.little16(UInt16(clamping: preSkip))
    head.little32(UInt32(pcm.sampleRate))
    head.zeros(3)
    OggPage(flags: OggPage.firstFlag, serial: serial, number: 0)
      .write(packets: [head.count], body: head.bytes, into: &writer)
  }

  /// The page of comments.
  ///
  /// - Parameter isClosed: only a few, in so little room that one sector takes them; what is behind it is skipped by readers.
  private func tags(_ comments: VorbisComments, _ marks: [TakeMark], isClosed: Bool = false) -> [UInt8] {
    var packet = ByteWriter()
    packet.text("OpusTags")
    if isClosed {
      var few = comments
      few.texts = few.texts.filter { $0.utf8.count < 100 }.prefix(2) + []
      few.vendor = String(few.vendor.prefix(utf8: 60))
      few.write([], sampleRate: pcm.sampleRate, into: &packet)
    } else {
      let marks = VorbisComments.fitting(marks, most: 999, room: Self.tagsBytes - 264 - comments.room)
      comments.write(marks, sampleRate: pcm.sampleRate, into: &packet)
      packet.zeros(Self.tagsBytes - packet.count)
    }
    var writer = ByteWriter()
    OggPage(serial: serial, number: 1).write(packets: [packet.count], body: packet.bytes, into: &writer)
    return writer.bytes
  }

  func bytes(_ description: FileDescription) -> [UInt8] {
    var writer = ByteWriter()
    identification(into: &writer)
    return writer.bytes + tags(VorbisComments(description), [])
  }

  /// Writes the page of comments anew: between two writes of one sector, in which a small one stands in for it, the rest.
  func write(_ comments: VorbisComments, _ marks: [TakeMark], to file: any StoredFile) throws(StorageError) {
    let new = tags(comments, marks)
    try file.write(tags(comments, [], isClosed: true), at: Self.tagsPlace)
    try file.sync()
    let front = Self.sectorBytes - Self.tagsPlace
    try file.write(new, front..<new.count, at: Self.sectorBytes)
    try file.sync()
    try file.write(new, 0..<front, at: Self.tagsPlace)
    try file.sync()
  }

  /// Puts other marks into a finished file.
  ///
  /// - Parameter otherwise: the comments, where none can be read.
  static func replaceMarks(
    _ marks: [TakeMark], in file: any StoredFile, otherwise: VorbisComments
  ) throws(StorageError) -> Bool {
    let old = try file.bytes(at: 0, count: bytes)
    guard let head = OpusHead(old), try !head.leadsElsewhere(in: file), try OpusRepair.hasEnd(file) else {
      return false
    }
    let texts = comments(in: old) ?? otherwise
    guard texts.isWhole else { return false }
    try head.write(texts, marks, to: file)
    return true
  }

  /// Whether what comes behind the first page of comments begins where readers go on, and not where the device puts the
  /// sound: another program has written the comments anew, in as much room as it wants. What lies in the room of the
  /// device's page is sound then.
  func leadsElsewhere(in file: any StoredFile) throws(StorageError) -> Bool {
    let bytes = try file.bytes(at: Self.tagsPlace, count: 2 * OggPage.mostBytes)
    guard let (_, end) = OggPage.whole(bytes, at: 0), end != Self.bytes - Self.tagsPlace else { return false }
    return OggPage.whole(bytes, at: end)?.page.serial == serial
  }

  /// The comments that the page of them has, if it is whole.
  static func comments(in front: [UInt8]) -> VorbisComments? {
    guard let (_, end) = OggPage.whole(front, at: tagsPlace) else { return nil }
    var reader = ByteReader(front[tagsPlace..<end])
    guard reader.skip(OggPage.headBytes - 1), let segments = reader.big8(), reader.skip(Int(segments)),
      reader.take(8).map({ Array($0) }) == Array("OpusTags".utf8)
    else { return nil }
    return VorbisComments(reading: front[reader.position..<end])
  }
}
