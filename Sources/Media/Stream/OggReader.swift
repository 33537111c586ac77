internal import Hardware

/// The packets of the first sound in an Ogg stream (RFC 3533) that comes in pieces. Pure.
struct OggReader {
  struct Packet {
    var bytes: [UInt8]
    /// It begins a stream: what follows has headers of its own.
    var isFirst: Bool
  }

  private var input: [UInt8] = []
  private var place = 0
  private var serial: UInt32?
  /// What a stream in it is, of those that are no sound known here; empty: it has no name.
  private(set) var foreign: String?
  private var partial: [UInt8] = []
  private var isBroken = true
  private var ready: [Packet] = []
  /// Of the stream, headers among them.
  private var packets = 0
  /// No packet of sound is longer; a comment with a picture in it is cut.
  private static let largestPacket = 1 << 20
  /// Sound begins behind two headers or three, which a slow station takes seconds to send.
  private static let headers = 3
  /// What comes is a header, or goes on a packet that is longer than sound mostly is.
  var isPassingOver: Bool { partial.count > 8 << 10 || serial != nil && packets < Self.headers }
  /// How the first packet of a sound begins.
  private static let beginnings: [[UInt8]] = [
    [1] + Array("vorbis".utf8), Array("OpusHead".utf8), [0x7F] + Array("FLAC".utf8),
  ]

  mutating func feed(_ bytes: [UInt8]) {
    input.removeFirst(place)
    place = 0
    input += bytes
  }

  mutating func next() -> Packet? {
    while ready.isEmpty { guard readPage() else { return nil } }
    return ready.removeFirst()
  }

  /// - Returns: false if more bytes are needed.
  private mutating func readPage() -> Bool {
    while place + 4 <= input.count, !input[place...].starts(with: "OggS".utf8) { place += 1 }
    guard place + 27 <= input.count else { return false }
    let segments = Int(input[place + 26])
    let body = place + 27 + segments
    guard body <= input.count else { return false }
    let lengths = input[(place + 27)..<body]
    let end = body + lengths.reduce(0) { $0 + Int($1) }
    guard end <= input.count else { return false }
    let flags = input[place + 5]
    let number = input[(place + 14)..<(place + 18)].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    defer { place = end }
    let isFirst = flags & 2 != 0
    if isFirst, Self.beginnings.contains(where: { input[body..<end].starts(with: $0) }) {
      (serial, partial, isBroken, packets) = (number, [], false, 0)
    } else if isFirst {
      foreign = Self.name(input[body..<end])
    }
    guard number == serial else { return true }
    take(lengths, from: body, continues: flags & 1 != 0, isFirst: isFirst)
    return true
  }

  /// Of what is in Ogg the first packet begins with its name, some behind a byte that is no letter: `Speex`, `theora`.
  private static func name(_ page: ArraySlice<UInt8>) -> String {
    func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) && byte < 0x80 }
    return String(decoding: page.prefix(16).drop { !isLetter($0) }.prefix(while: isLetter), as: UTF8.self)
  }

  /// Why there is no sound in it, if that is known.
  var refusal: (reason: String, isUnsupported: Bool)? {
    guard serial == nil, let foreign else { return nil }
    return ("no decoder for what is in its Ogg\(foreign.isEmpty ? "" : ", \(foreign),") is built in", true)
  }

  private mutating func take(_ lengths: ArraySlice<UInt8>, from body: Int, continues: Bool, isFirst: Bool) {
    // What was lost in between is not put together with what follows.
    if !continues { (partial, isBroken) = ([], false) } else if partial.isEmpty { isBroken = true }
    var start = body
    for length in lengths {
      if partial.count < Self.largestPacket { partial += input[start..<(start + Int(length))] }
      start += Int(length)
      guard length < 255 else { continue }
      packets += 1
      if !isBroken { ready.append(Packet(bytes: partial, isFirst: isFirst)) }
      (partial, isBroken) = ([], false)
    }
  }
}
