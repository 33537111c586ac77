internal import CFFmpeg
internal import Hardware

/// The first sound in an MPEG transport stream (ISO/IEC 13818-1) that comes in pieces: the first of its table, or another
/// one where there is nothing of that. Pure.
struct TransportFeed {
  private var input: [UInt8] = []
  private var place = 0
  /// Bytes from one packet to the next: 188, with four more of a recorder's, or sixteen that correct errors.
  private var stride: Int?
  private var tableID: Int?
  private var soundID: Int?
  private var section: [UInt8] = []
  private var hasBegun = false
  /// Of Opus, what is no whole packet yet: its parser takes no pieces.
  private var held: [UInt8] = []
  /// All sounds of the table that can be decoded; whether there was anything of the one that was taken, and how many packets
  /// of the others without it.
  private var sounds: [(id: Int, codec: AVCodecID)] = []
  private var hasGiven = false
  private var passedOver = 0
  /// What the sound that is given out is; `nil` until the stream has said it.
  private(set) var codec: AVCodecID?
  /// As the table says it where it was read last.
  private var coming: AVCodecID?
  /// Why there is no sound: it is scrambled, or nothing here decodes it.
  private(set) var refusal: (reason: String, isUnsupported: Bool)?

  /// A second of sound at 64 kbit/s, and of silence of one that sounds.
  private static let mostPassedOver = 48
  private static let packetBytes = 188
  /// Of Opus: 120 ms of 510 kbit/s are 8 kB, for each of four pairs of channels.
  private static let longestPacket = 32_768
  private static let strides = [188, 192, 204]

  /// Takes bytes; `next` gives the sound's own in them.
  mutating func feed(_ bytes: [UInt8]) {
    input.removeFirst(place)
    place = 0
    input += bytes
  }

  /// The sound's bytes as far as they are of one codec; empty: there are none in what has come.
  mutating func next() -> [UInt8] {
    var found: [UInt8] = []
    while found.isEmpty || coming == codec, let packet = nextPacket() {
      let isFirst = found.isEmpty
      take(packet, &found)
      if isFirst { codec = coming }
    }
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
      return
    }
    if id != soundID, !hasGiven, control & 0xC0 == 0, let other = sounds.first(where: { $0.id == id }) {
      passedOver += 1
      if passedOver >= Self.mostPassedOver { choose(other) }
    }
    if id == soundID {
      guard control & 0xC0 == 0 else { return refusal = ("it is scrambled", false) }
      if begins {
        hasBegun = content.starts(with: [0, 0, 1]) && content.count >= 9
        if hasBegun { content = content.dropFirst(9 + Int(content[content.startIndex + 8])) }
        held = []
      }
      guard hasBegun else { return }
      (hasGiven, refusal) = (true, nil)
      guard coming == AV_CODEC_ID_OPUS else { return found += content }
      held += content
      while let end = Self.opusPacket(held[...]) {
        found += held[..<end]
        held.removeFirst(end)
      }
      if held.count > Self.longestPacket { hasBegun = false }
    }
  }

  /// The end of the first packet with its control header (ETSI TS 103 491, annex B); `nil` until all of it is there.
  private static func opusPacket(_ bytes: ArraySlice<UInt8>) -> Int? {
    var reader = ByteReader(bytes)
    guard let mark = reader.big16(), mark & 0xFFE0 == 0x7FE0 else { return nil }
    var size = 0
    var part: UInt8 = 255
    while part == 255 {
      guard let next = reader.big8() else { return nil }
      part = next
      size += Int(next)
    }
    for trim in [UInt16(0x10), 0x08] where mark & trim != 0 { guard reader.skip(2) else { return nil } }
    if mark & 0x04 != 0 { guard let extra = reader.big8(), reader.skip(Int(extra)) else { return nil } }
    guard reader.skip(size) else { return nil }
    return bytes.count - reader.remaining
  }

  private mutating func choose(_ sound: (id: Int, codec: AVCodecID)) {
    if soundID != sound.id { (hasBegun, hasGiven, passedOver) = (false, false, 0) }
    if coming != sound.codec { hasBegun = false }
    (soundID, coming) = (sound.id, sound.codec)
  }

  /// Bytes at the end of a file in which its table comes again: that is every 100 ms mostly.
  private static let tailBytes = 1 << 20
  /// What tables call alike, and one decoder or another finds out by its bytes.
  private static func family(_ codec: AVCodecID) -> AVCodecID {
    switch codec {
    case AV_CODEC_ID_MP1, AV_CODEC_ID_MP2: AV_CODEC_ID_MP3
    case AV_CODEC_ID_EAC3: AV_CODEC_ID_AC3
    default: codec
    }
  }

  /// Whether the last table of a file names another codec than that of the sound at a place: libavformat stays with the
  /// first, and finds no more of it.
  static func endsInAnother(than codec: AVCodecID, at id: Int, path: String) -> Bool {
    guard let file = AVIOFile(path: path, isBuffered: false) else { return false }
    var feed = Self()
    do throws(StorageError) {
      feed.feed(try file.bytes(at: max(0, file.size - tailBytes), count: tailBytes))
    } catch {
      return false
    }
    while !feed.next().isEmpty {}
    guard let last = feed.sounds.first(where: { $0.id == id })?.codec else { return false }
    return family(last) != family(codec)
  }

  /// The first programme of a PAT.
  private mutating func readPrograms(_ entries: ArraySlice<UInt8>) {
    var reader = ByteReader(entries)
    while let number = reader.big16(), let id = reader.big16() {
      if number != 0 { return tableID = Int(id & 0x1FFF) }
    }
  }

  /// The sounds of a PMT that can be decoded; what is played already stays.
  private mutating func readStreams(_ table: ArraySlice<UInt8>) {
    guard table.first == 2 else { return }
    var reader = ByteReader(table)
    guard reader.skip(10), let length = reader.big16(), reader.skip(Int(length & 0x0FFF)) else { return }
    var (found, refused): ([(id: Int, codec: AVCodecID)], AVCodecID?) = ([], nil)
    while let kind = reader.big8(), let id = reader.big16(), let length = reader.big16(),
      let descriptors = reader.take(Int(length & 0x0FFF))
    {
      guard let codec = Self.codec(kind, descriptors) else { continue }
      let isDecoded = avcodec_find_decoder(codec) != nil && !Self.undecoded.contains(codec)
      if isDecoded { found.append((Int(id & 0x1FFF), codec)) } else { refused = codec }
    }
    sounds = found
    if let sound = found.first(where: { $0.id == soundID }) ?? found.first {
      choose(sound)
    } else if let refused {
      refusal = ("no decoder for its sound, \(String(cString: avcodec_get_name(refused))), is built in", true)
    }
  }

  /// What the release has no decoder for; other builds may have one.
  private static let undecoded = [AV_CODEC_ID_DTS, AV_CODEC_ID_TRUEHD, AV_CODEC_ID_MPEGH_3D_AUDIO]

  /// What a sound is that nothing here decodes, by its table; `nil` for all others.
  ///
  /// Of what it does not know by its number libavformat looks at the bytes, and where it does not know these either, it takes
  /// them for MP3: DTS and what else discs have would be noise. MPEG audio may have any other number: it is what it is.
  ///
  /// - Parameter content: as libavformat describes it: its tag is the table's `stream_type`, or a registration.
  static func refused(_ content: AVCodecParameters) -> String? {
    if undecoded.contains(content.codec_id) { return String(cString: avcodec_get_name(content.codec_id)) }
    guard let kind = UInt8(exactly: content.codec_tag), let found = codec(kind, []), undecoded.contains(found) else {
      return nil
    }
    return String(cString: avcodec_get_name(found))
  }

  private static func codec(_ kind: UInt8, _ descriptors: ArraySlice<UInt8>) -> AVCodecID? {
    switch kind {
    case 0x03, 0x04: return AV_CODEC_ID_MP3
    case 0x0F: return AV_CODEC_ID_AAC
    case 0x11: return AV_CODEC_ID_AAC_LATM
    case 0x81: return AV_CODEC_ID_AC3
    case 0x87: return AV_CODEC_ID_EAC3
    case 0x82, 0x85, 0x88, 0x8A, 0xA2: return AV_CODEC_ID_DTS
    case 0x83: return AV_CODEC_ID_TRUEHD
    case 0x2D, 0x2E: return AV_CODEC_ID_MPEGH_3D_AUDIO
    case 0x06:
      // Private data says by a descriptor what it is (ETSI EN 300 468, 6.2 and annex D).
      var reader = ByteReader(descriptors)
      while let tag = reader.big8(), let length = reader.big8(), let content = reader.take(Int(length)) {
        switch tag {
        case 0x6A: return AV_CODEC_ID_AC3
        case 0x7A: return AV_CODEC_ID_EAC3
        case 0x7B: return AV_CODEC_ID_DTS
        // A registration, as of SMPTE RA: Opus, among others.
        case 0x05:
          if content.starts(with: "Opus".utf8) { return AV_CODEC_ID_OPUS }
          if content.starts(with: "AC-3".utf8) { return AV_CODEC_ID_AC3 }
          if content.starts(with: "EAC3".utf8) { return AV_CODEC_ID_EAC3 }
          if content.starts(with: "BSSD".utf8) { return AV_CODEC_ID_S302M }
        default: break
        }
      }
      return nil
    default: return nil
    }
  }
}
