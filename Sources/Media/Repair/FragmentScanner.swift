internal import Hardware

/// Finds the fragments that `FragmentedM4A` wrote, in a file of which any byte may be wrong.
///
/// Only the exact shape that the writer gives a `moof` is taken, so chance hardly ever looks like one. Behind
/// damage it goes on with the next whole fragment.
struct FragmentScanner {
  struct Fragment {
    var headOffset: Int
    var dataOffset: Int
    var baseTime: Int
    /// Access units that are wholly in the file.
    var sizes: [UInt32]
    /// Bytes of a torn `mdat` behind the last whole access unit.
    var tornBytes: Int

    /// Where the last whole access unit ends.
    var end: Int { dataOffset + sizes.reduce(0) { $0 + Int($1) } }
  }

  private let file: any StoredFile
  private let limit: Int
  private var position: Int
  private var expectedTime = 0
  /// Bytes passed over in search of the next fragment.
  private(set) var skippedBytes = 0

  private static let largestUnit = 16 << 10
  private static let longestGap = 1 << 40
  private static let window = 64 << 10

  init(_ file: any StoredFile, from start: Int, end: Int) {
    self.file = file
    limit = min(end, file.size)
    position = start
  }

  /// The next fragment with at least one whole access unit; `nil` when there is none before the end of the file or
  /// the final `moov`.
  mutating func next() throws(StorageError) -> Fragment? {
    while position + 8 <= limit {
      var header = ByteReader(try file.bytes(at: position, count: 8))
      let size = Int(header.big32() ?? 0)
      let type = header.fourCC() ?? ""
      if type == "free", (8...4096).contains(size), position + size <= limit {
        position += size
        continue
      }
      if type == "moof", let fragment = try parse(at: position) { return take(fragment) }
      if type == "moov", size >= 8, position + size >= limit { return nil }
      let start = position
      guard let fragment = try search(from: position + 1) else {
        skippedBytes += limit - start
        position = limit
        return nil
      }
      skippedBytes += fragment.headOffset - start
      return take(fragment)
    }
    skippedBytes += max(0, limit - position)
    position = limit
    return nil
  }

  private mutating func take(_ fragment: Fragment) -> Fragment {
    position = fragment.end + fragment.tornBytes
    skippedBytes += fragment.tornBytes
    expectedTime = fragment.baseTime + fragment.sizes.count * OldTakeLedger.frameSize
    return fragment
  }

  /// The next whole fragment that begins at `start` or later.
  private func search(from start: Int) throws(StorageError) -> Fragment? {
    let mark = Array("moof".utf8)
    var offset = start
    while offset + OldTakeBoxes.fragmentHeadBytes <= limit {
      let bytes = try file.bytes(at: offset, count: Self.window)
      guard bytes.count > 8 else { return nil }
      var candidates: [Int] = []
      bytes.withUnsafeBufferPointer { window in
        for index in 4..<(window.count - 3) where window[index] == mark[0] && window[index + 1] == mark[1] {
          if window[index + 2] == mark[2], window[index + 3] == mark[3] { candidates.append(index - 4) }
        }
      }
      for candidate in candidates {
        if let fragment = try parse(at: offset + candidate) { return fragment }
      }
      offset += bytes.count - 7
    }
    return nil
  }

  /// The fragment whose `moof` begins at `offset`, if every byte of its head is as it must be.
  private func parse(at offset: Int) throws(StorageError) -> Fragment? {
    let fixed = OldTakeBoxes.fragmentHeadBytes
    let start = try file.bytes(at: offset, count: fixed)
    guard start.count == fixed else { return nil }
    var reader = ByteReader(start)
    guard let size = reader.big32().map(Int.init), (fixed + 4...4096).contains(size), (size - fixed) % 4 == 0,
      reader.fourCC() == "moof"
    else { return nil }
    let count = (size - fixed) / 4
    guard reader.big32() == 16, reader.fourCC() == "mfhd", reader.big32() == 0, reader.skip(4),
      reader.big32() == UInt32(size - 24), reader.fourCC() == "traf",
      reader.big32() == 16, reader.fourCC() == "tfhd", reader.big32() == 0x020000, reader.big32() == 1,
      reader.big32() == 20, reader.fourCC() == "tfdt", reader.big32() == 0x0100_0000,
      let time = reader.big64(), time >= UInt64(expectedTime), time - UInt64(expectedTime) <= Self.longestGap,
      reader.big32() == UInt32(20 + 4 * count), reader.fourCC() == "trun", reader.big32() == 0x000201,
      reader.big32() == UInt32(count), reader.big32() == UInt32(size + 8)
    else { return nil }
    // The sizes, and the head of the `mdat`.
    let rest = try file.bytes(at: offset + fixed, count: 4 * count + 8)
    guard rest.count == 4 * count + 8 else { return nil }
    var sizes = ByteReader(rest)
    var units: [UInt32] = []
    units.reserveCapacity(count)
    var total = 0
    for _ in 0..<count {
      guard let unit = sizes.big32(), (1...Self.largestUnit).contains(Int(unit)) else { return nil }
      units.append(unit)
      total += Int(unit)
    }
    guard sizes.big32() == UInt32(8 + total), sizes.fourCC() == "mdat" else { return nil }
    let dataOffset = offset + size + 8
    var torn = 0
    while dataOffset + total > limit, let last = units.popLast() {
      total -= Int(last)
      torn = limit - dataOffset - total
    }
    guard !units.isEmpty else { return nil }
    return Fragment(headOffset: offset, dataOffset: dataOffset, baseTime: Int(time), sizes: units, tornBytes: torn)
  }
}
