internal import Hardware

/// The boxes of an audio-only MP4 file with one AAC track (ISO 14496-12, 14496-14; metadata as Apple writes it).
///
/// The file: `ftyp`, 16 reserved bytes, `moov` with `mvex`, then `moof` + `mdat` fragments. `finish` appends a second,
/// complete `moov` and turns the reserved bytes (a `free` box so far) into the header of an `mdat` that swallows
/// everything up to it.
struct OldTakeBoxes {
  /// Where the reserved box lies. It ends before byte 512: one sector, written as one.
  static let reserveOffset = 32
  static let reserveBytes = 16
  /// Where the first `moov` begins.
  static let movieOffset = reserveOffset + reserveBytes
  /// The most access units in one fragment, so that its `moof` fits a page of 4096 bytes.
  static let samplesPerFragment = 960
  /// Bytes of a `moof` without access units.
  static let fragmentHeadBytes = 88

  var sampleRate: Int
  var channels: Int
  var primingFrames: Int
  var decoderConfiguration: [UInt8]
  var averageBitrate: Int
  /// Seconds since 1904-01-01, as MP4 counts.
  var creationTime: UInt64
  /// A whole `udta` box, or nothing.
  var userData: [UInt8]

  init(_ description: TakeFileDescription, summary: TakeSummary) {
    sampleRate = description.pcm.sampleRate
    channels = description.pcm.channels
    primingFrames = description.primingFrames
    decoderConfiguration = description.decoderConfiguration
    averageBitrate = description.bitrateKbps * 1000
    creationTime = UInt64(max(0, description.createdAt.nanosecondsSince1970 / 1_000_000_000 + 2_082_844_800))
    userData = Self.userData(description, summary: summary)
  }

  init(
    sampleRate: Int, channels: Int, primingFrames: Int, decoderConfiguration: [UInt8], averageBitrate: Int,
    creationTime: UInt64, userData: [UInt8]
  ) {
    self.sampleRate = sampleRate
    self.channels = channels
    self.primingFrames = primingFrames
    self.decoderConfiguration = decoderConfiguration
    self.averageBitrate = averageBitrate
    self.creationTime = creationTime
    self.userData = userData
  }

  /// Everything before the first fragment: `ftyp`, the reserve as a `free` box, and the initial `moov`.
  func initialSegment() -> [UInt8] {
    var writer = ByteWriter()
    writer.box("ftyp") { box in
      box.text("M4A ")
      box.big32(0x200)
      // iso6 promises `tfdt` and offsets counted from the `moof`.
      for brand in ["M4A ", "mp42", "iso6", "isom"] { box.text(brand) }
    }
    writer.box("free") { $0.zeros(8) }
    writer.box("moov") { movie in
      movieHeader(&movie, duration: 0)
      movie.box("trak") { track in
        trackHeader(&track, duration: 0)
        // A duration of 0: the edit lasts as long as there are fragments.
        editList(&track, duration: 0)
        track.box("mdia") { media in
          mediaHeader(&media, duration: 0)
          media.box("minf") { information in
            mediaInformation(&information)
            information.box("stbl") { table in
              sampleDescription(&table)
              table.fullBox("stts") { $0.big32(0) }
              table.fullBox("stsc") { $0.big32(0) }
              table.fullBox("stsz") { $0.zeros(8) }
              table.fullBox("stco") { $0.big32(0) }
            }
          }
        }
      }
      movie.box("mvex") { extends in
        extends.fullBox("trex") { box in
          box.big32(1)  // track
          box.big32(1)  // sample description
          box.big32(UInt32(OldTakeLedger.frameSize))  // default duration
          box.zeros(8)  // default size and flags: every access unit is a sync sample
        }
      }
      movie.bytes.append(contentsOf: userData)
    }
    return writer.bytes
  }

  /// The final `moov` up to its sample tables, and the bytes after them.
  ///
  /// - Parameters:
  ///   - totalFrames: audible length.
  ///   - tables: the sample tables that will stand between the two.
  func finalMovie(totalFrames: Int, tables: OldTakeTables) -> (head: [UInt8], foot: [UInt8]) {
    var writer = ByteWriter()
    let mediaFrames = primingFrames + totalFrames
    let movie = writer.openBox("moov")
    movieHeader(&writer, duration: totalFrames)
    let track = writer.openBox("trak")
    trackHeader(&writer, duration: totalFrames)
    editList(&writer, duration: totalFrames)
    let media = writer.openBox("mdia")
    mediaHeader(&writer, duration: mediaFrames)
    let information = writer.openBox("minf")
    mediaInformation(&writer)
    let table = writer.openBox("stbl")
    sampleDescription(&writer)
    rollGroups(&writer, sampleCount: tables.sampleCount)
    for box in [table, information, media, track] { writer.closeBox(box, extra: tables.byteCount) }
    writer.closeBox(movie, extra: tables.byteCount + userData.count)
    return (writer.bytes, userData)
  }

  /// The reserve's bytes once it is the header of an `mdat` that ends at `end`.
  static func mediaDataHeader(end: Int) -> [UInt8] {
    var writer = ByteWriter()
    writer.big32(1)
    writer.text("mdat")
    writer.big64(UInt64(end - reserveOffset))
    return writer.bytes
  }

  /// Bytes of padding (a `free` box) before a `moof` at `end`: none, or at least 8.
  ///
  /// Players refuse a whole file whose last `moof` is torn, but take a torn `mdat`. Files tear at sectors and pages,
  /// so a `moof` lies within one sector of 512 bytes, or if it is larger (after a stall) within one page.
  static func padding(at end: Int, samples: Int) -> Int {
    let bytes = fragmentHeadBytes + 4 * samples
    let unit = bytes <= 504 ? 512 : 4096
    if end % unit + bytes <= unit { return 0 }
    return max(8, unit - end % unit)
  }

  /// One fragment's `moof`, and the header of the `mdat` that follows it.
  static func fragmentHead(sequence: Int, baseTime: Int, sizes: ArraySlice<UInt32>, into writer: inout ByteWriter) {
    let payload = sizes.reduce(0) { $0 + Int($1) }
    let trackRunBytes = 20 + 4 * sizes.count
    let trackBytes = 8 + 16 + 20 + trackRunBytes
    let fragmentBytes = fragmentHeadBytes + 4 * sizes.count
    writer.big32(UInt32(fragmentBytes))
    writer.text("moof")
    writer.fullBox("mfhd") { $0.big32(UInt32(truncatingIfNeeded: sequence)) }
    writer.big32(UInt32(trackBytes))
    writer.text("traf")
    writer.fullBox("tfhd", flags: 0x020000) { $0.big32(1) }  // default-base-is-moof
    writer.fullBox("tfdt", version: 1) { $0.big64(UInt64(baseTime)) }
    writer.big32(UInt32(trackRunBytes))
    writer.text("trun")
    writer.big32(0x000201)  // data offset and sample sizes are present
    writer.big32(UInt32(sizes.count))
    writer.big32(UInt32(fragmentBytes + 8))
    for size in sizes { writer.big32(size) }
    writer.big32(UInt32(8 + payload))
    writer.text("mdat")
  }
}
