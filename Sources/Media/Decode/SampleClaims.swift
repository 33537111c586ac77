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
  /// Of a `tkhd` of version 0, without its own head.
  private static let trackHeadBytes = 84

  init(_ file: any StoredFile) {
    self.file = file
    walker = BoxWalker(file)
    most = 65_536 + file.size.scaled(by: 64, over: 1)
  }

  /// What has no boxes claims nothing. What has more of them than anybody writes, or a fragmented track without its
  /// head, is not credible either: libavformat looks for such a track in two thousand million places, at each fragment.
  func areCredible() throws(StorageError) -> Bool {
    var offset = 0
    var hasMovie = false
    for number in 0..<Self.mostBoxes {
      guard let box = try walker.box(at: offset, limit: file.size) else { break }
      switch box.type {
      case "moov":
        hasMovie = true
        guard try isCredible(movie: box) else { return false }
      case "moof":
        for track in try walker.children("traf", of: box) {
          for run in try walker.children("trun", of: track) {
            guard try claimed(in: run, at: 4) <= most else { return false }
          }
        }
      default: break
      }
      offset = box.end
      // The fragments of a long recording may be as many; its head comes before them.
      if number == Self.mostBoxes - 1, !hasMovie { return false }
    }
    return true
  }

  private func isCredible(movie: BoxWalker.Box) throws(StorageError) -> Bool {
    guard try walker.endsWithin(movie) else { return false }
    let isFragmented = try !walker.children("mvex", of: movie).isEmpty
    for track in try walker.children("trak", of: movie) {
      guard try walker.endsWithin(track) else { return false }
      if isFragmented {
        guard let head = try walker.find(["tkhd"], in: track), head.end - head.content >= Self.trackHeadBytes else {
          return false
        }
      }
      guard let tables = try walker.find(["mdia", "minf", "stbl"], in: track) else { continue }
      for sizes in try walker.children("stsz", of: tables) {
        // Only a common size lets a count stand alone.
        let common = try claimed(in: sizes, at: 4)
        let count = try claimed(in: sizes, at: 8)
        guard common == 0 || count <= most else { return false }
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
  /// The same of bytes in memory.
  static func areCredible(_ bytes: [UInt8]) -> Bool {
    do throws(StorageError) { return try SampleClaims(HeldBytes(bytes)).areCredible() } catch { return false }
  }
}

/// Bytes in memory, to be read like a file.
private final class HeldBytes: StoredFile {
  let path = ""
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var size: Int { bytes.count }

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
