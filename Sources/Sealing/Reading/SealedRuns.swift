internal import Hardware

/// The runs of the log that are in an unfinished file (`SealLog`), found by their marks and the keys.
struct SealedRuns {
  /// Records without a hole from the base on.
  struct Run {
    var base: UInt64
    var records: [SealLog.Record] = []

    /// The first chunk, and what comes behind so many chunks.
    ///
    /// - Parameter beginning: the first chunk as it was when it was whole; nil: the log has it.
    func text(beginning: [UInt8]?, chunks: Int) -> (first: [UInt8], rest: [UInt8]) {
      var first = beginning ?? []
      var rest: [UInt8] = []
      // Text before it is in chunks.
      let start = chunks * SealKeys.chunkBytes
      for record in records {
        for piece in record.pieces {
          Self.put(piece, of: 0..<SealKeys.chunkBytes, into: &first)
          Self.put(piece, of: start..<(1 << 57), into: &rest)
        }
        rest.removeLast(max(0, min(rest.count, start + rest.count - record.size)))
        // A first chunk that has its place is whole.
        if beginning == nil, record.size < first.count { first.removeLast(first.count - record.size) }
      }
      return (first, rest)
    }

    /// A piece as far as it is in a range; what would leave a hole is left out.
    private static func put(_ piece: SealLog.Piece, of range: Range<Int>, into text: inout [UInt8]) {
      let inside = (piece.offset..<piece.offset + piece.bytes.count).clamped(to: range)
      let place = inside.lowerBound - range.lowerBound
      guard !inside.isEmpty, place <= text.count else { return }
      let bytes = piece.bytes[(inside.lowerBound - piece.offset)..<(inside.upperBound - piece.offset)]
      text.replaceSubrange(place..<min(text.count, place + bytes.count), with: bytes)
    }
  }

  private(set) var newestFirst: [Run] = []
  /// Text before it was durable in its chunks: of those that do not open now, something has been changed.
  private(set) var durable = 0

  private static let window = 256 << 10
  /// What looks like a record and is none is opened in vain; so many bytes of it, and no more is looked for.
  private static let mostInVain = 256 << 20
  /// Most that records take in memory.
  private static let mostKept = 64 << 20

  /// - Parameter start: where in the file the log may begin.
  init(_ file: any StoredFile, _ keys: SealKeys, from start: Int) throws(SealedFailure) {
    var found: [UInt64: [UInt64: SealLog.Record]] = [:]
    var place = start
    var (vain, kept) = (0, 0)
    while place < file.size, vain < Self.mostInVain, kept < Self.mostKept {
      let bytes = try Self.read(file, place, Self.window)
      guard let hit = Self.mark(in: bytes) else {
        place += max(1, bytes.count - SealLog.mark.count + 1)
        continue
      }
      place += hit
      let head = try Self.read(file, place, SealLog.headBytes)
      guard let parsed = SealLog.Head(head[...]) else {
        place += 1
        continue
      }
      let count = parsed.count + SealKeys.tagBytes
      let sealed = try Self.read(file, place + head.count, count)
      if sealed.count == count, let text = keys.open(sealed[...], .record(parsed.number), head: head),
        let record = SealLog.record(text)
      {
        found[parsed.base, default: [:]][parsed.number] = record
        durable = max(durable, record.durable)
        kept += text.count
        place += head.count + count
      } else {
        vain += sealed.count
        place += 1
      }
    }
    for base in found.keys.sorted(by: >) {
      var run = Run(base: base)
      var number = base
      while let record = found[base]?[number] {
        run.records.append(record)
        // The last number that there is has none behind it.
        guard number < .max else { break }
        number += 1
      }
      if !run.records.isEmpty { newestFirst.append(run) }
    }
  }

  private static func mark(in bytes: [UInt8]) -> Int? {
    var place = 0
    while let next = bytes[place...].firstIndex(of: SealLog.mark[0]) {
      if bytes[next...].starts(with: SealLog.mark) { return next }
      place = next + 1
    }
    return nil
  }

  private static func read(_ file: any StoredFile, _ place: Int, _ count: Int) throws(SealedFailure) -> [UInt8] {
    do throws(StorageError) { return try file.bytes(at: place, count: count) } catch { throw .storage(error) }
  }
}
