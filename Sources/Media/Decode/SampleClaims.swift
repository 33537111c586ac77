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

  /// What has no boxes claims nothing.
  func areCredible() throws(StorageError) -> Bool {
    var offset = 0
    for _ in 0..<Self.mostBoxes {
      guard let box = try walker.box(at: offset, limit: file.size) else { break }
      if box.type == "moov" {
        for track in try walker.children("trak", of: box) {
          guard let table = try walker.find(["mdia", "minf", "stbl", "stsz"], in: track) else { continue }
          var reader = ByteReader(try file.bytes(at: table.content, count: 12))
          guard reader.skip(4), let common = reader.big32(), let count = reader.big32() else { continue }
          if common != 0, Int(count) > most { return false }
        }
      }
      if box.type == "moof" {
        for track in try walker.children("traf", of: box) {
          for run in try walker.children("trun", of: track) {
            var reader = ByteReader(try file.bytes(at: run.content, count: 8))
            guard reader.skip(4), let count = reader.big32() else { continue }
            if Int(count) > most { return false }
          }
        }
      }
      offset = box.end
    }
    return true
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
