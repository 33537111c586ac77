/// How the bytes of a segment are packed (RFC 8216 section 3). Pure.
enum SegmentShape: Hashable, Sendable {
  case transportStream
  case fragmentedMP4
  /// Packed audio, from `offset` on, behind ID3 tags; the time of its first frame in 90 kHz ticks, if a tag says it.
  case adts(offset: Int, time: Int64?)
  case mpegAudio(offset: Int, time: Int64?)

  /// Looks at the first bytes; `nil` if they are none of these.
  init?(_ bytes: [UInt8], hasInitialization: Bool) {
    if bytes.count >= 188, bytes[0] == 0x47, bytes.count < 377 || bytes[188] == 0x47 {
      self = .transportStream
      return
    }
    let boxes = ["styp", "ftyp", "moof", "sidx", "emsg", "prft", "moov", "mdat", "free"]
    if bytes.count >= 8, boxes.contains(String(decoding: bytes[4..<8], as: UTF8.self)) {
      self = .fragmentedMP4
      return
    }
    if hasInitialization {
      self = .fragmentedMP4
      return
    }
    let (offset, time) = Self.skipTags(bytes)
    guard bytes.count >= offset + 4, bytes[offset] == 0xFF else { return nil }
    // The layer bits tell ADTS (00) from MPEG audio (ISO/IEC 13818-7, 6.2.1; 11172-3, 2.4.2.3).
    if bytes[offset + 1] & 0xF6 == 0xF0 {
      self = .adts(offset: offset, time: time)
    } else if bytes[offset + 1] & 0xE0 == 0xE0 {
      self = .mpegAudio(offset: offset, time: time)
    } else {
      return nil
    }
  }

  /// Steps over ID3v2 tags (id3v2.4.0-structure, 3.1), and looks in them for the time stamp (RFC 8216 section 3.4).
  private static func skipTags(_ bytes: [UInt8]) -> (offset: Int, time: Int64?) {
    var place = 0
    var time: Int64?
    while bytes.count >= place + 10, bytes[place..<place + 3].elementsEqual("ID3".utf8) {
      let size = bytes[(place + 6)..<(place + 10)].reduce(0) { $0 << 7 | Int($1 & 0x7F) }
      let end = min(bytes.count, place + 10 + size)
      time = timestamp(bytes[(place + 10)..<end], version: bytes[place + 3]) ?? time
      place = end
    }
    return (place, time)
  }

  /// A PRIV frame of the owner `com.apple.streaming.transportStreamTimestamp`: 33 bits in 8 bytes.
  private static func timestamp(_ tag: ArraySlice<UInt8>, version: UInt8) -> Int64? {
    let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
    var rest = tag
    while rest.count > 10 {
      let start = rest.startIndex
      let shift = version >= 4 ? 7 : 8
      let size = rest[(start + 4)..<(start + 8)].reduce(0) { $0 << shift | Int($1) }
      guard size > 0, size <= rest.count - 10 else { return nil }
      let content = rest[(start + 10)..<(start + 10 + size)]
      if rest.starts(with: "PRIV".utf8), content.starts(with: owner), content.count >= owner.count + 8 {
        let value = content.dropFirst(owner.count).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int64(value & ((1 << 33) - 1))
      }
      rest = rest[(start + 10 + size)...]
    }
    return nil
  }

  var demuxer: String {
    switch self {
    case .transportStream: "mpegts"
    case .fragmentedMP4: "mov"
    case .adts: "aac"
    case .mpegAudio: "mp3"
    }
  }
}
