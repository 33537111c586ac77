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

  init(_ file: any StoredFile) {
    self.file = file
    walker = BoxWalker(file)
    most = 65_536 + file.size.scaled(by: 64, over: 1)
  }

  /// What has no boxes claims nothing. What has more of them than anybody writes is not credible either.
  func areCredible() throws(StorageError) -> Bool {
    var order = BoxOrder(file)
    var (offset, hasMovie, hasFragments) = (0, false, false)
    // Of all fragments: many small claims are one large one.
    var claims = 0
    for number in 0..<Self.mostBoxes {
      let box = try walker.box(at: offset, limit: file.size)
      // libavformat goes into what claims more bytes than there are.
      guard try order.holds(offset..<(box?.end ?? file.size), in: "") else { return false }
      guard let box else { break }
      switch box.type {
      case "moov":
        hasMovie = true
        guard try isCredible(movie: box) else { return false }
      case "moof":
        hasFragments = true
        for track in try walker.children("traf", of: box) {
          for run in try walker.children("trun", of: track) {
            claims += try claimed(in: run, at: 4)  // bounded: 32 bits each, and none behind too many
            guard claims <= most else { return false }
          }
        }
      default: break
      }
      offset = box.end
      // The fragments of a long recording may be as many; its head comes before them.
      if number == Self.mostBoxes - 1, !hasMovie || !hasFragments { return false }
    }
    return true
  }

  private func isCredible(movie: BoxWalker.Box) throws(StorageError) -> Bool {
    guard try walker.endsWithin(movie) else { return false }
    var claims = 0
    for track in try walker.children("trak", of: movie) {
      guard try walker.endsWithin(track) else { return false }
      guard let tables = try walker.find(["mdia", "minf", "stbl"], in: track) else { continue }
      for sizes in try walker.children("stsz", of: tables) {
        // Only a common size lets a count stand alone.
        let common = try claimed(in: sizes, at: 4)
        let count = try claimed(in: sizes, at: 8)
        if common > 0 { claims += count }  // bounded: 32 bits each, and none behind too many
        guard claims <= most else { return false }
      }
    }
    return true
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
