internal import Hardware

/// Inspection and repair of MP4 takes.
struct MovieRepair {
  private let file: any StoredFile

  /// Only this much at the end of the sound can hold blocks that a power cut left unwritten.
  private static let unsyncedBytes = 4 << 20
  private static let largestInitialMovie = 1 << 20

  init(_ file: any StoredFile) { self.file = file }

  func inspect() throws(StorageError) -> TakeInspection {
    guard let (boxes, start) = try initialMovie() else { return try inspectForeign() }
    let pcm = PCMFormat(sampleRate: boxes.sampleRate, channels: boxes.channels)
    let reason: String
    switch try finalMovie(boxes) {
    case .whole(let frames, _): return TakeInspection(.finished, format: .aac, pcm: pcm, frames: frames)
    case .absent: reason = "The recording was interrupted."
    case .damaged(let text): reason = text
    }
    var scanner = FragmentScanner(file, from: start, end: file.size)
    var end = 0
    while let fragment = try scanner.next() {
      end = fragment.baseTime + fragment.sizes.count * OldTakeLedger.frameSize
    }
    return TakeInspection(
      .unfinished(reason), format: .aac, pcm: pcm, frames: max(0, end - boxes.primingFrames),
      unreadableBytes: scanner.skippedBytes)
  }

  func repair(scratch: any StoredFile) throws(StorageError) -> TakeInspection {
    guard var (boxes, start) = try initialMovie() else { return try inspectForeign() }
    let pcm = PCMFormat(sampleRate: boxes.sampleRate, channels: boxes.channels)
    if case .whole(let frames, _) = try finalMovie(boxes) {
      return TakeInspection(.finished, format: .aac, pcm: pcm, frames: frames)
    }
    var ledger = OldTakeLedger(scratch: scratch)
    var scanner = FragmentScanner(file, from: start, end: file.size)
    var end = start
    var lostBytes = 0
    while let fragment = try scanner.next() {
      lostBytes += try add(fragment, to: &ledger)
      try ledger.spill()
      end = fragment.end
    }
    start = end
    let seconds = Double(ledger.endTime) / Double(boxes.sampleRate)
    if seconds > 0 { boxes.averageBitrate = Int(Double(ledger.payloadBytes) * 8 / seconds) }
    let frames = max(0, ledger.endTime - boxes.primingFrames)
    let fileType = Array(boxes.initialSegment().prefix(OldTakeBoxes.reserveOffset))
    if try file.bytes(at: 0, count: fileType.count) != fileType { try file.write(fileType, at: 0) }
    try FragmentedM4A.finalise(file, boxes: boxes, ledger: ledger, end: end, totalFrames: frames)
    return TakeInspection(
      .finished, format: .aac, pcm: pcm, frames: frames, unreadableBytes: scanner.skippedBytes + lostBytes)
  }

  /// Notes a fragment's access units, without those that a power cut left as zeros.
  ///
  /// - Returns: bytes left out.
  private func add(_ fragment: FragmentScanner.Fragment, to ledger: inout OldTakeLedger) throws(StorageError) -> Int {
    guard fragment.end > file.size - Self.unsyncedBytes else {
      ledger.add(offset: fragment.dataOffset, baseTime: fragment.baseTime, sizes: fragment.sizes)
      return 0
    }
    let bytes = try file.bytes(at: fragment.dataOffset, count: fragment.end - fragment.dataOffset)
    var lost = 0
    var place = 0
    var run: (offset: Int, time: Int, sizes: [UInt32]) = (fragment.dataOffset, fragment.baseTime, [])
    for (index, size) in fragment.sizes.enumerated() {
      let next = place + Int(size)
      // No access unit is all zeros: each ends with a non-zero ID_END.
      if next <= bytes.count, bytes[place..<next].contains(where: { $0 != 0 }) {
        run.sizes.append(size)
      } else {
        lost += Int(size)
        ledger.add(offset: run.offset, baseTime: run.time, sizes: run.sizes)
        run = (fragment.dataOffset + next, fragment.baseTime + (index + 1) * OldTakeLedger.frameSize, [])
      }
      place = next
    }
    ledger.add(offset: run.offset, baseTime: run.time, sizes: run.sizes)
    return lost
  }

  /// The `moov` that every take of ours has behind the reserve.
  private func initialMovie() throws(StorageError) -> (OldTakeBoxes, start: Int)? {
    let place = OldTakeBoxes.movieOffset
    var header = ByteReader(try file.bytes(at: place, count: 8))
    guard let size = header.big32().map(Int.init), header.fourCC() == "moov",
      (16...Self.largestInitialMovie).contains(size), place + size <= file.size
    else { return nil }
    let bytes = try file.bytes(at: place, count: size)
    guard bytes.count == size, let boxes = OldTakeBoxes(initialMovie: bytes[8...]) else { return nil }
    return (boxes, place + size)
  }

  /// What a reader needs of a finished take: its codec's set-up, its length and where its sample tables are.
  func finished() throws(StorageError) -> (boxes: OldTakeBoxes, frames: Int, tables: BoxWalker.Box)? {
    guard let (boxes, _) = try initialMovie(), case .whole(let frames, let tables) = try finalMovie(boxes) else {
      return nil
    }
    return (boxes, frames, tables)
  }

  private enum FinalMovie {
    case whole(frames: Int, tables: BoxWalker.Box)
    case absent
    case damaged(String)
  }

  /// Whether the reserve says that the take was finished, and whether that is still so.
  private func finalMovie(_ boxes: OldTakeBoxes) throws(StorageError) -> FinalMovie {
    var reserve = ByteReader(try file.bytes(at: OldTakeBoxes.reserveOffset, count: OldTakeBoxes.reserveBytes))
    guard reserve.big32() == 1, reserve.fourCC() == "mdat", let size = reserve.big64() else { return .absent }
    guard size <= UInt64(file.size) - UInt64(OldTakeBoxes.reserveOffset), try hasFileType() else {
      return .damaged("The file was cut off after it was finished.")
    }
    let end = OldTakeBoxes.reserveOffset + Int(size)
    let walker = BoxWalker(file)
    guard let movie = try walker.box(at: end, limit: file.size), movie.type == "moov", movie.end == file.size,
      let header = try walker.find(["mvhd"], in: movie),
      let table = try walker.find(["trak", "mdia", "minf", "stbl"], in: movie),
      let frames = try duration(header), try tablesAreWhole(table, mediaEnd: end)
    else { return .damaged("Its index is damaged.") }
    return .whole(frames: frames, tables: table)
  }

  private func hasFileType() throws(StorageError) -> Bool {
    var reader = ByteReader(try file.bytes(at: 0, count: 8))
    return reader.big32() == UInt32(OldTakeBoxes.reserveOffset) && reader.fourCC() == "ftyp"
  }

  private func duration(_ header: BoxWalker.Box) throws(StorageError) -> Int? {
    var reader = ByteReader(try file.bytes(at: header.content, count: min(32, header.end - header.content)))
    guard let version = reader.big8(), reader.skip(3) else { return nil }
    let value: UInt64?
    if version == 1 {
      value = reader.skip(20) ? reader.big64() : nil
    } else {
      value = reader.skip(12) ? reader.big32().map(UInt64.init) : nil
    }
    return value.flatMap { $0 < 1 << 48 ? Int($0) : nil }
  }

  /// True if all four tables are there with as many entries as their sizes say.
  private func tablesAreWhole(_ table: BoxWalker.Box, mediaEnd: Int) throws(StorageError) -> Bool {
    let walker = BoxWalker(file)
    for (names, entryBytes) in [(["stts"], 8), (["stsc"], 12), (["stsz"], 4), (["stco", "co64"], 0)] {
      var found: BoxWalker.Box?
      for name in names where found == nil { found = try walker.find([name], in: table) }
      guard let box = found else { return false }
      let isSizes = box.type == "stsz"
      var reader = ByteReader(try file.bytes(at: box.content, count: 12))
      guard reader.skip(isSizes ? 8 : 4), let count = reader.big32().map(Int.init) else { return false }
      let width = entryBytes > 0 ? entryBytes : box.type == "co64" ? 8 : 4
      guard box.end - box.content == (isSizes ? 12 : 8) + width * count else { return false }
    }
    return true
  }

  /// A file that is not a take of ours: an ordinary one is left alone.
  private func inspectForeign() throws(StorageError) -> TakeInspection {
    let walker = BoxWalker(file)
    var offset = 0
    var hasMovie = false
    for _ in 0..<10_000 where offset < file.size {
      guard let box = try walker.box(at: offset, limit: file.size) else { break }
      if box.type == "moov" { hasMovie = true }
      offset = box.end
    }
    if hasMovie { return TakeInspection(.foreign, format: .aac) }
    return TakeInspection(
      .damaged("The header that says how the sound is encoded is unreadable."), format: .aac,
      unreadableBytes: file.size)
  }
}
