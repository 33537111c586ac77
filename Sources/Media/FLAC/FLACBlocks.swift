internal import Hardware

/// What lies behind the front in the head of a FLAC file of ours (RFC 9639, 8): marks as a cue sheet, comments, blocks that
/// other programs have put there, padding. It is as long in every file; places in it are counted from the front's end.
struct FLACBlocks {
  private static let start = FLACHead.frontBytes
  private static let size = FLACHead.bytes - start
  /// What comments and marks may take, without what a sheet takes beside its tracks.
  private static let room = size - 264
  /// That is made up for by some marks, which take less than is reckoned.
  private static let leastRoom = 2000
  /// A cue sheet that is none of a CD has numbers for so many tracks.
  private static let mostMarks = 254
  /// Other programs' heads have some more blocks than ours.
  private static let mostBlocks = 128
  /// In the head of a block: it is the last one.
  private static let last: UInt32 = 1 << 31

  /// The beginning of a block of padding that takes all.
  static var onlyPadding: [UInt8] { Array(beforePadding([]).prefix(4)) }

  private let sampleRate: Int
  /// Length of the recording.
  private let frames: Int

  init(sampleRate: Int, frames: Int) { (self.sampleRate, self.frames) = (sampleRate, frames) }

  /// Marks, comments, padding.
  func bytes(_ comments: VorbisComments, _ marks: [TakeMark]) -> [UInt8] {
    Self.beforePadding(told(comments, marks, others: []))
  }

  /// The blocks of marks and comments, behind those of others.
  private func told(_ comments: VorbisComments, _ marks: [TakeMark], others: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.bytes = others
    let marks = VorbisComments.fitting(
      marks, most: Self.mostMarks, room: Self.room - comments.room - others.count, markBytes: 68)
    // Readers that know both take the comments, which have titles, for the sheet's tracks of the same numbers.
    if !marks.isEmpty { Self.block(5, into: &writer) { cueSheet(marks, into: &$0) } }
    Self.block(4, into: &writer) { comments.write(marks, sampleRate: sampleRate, into: &$0) }
    return writer.bytes
  }

  private static func block(_ type: UInt32, into writer: inout ByteWriter, _ content: (inout ByteWriter) -> Void) {
    let start = writer.count
    writer.big32(0)
    content(&writer)
    writer.patch32(type << 24 | UInt32(writer.count - start - 4), at: start)
  }

  /// A track for each mark, and the one that ends every sheet.
  private func cueSheet(_ marks: some Collection<TakeMark>, into block: inout ByteWriter) {
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

  // MARK: Where padding is

  private static func beforePadding(_ blocks: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.bytes = blocks
    let padding = size - blocks.count - 4
    writer.big32(last | 1 << 24 | UInt32(padding))
    writer.zeros(padding)
    return writer.bytes
  }

  private static func behindPadding(_ blocks: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    let padding = size - blocks.count - 4
    writer.big32(1 << 24 | UInt32(padding))
    writer.zeros(padding)
    writer.bytes += blocks
    var head = 0
    visit(writer.bytes) { _, content, _ in
      head = content.startIndex - 4
      return false
    }
    writer.bytes[head] |= UInt8(last >> 24)
    return writer.bytes
  }

  /// Where the padding of the first block ends, and where that of the last one begins.
  private static func padding(in there: [UInt8]) -> (first: Int?, last: Int?) {
    var found: (first: Int?, last: Int?)
    visit(there) { type, content, isLast in
      if type == 1, content.startIndex == 4 { found.first = content.endIndex }
      if type == 1, isLast { found.last = content.startIndex }
      return isLast
    }
    return found
  }

  // MARK: Reading

  /// Goes over the blocks that are whole, until `see` has seen enough: it gets type and content.
  private static func visit(
    _ there: [UInt8], _ see: (_ type: UInt32, _ content: ArraySlice<UInt8>, _ isLast: Bool) -> Bool
  ) {
    var reader = ByteReader(there)
    while let head = reader.big32(), let content = reader.take(Int(head & 0xFF_FFFF)) {
      if see(head >> 24 & 0x7F, content, head & last != 0) { return }
    }
  }

  private static func comments(in there: [UInt8]) -> VorbisComments? {
    var found: VorbisComments?
    visit(there) { type, content, _ in
      guard type == 4 else { return false }
      found = VorbisComments(reading: content)
      return true
    }
    return found
  }

  /// Blocks that other programs have put into the room of the padding: pictures, tables for seeking.
  private static func others(in there: [UInt8]) -> [UInt8] {
    var found = ByteWriter()
    visit(there) { type, content, isLast in
      if ![1, 4, 5].contains(type) {
        found.big32(type << 24 | UInt32(content.count))
        found.bytes += content
      }
      return isLast
    }
    return found.bytes
  }

  /// Where the blocks end in the file, as readers have to go; `nil` if that is nowhere.
  static func end(in file: any StoredFile) throws(StorageError) -> Int? {
    var place = start
    for _ in 0..<mostBlocks {
      var reader = ByteReader(try file.bytes(at: place, count: 4))
      guard let head = reader.big32() else { return nil }
      place += 4 + Int(head & 0xFF_FFFF)  // bounded: 24 bits, some times
      if head & last != 0 { return place }
    }
    return nil
  }

  /// Whether the frames begin there, and not where the device puts them: another program has written the head anew, in
  /// as much room as it wants. What lies in the room of the device's head is sound then.
  static func leadElsewhere(_ end: Int?, in file: any StoredFile) throws(StorageError) -> Bool {
    guard let end, end != FLACHead.bytes else { return false }
    return FLACHead.lost(before: try file.bytes(at: end, count: 32)) != nil
  }

  // MARK: Other marks

  /// Puts other marks into the head of a finished file. They are written where there is padding, behind the blocks that
  /// are there or in front of them; then one small write makes padding of those. So what others have put there is whole
  /// throughout. Marks that need more room are written while all is padding.
  ///
  /// - Parameter otherwise: the comments, where a power cut has left none that can be read.
  static func replaceMarks(
    _ marks: [TakeMark], in file: any StoredFile, otherwise: VorbisComments
  ) throws(StorageError) -> Bool {
    guard let found = FLACHead.read(try file.bytes(at: 0, count: start)), found.isOurs, found.isFinished,
      try !leadElsewhere(try end(in: file), in: file)
    else { return false }
    let there = try file.bytes(at: start, count: size)
    let texts = comments(in: there) ?? otherwise
    let rest = others(in: there)
    guard there.count == size, texts.isWhole, room - texts.room - rest.count > leastRoom else { return false }
    let maker = FLACBlocks(sampleRate: found.pcm.sampleRate, frames: found.claim.frames)
    let blocks = maker.told(texts, marks, others: rest)
    if try place(blocks, over: there, in: file) { return true }
    if rest.isEmpty {
      try file.write(onlyPadding, at: start)
      try file.sync()
      try write(beforePadding(blocks), first: 4..<size, in: file)
      return true
    }
    // The old marks may be what leaves no room for the new ones; what the notes do not have would be lost as above.
    guard try place(maker.told(texts, [], others: rest), over: there, in: file) else { return false }
    return try place(blocks, over: try file.bytes(at: start, count: size), in: file)
  }

  /// Puts blocks where there is padding, or where they are already; false if none is large enough.
  private static func place(
    _ blocks: [UInt8], over there: [UInt8], in file: any StoredFile
  ) throws(StorageError) -> Bool {
    let free = padding(in: there)
    let behind = size - blocks.count
    let (front, back) = (beforePadding(blocks), behindPadding(blocks))
    let isBehind = free.first == behind && there[behind...] == back[behind...]
    let isInFront = there.starts(with: front[..<(blocks.count + 4)])
    if isInFront || !isBehind && free.first ?? 0 >= blocks.count + 4 {
      try write(front, first: 4..<blocks.count + 4, in: file, over: there)
    } else if isBehind || free.last ?? size <= behind {
      try write(back, first: behind..<size, in: file, over: there)
    } else {
      return false
    }
    return true
  }

  /// Writes what lies behind the front: first where there is padding, then the first block's head, by which that is read,
  /// then the rest, which was read until then. What is there already is not written.
  private static func write(
    _ new: [UInt8], first: Range<Int>, in file: any StoredFile, over there: [UInt8] = []
  ) throws(StorageError) {
    for part in [first, 0..<4, 4..<first.lowerBound, first.upperBound..<size] where !part.isEmpty {
      guard there.dropFirst(part.lowerBound).prefix(part.count) != new[part] else { continue }
      try file.write(new, part, at: start + part.lowerBound)
      try file.sync()
    }
  }
}
