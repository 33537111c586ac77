internal import Hardware

/// Reads what a `moov` says of its file, from bytes that nobody vouches for.
enum MovieReading {
  /// Rates that sound can have, Hz.
  private static let rates: ClosedRange<Int> = 1000...768_000
  /// Seconds since 1904 that can be a date: up to the year 2176.
  private static let latestDate = UInt64(1) << 33
  private static let mostTracks = 16

  /// The first `moov` of a file, which every recording of ours has behind the reserve.
  ///
  /// - Returns: what it says, and where the fragments begin.
  static func initialMovie(
    of file: any StoredFile
  ) throws(StorageError) -> (description: FileDescription, start: Int)? {
    let place = MovieBoxes.movieOffset
    var header = ByteReader(try file.bytes(at: place, count: 8))
    guard let size = ClaimedNumber(header.big32()).within(16...1 << 20), header.fourCC() == "moov",
      place + size <= file.size
    else { return nil }
    let bytes = try file.bytes(at: place + 8, count: size - 8)
    guard bytes.count == size - 8, ByteReader.find("mvex", in: bytes[...]) != nil,
      let description = description(movie: bytes[...]), saysOneRate(bytes[...])
    else { return nil }
    return (description, place + size)
  }

  /// Whether each sound has the rate in its sample description that its times have, as `SampleDescriptions` writes it: of a
  /// head with a wrong one a take would be completed that is read as another.
  private static func saysOneRate(_ movie: ArraySlice<UInt8>) -> Bool {
    var reader = ByteReader(movie)
    while let box = reader.box() {
      guard box.type == "trak", handler(box.content) == "soun" else { continue }
      guard let sound = sound(box.content),
        let descriptions = ByteReader.find(path: ["mdia", "minf", "stbl", "stsd"], in: box.content)
      else { return false }
      var entries = ByteReader(descriptions)
      guard entries.skip(8), let entry = entries.box() else { return false }
      var fields = ByteReader(entry.content)
      let rate = sound.pcm.sampleRate
      guard fields.skip(24), fields.big32() == (rate < 65_536 ? UInt32(rate) << 16 : 0) else { return false }
    }
    return true
  }

  /// What both kinds of `moov` say.
  ///
  /// - Parameter bytes: the content of the box.
  static func description(movie bytes: ArraySlice<UInt8>) -> FileDescription? {
    var found = FileDescription(tracks: [], createdAt: WallTime(nanosecondsSince1970: 0), originator: "")
    var reader = ByteReader(bytes)
    while let box = reader.box() {
      switch box.type {
      case "mvhd": found.createdAt = date(box.content)
      case "trak":
        guard found.tracks.count < mostTracks, let track = track(box.content, into: &found) else { return nil }
        found.tracks.append(track)
      case "udta": (found.title, found.originator) = MovieUserData.read(box.content)
      default: break
      }
    }
    // Pictures come first, and there is at most one track of them.
    guard !found.tracks.isEmpty,
      found.tracks.dropFirst().allSatisfy({ if case .sound = $0 { true } else { false } })
    else { return nil }
    return found
  }

  /// `vide` or `soun`.
  static func handler(_ track: ArraySlice<UInt8>) -> String? {
    guard let content = ByteReader.find(path: ["mdia", "hdlr"], in: track) else { return nil }
    var reader = ByteReader(content)
    return reader.skip(8) ? reader.fourCC() : nil
  }

  private static func date(_ header: ArraySlice<UInt8>) -> WallTime {
    var reader = ByteReader(header)
    guard let version = reader.big8(), reader.skip(3),
      let seconds = version == 1 ? reader.big64() : reader.big32().map(UInt64.init)
    else { return WallTime(nanosecondsSince1970: 0) }
    return WallTime(
      nanosecondsSince1970: (Int64(min(seconds, latestDate)) - MovieBoxes.secondsTo1970) * 1_000_000_000)
  }

  private static func track(_ track: ArraySlice<UInt8>, into description: inout FileDescription) -> Track? {
    guard let start = editStart(track) else { return nil }
    switch handler(track) {
    case "vide":
      guard start < 1 << 40, let pictures = pictures(track) else { return nil }
      description.skippedTicks = start
      return .pictures(pictures)
    case "soun":
      guard start < 1 << 16, var sound = sound(track) else { return nil }
      sound.primingFrames = start
      return .sound(sound)
    default: return nil
    }
  }

  /// Media time at which the track's first edit begins that shows something.
  private static func editStart(_ track: ArraySlice<UInt8>) -> Int? {
    guard let edits = ByteReader.find(path: ["edts", "elst"], in: track) else { return 0 }
    var reader = ByteReader(edits)
    guard let version = reader.big8(), reader.skip(3), let count = reader.big32() else { return nil }
    for _ in 0..<min(count, 2) {
      guard reader.skip(version == 1 ? 8 : 4),
        let time = version == 1
          ? reader.big64().map({ Int64(bitPattern: $0) }) : reader.big32().map({ Int64(Int32(bitPattern: $0)) }),
        reader.skip(4)
      else { return nil }
      if time >= 0 { return ClaimedNumber(time).within(0...1 << 40) }
    }
    return nil
  }

  private static func pictures(_ track: ArraySlice<UInt8>) -> PictureTrack? {
    guard let descriptions = ByteReader.find(path: ["mdia", "minf", "stbl", "stsd"], in: track) else { return nil }
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
    return PictureTrack(
      codec: entry.type == "avc1" ? .h264 : .mjpeg, width: Int(width), height: Int(height),
      configuration: configuration)
  }

  private static func sound(_ track: ArraySlice<UInt8>) -> SoundTrack? {
    guard let header = ByteReader.find(path: ["mdia", "mdhd"], in: track),
      let descriptions = ByteReader.find(path: ["mdia", "minf", "stbl", "stsd"], in: track)
    else { return nil }
    var times = ByteReader(header)
    guard let version = times.big8(), times.skip(3), times.skip(version == 1 ? 16 : 8),
      let rate = ClaimedNumber(times.big32()).within(rates)
    else { return nil }
    var entries = ByteReader(descriptions)
    guard entries.skip(8), let entry = entries.box(), entry.type == "mp4a" || entry.type == "alac" else { return nil }
    var fields = ByteReader(entry.content)
    guard fields.skip(16), let channels = fields.big16(), (1...2).contains(channels), let bits = fields.big16(),
      fields.skip(8)
    else { return nil }
    if entry.type == "alac" {
      guard let rest = fields.take(fields.remaining), rest.count == LosslessEncoder.configurationBytes,
        bits == 16 || bits == 24
      else { return nil }
      return SoundTrack(
        .alac, pcm: PCMFormat(sampleRate: rate, channels: Int(channels), bits: Int(bits)), configuration: Array(rest))
    }
    guard let stream = fields.box(), stream.type == "esds",
      let (configuration, bitrate) = decoderConfiguration(in: stream.content)
    else { return nil }
    return SoundTrack(
      pcm: PCMFormat(sampleRate: rate, channels: Int(channels)), configuration: configuration, primingFrames: 0,
      bitrateKbps: bitrate / 1000)
  }

  /// The AudioSpecificConfig and the average bit rate in an `esds` (ISO 14496-1, 7.2.6).
  private static func decoderConfiguration(in bytes: ArraySlice<UInt8>) -> ([UInt8], bitrate: Int)? {
    var reader = ByteReader(bytes)
    guard reader.skip(4), descriptor(&reader, tag: 3) != nil, reader.skip(2), let flags = reader.big8(), flags == 0,
      descriptor(&reader, tag: 4) != nil, reader.big8() == 0x40, reader.skip(8), let bitrate = reader.big32(),
      let length = descriptor(&reader, tag: 5), (2...64).contains(length), let specific = reader.take(length)
    else { return nil }
    return (Array(specific), Int(bitrate))
  }

  /// The length of the descriptor that begins here, if it has this tag.
  private static func descriptor(_ reader: inout ByteReader, tag: UInt8) -> Int? {
    guard reader.big8() == tag else { return nil }
    var length = 0
    for _ in 0..<4 {
      guard let byte = reader.big8() else { return nil }
      length = length << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 { return length }
    }
    return nil
  }

  /// The AudioSpecificConfig of plain AAC-LC (ISO 14496-3, 1.6.2.1), for a take whose own is lost.
  static func lowComplexityConfiguration(_ pcm: PCMFormat) -> [UInt8] {
    let rates = [
      96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]
    let index = UInt16(rates.firstIndex(of: pcm.sampleRate) ?? 3)
    let bits: UInt16 = 2 << 11 | index << 7 | UInt16(min(2, max(1, pcm.channels))) << 3
    return [UInt8(bits >> 8), UInt8(bits & 0xFF)]
  }
}
