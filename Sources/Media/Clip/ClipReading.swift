internal import Hardware

extension ClipBoxes {
  /// Reads back what `initialSegment` wrote.
  ///
  /// - Parameter bytes: the content of the first `moov`.
  static func description(initialMovie bytes: ArraySlice<UInt8>) -> ClipFileDescription? {
    ByteReader.find("mvex", in: bytes) == nil ? nil : description(movie: bytes)
  }

  /// Reads what both kinds of `moov` say of the clip.
  static func description(movie bytes: ArraySlice<UInt8>) -> ClipFileDescription? {
    var pictures: (PictureTrack, skipped: Int)?
    var sound: SoundTrack?
    var created: WallTime?
    var reader = ByteReader(bytes)
    while let box = reader.box() {
      switch box.type {
      case "mvhd":
        var header = ByteReader(box.content)
        if header.skip(4), let seconds = header.big32() {
          created = WallTime(nanosecondsSince1970: (Int64(seconds) - 2_082_844_800) * 1_000_000_000)
        }
      case "trak":
        guard let kind = handler(box.content) else { return nil }
        if kind == "vide" { pictures = pictureTrack(box.content) }
        if kind == "soun" {
          guard let found = soundTrack(box.content) else { return nil }
          sound = found
        }
      default: break
      }
    }
    guard let (track, skipped) = pictures, let created else { return nil }
    return ClipFileDescription(pictures: track, sound: sound, skippedTicks: skipped, createdAt: created)
  }

  /// `vide` or `soun`.
  static func handler(_ track: ArraySlice<UInt8>) -> String? {
    guard let content = ByteReader.find(path: ["mdia", "hdlr"], in: track) else { return nil }
    var reader = ByteReader(content)
    return reader.skip(8) ? reader.fourCC() : nil
  }

  /// Media time at which the track's only edit begins.
  static func editStart(_ track: ArraySlice<UInt8>) -> Int? {
    guard let edits = ByteReader.find(path: ["edts", "elst"], in: track) else { return 0 }
    var reader = ByteReader(edits)
    guard let version = reader.big8(), reader.skip(7), reader.skip(version == 1 ? 8 : 4),
      let time = version == 1 ? reader.big64() : reader.big32().map(UInt64.init), time < 1 << 40
    else { return nil }
    return Int(time)
  }

  private static func pictureTrack(_ track: ArraySlice<UInt8>) -> (PictureTrack, skipped: Int)? {
    guard let skipped = editStart(track),
      let descriptions = ByteReader.find(path: ["mdia", "minf", "stbl", "stsd"], in: track)
    else { return nil }
    var entries = ByteReader(descriptions)
    guard entries.skip(8), let entry = entries.box(), entry.type == "avc1" || entry.type == "mp4v" else { return nil }
    var fields = ByteReader(entry.content)
    guard fields.skip(24), let width = fields.big16(), let height = fields.big16(), width > 0, height > 0,
      fields.skip(50)
    else { return nil }
    var configuration: [UInt8] = []
    if entry.type == "avc1" {
      guard let box = fields.box(), box.type == "avcC", (8...65_536).contains(box.content.count) else { return nil }
      configuration = Array(box.content)
    }
    return (
      PictureTrack(
        codec: entry.type == "avc1" ? .h264 : .mjpeg, width: Int(width), height: Int(height),
        configuration: configuration), skipped
    )
  }

  private static func soundTrack(_ track: ArraySlice<UInt8>) -> SoundTrack? {
    guard let media = ByteReader.find("mdia", in: track), let parts = OldTakeBoxes.soundDescription(media),
      let priming = editStart(track), priming < 1 << 16
    else { return nil }
    return SoundTrack(
      pcm: PCMFormat(sampleRate: parts.rate, channels: parts.channels), configuration: parts.configuration,
      primingFrames: priming, bitrateKbps: parts.bitrate / 1000)
  }
}
