internal import Hardware

/// The boxes of an audio-only MP4 file with one AAC track (ISO 14496-12, 14496-14; metadata as Apple writes it).
///
/// The file: `ftyp`, 16 reserved bytes, `moov` with `mvex`, then `moof` + `mdat` fragments. `finish` appends a second,
/// complete `moov` and turns the reserved bytes (a `free` box so far) into the header of an `mdat` that swallows
/// everything up to it.
struct MovieBoxes {
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
          box.big32(UInt32(SampleLedger.frameSize))  // default duration
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
  func finalMovie(totalFrames: Int, tables: MovieTables) -> (head: [UInt8], foot: [UInt8]) {
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

  // MARK: Parts

  /// Writes times and a duration in 32 bits where they fit, else the box's version 1 in 64.
  private func timed(
    _ writer: inout ByteWriter, _ type: String, flags: UInt32 = 0, duration: Int,
    between: (inout ByteWriter) -> Void, after: (inout ByteWriter) -> Void
  ) {
    let wide = creationTime > UInt64(UInt32.max) || duration >= Int(UInt32.max)
    writer.fullBox(type, version: wide ? 1 : 0, flags: flags) { box in
      for _ in 0..<2 { wide ? box.big64(creationTime) : box.big32(UInt32(creationTime)) }
      between(&box)
      wide ? box.big64(UInt64(duration)) : box.big32(UInt32(duration))
      after(&box)
    }
  }

  private func movieHeader(_ writer: inout ByteWriter, duration: Int) {
    timed(&writer, "mvhd", duration: duration) {
      $0.big32(UInt32(sampleRate))
    } after: { box in
      box.big32(0x10000)  // rate 1.0
      box.big16(0x100)  // volume 1.0
      box.zeros(10)
      matrix(&box)
      box.zeros(24)
      box.big32(2)  // next track
    }
  }

  private func trackHeader(_ writer: inout ByteWriter, duration: Int) {
    // Flags: enabled, in movie, in preview.
    timed(&writer, "tkhd", flags: 7, duration: duration) { box in
      box.big32(1)  // track
      box.zeros(4)
    } after: { box in
      box.zeros(8)
      box.zeros(4)  // layer, alternate group
      box.big16(0x100)  // volume 1.0
      box.zeros(2)
      matrix(&box)
      box.zeros(8)  // no width, no height
    }
  }

  private func matrix(_ box: inout ByteWriter) {
    for value: UInt32 in [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000] { box.big32(value) }
  }

  /// Skips the encoder's priming; the movie's time scale is the sample rate, so the length is exact.
  private func editList(_ writer: inout ByteWriter, duration: Int) {
    let wide = duration >= Int(UInt32.max)
    writer.box("edts") { edits in
      edits.fullBox("elst", version: wide ? 1 : 0) { box in
        box.big32(1)
        wide ? box.big64(UInt64(duration)) : box.big32(UInt32(duration))
        wide ? box.big64(UInt64(primingFrames)) : box.big32(UInt32(primingFrames))
        box.big32(0x10000)  // rate 1.0
      }
    }
  }

  private func mediaHeader(_ writer: inout ByteWriter, duration: Int) {
    timed(&writer, "mdhd", duration: duration) {
      $0.big32(UInt32(sampleRate))
    } after: { box in
      box.big16(0x55C4)  // language "und"
      box.zeros(2)
    }
    writer.fullBox("hdlr") { box in
      box.zeros(4)
      box.text("soun")
      box.zeros(12)
      box.text("SoundHandler")
      box.zeros(1)
    }
  }

  private func mediaInformation(_ writer: inout ByteWriter) {
    writer.fullBox("smhd") { $0.zeros(4) }
    writer.box("dinf") { information in
      information.fullBox("dref") { references in
        references.big32(1)
        references.fullBox("url ", flags: 1) { _ in }  // the media is in this file
      }
    }
  }

  private func sampleDescription(_ writer: inout ByteWriter) {
    writer.fullBox("stsd") { table in
      table.big32(1)
      table.box("mp4a") { entry in
        entry.zeros(6)
        entry.big16(1)  // data reference
        entry.zeros(8)
        entry.big16(UInt16(truncatingIfNeeded: channels))
        entry.big16(16)  // sample size: fixed by 14496-14
        entry.zeros(4)
        // 16.16 fixed point; rates that do not fit are in the AudioSpecificConfig alone.
        entry.big32(sampleRate < 65_536 ? UInt32(sampleRate) << 16 : 0)
        entry.fullBox("esds") { elementaryStream(&$0) }
      }
    }
  }

  /// The ES descriptor of ISO 14496-1 section 7.2.6; all lengths fit one byte.
  private func elementaryStream(_ box: inout ByteWriter) {
    let specific = decoderConfiguration.prefix(64)
    box.big8(3)  // ES_Descriptor
    box.big8(UInt8(3 + 2 + 13 + 2 + specific.count + 3))
    box.big16(1)
    box.big8(0)
    box.big8(4)  // DecoderConfigDescriptor
    box.big8(UInt8(13 + 2 + specific.count))
    box.big8(0x40)  // MPEG-4 audio
    box.big8(0x15)  // audio stream
    box.zeros(1)
    box.big16(UInt16(768 * max(1, channels)))  // decoder buffer: 6144 bits a channel (14496-3, 4.5.3.2)
    box.big32(UInt32(clamping: averageBitrate))
    box.big32(UInt32(clamping: averageBitrate))
    box.big8(5)  // DecoderSpecificInfo
    box.big8(UInt8(specific.count))
    box.bytes.append(contentsOf: specific)
    box.big8(6)  // SLConfigDescriptor
    box.big8(1)
    box.big8(2)
  }

  /// Says that a decoder which starts in the middle must decode one access unit before it (14496-12, 10.1).
  private func rollGroups(_ writer: inout ByteWriter, sampleCount: Int) {
    writer.fullBox("sgpd", version: 1) { box in
      box.text("roll")
      box.big32(2)
      box.big32(1)
      box.big16(UInt16(bitPattern: -1))
    }
    writer.fullBox("sbgp") { box in
      box.text("roll")
      box.big32(sampleCount == 0 ? 0 : 1)
      guard sampleCount > 0 else { return }
      box.big32(UInt32(clamping: sampleCount))
      box.big32(1)
    }
  }
}
