internal import Hardware

/// The final `moov` of a finished file: found by the reserve, and judged by a few small reads, however long it is.
struct FinishedMovie {
  /// One track of it.
  struct TrackTables {
    /// `vide` or `soun`.
    var handler: String
    /// The `stbl` box, whose tables are as long as their counts say.
    var tables: BoxWalker.Box
    var samples: Int
    /// `nil`: all of them.
    var keyframes: Int?
    /// Units of the file in which nothing is shown, and media time that comes then: of its first edits.
    var empty = 0
    var firstShown = 0
    /// Units of the file that are shown of it, if that is one stretch.
    var shown: Int?
  }

  enum Finding {
    case whole(FinishedMovie)
    /// Nobody says that it was finished.
    case absent
    /// It was finished, and is not any more; the text says what is wrong.
    case damaged(String)
  }

  var movie: BoxWalker.Box
  /// Of the file, in units of its time scale: frames of sound, or ticks.
  var length: Int
  var timescale: Int
  var tracks: [TrackTables]

  static func find(in file: any StoredFile) throws(StorageError) -> Finding {
    var reserve = ByteReader(try file.bytes(at: MovieBoxes.reserveOffset, count: MovieBoxes.reserveBytes))
    guard reserve.big32() == 1, reserve.fourCC() == "mdat", let size = reserve.big64() else { return .absent }
    var start = ByteReader(try file.bytes(at: 0, count: 8))
    guard let end = (ClaimedNumber(size) + ClaimedNumber(MovieBoxes.reserveOffset)).within(0...file.size),
      start.big32() == UInt32(MovieBoxes.reserveOffset), start.fourCC() == "ftyp"
    else { return .damaged("The file was cut off after it was finished.") }
    let walker = BoxWalker(file)
    guard let movie = try walker.box(at: end, limit: file.size), movie.type == "moov",
      try canFollow(movie, walker, file),
      let header = try walker.find(["mvhd"], in: movie), let (length, timescale) = try Self.times(file, header)
    else { return .damaged("Its index is damaged.") }
    var found = FinishedMovie(movie: movie, length: length, timescale: timescale, tracks: [])
    for track in try walker.children("trak", of: movie) {
      guard let tables = try Self.tables(file, walker, track) else { return .damaged("Its index is damaged.") }
      found.tracks.append(tables)
    }
    return found.tracks.isEmpty ? .damaged("Its index is damaged.") : .whole(found)
  }

  /// Whether what is behind the index is what changing marks leaves, or boxes of other programs, as XMP is, which lead to the
  /// end of the file.
  private static func canFollow(
    _ movie: BoxWalker.Box, _ walker: BoxWalker, _ file: any StoredFile
  ) throws(StorageError) -> Bool {
    var place = movie.end
    guard file.size - place > MovieUserData.mostBytes else { return true }
    for _ in 0..<16 where place < file.size {
      guard let box = try walker.box(at: place, limit: file.size), box.type != "moov", box.type.utf8.first != 0 else {
        return false
      }
      place = box.end
    }
    return place == file.size
  }

  /// The tables of a track of this kind.
  func track(_ handler: String) -> TrackTables? { tracks.first { $0.handler == handler } }

  /// Units that an `mvhd` or `mdhd` says, and how many of them are a second.
  static func times(
    _ file: any StoredFile, _ header: BoxWalker.Box
  ) throws(StorageError) -> (length: Int, timescale: Int)? {
    var reader = ByteReader(try file.bytes(at: header.content, count: min(32, header.end - header.content)))
    guard let version = reader.big8(), version <= 1, reader.skip(version == 1 ? 19 : 11),
      let timescale = ClaimedNumber(reader.big32()).within(1...Int(UInt32.max)),
      let length = (version == 1 ? ClaimedNumber(reader.big64()) : ClaimedNumber(reader.big32())).within(0...1 << 48)
    else { return nil }
    return (length, timescale)
  }

  /// `nil` unless all tables are there with as many entries as their sizes say.
  static func tables(
    _ file: any StoredFile, _ walker: BoxWalker, _ track: BoxWalker.Box
  ) throws(StorageError) -> TrackTables? {
    guard let handler = try walker.find(["mdia", "hdlr"], in: track),
      let table = try walker.find(["mdia", "minf", "stbl"], in: track)
    else { return nil }
    var reader = ByteReader(try file.bytes(at: handler.content, count: 12))
    guard reader.skip(8), let kind = reader.fourCC() else { return nil }
    var found = TrackTables(handler: kind, tables: table, samples: 0)
    let long = try walker.find(["co64"], in: table) != nil
    for (name, width) in [("stts", 8), ("stsc", 12), ("stsz", 4), (long ? "co64" : "stco", long ? 8 : 4)] {
      guard let count = try entries(file, walker, name, width, in: table) else { return nil }
      if name == "stsz" { found.samples = count }
    }
    if try walker.find(["stss"], in: table) != nil {
      guard let count = try entries(file, walker, "stss", 4, in: table) else { return nil }
      found.keyframes = count
    }
    if let edits = try walker.find(["edts", "elst"], in: track) { try readEdits(file, edits, into: &found) }
    return found
  }

  private static func entries(
    _ file: any StoredFile, _ walker: BoxWalker, _ name: String, _ width: Int, in table: BoxWalker.Box
  ) throws(StorageError) -> Int? {
    guard let box = try walker.find([name], in: table) else { return nil }
    let head = name == "stsz" ? 12 : 8
    var reader = ByteReader(try file.bytes(at: box.content, count: 12))
    // A common size would stand for any number of samples; a file of ours has none.
    guard reader.skip(4), name != "stsz" || reader.big32() == 0,
      let count = ClaimedNumber(reader.big32()).within(0...1 << 32), box.end - box.content == head + width * count
    else { return nil }
    return count
  }

  private static func readEdits(
    _ file: any StoredFile, _ edits: BoxWalker.Box, into found: inout TrackTables
  ) throws(StorageError) {
    var reader = ByteReader(try file.bytes(at: edits.content, count: min(48, edits.end - edits.content)))
    guard let version = reader.big8(), reader.skip(3), let count = reader.big32() else { return }
    for index in 0..<min(count, 2) {
      let length = version == 1 ? ClaimedNumber(reader.big64()) : ClaimedNumber(reader.big32())
      guard
        let time = version == 1
          ? reader.big64().map({ Int64(bitPattern: $0) }) : reader.big32().map({ Int64(Int32(bitPattern: $0)) }),
        reader.skip(4)
      else { return }
      guard time < 0 else {
        found.firstShown = ClaimedNumber(time).within(0...1 << 40) ?? 0
        if index + 1 == count { found.shown = length.within(0...1 << 48) }
        return
      }
      found.empty = length.within(0...1 << 40) ?? 0
    }
  }
}
