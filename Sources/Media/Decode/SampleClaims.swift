internal import Hardware

/// Whether the sample counts that an MP4 file claims can be true.
///
/// libavformat makes 24 bytes of index of every claimed sample before it looks for the samples: a file of 4 kB that
/// claims 85 million of one size would take 2 GB. Counts that come with an entry each are bounded by the file; those
/// that stand alone (`stsz` with a common size, `trun` without fields) are looked at here.
struct SampleClaims {
  private let file: any StoredFile
  private let walker: BoxWalker
  /// The most samples that a file of this size may claim: some old codecs count frames, of which many fit a byte.
  private let most: Int

  private static let mostBoxes = 4096
  private static let blockBytes = 64 << 10

  private static let containers: Set<String> = [
    "moov", "moof", "trak", "mdia", "minf", "stbl", "edts", "udta", "dinf", "mvex", "traf", "wave", "meta", "ilst",
    "sinf", "schi", "mfra",
  ]

  init(_ file: any StoredFile) {
    self.file = file
    walker = BoxWalker(file)
    most = 65_536 + file.size.scaled(by: 64, over: 1)
  }

  /// What has no boxes claims nothing. What has more of them than anybody writes is not credible either.
  func areCredible() throws(StorageError) -> Bool {
    var offset = 0
    var heads: [BoxWalker.Box] = []
    var (numbers, fragments) = (0, 0)
    for number in 0..<Self.mostBoxes {
      guard let box = try walker.box(at: offset, limit: file.size) else {
        // libavformat goes into what claims more bytes than there are.
        var torn = ByteReader(try file.bytes(at: offset, count: 8))
        guard torn.skip(4), let type = torn.fourCC(), Self.containers.contains(type) else { break }
        heads.append(BoxWalker.Box(type: type, content: offset + 8, end: file.size))
        break
      }
      switch box.type {
      case "moov":
        guard let found = try tracks(ofMovie: box) else { return false }
        numbers += found
      case "moof":
        fragments += 1
        for track in try walker.children("traf", of: box) {
          for run in try walker.children("trun", of: track) {
            guard try claimed(in: run, at: 4) <= most else { return false }
          }
        }
      default: break
      }
      if !["mdat", "free", "skip"].contains(box.type) { heads.append(box) }
      offset = box.end
      // The fragments of a long recording may be as many; its head comes before them.
      if number == Self.mostBoxes - 1, fragments == 0 || numbers == 0 { return false }
    }
    for (type, count) in [("trak", numbers), ("tkhd", numbers), ("moof", fragments)] {
      var found = 0
      for head in heads { found += try boxes(type, in: head) }
      guard found == count else { return false }
    }
    return true
  }

  /// How much of a box and what is in it can be taken for a box of some type.
  ///
  /// At each run of a fragment libavformat looks for its track in a thousand million places, if any track that it has met
  /// wherever has no number. So tracks, their heads and fragments are where they belong, and hidden nowhere else.
  private func boxes(_ type: String, in head: BoxWalker.Box) throws(StorageError) -> Int {
    let mark = type.utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    var (found, last) = (0, UInt64(0))
    for start in stride(from: head.content - 8, to: head.end, by: Self.blockBytes) {
      let bytes = try file.bytes(at: start, count: min(Self.blockBytes, head.end - start))
      for (index, byte) in bytes.enumerated() {
        last = last << 8 | UInt64(byte)
        guard UInt32(truncatingIfNeeded: last) == mark else { continue }
        let size = Int(last >> 32)
        if size < 2 || (8...head.end).contains(size), start + index - 7 + size <= head.end { found += 1 }
      }
    }
    return found
  }

  /// - Returns: how many tracks there are; `nil` if it is not credible.
  private func tracks(ofMovie movie: BoxWalker.Box) throws(StorageError) -> Int? {
    guard try walker.endsWithin(movie) else { return nil }
    var numbered = 0
    let tracks = try walker.children("trak", of: movie)
    for track in tracks {
      guard try walker.endsWithin(track) else { return nil }
      if let head = try walker.find(["tkhd"], in: track), try number(inHead: head) > 0 { numbered += 1 }
      guard let tables = try walker.find(["mdia", "minf", "stbl"], in: track) else { continue }
      for sizes in try walker.children("stsz", of: tables) {
        // Only a common size lets a count stand alone.
        let common = try claimed(in: sizes, at: 4)
        let count = try claimed(in: sizes, at: 8)
        guard common == 0 || count <= most else { return nil }
      }
    }
    return numbered
  }

  /// A track's number, of 32 bits with a sign; 0 if there is none.
  private func number(inHead head: BoxWalker.Box) throws(StorageError) -> Int32 {
    var reader = ByteReader(try file.bytes(at: head.content, count: min(24, head.end - head.content)))
    guard let version = reader.big8(), reader.skip(version == 1 ? 19 : 11), let number = reader.big32() else {
      return 0
    }
    return Int32(bitPattern: number)
  }

  private func claimed(in box: BoxWalker.Box, at place: Int) throws(StorageError) -> Int {
    var reader = ByteReader(try file.bytes(at: box.content + place, count: 4))
    return Int(reader.big32() ?? 0)
  }
}

extension SampleClaims {
  /// The same of a segment of a stream, of what comes before it, or of what a file of `size` begins with.
  static func areCredible(_ bytes: [UInt8], of size: Int? = nil) -> Bool {
    do throws(StorageError) {
      return try SampleClaims(HeldBytes(bytes, size: max(bytes.count, size ?? 0))).areCredible()
    } catch {
      return false
    }
  }
}

/// Bytes in memory, to be read like a file.
private final class HeldBytes: StoredFile {
  let path = ""
  private let bytes: [UInt8]
  let size: Int

  init(_ bytes: [UInt8], size: Int) {
    self.bytes = bytes
    self.size = size
  }

  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    guard bytes.indices.contains(offset) else { return 0 }
    let count = min(target.count, bytes.count - offset)
    bytes.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count])) }
    return count
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) { throw readOnly }
  func truncate(to size: Int) throws(StorageError) { throw readOnly }
  func sync() throws(StorageError) {}
  func close() {}

  private var readOnly: StorageError { StorageError(.denied, operation: "write to bytes that are read", path: path) }
}
