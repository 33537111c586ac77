internal import Hardware

extension OldTakeBoxes {
  /// Reads back what `initialSegment` wrote.
  ///
  /// - Parameter bytes: the content of the first `moov`.
  init?(initialMovie bytes: ArraySlice<UInt8>) {
    guard let media = ByteReader.find(path: ["trak", "mdia"], in: bytes), ByteReader.find("mvex", in: bytes) != nil,
      let track = Self.soundDescription(media)
    else { return nil }
    var priming = 0
    if let edits = ByteReader.find(path: ["trak", "edts", "elst"], in: bytes) {
      var reader = ByteReader(edits)
      guard let version = reader.big8(), reader.skip(7), reader.skip(version == 1 ? 8 : 4),
        let time = version == 1 ? reader.big64() : reader.big32().map(UInt64.init), time < 1 << 16
      else { return nil }
      priming = Int(time)
    }
    var user = ByteWriter()
    if let content = ByteReader.find("udta", in: bytes) {
      user.box("udta") { $0.bytes.append(contentsOf: content) }
    }
    self.init(
      sampleRate: track.rate, channels: track.channels, primingFrames: priming,
      decoderConfiguration: track.configuration, averageBitrate: track.bitrate,
      creationTime: min(track.created, 1 << 40), userData: user.bytes)
  }

  /// What the `mdia` of an AAC track says.
  static func soundDescription(
    _ media: ArraySlice<UInt8>
  ) -> (rate: Int, channels: Int, configuration: [UInt8], bitrate: Int, created: UInt64)? {
    guard let header = ByteReader.find("mdhd", in: media),
      let descriptions = ByteReader.find(path: ["minf", "stbl", "stsd"], in: media)
    else { return nil }
    var times = ByteReader(header)
    guard let version = times.big8(), times.skip(3),
      let created = version == 1 ? times.big64() : times.big32().map(UInt64.init),
      times.skip(version == 1 ? 8 : 4), let rate = times.big32(), (1000...768_000).contains(rate)
    else { return nil }
    var entries = ByteReader(descriptions)
    guard entries.skip(8), let entry = entries.box(), entry.type == "mp4a" else { return nil }
    var fields = ByteReader(entry.content)
    guard fields.skip(16), let channels = fields.big16(), (1...2).contains(channels), fields.skip(10),
      let stream = fields.box(), stream.type == "esds",
      let (configuration, bitrate) = Self.decoderConfiguration(in: stream.content)
    else { return nil }
    return (Int(rate), Int(channels), configuration, bitrate, created)
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
