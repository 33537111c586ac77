/// Finds headers, and the data behind them, in what a sender sends; all else, such as what a program prints, is passed
/// over. Nothing grows beyond the longest subpacket.
struct ZmodemFrames {
  enum Found: Equatable {
    case header(ZmodemWire.Header)
    case data([UInt8], ZmodemWire.Ending)
    /// Data or a header whose sum is wrong: what follows up to the next header is passed over.
    case damaged
    /// Five ^X in a row.
    case cancelled
  }

  private enum Phase: Equatable {
    case outside
    /// A header of bytes.
    case header
    case data
    /// The sum of a subpacket.
    case sum(ZmodemWire.Ending)
  }

  /// The longest that any sender makes, if it is asked to.
  static let longest = 8192

  private var outside = ZmodemHeaderReader(begins: [UInt8(ascii: "A"), UInt8(ascii: "C")])
  private var phase = Phase.outside
  private var hasLongSums = false
  private var isEscaped = false
  /// The end of the line that a header in digits stands on may still come.
  private var isAtLineEnd = false
  private var cancels = 0
  private var bytes: [UInt8] = []
  private var sum: [UInt8] = []

  private var sumBytes: Int { hasLongSums ? 4 : 2 }

  mutating func take(_ byte: UInt8) -> Found? {
    cancels = byte == ZmodemWire.escape ? cancels + 1 : 0
    if cancels >= 5 { return leave(.cancelled) }
    if phase == .outside { return look(at: byte) }
    // What controls the flow of a line is not the sender's.
    if byte & 0x7F == 0x11 || byte & 0x7F == 0x13 { return nil }
    if isAtLineEnd, byte & 0x7F == 0x0D || byte & 0x7F == 0x0A { return nil }
    isAtLineEnd = false
    guard isEscaped else {
      isEscaped = byte == ZmodemWire.escape
      return isEscaped ? nil : put(byte)
    }
    if byte == ZmodemWire.escape { return nil }
    isEscaped = false
    if let ending = ZmodemWire.Ending(rawValue: byte) {
      guard phase == .data else { return leave(.damaged) }
      phase = .sum(ending)
      return nil
    }
    switch byte {
    case 0x6C: return put(0x7F)
    case 0x6D: return put(0xFF)
    default: return byte & 0x60 == 0x40 ? put(byte ^ 0x40) : leave(.damaged)
    }
  }

  private mutating func look(at byte: UInt8) -> Found? {
    switch outside.take(byte) {
    case .header(let header):
      (hasLongSums, isAtLineEnd) = (false, true)
      return found(header)
    case .begin(let kind):
      (hasLongSums, isAtLineEnd) = (kind == UInt8(ascii: "C"), false)
      phase = .header
      return nil
    case .cancelled, nil: return nil
    }
  }

  private mutating func put(_ byte: UInt8) -> Found? {
    switch phase {
    case .outside: return nil
    case .header:
      bytes.append(byte)
      guard bytes.count == 5 + sumBytes else { return nil }
      let content = Array(bytes.prefix(5))
      guard ZmodemWire.sum(of: content, isLong: hasLongSums) == Array(bytes.dropFirst(5)),
        let kind = ZmodemWire.Kind(rawValue: content[0])
      else { return leave(.damaged) }
      return found(ZmodemWire.Header(kind, Array(content.dropFirst())))
    case .data:
      guard bytes.count < Self.longest else { return leave(.damaged) }
      bytes.append(byte)
      return nil
    case .sum(let ending):
      sum.append(byte)
      guard sum.count == sumBytes else { return nil }
      guard ZmodemWire.sum(of: bytes + [ending.rawValue], isLong: hasLongSums) == sum else { return leave(.damaged) }
      let data = bytes
      _ = leave(.damaged)
      if ending == .more || ending == .moreTold { phase = .data }
      return .data(data, ending)
    }
  }

  private mutating func found(_ header: ZmodemWire.Header) -> Found {
    _ = leave(.damaged)
    switch header.kind {
    case .file, .data, .signature, .command: phase = .data
    default: break
    }
    return .header(header)
  }

  private mutating func leave(_ found: Found) -> Found {
    phase = .outside
    isEscaped = false
    bytes.removeAll(keepingCapacity: true)
    sum.removeAll(keepingCapacity: true)
    return found
  }
}
