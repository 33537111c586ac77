/// How ZMODEM stands on a line: headers, subpackets, escapes and sums (Chuck Forsberg, "The ZMODEM Inter Application
/// File Transfer Protocol", 1988).
enum ZmodemWire {
  enum Kind: UInt8 {
    case requestInit = 0
    case initialise, signature, acknowledge, file, skip, refuse, abort, finish, position, data, endOfFile, failure
    case sum, challenge, completed, cancelled, freeBytes, command
  }

  struct Header: Equatable {
    var kind: Kind
    /// Four bytes as they stand on the line: a place, lowest byte first, or flags.
    var bytes: [UInt8]

    init(_ kind: Kind, _ bytes: [UInt8] = [0, 0, 0, 0]) { (self.kind, self.bytes) = (kind, bytes) }

    init(_ kind: Kind, place: Int) {
      self.init(kind, (0..<4).map { UInt8(truncatingIfNeeded: place >> ($0 * 8)) })
    }

    /// 0…2³² − 1.
    var place: Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
  }

  /// How a subpacket ends.
  enum Ending: UInt8 {
    /// The frame ends, and a header follows.
    case last = 0x68
    /// Another one follows at once; the same, and the peer says where it is.
    case more = 0x69
    case moreTold = 0x6A
    /// The frame ends, and the peer says where it is before anything follows.
    case waits = 0x6B
  }

  static let pad = UInt8(ascii: "*")
  /// Also ^X: five of them end a transfer.
  static let escape: UInt8 = 0x18
  private static let resume: UInt8 = 0x11
  static let cancellation = [UInt8](repeating: escape, count: 8) + [UInt8](repeating: 0x08, count: 10)

  /// A header in hexadecimal digits, which every line carries.
  static func hex(_ header: Header) -> [UInt8] {
    let content = [header.kind.rawValue] + header.bytes
    let sum = crc16(content)
    let digits = Array("0123456789abcdef".utf8)
    let text = (content + [UInt8(sum >> 8), UInt8(sum & 0xFF)]).flatMap {
      [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
    }
    let end: [UInt8] = header.kind == .finish || header.kind == .acknowledge ? [] : [resume]
    return [pad, pad, escape, UInt8(ascii: "B")] + text + [0x0D, 0x0A] + end
  }

  static func crc16(_ bytes: some Sequence<UInt8>) -> UInt16 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ UInt16(byte) << 8) { sum, _ in sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1 }
    }
  }

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 != 0 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
  }

  static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(~0) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
  }

  /// A sum as it stands on the line.
  static func sum(of content: some Sequence<UInt8>, isLong: Bool) -> [UInt8] {
    guard isLong else {
      let sum = crc16(content)
      return [UInt8(sum >> 8), UInt8(sum & 0xFF)]
    }
    let sum = crc32(content)
    return (0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) }
  }

  /// Writes what is not in digits, as the peer wants it.
  struct Writer {
    var hasLongSums = false
    var escapesControls = false
    private(set) var bytes: [UInt8] = []
    private var last: UInt8 = 0

    mutating func take() -> [UInt8] {
      defer { bytes = [] }
      return bytes
    }

    mutating func put(raw: [UInt8]) { bytes += raw }

    mutating func put(_ header: Header) {
      bytes += [ZmodemWire.pad, ZmodemWire.escape, UInt8(ascii: hasLongSums ? "C" : "A")]
      let content = [header.kind.rawValue] + header.bytes
      put(escaping: content)
      put(sumOf: content)
    }

    mutating func put(_ data: ArraySlice<UInt8>, _ ending: Ending) {
      put(escaping: data)
      bytes += [ZmodemWire.escape, ending.rawValue]
      put(sumOf: data + [ending.rawValue])
      if ending == .waits { bytes.append(ZmodemWire.resume) }
    }

    private mutating func put(sumOf content: some Sequence<UInt8>) {
      put(escaping: ZmodemWire.sum(of: content, isLong: hasLongSums))
    }

    private mutating func put(escaping content: some Sequence<UInt8>) {
      for byte in content {
        if isEscaped(byte) { bytes += [ZmodemWire.escape, byte ^ 0x40] } else { bytes.append(byte) }
        last = byte
      }
    }

    /// Whether a line between could take the byte for itself: flow control, and what a modem hangs up by.
    private func isEscaped(_ byte: UInt8) -> Bool {
      switch byte & 0x7F {
      case 0x10, 0x11, 0x13: true
      case 0x18: byte == ZmodemWire.escape || escapesControls
      case 0x0D: escapesControls || last & 0x7F == UInt8(ascii: "@")
      case 0..<0x20: escapesControls
      default: false
      }
    }
  }
}

/// Finds headers in hexadecimal digits in what a receiver sends; all else, such as what a program prints, is passed
/// over.
struct ZmodemHeaderReader {
  enum Found: Equatable {
    case header(ZmodemWire.Header)
    /// Five ^X in a row, or ^C.
    case cancelled
    /// A header that is not in digits, of this sort, begins.
    case begin(UInt8)
  }

  private let begins: [UInt8]

  private var cancels = 0
  private var isPadded = false
  private var digits: [UInt8]?
  private var isHead = false

  /// - Parameter begins: sorts of other headers that are told.
  init(begins: [UInt8] = []) { self.begins = begins }

  mutating func take(_ byte: UInt8) -> Found? {
    cancels = byte == ZmodemWire.escape ? cancels + 1 : 0
    if cancels >= 5 || byte == 0x03 { return .cancelled }
    if var known = digits {
      guard let digit = Self.value(of: byte) else {
        digits = nil
        isPadded = byte == ZmodemWire.pad
        return nil
      }
      known.append(digit)
      digits = known.count < 14 ? known : nil
      return known.count < 14 ? nil : Self.header(known).map { .header($0) }
    }
    if isHead {
      isHead = false
      if byte == UInt8(ascii: "B") { digits = [] }
      if begins.contains(byte) { return .begin(byte) }
    } else if isPadded, byte == ZmodemWire.escape {
      isHead = true
    }
    isPadded = byte == ZmodemWire.pad
    return nil
  }

  private static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func header(_ digits: [UInt8]) -> ZmodemWire.Header? {
    let bytes = stride(from: 0, to: 14, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    let sum = ZmodemWire.crc16(bytes.prefix(5))
    guard UInt8(sum >> 8) == bytes[5], UInt8(sum & 0xFF) == bytes[6] else { return nil }
    return ZmodemWire.Kind(rawValue: bytes[0]).map { ZmodemWire.Header($0, Array(bytes[1..<5])) }
  }
}
