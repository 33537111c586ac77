internal import CFFmpeg

/// The first sound in an MPEG transport stream (ISO/IEC 13818-1) that comes in pieces. Pure.
struct TransportFeed {
  private var input: [UInt8] = []
  private var place = 0
  /// Bytes from one packet to the next: 188, with four more of a recorder's, or sixteen that correct errors.
  private var stride: Int?
  private var tableID: Int?
  private var soundID: Int?
  private var section: [UInt8] = []
  private var hasBegun = false
  /// What the sound is; `nil` until the stream has said it.
  private(set) var codec: AVCodecID?
  /// Why there is no sound: it is scrambled, or nothing decodes it.
  private(set) var refusal: String?

  private static let packetBytes = 188
  private static let strides = [188, 192, 204]

  /// Takes bytes, and returns the sound's own in them.
  mutating func feed(_ bytes: [UInt8]) -> [UInt8] {
    input.removeFirst(place)
    place = 0
    input += bytes
    var found: [UInt8] = []
    while let packet = nextPacket() { take(packet, &found) }
    return found
  }

  private mutating func nextPacket() -> ArraySlice<UInt8>? {
    while place + Self.packetBytes <= input.count {
      if let stride, input[place] == 0x47 {
        let packet = input[place..<(place + Self.packetBytes)]
        // What lies between is passed over with the packet, as far as it has come.
        guard place + stride <= input.count else { return nil }
        place += stride
        return packet
      }
      stride = nil
      guard place + 2 * 204 < input.count else { return nil }
      stride = Self.strides.first { input[place] == 0x47 && input[place + $0] == 0x47 && input[place + 2 * $0] == 0x47 }
      if stride == nil { place += 1 }
    }
    return nil
  }

  private mutating func take(_ packet: ArraySlice<UInt8>, _ found: inout [UInt8]) {
    let start = packet.startIndex
    let id = Int(packet[start + 1] & 0x1F) << 8 | Int(packet[start + 2])
    let begins = packet[start + 1] & 0x40 != 0
    let control = packet[start + 3]
    var content = packet.dropFirst(4)
    if control & 0x20 != 0 { content = content.dropFirst(1 + Int(content.first ?? 0)) }
    guard control & 0x10 != 0, !content.isEmpty else { return }
    if id == 0 || id == tableID {
      if begins { section = Array(content.dropFirst(1 + Int(content.first ?? 0))) } else { section += content }
      guard section.count >= 3 else { return }
      let end = 3 + Int(section[1] & 0x0F) << 8 + Int(section[2])
      guard section.count >= end else { return }
      defer { section = [] }
      guard end >= 16 else { return }
      if id == 0 { readPrograms(section[8..<(end - 4)]) } else { readStreams(section[..<(end - 4)]) }
    } else if id == soundID {
      guard control & 0xC0 == 0 else { return refusal = "it is scrambled" }
      if begins {
        hasBegun = content.starts(with: [0, 0, 1]) && content.count >= 9
        if hasBegun { content = content.dropFirst(9 + Int(content[content.startIndex + 8])) }
      }
      if hasBegun { found += content }
    }
  }

  /// The first programme of a PAT.
  private mutating func readPrograms(_ entries: ArraySlice<UInt8>) {
    var reader = ByteReader(entries)
    while let number = reader.big16(), let id = reader.big16() {
      if number != 0 { return tableID = Int(id & 0x1FFF) }
    }
  }

  /// The first sound of a PMT that can be decoded.
  private mutating func readStreams(_ table: ArraySlice<UInt8>) {
    guard table.first == 2 else { return }
    var reader = ByteReader(table)
    guard reader.skip(10), let length = reader.big16(), reader.skip(Int(length & 0x0FFF)) else { return }
    while let kind = reader.big8(), let id = reader.big16(), let length = reader.big16(),
      let descriptors = reader.take(Int(length & 0x0FFF))
    {
      guard let found = Self.codec(kind, descriptors) else { continue }
      guard avcodec_find_decoder(found) != nil else {
        refusal = "no decoder for its sound, \(String(cString: avcodec_get_name(found))), is built in"
        continue
      }
      if soundID != Int(id & 0x1FFF) { hasBegun = false }
      (soundID, codec) = (Int(id & 0x1FFF), found)
      return
    }
  }

  private static func codec(_ kind: UInt8, _ descriptors: ArraySlice<UInt8>) -> AVCodecID? {
    switch kind {
    case 0x03, 0x04: return AV_CODEC_ID_MP3
    case 0x0F: return AV_CODEC_ID_AAC
    case 0x11: return AV_CODEC_ID_AAC_LATM
    case 0x81: return AV_CODEC_ID_AC3
    case 0x87: return AV_CODEC_ID_EAC3
    case 0x06:
      // Private data says by a descriptor what it is (ETSI EN 300 468, 6.2 and annex D).
      var reader = ByteReader(descriptors)
      while let tag = reader.big8(), let length = reader.big8(), reader.skip(Int(length)) {
        if tag == 0x6A { return AV_CODEC_ID_AC3 }
        if tag == 0x7A { return AV_CODEC_ID_EAC3 }
      }
      return nil
    default: return nil
    }
  }
}
