internal import Hardware

/// The boxes of a clip's MP4: pictures in track 1, AAC in track 2 (ISO 14496-12, 14496-14, 14496-15).
///
/// The same plan as a take's (`OldTakeBoxes`): `ftyp`, 16 reserved bytes, `moov` with `mvex`, then fragments; at the end a
/// complete `moov` is appended and the reserve becomes the header of an `mdat` that swallows everything up to it.
struct ClipBoxes {
  static let pictureTrack: UInt32 = 1
  static let soundTrack: UInt32 = 2

  let description: ClipFileDescription
  /// Draws the parts of the sound track that are the same as in a take.
  private let sound: OldTakeBoxes?
  private let creationTime: UInt32
  /// `nil`: one edit, from the first picture shown on.
  private let edits: ClipEdits?

  init(_ description: ClipFileDescription, edits: ClipEdits? = nil) {
    self.description = description
    self.edits = edits
    let seconds = description.createdAt.nanosecondsSince1970 / 1_000_000_000 + 2_082_844_800
    creationTime = UInt32(clamping: max(0, seconds))
    sound = description.sound.map {
      OldTakeBoxes(
        sampleRate: $0.pcm.sampleRate, channels: $0.pcm.channels, primingFrames: $0.primingFrames,
        decoderConfiguration: $0.configuration, averageBitrate: $0.bitrateKbps * 1000,
        creationTime: UInt64(UInt32(clamping: max(0, seconds))), userData: [])
    }
  }

  /// Everything before the first fragment.
  func initialSegment() -> [UInt8] {
    var writer = ByteWriter()
    writer.box("ftyp") { box in
      box.text("isom")
      box.big32(0x200)
      // iso6 promises `tfdt` and offsets counted from the `moof`.
      for brand in ["isom", "iso6", "mp42", description.pictures.codec == .h264 ? "avc1" : "mp41"] { box.text(brand) }
    }
    writer.box("free") { $0.zeros(8) }
    writer.box("moov") { movie in
      movieHeader(&movie, duration: 0)
      pictureTrack(&movie, length: nil, samples: ClipSamples())
      soundTrack(&movie, frames: nil, samples: ClipSamples())
      movie.box("mvex") { extends in
        trackExtends(&extends, Self.pictureTrack, duration: 0)
        if sound != nil { trackExtends(&extends, Self.soundTrack, duration: UInt32(ClipSamples.soundFrames)) }
      }
      movie.bytes.append(contentsOf: userData)
    }
    return writer.bytes
  }

  /// The complete `moov`.
  ///
  /// - Parameters:
  ///   - length: of the clip in the movie's own units: frames of sound, or ticks.
  func finalMovie(length: Int, samples: ClipSamples) -> [UInt8] {
    var writer = ByteWriter()
    writer.box("moov") { movie in
      movieHeader(&movie, duration: length)
      pictureTrack(&movie, length: length, samples: samples)
      soundTrack(&movie, frames: length, samples: samples)
      movie.bytes.append(contentsOf: userData)
    }
    return writer.bytes
  }

  private var userData: [UInt8] {
    let take = TakeFileDescription(
      format: .aac, pcm: PCMFormat(sampleRate: 48_000, channels: 1), createdAt: description.createdAt,
      title: description.title, originator: description.originator)
    var summary = TakeSummary()
    summary.comment = description.comment
    return OldTakeBoxes.userData(take, summary: summary)
  }

  private func trackExtends(_ writer: inout ByteWriter, _ track: UInt32, duration: UInt32) {
    writer.fullBox("trex") { box in
      box.big32(track)
      box.big32(1)  // sample description
      box.big32(duration)
      box.zeros(8)  // default size and flags
    }
  }

  private func movieHeader(_ writer: inout ByteWriter, duration: Int) {
    timed(&writer, "mvhd", duration: duration) {
      $0.big32(UInt32(description.movieTimescale))
    } after: { box in
      box.big32(0x10000)  // rate 1.0
      box.big16(0x100)  // volume 1.0
      box.zeros(10)
      Self.matrix(&box)
      box.zeros(24)
      box.big32(3)  // next track
    }
  }

  private func trackHeader(_ writer: inout ByteWriter, _ track: UInt32, duration: Int) {
    let isPicture = track == Self.pictureTrack
    // Flags: enabled, in movie, in preview.
    timed(&writer, "tkhd", flags: 7, duration: duration) { box in
      box.big32(track)
      box.zeros(4)
    } after: { box in
      box.zeros(8)
      box.zeros(4)  // layer, alternate group
      box.big16(isPicture ? 0 : 0x100)
      box.zeros(2)
      Self.matrix(&box)
      box.big32(isPicture ? UInt32(description.pictures.width) << 16 : 0)
      box.big32(isPicture ? UInt32(description.pictures.height) << 16 : 0)
    }
  }

  /// - Parameters:
  ///   - length: in the movie's units; `nil` while it is being written: then an edit lasts as long as there is media.
  ///   - mediaTime: what the clip's start is in the track's own times; before 0 where the track's beginning is lost: then
  ///     nothing is shown until it begins.
  private func editList(
    _ writer: inout ByteWriter, _ listed: [ClipEdit]?, length: Int?, from mediaTime: Int, timescale: Int
  ) {
    var entries: [(length: Int, time: Int)] = []
    if let listed {
      entries = listed.map { ($0.length, $0.start) }
    } else {
      let empty = mediaTime < 0 ? -mediaTime * description.movieTimescale / timescale : 0
      if empty > 0 { entries.append((empty, -1)) }
      entries.append((max(0, (length ?? 0) - empty), max(0, mediaTime)))
    }
    let wide = entries.contains { $0.length >= Int(UInt32.max) || $0.time > Int(Int32.max) }
    writer.box("edts") { outer in
      outer.fullBox("elst", version: wide ? 1 : 0) { box in
        box.big32(UInt32(entries.count))
        for (length, time) in entries {
          wide ? box.big64(UInt64(length)) : box.big32(UInt32(length))
          wide ? box.big64(UInt64(bitPattern: Int64(time))) : box.big32(UInt32(bitPattern: Int32(time)))
          box.big32(0x10000)  // rate 1.0
        }
      }
    }
  }

  private func pictureTrack(_ writer: inout ByteWriter, length: Int?, samples: ClipSamples) {
    writer.box("trak") { track in
      trackHeader(&track, Self.pictureTrack, duration: length ?? 0)
      editList(
        &track, edits?.pictures, length: length, from: description.skippedTicks - samples.pictureStart,
        timescale: PictureTrack.timescale
      )
      track.box("mdia") { media in
        timed(&media, "mdhd", duration: samples.pictureEnd - samples.pictureStart) {
          $0.big32(UInt32(PictureTrack.timescale))
        } after: { box in
          box.big16(0x55C4)  // language "und"
          box.zeros(2)
        }
        media.fullBox("hdlr") { box in
          box.zeros(4)
          box.text("vide")
          box.zeros(12)
          box.text("VideoHandler")
          box.zeros(1)
        }
        media.box("minf") { information in
          information.fullBox("vmhd", flags: 1) { $0.zeros(8) }
          information.box("dinf") { inner in
            inner.fullBox("dref") { references in
              references.big32(1)
              references.fullBox("url ", flags: 1) { _ in }  // the media is in this file
            }
          }
          information.box("stbl") { table in
            pictureDescription(&table)
            samples.writePictureTables(&table, allKeyframes: description.pictures.codec == .mjpeg)
          }
        }
      }
    }
  }

  private func soundTrack(_ writer: inout ByteWriter, frames: Int?, samples: ClipSamples) {
    guard let sound else { return }
    let end = edits == nil ? sound.primingFrames + (frames ?? 0) : samples.soundEnd
    writer.box("trak") { track in
      trackHeader(&track, Self.soundTrack, duration: frames ?? 0)
      editList(
        &track, edits?.sound, length: frames, from: sound.primingFrames - samples.soundStart,
        timescale: sound.sampleRate)
      track.box("mdia") { media in
        sound.mediaHeader(&media, duration: frames == nil ? 0 : end - samples.soundStart)
        media.box("minf") { information in
          sound.mediaInformation(&information)
          information.box("stbl") { table in
            sound.sampleDescription(&table)
            if samples.sound.count > 0 { sound.rollGroups(&table, sampleCount: samples.sound.count) }
            samples.writeSoundTables(&table, end: end)
          }
        }
      }
    }
  }

  /// `avc1` with `avcC` (ISO 14496-15, 5.3.3), or JPEG pictures as MPEG-4 visual of type 0x6C (ISO 14496-1, table 5).
  private func pictureDescription(_ writer: inout ByteWriter) {
    let pictures = description.pictures
    writer.fullBox("stsd") { table in
      table.big32(1)
      table.box(pictures.codec == .h264 ? "avc1" : "mp4v") { entry in
        entry.zeros(6)
        entry.big16(1)  // data reference
        entry.zeros(16)
        entry.big16(UInt16(clamping: pictures.width))
        entry.big16(UInt16(clamping: pictures.height))
        entry.big32(0x48_0000)  // 72 dpi
        entry.big32(0x48_0000)
        entry.zeros(4)
        entry.big16(1)  // pictures a sample
        entry.zeros(32)  // compressor name
        entry.big16(24)  // colour depth
        entry.big16(0xFFFF)
        if pictures.codec == .h264 {
          entry.box("avcC") { $0.bytes.append(contentsOf: pictures.configuration) }
        } else {
          entry.fullBox("esds") { box in
            box.big8(3)  // ES_Descriptor
            box.big8(3 + 2 + 13 + 3)
            box.big16(1)
            box.big8(0)
            box.big8(4)  // DecoderConfigDescriptor
            box.big8(13)
            box.big8(0x6C)  // ISO/IEC 10918-1
            box.big8(0x11)  // visual stream
            box.zeros(11)  // buffer and rates unknown
            box.big8(6)  // SLConfigDescriptor
            box.big8(1)
            box.big8(2)
          }
        }
      }
    }
  }

  /// Times in 32 bits where they fit, else the box's version 1 in 64.
  private func timed(
    _ writer: inout ByteWriter, _ type: String, flags: UInt32 = 0, duration: Int,
    between: (inout ByteWriter) -> Void, after: (inout ByteWriter) -> Void
  ) {
    let wide = duration >= Int(UInt32.max)
    writer.fullBox(type, version: wide ? 1 : 0, flags: flags) { box in
      for _ in 0..<2 { wide ? box.big64(UInt64(creationTime)) : box.big32(creationTime) }
      between(&box)
      wide ? box.big64(UInt64(duration)) : box.big32(UInt32(duration))
      after(&box)
    }
  }

  private static func matrix(_ box: inout ByteWriter) {
    for value: UInt32 in [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000] { box.big32(value) }
  }
}
