internal import Hardware

/// Inspection and repair of Opus files of ours, a bounded piece at a time: a file without an end has lost it in its last pages.
struct OpusRepair {
  private let file: any StoredFile
  private let writes: Bool
  /// Pages are looked for from this far before the end of the file on.
  private var reach = OpusRepair.windowBytes

  /// How often pages were taken out that are none of their place.
  private var clearings = 0
  private static let mostClearings = 8

  /// The last pages, in which everything lies that a power cut can have torn: 16 s at the least.
  private static let windowBytes = 512 << 10
  /// Pages in a row that may be unreadable before what follows them: more would be another recording's.
  private static let mostMissing: UInt32 = 1000
  /// Bytes of pages that are summed in one look, some times what there is where each page is one: heads of false pages
  /// would have 64 KiB summed for each.
  private static let mostSummed = 4 << 20
  private static let largestPageFrames = OggPage.mostSegments * SoundCodec.opus.packetFrames

  init(_ file: any StoredFile, writes: Bool) {
    self.file = file
    self.writes = writes
  }

  /// Does the next piece of work; one that throws is made again.
  ///
  /// - Returns: what the file is, once that is known.
  mutating func step() throws(StorageError) -> MediaInspection? {
    var front = try file.bytes(at: 0, count: OpusHead.bytes)
    let mended = OpusHead(front) == nil ? OpusHead.mended(front) : nil
    if let mended { front.replaceSubrange(mended.indices, with: mended) }
    guard let head = OpusHead(front) else {
      guard OggPage.isOurs(front) else { return MediaInspection(.foreign) }
      return MediaInspection(
        .damaged("The header that says how the sound is encoded is unreadable."), format: .opus,
        unreadableBytes: file.size)
    }
    let tags = OggPage.whole(front, at: OpusHead.tagsPlace)
    let hasTags = tags?.end == OpusHead.bytes
    if !hasTags, try head.leadsElsewhere(in: file) { return MediaInspection(.foreign, format: .opus, pcm: head.pcm) }
    let look = try tail(head.serial)
    guard !look.isFalse else {
      return MediaInspection(.damaged("It is full of false pages."), format: .opus, unreadableBytes: file.size)
    }
    guard let tail = look.tail else {
      reach += Self.windowBytes
      return nil
    }
    let isFinished = tail.isFinished || tail.page == OpusHead.tagsPlace && tags?.page.isLast == true
    if isFinished, try hasStream(at: tail.end) { return MediaInspection(.foreign, format: .opus, pcm: head.pcm) }
    var found = MediaInspection(
      .finished, format: .opus, pcm: head.pcm, frames: max(0, tail.granule - head.preSkip))
    var isWhole = isFinished && file.size == tail.end
    if isFinished, !isWhole { isWhole = try hasOthers(at: tail.end) }
    guard mended != nil || !isWhole || !hasTags else { return found }
    guard writes else {
      found.condition = .unfinished(
        mended != nil && isFinished ? "There is a wrong bit in its head." : "The recording was interrupted.")
      return found
    }
    // Some readers end at what cannot be where it is. What is the take's own without it is looked for anew.
    let strange = tail.strange.filter { $0 < tail.end }
    for place in strange { try file.write([0, 0, 0, 0], at: place) }
    if !strange.isEmpty, clearings < Self.mostClearings {
      clearings += 1
      return nil
    }
    found.unreadableBytes = isWhole ? 0 : max(0, file.size - tail.end)
    if !isWhole, file.size > tail.end { try file.truncate(to: tail.end) }
    if let mended { try file.write(mended, at: 0) }
    if !hasTags { try head.write(OpusHead.comments(in: front) ?? VorbisComments(), [], to: file) }
    try file.sync()
    try OpusWriter.end(file, page: tail.page, at: tail.end, granule: nil)
    try file.sync()
    return found
  }

  /// Whether another stream begins there: somebody has put a file behind this one, as Ogg has it.
  private func hasStream(at place: Int) throws(StorageError) -> Bool {
    guard file.size > place else { return false }
    let bytes = try file.bytes(at: place, count: OggPage.mostBytes)
    return OggPage.whole(bytes, at: 0).map { $0.page.flags & OggPage.firstFlag != 0 } ?? false
  }

  /// Whether something lies there that is no Ogg, and not only what a card has never written: others' tags.
  private func hasOthers(at place: Int) throws(StorageError) -> Bool {
    let bytes = try file.bytes(at: place, count: min(file.size - place, 4096))
    return bytes.contains { $0 != 0 } && !bytes.starts(with: "OggS".utf8)
  }

  /// Whether sound of a file of ours ends as it must, whatever its page of comments is like.
  static func hasEnd(_ file: any StoredFile) throws(StorageError) -> Bool {
    guard let head = OpusHead(try file.bytes(at: 0, count: OpusHead.tagsPlace)) else { return false }
    return try OpusRepair(file, writes: false).tail(head.serial).tail?.isFinished ?? false
  }

  /// `strange`: where pages begin that are whole, and none of this place.
  private typealias Tail = (page: Int, end: Int, granule: Int, isFinished: Bool, strange: [Int])

  /// Where the last whole page of the recording begins and ends, and what it says; `nil` if there is none in reach.
  /// What is unreadable before it costs itself only: players go on behind it, and granules keep all in its place.
  ///
  /// - Returns: the page, and whether there are so many false ones that it is not known.
  private func tail(_ serial: UInt32) throws(StorageError) -> (tail: Tail?, isFalse: Bool) {
    let start = max(OpusHead.bytes, file.size - reach)
    let bytes = try file.bytes(at: start, count: min(Self.windowBytes + OggPage.mostBytes, max(0, file.size - start)))
    var place = 0
    var left = Self.mostSummed
    // In the middle of a file a page is looked for; from there on all of them follow.
    if start > OpusHead.bytes {
      while place < bytes.count,
        bytes[place] != 0x4F || OggPage.whole(bytes, at: place, summing: &left)?.page.serial != serial
      {
        place += 1
      }
      if place == bytes.count { return (nil, left < 0) }
    }
    var found: Tail = (page: OpusHead.tagsPlace, end: OpusHead.bytes, granule: 0, isFinished: false, strange: [])
    // The page of comments.
    var number: UInt32? = start > OpusHead.bytes ? nil : 1
    // Of the last page that is none of this place: what goes on from it is none, either.
    var stranger: UInt32?
    while place < bytes.count {
      if let (page, end) = OggPage.whole(bytes, at: place, summing: &left), OpusHead.isOurs(page.serial) {
        let isStrange = stranger.map { page.number == $0 &+ 1 } ?? false
        let missing = start + place - found.end
        if page.serial != serial {
          found.strange.append(start + place)
        } else if !isStrange,
          number.map({ Self.follows(page, $0, found.granule, missing: missing) }) ?? (page.granule >= 0)
        {
          found = (start + place, start + end, page.granule, page.isLast, found.strange)
          number = page.number
          stranger = nil
        } else {
          // One in its place that says what cannot be is the recording's own.
          stranger = number.flatMap { page.number == $0 &+ 1 ? nil : page.number }
          found.strange.append(start + place)
        }
        place = end
      } else {
        place += 1
        while place < bytes.count, bytes[place] != 0x4F { place += 1 }
      }
    }
    return (found, left < 0)
  }

  /// Whether a page can be one that comes after that of a number: blocks of the card that were never written may hold
  /// pages of another recording. Pages that have become unreadable where they lie left as many bytes as they had.
  private static func follows(_ page: OggPage, _ number: UInt32, _ granule: Int, missing bytes: Int) -> Bool {
    let ahead = page.number &- number
    guard (1...mostMissing).contains(ahead) else { return false }
    let pages = Int(ahead) - 1
    guard pages == 0 ? bytes == 0 : (pages * OggPage.headBytes...pages * OggPage.mostBytes).contains(bytes) else {
      return false
    }
    return (0...Int(ahead) * largestPageFrames).contains(page.granule - granule)
  }
}
