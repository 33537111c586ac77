internal import Hardware

/// The runs of the log that are in an unfinished file (`SealLog`), found by their marks and the keys.
struct SealedRuns {
  /// Records from the base on.
  struct Run {
    var records: [SealLog.Record] = []
    /// The first one before which others cannot be read; nil: there is none.
    var firstBehindGap: Int?

    /// The first chunk, what comes behind so many chunks, and where the first zeros stand for what cannot be read.
    typealias Text = (first: [UInt8], rest: [UInt8], gap: Int?)

    /// - Parameters:
    ///   - beginning: the first chunk as it was when it was whole; nil: the log has it.
    ///   - older: what runs before it say, for what cannot be read of this one.
    func text(beginning: [UInt8]?, chunks: Int, older: Text?) -> Text {
      let known = firstBehindGap == 0 ? older : nil
      var text: Text = (known?.first ?? beginning ?? [], known?.rest ?? [], known?.gap)
      // Text before it is in chunks.
      let start = chunks * SealKeys.chunkBytes
      for (index, record) in records.enumerated() {
        let isBehindGap = firstBehindGap.map { index >= $0 } ?? false
        // What cannot be read may have written something before it anew.
        if index == firstBehindGap {
          text.gap = min(text.gap ?? .max, text.rest.isEmpty ? text.first.count : start + text.rest.count)
        }
        for piece in record.pieces {
          Self.put(piece, of: 0..<SealKeys.chunkBytes, into: &text.first, &text.gap, isBehindGap)
          Self.put(piece, of: start..<(1 << 57), into: &text.rest, &text.gap, isBehindGap)
        }
        text.rest.removeLast(max(0, min(text.rest.count, start + text.rest.count - record.size)))
        // A first chunk that has its place is whole.
        if beginning == nil, record.size < text.first.count { text.first.removeLast(text.first.count - record.size) }
      }
      return text
    }

    /// A piece as far as it is in a range; what would leave a hole is left out, unless that is what cannot be read.
    private static func put(
      _ piece: SealLog.Piece, of range: Range<Int>, into text: inout [UInt8], _ gap: inout Int?, _ isBehindGap: Bool
    ) {
      let inside = (piece.offset..<piece.offset + piece.bytes.count).clamped(to: range)
      let place = inside.lowerBound - range.lowerBound
      let missing = place - text.count
      guard !inside.isEmpty, missing <= (isBehindGap ? SealLog.mostText : 0) else { return }
      if missing > 0 {
        gap = min(gap ?? .max, range.lowerBound + text.count)
        text += [UInt8](repeating: 0, count: missing)
      }
      let bytes = piece.bytes[(inside.lowerBound - piece.offset)..<(inside.upperBound - piece.offset)]
      text.replaceSubrange(place..<min(text.count, place + bytes.count), with: bytes)
    }
  }

  private(set) var oldestFirst: [Run] = []
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
    let newest = found.keys.max()
    for (base, known) in found.sorted(by: { $0.key < $1.key }) {
      var run = Run()
      var next = base
      for (number, record) in known.sorted(by: { $0.key < $1.key }) {
        // Of older runs chunks have taken the place.
        if number != next, base != newest { break }
        if number != next, run.firstBehindGap == nil { run.firstBehindGap = run.records.count }
        run.records.append(record)
        next = number &+ 1
      }
      if !run.records.isEmpty { oldestFirst.append(run) }
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
