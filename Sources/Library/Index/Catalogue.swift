internal import Hardware

/// The file `catalogue`: a journal of what the library holds, so that ten thousand takes are known without opening
/// ten thousand files.
///
/// A change appends one line; when the dead lines outnumber the living the file is written anew. It is never synced on
/// its own and never trusted against the takes' own files: losing it costs time, not takes.
final class Catalogue {
  static let path = "catalogue"
  /// Ten thousand takes with names and tags have two or three megabytes.
  private static let largest = 16 << 20
  /// A take with as many tags and titles as are kept.
  private static let longestLine = 16 << 10

  private let disk: Disk
  private var file: (any StoredFile)?
  private var end = 0
  /// Lines in the file.
  private var lines = 0
  /// The file's tail is torn or its content damaged: appending would be lost or misread.
  private(set) var isDamaged = false

  init(_ disk: Disk) { self.disk = disk }

  /// Reads the file; what cannot be read is left out.
  ///
  /// - Parameter isThere: whether there is a file of this id: what is said of others would only fill the memory.
  /// - Returns: the records by id, and how many lines were damaged.
  func load(
    _ isThere: (String) -> Bool = { _ in true }
  ) throws(LibraryError) -> (records: [String: TakeRecord], damagedLines: Int) {
    close()
    lines = 0
    isDamaged = true
    let bytes: [UInt8]
    do {
      bytes = try disk.read(Self.path, limit: Self.largest)
    } catch {
      if error.stalledUntil != nil { throw error }
      return ([:], 0)
    }
    end = bytes.count
    guard bytes.starts(with: CatalogueLine.header) else { return ([:], 0) }
    var records: [String: TakeRecord] = [:]
    records.reserveCapacity(min(bytes.count / 200, 20_000))
    var damaged = 0
    var start = CatalogueLine.header.count
    while start < bytes.count {
      let stop = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      if stop < bytes.count, stop - start <= Self.longestLine, let line = CatalogueLine(bytes[start..<stop]) {
        switch line {
        case .put(let record): if isThere(record.id) { records[record.id] = record }
        case .remove(let id): records[id] = nil
        }
        lines += 1
      } else {
        damaged += 1
      }
      start = stop + 1
    }
    isDamaged = damaged > 0
    return (records, damaged)
  }

  /// Adds a line. On a damaged catalogue it does nothing: the next `rewrite` has it all.
  func append(_ line: CatalogueLine) throws(LibraryError) {
    guard !isDamaged else { return }
    let bytes = line.bytes
    do {
      let journal: any StoredFile
      if let file { journal = file } else { journal = try disk.open(Self.path, writable: true) }
      file = journal
      try disk.write(bytes, to: journal, at: end)
    } catch {
      if error.stalledUntil == nil { isDamaged = true }
      throw error
    }
    end += bytes.count
    lines += 1
  }

  /// Whether dead lines outnumber the living.
  func wantsRewrite(living: Int) -> Bool { isDamaged || lines > 2 * living + 64 }

  /// Writes the file anew, atomically.
  func rewrite(_ records: [TakeRecord]) throws(LibraryError) {
    close()
    var bytes = CatalogueLine.header
    bytes.reserveCapacity(records.count * 200)
    for record in records { bytes.append(contentsOf: CatalogueLine.put(record).bytes) }
    // A folder of this name would keep it from being written for ever.
    for name in [Self.path, "\(Self.path).tmp"] where try disk.entry(name)?.isDirectory == true {
      _ = try disk.setAside(name)
    }
    try disk.replace(Self.path, with: bytes)
    end = bytes.count
    lines = records.count
    isDamaged = false
  }

  func close() {
    file?.close()
    file = nil
  }
}
