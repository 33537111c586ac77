public import Hardware

/// Finds out what is wrong with a take's file, and finishes what a crash, a power cut or a bad card left.
///
/// Blocks on the medium; for the storage worker, or start-up. Takes any bytes: it never traps, its memory is
/// bounded (a few hundred KiB), and its time grows with the file's size only.
public enum TakeRepair {
  /// Says what the file is, without changing it. A finished take costs a few small reads, whatever its length; an
  /// unfinished one a read of every fragment's head.
  public static func inspect(_ file: any StoredFile) throws(StorageError) -> TakeInspection {
    switch try kind(of: file) {
    case .movie: try MovieRepair(file).inspect()
    case .wave: try WaveRepair(file).inspect()
    case .unknown(let reason): TakeInspection(.damaged(reason))
    }
  }

  /// Finishes an unfinished take in place; leaves any other file as it is. Synced on return.
  ///
  /// Interrupted at any instant it can be run again with the same outcome. What is unreadable in the middle becomes
  /// a gap of the right length, so that marks stay where they were.
  ///
  /// - Parameters:
  ///   - file: open for writing.
  ///   - scratch: an empty unnamed file for tables.
  /// - Returns: what the file is now.
  public static func repair(
    _ file: any StoredFile, scratch: any StoredFile
  ) throws(StorageError) -> TakeInspection {
    switch try kind(of: file) {
    case .movie: try MovieRepair(file).repair(scratch: scratch)
    case .wave: try WaveRepair(file).repair()
    case .unknown(let reason): TakeInspection(.damaged(reason))
    }
  }

  /// Makes a playable take of what is readable in `source`, which stays untouched.
  ///
  /// - Parameters:
  ///   - target: new and empty.
  ///   - template: what the take is known to be (from its metadata); lets a file be read whose header is lost.
  /// - Returns: what `target` is now; `.damaged` if nothing could be saved.
  public static func salvage(
    from source: any StoredFile, into target: any StoredFile, scratch: any StoredFile,
    template: TakeFileDescription? = nil
  ) throws(StorageError) -> TakeInspection {
    var found = try inspect(source)
    guard case .damaged(let reason) = found.condition else {
      try copy(source, from: 0, to: target, at: 0)
      return try repair(target, scratch: scratch)
    }
    guard let template else { return found }
    let head: [UInt8]
    let start: Int?
    switch template.format {
    case .aac:
      var description = template
      if description.decoderConfiguration.isEmpty {
        description.decoderConfiguration = OldTakeBoxes.lowComplexityConfiguration(template.pcm)
      }
      head = OldTakeBoxes(description, summary: TakeSummary()).initialSegment()
      var scanner = FragmentScanner(source, from: 0, end: source.size)
      start = try scanner.next()?.headOffset
    case .wav:
      head = WaveHeader(description: template.file, summary: FileSummary()).bytes(dataBytes: 0, tailBytes: 0)
      start = source.size > head.count ? head.count : nil
    }
    guard let start else {
      found.condition = .damaged(reason + " No sound was found in it either.")
      return found
    }
    try target.write(head, at: 0)
    try copy(source, from: start, to: target, at: head.count)
    return try repair(target, scratch: scratch)
  }

  private enum Kind {
    case movie
    case wave
    case unknown(String)
  }

  private static func kind(of file: any StoredFile) throws(StorageError) -> Kind {
    let head = try file.bytes(at: 0, count: 64)
    guard !head.isEmpty else { return .unknown("The file is empty.") }
    var reader = ByteReader(head)
    let first = reader.fourCC()
    let second = reader.fourCC()
    let third = reader.fourCC()
    if first == "RIFF" || first == "RF64" || third == "WAVE" { return .wave }
    if second == "ftyp" { return .movie }
    // One damaged box type does not hide a take: its `moov` has a fixed place.
    if String(decoding: head.dropFirst(OldTakeBoxes.movieOffset + 4).prefix(4), as: UTF8.self) == "moov" {
      return .movie
    }
    return .unknown("It begins like neither an MP4 nor a WAV file.")
  }

  private static func copy(
    _ source: any StoredFile, from start: Int, to target: any StoredFile, at place: Int
  ) throws(StorageError) {
    var done = 0
    while true {
      let block = try source.bytes(at: start + done, count: 64 << 10)
      guard !block.isEmpty else { return }
      try target.write(block, at: place + done)
      done += block.count
    }
  }
}
