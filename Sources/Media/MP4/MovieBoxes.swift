internal import Hardware

/// The boxes of an MP4 file with tracks of AAC, ALAC, H.264 or JPEG (ISO 14496-12, 14496-14, 14496-15).
///
/// The file: `ftyp`, 16 reserved bytes, `moov` with `mvex`, then `moof` + `mdat` fragments. Finishing appends a second,
/// complete `moov` and turns the reserved bytes (a `free` box so far) into the header of an `mdat` that swallows
/// everything up to it.
struct MovieBoxes {
  /// Where the reserved box lies. It ends before byte 512: one sector, written as one.
  static let reserveOffset = 32
  static let reserveBytes = 16
  /// Where the first `moov` begins.
  static let movieOffset = reserveOffset + reserveBytes

  let description: FileDescription
  /// Of the first sound track; others say what they were asked for.
  var averageBitrate: Int
  private let userData: [UInt8]
  /// `nil`: one edit, from the first shown sample on.
  private let edits: [[MovieEdit]]?
  /// Seconds since 1904-01-01, as MP4 counts.
  private let creationTime: UInt64
  /// Between 1904-01-01 and 1970-01-01.
  static let secondsTo1970: Int64 = 2_082_844_800

  init(_ description: FileDescription, summary: FileSummary = FileSummary(), edits: [[MovieEdit]]? = nil) {
    self.description = description
    self.edits = edits
    averageBitrate = (description.sound?.bitrateKbps ?? 0) * 1000
    creationTime = UInt64(max(0, description.createdAt.nanosecondsSince1970 / 1_000_000_000 + Self.secondsTo1970))
    userData = MovieUserData.box(description, summary: summary)
  }

  /// `ftyp`, 32 bytes, and the reserve as a `free` box.
  func fileHead() -> [UInt8] {
    var writer = ByteWriter()
    writer.box("ftyp") { box in
      // iso6 promises `tfdt` and offsets counted from the `moof`.
      let brands =
        switch description.pictures?.codec {
        case nil: ["M4A ", "M4A ", "mp42", "iso6", "isom"]
        case .h264: ["isom", "isom", "iso6", "mp42", "avc1"]
        default: ["isom", "isom", "iso6", "mp42", "mp41"]
        }
      box.text(brands[0])
      box.big32(0x200)
      for brand in brands.dropFirst() { box.text(brand) }
    }
    writer.box("free") { $0.zeros(8) }
    return writer.bytes
  }

  /// Everything before the first fragment.
  func initialSegment() -> [UInt8] {
    var writer = ByteWriter()
    writer.bytes = fileHead()
    writer.box("moov") { movie in
      movieHeader(&movie, duration: 0)
      for track in description.tracks.indices {
        let tables = MovieCloser.kinds(description, track).map { MovieTableHead($0) }
        let shape = MovieCloser.TrackShape(tables: tables)
        let open = openTrack(&movie, track, shape, length: nil)
        for table in tables { table.write(into: &movie) }
        for box in open.reversed() { movie.closeBox(box) }
      }
      movie.box("mvex") { extends in
        for (index, track) in description.tracks.enumerated() {
          extends.fullBox("trex") { box in
            box.big32(UInt32(index + 1))
            box.big32(1)  // sample description
            // Default duration: pictures bring their own.
            box.big32(UInt32(track.sampleDuration ?? 0))
            box.zeros(8)  // default size and flags
          }
        }
      }
      movie.bytes.append(contentsOf: userData)
    }
    return writer.bytes
  }

  /// The complete `moov`.
  ///
  /// - Parameters:
  ///   - length: of the file in its own units: frames of sound, or ticks.
  ///   - lengths: of what is shown of each track, in the same.
  func finalMovie(length: Int, _ lengths: [Int], _ shapes: [MovieCloser.TrackShape]) -> [MovieCloser.Piece] {
    // Tracks first, to know how long the whole is.
    var tracks: [MovieCloser.Piece] = []
    var bytes = 0
    for (index, shape) in shapes.enumerated() {
      var writer = ByteWriter()
      let tableBytes = shape.tables.reduce(0) { $0 + $1.boxBytes }
      for box in openTrack(&writer, index, shape, length: lengths[index]).reversed() {
        writer.closeBox(box, extra: tableBytes)
      }
      bytes += writer.count + tableBytes
      for table in shape.tables {
        table.write(into: &writer)
        tracks.append(.bytes(writer.bytes))
        writer = ByteWriter()
        if table.bytes > 0 { tracks.append(.table(track: index, table.kind)) }
      }
    }
    var head = ByteWriter()
    let movie = head.openBox("moov")
    movieHeader(&head, duration: length)
    head.closeBox(movie, extra: bytes + userData.count)
    return [.bytes(head.bytes)] + tracks + [.bytes(userData)]
  }

  /// The reserve's bytes once it is the header of an `mdat` that ends at `end`.
  static func mediaDataHeader(end: Int) -> [UInt8] {
    var writer = ByteWriter()
    writer.big32(1)
    writer.text("mdat")
    writer.big64(UInt64(end - reserveOffset))
    return writer.bytes
  }

  /// Writes times and a duration in 32 bits where they fit, else the box's version 1 in 64.
  private func timed(
    _ writer: inout ByteWriter, _ type: String, flags: UInt32 = 0, duration: Int,
    between: (inout ByteWriter) -> Void, after: (inout ByteWriter) -> Void
  ) {
    let isWide = creationTime > UInt64(UInt32.max) || duration >= Int(UInt32.max)
    writer.fullBox(type, version: isWide ? 1 : 0, flags: flags) { box in
      for _ in 0..<2 { isWide ? box.big64(creationTime) : box.big32(UInt32(creationTime)) }
      between(&box)
      isWide ? box.big64(UInt64(duration)) : box.big32(UInt32(duration))
      after(&box)
    }
  }

  private func movieHeader(_ writer: inout ByteWriter, duration: Int) {
    timed(&writer, "mvhd", duration: duration) {
      $0.big32(UInt32(description.timescale))
    } after: { box in
      box.big32(0x10000)  // rate 1.0
      box.big16(0x100)  // volume 1.0
      box.zeros(10)
      matrix(&box)
      box.zeros(24)
      // Next track; 2 stays that of a clip's sound, also where it has none.
      box.big32(UInt32(max(description.tracks.count, description.pictures == nil ? 1 : 2) + 1))
    }
  }

  private func matrix(_ box: inout ByteWriter) {
    for value: UInt32 in [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000] { box.big32(value) }
  }

  private func trackHeader(_ writer: inout ByteWriter, _ index: Int, duration: Int) {
    // Flags: enabled, in movie, in preview.
    timed(&writer, "tkhd", flags: 7, duration: duration) { box in
      box.big32(UInt32(index + 1))
      box.zeros(4)
    } after: { box in
      box.zeros(8)
      box.zeros(4)  // layer, alternate group
      switch description.tracks[index] {
      case .pictures(let pictures):
        box.zeros(4)
        matrix(&box)
        box.big32(UInt32(pictures.width) << 16)
        box.big32(UInt32(pictures.height) << 16)
      case .sound:
        box.big16(0x100)  // volume 1.0
        box.zeros(2)
        matrix(&box)
        box.zeros(8)
      }
    }
  }

  /// What is shown of a track.
  ///
  /// - Parameters:
  ///   - length: in the file's units; `nil` while it is being written: then an edit lasts as long as there is media.
  ///   - shape: where there is something to be shown later only than it should be, nothing is shown until then. The edit
  ///     begins right with that: libavformat takes what lies between for a coder's delay.
  private func editList(_ writer: inout ByteWriter, _ index: Int, length: Int?, _ shape: MovieCloser.TrackShape) {
    var entries: [MovieEdit] = []
    if let edits {
      entries = edits[index]
    } else {
      let first = description.firstShown(of: index)
      func units(_ time: Int) -> Int {
        max(0, time).scaled(by: description.timescale, over: description.tracks[index].timescale)
      }
      let empty = units(shape.seen - first)
      var shown = max(0, (length ?? 0) - empty)
      if empty > 0 {
        entries.append(MovieEdit(length: empty, start: -1))
        shown = min(shown, units(shape.end - shape.seen))
      }
      entries.append(MovieEdit(length: shown, start: max(first, shape.seen) - shape.start))
    }
    let isWide = entries.contains { $0.length >= Int(UInt32.max) || $0.start > Int(Int32.max) }
    writer.box("edts") { outer in
      outer.fullBox("elst", version: isWide ? 1 : 0) { box in
        box.big32(UInt32(entries.count))
        for entry in entries {
          isWide ? box.big64(UInt64(entry.length)) : box.big32(UInt32(entry.length))
          isWide ? box.big64(UInt64(bitPattern: Int64(entry.start))) : box.big32(UInt32(bitPattern: Int32(entry.start)))
          box.big32(0x10000)  // rate 1.0
        }
      }
    }
  }

  /// A `trak` up to its sample tables.
  ///
  /// - Returns: the boxes that are open, outermost first.
  private func openTrack(
    _ writer: inout ByteWriter, _ index: Int, _ shape: MovieCloser.TrackShape, length: Int?
  ) -> [Int] {
    let track = description.tracks[index]
    var open = [writer.openBox("trak")]
    trackHeader(&writer, index, duration: length ?? 0)
    editList(&writer, index, length: length, shape)
    open.append(writer.openBox("mdia"))
    timed(&writer, "mdhd", duration: max(0, shape.end - shape.start)) {
      $0.big32(UInt32(track.timescale))
    } after: { box in
      box.big16(0x55C4)  // language "und"
      box.zeros(2)
    }
    writer.fullBox("hdlr") { box in
      box.zeros(4)
      if case .pictures = track { box.text("vide") } else { box.text("soun") }
      box.zeros(12)
      if case .pictures = track { box.text("VideoHandler") } else { box.text("SoundHandler") }
      box.zeros(1)
    }
    open.append(writer.openBox("minf"))
    switch track {
    case .pictures: writer.fullBox("vmhd", flags: 1) { $0.zeros(8) }
    case .sound: writer.fullBox("smhd") { $0.zeros(4) }
    }
    writer.box("dinf") { information in
      information.fullBox("dref") { references in
        references.big32(1)
        references.fullBox("url ", flags: 1) { _ in }  // the media is in this file
      }
    }
    open.append(writer.openBox("stbl"))
    switch track {
    case .pictures(let pictures): SampleDescriptions.write(pictures, into: &writer)
    case .sound(let sound):
      let bitrate = index == description.soundIndex ? averageBitrate : sound.bitrateKbps * 1000
      SampleDescriptions.write(sound, bitrate: bitrate, into: &writer)
      if sound.codec == .aac, shape.samples > 0 {
        SampleDescriptions.writeRollGroups(sampleCount: shape.samples, into: &writer)
      }
    }
    return open
  }
}
