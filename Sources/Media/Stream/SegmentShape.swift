/// How the bytes of a segment are packed (RFC 8216 section 3, and what else is met). Pure.
struct SegmentShape: Hashable, Sendable {
  /// libavformat's name of the demuxer.
  let demuxer: String
  /// Bytes before it that are left out.
  private(set) var offset = 0
  /// Time of the first frame in 90 kHz ticks, if a tag says it.
  private(set) var time: Int64?
  /// Whether time stamps in it are of the stream; in other kinds of files they begin anew with each.
  private(set) var hasClock = false

  var isMP4: Bool { demuxer == "mov" }

  /// Looks at the first bytes, else for the first packet or frame behind them; `nil` if there is nothing that can be a
  /// segment.
  init?(_ bytes: [UInt8], hasInitialization: Bool) {
    let boxes = [
      "styp", "ftyp", "moof", "sidx", "emsg", "prft", "moov", "mdat", "free", "skip", "wide", "pnot", "uuid",
    ]
    if Self.isTransportStream(bytes) {
      (demuxer, hasClock) = ("mpegts", true)
    } else if hasInitialization && !Self.isPacked(bytes)
      || bytes.count >= 8 && boxes.contains(String(decoding: bytes[4..<8], as: UTF8.self))
    {
      (demuxer, hasClock) = ("mov", true)
    } else {
      (offset, time) = Self.skipTags(bytes)
      if let place = FrameSync.packets(in: bytes[offset...]) {
        // It was cut within a packet, whose padding is like a frame's head.
        (demuxer, offset, hasClock) = ("mpegts", place, true)
      } else if let name = Self.packed(bytes[offset...]) {
        demuxer = name
      } else if let found = FrameSync.find(bytes[offset...]) {
        // It was cut anywhere, or something stands before it.
        (demuxer, offset, hasClock) = (found.demuxer, found.place, found.demuxer == "mpegts")
      } else {
        return nil
      }
    }
  }

  /// Packets of 188 bytes, with four more before (Blu-ray, cameras) or sixteen behind each.
  private static func isTransportStream(_ bytes: [UInt8]) -> Bool {
    [(188, 0), (192, 4), (204, 0)].contains { size, start in
      bytes.count >= size
        && stride(from: start, to: min(bytes.count, start + 3 * size), by: size)
          .allSatisfy { bytes[$0] == 0x47 }
    }
  }

  /// Whether it is packed sound, although an initialisation section stands before it, which is then for nothing: of boxes
  /// these would be the sizes, of more than any segment has.
  private static func isPacked(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "ID3".utf8) || packed(bytes[...]) != nil }

  /// Sound without a container, or in one of its own.
  private static func packed(_ bytes: ArraySlice<UInt8>) -> String? {
    let head = Array(bytes.prefix(12))
    guard head.count >= 8 else { return nil }
    switch (head[0], head[1]) {
    // The layer bits tell ADTS (00) from MPEG audio (ISO/IEC 13818-7, 6.2.1; 11172-3, 2.4.2.3).
    case (0xFF, let next) where next & 0xF6 == 0xF0: return "aac"
    case (0xFF, let next) where next & 0xE0 == 0xE0: return "mp3"
    // ETSI TS 102 366: bsid is above 10 in E-AC-3.
    case (0x0B, 0x77): return head[5] >> 3 > 10 ? "eac3" : "ac3"
    default: break
    }
    let kinds = [
      ("OggS", "ogg"), ("fLaC", "flac"), ("RIFF", "wav"), ("RF64", "wav"), ("caff", "caf"), ("FORM", "aiff"),
    ]
    return kinds.first { head.starts(with: $0.0.utf8) }?.1
  }

  /// Of a tag that are looked into: what has pictures in it comes again with every call until it is there.
  private static let mostTagBytes = 64 << 10

  /// Steps over ID3v2 tags (id3v2.4.0-structure, 3.1), and looks in them for the time stamp (RFC 8216 section 3.4).
  private static func skipTags(_ bytes: [UInt8]) -> (offset: Int, time: Int64?) {
    var place = 0
    var time: Int64?
    while let length = ID3Tag.length(bytes[place...]) {
      let end = min(bytes.count, place + length)
      let content = bytes[(place + ID3Tag.headBytes)..<end].prefix(mostTagBytes)
      time = timestamp(content, version: bytes[place + 3]) ?? time
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
}
