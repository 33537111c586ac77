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
  /// Of what a file claims to be: no box is larger (`MovieFeed`).
  fileprivate static let largestFile = 1 << 48

  init(_ file: any StoredFile) {
    self.file = file
    walker = BoxWalker(file)
    most = 65_536 + file.size.scaled(by: 64, over: 1)
  }

  /// What has no boxes claims nothing. What has more of them than anybody writes is not credible either.
  func areCredible() throws(StorageError) -> Bool {
    // Of the whole file: many small claims are one large one.
    var order = BoxOrder(file, most: most)
    var (offset, hasMovie, hasFragments) = (0, false, false)
    for number in 0..<Self.mostBoxes {
      let box = try walker.box(at: offset, limit: file.size)
      // libavformat goes into what claims more bytes than there are.
      guard try order.holds(offset..<(box?.end ?? file.size), in: "") else { return false }
      guard let box else { break }
      if box.type == "moov" { hasMovie = true }
      if box.type == "moof" { hasFragments = true }
      offset = box.end
      // The fragments of a long recording may be as many; its head comes before them.
      if number == Self.mostBoxes - 1, !hasMovie || !hasFragments { return false }
    }
    return true
  }
}

extension SampleClaims {
  /// The same of a segment of a stream, of what comes before it, or of what a file of `size` begins with.
  static func areCredible(_ bytes: [UInt8], of size: Int? = nil) -> Bool {
    do throws(StorageError) {
      // A server may say any length.
      let size = max(bytes.count, min(size ?? 0, largestFile))
      return try SampleClaims(HeldBytes(bytes, size: size)).areCredible()
    } catch {
      return false
    }
  }
}

/// Bytes in memory, to be read like a file.
final class HeldBytes: StoredFile {
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
