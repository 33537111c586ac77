/// Sound of which one segment of MPEG-TS (ISO/IEC 13818-1) has the beginning and the next the rest: streams that were cut
/// anywhere have it, and read one by one their segments would lose it. Pure.
struct SplitSound {
  /// A packet of a stream that is not complete.
  private struct Part {
    /// Bytes of it that are still to come.
    var missing: Int
    /// What segments before had of it, as transport packets.
    var packets: [UInt8] = []
    /// Where this segment has the rest.
    var places: [Int] = []
    /// The last one's continuity counter.
    var counter: UInt8 = 0
  }

  /// By their identifiers.
  private var parts: [Int: Part] = [:]
  /// The newest PAT, which has the identifier 0, and the PMTs that it names.
  private var tables: [Int: [UInt8]] = [0: []]

  private static let packetBytes = 188
  /// Of one that is held back: 24 kB are decoded at once where nothing follows. Most encoders make them of 3 kB.
  private static let mostPackets = 128
  private static let mostParts = 8
  private static let mostTables = 16
  private static let mostTableBytes = 8 * packetBytes

  /// Something is held back.
  var isHolding: Bool { !parts.isEmpty }

  /// What is held back, behind its tables; it is forgotten.
  mutating func flush() -> [UInt8] {
    defer { parts = [:] }
    return stream(of: parts.values.map(\.packets))
  }

  /// Whether a segment goes on with all that is held back.
  func goesOn(in bytes: [UInt8]) -> Bool {
    guard isHolding else { return true }
    guard Self.isWhole(bytes) else { return false }
    var awaited = parts
    for start in stride(from: 0, to: bytes.count, by: Self.packetBytes) where bytes[start + 3] & 0x10 != 0 {
      guard let part = awaited.removeValue(forKey: Self.id(bytes, start)) else { continue }
      guard bytes[start + 1] & 0x40 == 0, bytes[start + 3] & 15 == (part.counter + 1) & 15 else { return false }
      if awaited.isEmpty { return true }
    }
    return false
  }

  /// Takes what is not complete out of a segment, which goes on with what is held back: padding stands in its place.
  ///
  /// - Parameter initialization: its tables, if they stand apart.
  /// - Returns: what is to stand before it: what it completes, behind its tables; or nothing.
  mutating func take(from bytes: inout [UInt8], initialization: [UInt8]) -> [UInt8] {
    if Self.isWhole(initialization) {
      for start in stride(from: 0, to: initialization.count, by: Self.packetBytes) { noteTable(initialization, start) }
    }
    guard Self.isWhole(bytes) else { return [] }
    var completed: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: Self.packetBytes) {
      if noteTable(bytes, start) { continue }
      let control = bytes[start + 3]
      let content = start + 4 + (control & 0x20 == 0 ? 0 : 1 + Int(bytes[start + 4]))
      let end = start + Self.packetBytes
      // Of what is scrambled nothing can be known.
      guard control & 0xD0 == 0x10, content < end else { continue }
      let id = Self.id(bytes, start)
      if bytes[start + 1] & 0x40 != 0 {
        if let part = parts.removeValue(forKey: id), !part.packets.isEmpty { completed.append(part.packets) }
        guard parts.count < Self.mostParts, let size = Self.size(bytes[content..<end]) else { continue }
        parts[id] = Part(missing: size)
      }
      guard var part = parts.removeValue(forKey: id) else { continue }
      part.missing -= end - content
      part.counter = control & 15
      part.places.append(start)
      let isLong = part.places.count + part.packets.count / Self.packetBytes > Self.mostPackets
      if part.missing > 0, !isLong {
        parts[id] = part
      } else if !part.packets.isEmpty {
        completed.append(part.packets)
      }
    }
    let head = completed.isEmpty ? [] : stream(of: completed)
    for id in Array(parts.keys) { hold(id, of: &bytes) }
    return head
  }

  /// Forgets everything.
  mutating func forget() { (parts, tables) = ([:], [0: []]) }

  private mutating func hold(_ id: Int, of bytes: inout [UInt8]) {
    guard var part = parts[id] else { return }
    for start in part.places {
      part.packets += bytes[start..<(start + Self.packetBytes)]
      bytes.replaceSubrange((start + 1)..<(start + 4), with: [0x1F, 0xFF, 0x10])
    }
    part.places = []
    parts[id] = part
  }

  private func stream(of packets: [[UInt8]]) -> [UInt8] {
    guard packets.contains(where: { !$0.isEmpty }) else { return [] }
    return tables.sorted { $0.key < $1.key }.flatMap(\.value) + packets.flatMap { $0 }
  }

  /// - Returns: whether a packet is of a table.
  @discardableResult private mutating func noteTable(_ bytes: [UInt8], _ start: Int) -> Bool {
    let id = Self.id(bytes, start)
    guard let table = tables[id] else { return false }
    let packet = bytes[start..<(start + Self.packetBytes)]
    if bytes[start + 1] & 0x40 != 0 {
      tables[id] = Array(packet)
      if id == 0 { nameTables(packet) }
    } else if !table.isEmpty, table.count < Self.mostTableBytes {
      tables[id] = table + packet
    }
    return true
  }

  /// Reads a PAT.
  private mutating func nameTables(_ packet: ArraySlice<UInt8>) {
    // GStreamer fills up its tables before them.
    let filling = packet[packet.startIndex + 3] & 0x20 == 0 ? 0 : 1 + Int(packet[packet.startIndex + 4])
    var reader = ByteReader(packet.dropFirst(4 + filling))
    guard let pointer = reader.big8(), reader.skip(Int(pointer) + 1),
      let length = reader.big16(), reader.skip(5)
    else { return }
    var named: [Int: [UInt8]] = [0: Array(packet)]
    // Before its end are four bytes that check it.
    for _ in 0..<min(Self.mostTables, max(0, Int(length & 0x0FFF) - 9) / 4) {
      guard let number = reader.big16(), let id = reader.big16() else { break }
      let place = Int(id & 0x1FFF)
      if number != 0, place != 0 { named[place] = tables[place] ?? [] }
    }
    tables = named
  }

  /// How long a packet of a stream of sound is that begins here; `nil` if it is another one's, or does not say it.
  private static func size(_ bytes: ArraySlice<UInt8>) -> Int? {
    var reader = ByteReader(bytes)
    guard let start = reader.big32(), start >> 8 == 1, let length = reader.big16(), length > 0 else { return nil }
    // Sound by its kind, and what is private: AC-3 and Opus.
    let isSound = (0xC0...0xDF).contains(start & 0xFF) || start & 0xFF == 0xBD
    return isSound ? 6 + Int(length) : nil  // bounded: 16 bits
  }

  private static func id(_ bytes: [UInt8], _ start: Int) -> Int {
    Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2])
  }

  /// Whether bytes are packets of a transport stream, and nothing else.
  private static func isWhole(_ bytes: [UInt8]) -> Bool {
    !bytes.isEmpty && bytes.count % packetBytes == 0
      && stride(from: 0, to: bytes.count, by: packetBytes).allSatisfy { bytes[$0] == 0x47 }
  }
}
