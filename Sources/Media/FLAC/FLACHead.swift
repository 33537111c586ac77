internal import Hardware

/// The head of a FLAC file of ours (RFC 9639, 8): 32 KiB in front of the frames, whatever is in it.
///
/// STREAMINFO, a block of our own that says how far the file is claimed, comments, marks as a cue sheet, padding. What
/// changes while the file grows lies in its first bytes, in one sector.
struct FLACHead {
  /// How much of the file is sound, and what STREAMINFO says of it.
  struct Claim: Hashable {
    var frames = 0
    /// Where the last frame ends in the file.
    var end = FLACHead.bytes
    /// MD5 of the samples; zeros: not known.
    var digest = [UInt8](repeating: 0, count: LosslessEncoder.digestBytes)
    /// Bytes of the smallest and the largest frame of the format.
    var smallest = 0
    var largest = 0

    mutating func add(frames: Int, digest: some Sequence<UInt8>, bytes: Int) {
      self.frames += frames
      self.digest = Array(digest)
      end += bytes
      smallest = smallest == 0 ? bytes : min(smallest, bytes)
      largest = max(largest, bytes)
    }
  }

  /// What the first bytes of a file say.
  struct Reading {
    var pcm: PCMFormat
    var claim: Claim
    /// Up to here everything is on the medium for sure; 0 of a file that is none of ours.
    var safeEnd = 0
    var isFinished = false
    var isOurs: Bool { safeEnd > 0 }
  }

  /// Where the frames begin.
  static let bytes = 32 << 10
  /// Bytes that are rewritten with every claim.
  static let frontBytes = 42 + 4 + 4 + 20
  /// What is written in one piece, whatever becomes of the power.
  static let sectorBytes = 512
  /// What comments and marks may take, without what a sheet takes beside its tracks.
  private static let room = bytes - frontBytes - 264
  /// That is made up for by some marks, which take less than is reckoned.
  private static let leastRoom = 2000
  private static let application = "Mnah"
  /// A cue sheet that is none of a CD has numbers for so many tracks.
  private static let mostMarks = 254
  /// Other programs' heads have some more blocks than ours.
  private static let mostBlocks = 128
  /// A block of padding, the last of the head, without its length.
  private static let lastPadding: UInt32 = 0x8100_0000

  /// The beginning of a block of padding that takes all that lies behind the front.
  static var onlyPadding: [UInt8] {
    var writer = ByteWriter()
    writer.big32(lastPadding | UInt32(bytes - frontBytes - 4))
    return writer.bytes
  }

  var pcm: PCMFormat

  /// STREAMINFO and the claim.
  ///
  /// - Parameter safeEnd: see `Reading`.
  func front(_ claim: Claim, safeEnd: Int, isFinished: Bool) -> [UInt8] {
    var writer = ByteWriter()
    writer.text("fLaC")
    writer.big32(34)
    let block = UInt16(SoundCodec.flac.packetFrames)
    writer.big16(block)
    writer.big16(block)
    for size in [claim.smallest, claim.largest] {
      writer.big8(UInt8(truncatingIfNeeded: size >> 16))
      writer.big16(UInt16(truncatingIfNeeded: size))
    }
    let shape = UInt64(pcm.sampleRate) << 44 | UInt64(pcm.channels - 1) << 41 | UInt64(pcm.bits - 1) << 36
    writer.big64(shape | UInt64(claim.frames) & 0xF_FFFF_FFFF)
    writer.bytes.append(contentsOf: claim.digest)
    writer.big32(2 << 24 | 24)
    writer.text(Self.application)
    writer.big32(isFinished ? 1 : 0)
    writer.big64(UInt64(claim.end))
    writer.big64(UInt64(safeEnd))
    return writer.bytes
  }

  /// The whole head.
  func bytes(_ claim: Claim, safeEnd: Int, isFinished: Bool, _ description: FileDescription, _ summary: FileSummary)
    -> [UInt8]
  {
    front(claim, safeEnd: safeEnd, isFinished: isFinished)
      + blocks(
        VorbisComments(description, comment: summary.comment, tags: summary.tags), summary.marks, frames: claim.frames)
  }

  /// What lies behind the front: marks, comments, padding.
  ///
  /// - Parameter others: blocks of other programs, which stay as they are.
  private func blocks(
    _ comments: VorbisComments, _ marks: [TakeMark], frames: Int, others: [UInt8] = []
  ) -> [UInt8] {
    var writer = ByteWriter()
    let marks = VorbisComments.fitting(
      marks, most: Self.mostMarks, room: Self.room - comments.room - others.count, markBytes: 68)
    // Readers that know both take the comments, which have titles, for the sheet's tracks of the same numbers.
    if !marks.isEmpty { block(5, into: &writer) { cueSheet(marks, frames: frames, into: &$0) } }
    block(4, into: &writer) { comments.write(marks, sampleRate: pcm.sampleRate, into: &$0) }
    writer.bytes += others
    let padding = Self.bytes - Self.frontBytes - writer.count - 4
    writer.big32(Self.lastPadding | UInt32(padding))
    writer.zeros(padding)
    return writer.bytes
  }

  /// Puts other marks into the head of a finished file: it is padding while it is written.
  ///
  /// - Parameter otherwise: the comments, where a power cut has left none that can be read.
  static func replaceMarks(
    _ marks: [TakeMark], in file: any StoredFile, otherwise: VorbisComments
  ) throws(StorageError) -> Bool {
    let old = try file.bytes(at: 0, count: bytes)
    guard let found = read(old), found.isOurs, found.isFinished, old.count == bytes,
      try !leadsElsewhere(try blocksEnd(of: file), in: file)
    else { return false }
    let texts = comments(in: old) ?? otherwise
    let rest = others(in: old)
    guard texts.isWhole, room - texts.room - rest.count > leastRoom else { return false }
    let new = FLACHead(pcm: found.pcm).blocks(texts, marks, frames: found.claim.frames, others: rest)
    var closed = ByteWriter()
    closed.big32(lastPadding | UInt32(bytes - frontBytes - 4))
    try file.write(closed.bytes, at: frontBytes)
    try file.sync()
    try file.write(new, 4..<new.count, at: frontBytes + 4)
    try file.sync()
    try file.write(new, 0..<4, at: frontBytes)
    try file.sync()
    return true
  }

  /// Where the blocks behind the front end, as readers have to go; `nil` if that is nowhere.
  static func blocksEnd(of file: any StoredFile) throws(StorageError) -> Int? {
    var place = frontBytes
    for _ in 0..<mostBlocks {
      var reader = ByteReader(try file.bytes(at: place, count: 4))
      guard let type = reader.big32() else { return nil }
      place += 4 + Int(type & 0xFF_FFFF)  // bounded: 24 bits, some times
      if type >> 31 == 1 { return place }
    }
    return nil
  }

  /// Whether the frames begin there, and not where the device puts them: another program has written the head anew, in
  /// as much room as it wants. What lies in the room of the device's head is sound then.
  static func leadsElsewhere(_ end: Int?, in file: any StoredFile) throws(StorageError) -> Bool {
    guard let end, end != bytes else { return false }
    return lost(before: try file.bytes(at: end, count: 32)) != nil
  }

  /// Goes over the blocks behind the front that are whole, until `visit` has seen enough: it gets type and content.
  private static func visitBlocks(
    in head: [UInt8], _ visit: (_ type: UInt32, _ content: ArraySlice<UInt8>, _ isLast: Bool) -> Bool
  ) {
    var reader = ByteReader(head)
    guard reader.skip(frontBytes) else { return }
    while let type = reader.big32(), let content = reader.take(Int(type & 0xFF_FFFF)) {
      if visit(type >> 24 & 0x7F, content, type >> 31 == 1) { return }
    }
  }

  private static func comments(in head: [UInt8]) -> VorbisComments? {
    var found: VorbisComments?
    visitBlocks(in: head) { type, content, _ in
      guard type == 4 else { return false }
      found = VorbisComments(reading: content)
      return true
    }
    return found
  }

  /// Blocks that other programs have put into the room of the padding: pictures, tables for seeking.
  private static func others(in head: [UInt8]) -> [UInt8] {
    var found = ByteWriter()
    visitBlocks(in: head) { type, content, isLast in
      if ![1, 4, 5].contains(type) {
        found.big32(type << 24 | UInt32(content.count))
        found.bytes += content
      }
      return isLast
    }
    return found.bytes
  }

  private func block(_ type: UInt32, into writer: inout ByteWriter, _ content: (inout ByteWriter) -> Void) {
    let start = writer.count
    writer.big32(0)
    content(&writer)
    writer.patch32(type << 24 | UInt32(writer.count - start - 4), at: start)
  }

  /// A track for each mark, and the one that ends every sheet.
  private func cueSheet(_ marks: some Collection<TakeMark>, frames: Int, into block: inout ByteWriter) {
    block.zeros(128 + 8 + 259)
    block.big8(UInt8(marks.count + 1))
    for (index, mark) in marks.enumerated() {
      block.big64(UInt64(max(0, mark.frame)))
      block.big8(UInt8(index + 1))
      block.zeros(12 + 14)
      block.big8(1)
      block.big64(0)
      block.big8(1)
      block.zeros(3)
    }
    block.big64(UInt64(frames))
    block.big8(255)
    block.zeros(12 + 14 + 1)
  }

  /// No file is longer: where one ends of which nobody knows it.
  private static let longest = 1 << 50

  /// How many bytes are other ones of those that are the same in all heads of ours.
  private static func wrongBytes(_ bytes: [UInt8]) -> Int {
    guard bytes.count >= frontBytes else { return .max }
    let own = Array("fLaC".utf8) + [0, 0, 0, 34, 2, 0, 0, 24] + Array(application.utf8)
    return zip(own, bytes[0..<8] + bytes[42..<50]).filter { $0.0 != $0.1 }.count
  }

  /// What the beginning of a file says, of whoever made it; `nil` if it is none that can be read. Of ours one byte may
  /// be wrong, and also what it says of sound and claim.
  static func read(_ bytes: [UInt8]) -> Reading? {
    let wrong = wrongBytes(bytes)
    let isLikeOurs = wrong <= 1
    var reader = ByteReader(bytes)
    let begin = reader.fourCC()
    guard let info = reader.big32(), isLikeOurs || begin == "fLaC" && info & 0x7FFF_FFFF == 34, reader.skip(4),
      let sizes = reader.take(6), let shape = reader.big64(), let digest = reader.take(LosslessEncoder.digestBytes)
    else { return nil }
    let number = { (bytes: ArraySlice<UInt8>) in bytes.reduce(0) { $0 << 8 | Int($1) } }
    let pcm = PCMFormat(
      sampleRate: Int(shape >> 44), channels: Int(shape >> 41 & 7) + 1, bits: Int(shape >> 36 & 31) + 1)
    guard pcm.sampleRate > 0 || isLikeOurs else { return nil }
    var found = Reading(pcm: pcm, claim: Claim())
    found.claim.frames = Int(shape & 0xF_FFFF_FFFF)
    found.claim.digest = Array(digest)
    found.claim.smallest = number(sizes.prefix(3))
    found.claim.largest = number(sizes.suffix(3))
    guard isLikeOurs, reader.skip(8), let state = reader.big32() else { return found }
    let end = ClaimedNumber(reader.big64()).within(Self.bytes...longest)
    guard let end, let safeEnd = ClaimedNumber(reader.big64()).within(Self.bytes...end) else {
      // One of the two is wrong: the frames say how far they go.
      found.claim.end = longest
      found.safeEnd = Self.bytes
      return found
    }
    found.claim.end = end
    found.safeEnd = safeEnd
    found.isFinished = wrong == 0 && state == 1
    return found
  }

  /// What is known where the head is lost, by the first bytes of the frames behind it; `nil` if they are none of ours.
  static func lost(before frames: [UInt8]) -> Reading? {
    guard let first = frames.withUnsafeBufferPointer({ FLACFrameHead($0, at: 0) }), first.number == 0,
      let pcm = first.format
    else { return nil }
    return Reading(pcm: pcm, claim: Claim(end: longest), safeEnd: bytes)
  }
}

/// The head of one frame of FLAC (RFC 9639, 9.1), as the encoder writes it.
struct FLACFrameHead {
  /// Its number in the stream.
  var number: Int
  var frames: Int
  /// Of its sound, where it is one that the device records.
  var format: PCMFormat?
  /// Frames of the stream up to its end.
  var end: Int { number * SoundCodec.flac.packetFrames + frames }

  /// The frame head that begins at `start`, if every bit of it is as it must be.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) {
    guard start + 6 < bytes.count, bytes[start] == 0xFF, bytes[start + 1] == 0xF8, bytes[start + 3] & 1 == 0 else {
      return nil
    }
    var place = start + 4
    // The number is coded as UTF-8 codes characters.
    let first = bytes[place]
    let length = first < 0x80 ? 1 : (~first).leadingZeroBitCount
    guard length != 0, first < 0x80 || (2...7).contains(length), place + length + 3 < bytes.count else { return nil }
    number = first < 0x80 ? Int(first) : length >= 7 ? 0 : Int(first & (0x7F >> UInt8(length)))
    for index in 1..<max(1, length) {
      guard bytes[place + index] & 0xC0 == 0x80 else { return nil }
      number = number << 6 | Int(bytes[place + index] & 0x3F)
    }
    // The head of a file has 36 bits for what lies before it.
    guard number < Self.mostFrames else { return nil }
    place += length
    switch bytes[start + 2] >> 4 {
    case 6:
      frames = Int(bytes[place]) + 1
      place += 1
    case 7:
      frames = (Int(bytes[place]) << 8 | Int(bytes[place + 1])) + 1
      place += 2
    case let code where code >= 8: frames = 256 << Int(code - 8)
    case 1: frames = 192
    case let code where (2...5).contains(code): frames = 576 << Int(code - 2)
    default: return nil
    }
    let rate = bytes[start + 2] & 15
    place += rate == 12 ? 1 : rate == 13 || rate == 14 ? 2 : 0
    guard rate != 15, place < bytes.count else { return nil }
    var sum: UInt8 = 0
    for index in start..<place {
      sum ^= bytes[index]
      for _ in 0..<8 { sum = sum & 0x80 != 0 ? sum << 1 ^ 0x07 : sum << 1 }
    }
    guard sum == bytes[place] else { return nil }
    guard let hertz = Self.rates[rate], let count = Self.channels[bytes[start + 3] >> 4] else { return }
    switch bytes[start + 3] >> 1 & 7 {
    case 4: format = PCMFormat(sampleRate: hertz, channels: count, bits: 16)
    case 6: format = PCMFormat(sampleRate: hertz, channels: count, bits: 24)
    default: break
    }
  }

  private static let mostFrames = (1 << 36) / SoundCodec.flac.packetFrames
  /// What codes of a frame's head say, of what the device records.
  private static let rates: [UInt8: Int] = [
    1: 88_200, 2: 176_400, 3: 192_000, 4: 8000, 5: 16_000, 6: 22_050, 7: 24_000, 8: 32_000, 9: 44_100, 10: 48_000,
    11: 96_000,
  ]
  private static let channels: [UInt8: Int] = [0: 1, 1: 2, 8: 2, 9: 2, 10: 2]

  private static let table: [UInt16] = (0..<256).map { index in
    (0..<8).reduce(UInt16(index) << 8) { sum, _ in sum & 0x8000 != 0 ? sum << 1 ^ 0x8005 : sum << 1 }
  }

  /// Whether these bytes are whole frames: the checksum at the end of a frame makes that of all of it zero.
  static func isWhole(_ bytes: UnsafeBufferPointer<UInt8>.SubSequence) -> Bool { checksum(of: bytes, after: 0) == 0 }

  /// - Parameter before: the one of what stands before these bytes.
  static func checksum(of bytes: UnsafeBufferPointer<UInt8>.SubSequence, after before: UInt16) -> UInt16 {
    let table = table
    return bytes.reduce(before) { sum, byte in sum << 8 ^ table[Int(UInt8(sum >> 8) ^ byte)] }
  }
}
