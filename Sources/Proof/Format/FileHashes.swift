internal import Hardware

/// Reads ranges of a file for a hash, a bounded piece at a time.
struct RangeReader {
  private let ranges: [Range<Int>]
  private var index = 0
  private var place = 0
  private var buffer: [UInt8] = []

  static let pieceBytes = 256 << 10

  init(_ ranges: [Range<Int>]) {
    self.ranges = ranges.filter { !$0.isEmpty }
    place = self.ranges.first?.lowerBound ?? 0
  }

  /// - Returns: true when all is read; a file that ends early is all zeros behind its end, and `isShort` says so.
  mutating func step(
    _ file: any StoredFile, into digest: MediaDigest, isShort: inout Bool
  ) throws(StorageError) -> Bool {
    guard ranges.indices.contains(index) else { return true }
    let count = min(Self.pieceBytes, ranges[index].upperBound - place)
    if buffer.count < count { buffer = [UInt8](repeating: 0, count: count) }
    var read = 0
    var failure: StorageError?
    buffer.withUnsafeMutableBytes { bytes in
      do throws(StorageError) {
        read = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]), at: place)
      } catch { failure = error }
      if failure == nil { digest.add(UnsafeRawBufferPointer(rebasing: bytes[..<read])) }
    }
    if let failure { throw failure }
    guard read > 0 else {
      isShort = true
      return true
    }
    place += read
    guard place >= ranges[index].upperBound else { return false }
    index += 1
    place = ranges.indices.contains(index) ? ranges[index].lowerBound : 0
    return !ranges.indices.contains(index)
  }

  /// What is left of a range without the holes in it.
  static func solid(_ range: Range<Int>, without holes: [Range<Int>]) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var place = range.lowerBound
    for hole in holes where hole.upperBound > place && hole.lowerBound < range.upperBound {
      if hole.lowerBound > place { result.append(place..<hole.lowerBound) }
      place = min(range.upperBound, hole.upperBound)
    }
    if place < range.upperBound { result.append(place..<range.upperBound) }
    return result
  }
}

/// The leaf of a piece of a file.
struct PieceHash {
  private var reader: RangeReader
  private let digest = MediaDigest()
  private(set) var isShort = false

  init(_ range: Range<Int>, holes: [Range<Int>]) { reader = RangeReader(RangeReader.solid(range, without: holes)) }

  /// - Returns: true when all of it is read.
  mutating func step(_ file: any StoredFile) throws(StorageError) -> Bool {
    try reader.step(file, into: digest, isShort: &isShort)
  }

  var sum: [UInt8] { digest.sum() }
}

/// The hash over what is in no piece: what lies behind the last one, then each hole that lies before its end.
struct Rest {
  private var reader: RangeReader
  private let digest = MediaDigest()
  private var isShort = false

  /// - Parameter from: where the last piece ends.
  init(from: Int, size: Int, holes: [Range<Int>]) {
    let covered = holes.filter { $0.lowerBound < from }.map { $0.lowerBound..<min($0.upperBound, from) }
    reader = RangeReader((from < size ? [from..<size] : []) + covered)
  }

  mutating func step(_ file: any StoredFile) throws(StorageError) -> Bool {
    try reader.step(file, into: digest, isShort: &isShort)
  }

  /// nil: the file is shorter.
  var sum: [UInt8]? { isShort ? nil : digest.sum() }
}
