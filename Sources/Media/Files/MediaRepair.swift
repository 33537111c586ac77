public import Hardware

/// Finds out what is wrong with a recording's file, and finishes what a crash, a power cut or a bad card left.
///
/// Storage lane only, or start-up: every step blocks on the medium, but none for long, however long the recording. Takes
/// any bytes: it never traps, its memory is bounded (a few hundred KiB with a scratch file), and its time grows with the
/// file's size only. Broken off at any instant it can be run again with the same outcome.
public struct MediaRepair {
  private enum Stage {
    case looking(any StoredFile)
    case movie(MovieRepair, any StoredFile)
    case flac(FLACRepair, any StoredFile)
    case opus(OpusRepair, any StoredFile)
    /// A damaged file of a known kind: where does its sound begin?
    case seeking(FragmentScanner, head: [UInt8])
    case copying(from: Int, to: Int, done: Int)
    case done(MediaInspection)
  }

  private enum Kind {
    case movie
    case wave
    case flac
    case opus
    case unknown(String)
  }

  private let file: any StoredFile
  private let scratch: (any StoredFile)?
  private let writes: Bool
  private var trustsIndex = false
  private var stage: Stage
  /// Of a salvage: where what can be read goes, and what the recording is known to be.
  private let target: (any StoredFile)?
  private let template: FileDescription?

  private static let copyBytes = 1 << 20

  /// Looks at a file without changing it. A finished one costs a few small reads, and one of its index if it is an MP4;
  /// an unfinished one a read of every fragment's head.
  public init(inspecting file: any StoredFile) {
    self.init(file, scratch: nil, writes: false, target: nil, template: nil)
  }

  /// Whether a file bears the marks of a recording of ours, and is whole: a few small reads.
  public static func isFinishedRecording(_ path: String) -> Bool {
    guard let file = AVIOFile(path: path, isBuffered: false) else { return false }
    var looking = MediaRepair(inspecting: file)
    looking.trustsIndex = true
    for _ in 0..<8 {
      guard let found = try? looking.step() else { continue }
      return found.condition == .finished
    }
    return false
  }

  /// Whether a file begins as a recording of ours does, also one that was cut off: with what nobody else puts there.
  public static func bearsMarks(_ file: any StoredFile) throws(StorageError) -> Bool {
    let head = try file.bytes(at: 0, count: 512)
    func has(_ text: String, at place: Int) -> Bool { head.dropFirst(place).starts(with: text.utf8) }
    if FLACHead.read(head)?.isOurs == true || OggPage.isOurs(head) || OpusHead.mended(head) != nil { return true }
    // The reserved box, or what has become of it, and the movie behind it.
    if has("moov", at: MovieBoxes.movieOffset + 4) {
      return has("free", at: MovieBoxes.reserveOffset + 4) || has("mdat", at: MovieBoxes.reserveOffset + 4)
    }
    return WaveSizes.hasReserve(head) && has("bext", at: WaveHeader.broadcastOffset)
      && has("Mynah", at: WaveHeader.broadcastOffset + 8 + 256)
  }

  /// Whether no more than the head of an MP4 was written: there is no fragment in it, not even the beginning of one. One wrong
  /// byte hides at most one of the two words that each has.
  ///
  /// - Parameter file: a small one: all of it is read.
  public static func isMereHead(_ file: any StoredFile) throws(StorageError) -> Bool {
    let bytes = try file.bytes(at: 0, count: file.size)
    let words = ["moof", "mfhd", "mdat"].map { Array($0.utf8) }
    return !bytes.indices.dropLast(3).contains { place in words.contains { bytes[place..<place + 4].elementsEqual($0) }
    }
  }

  /// Finishes an unfinished file in place; leaves any other as it is. Synced in the end.
  ///
  /// What is unreadable in the middle becomes a gap of the right length, so that marks stay where they were.
  ///
  /// - Parameters:
  ///   - file: open for writing.
  ///   - scratch: an empty unnamed file for tables; `nil` keeps them in memory.
  public init(_ file: any StoredFile, scratch: (any StoredFile)?) {
    self.init(file, scratch: scratch, writes: true, target: nil, template: nil)
  }

  /// Makes a playable recording of what is readable in `source`, which stays untouched.
  ///
  /// - Parameters:
  ///   - target: new and empty.
  ///   - template: what the recording is known to be (from its metadata); lets a file be read whose header is lost.
  public init(
    salvaging source: any StoredFile, into target: any StoredFile, scratch: (any StoredFile)?,
    template: FileDescription? = nil
  ) {
    self.init(source, scratch: scratch, writes: false, target: target, template: template)
  }

  private init(
    _ file: any StoredFile, scratch: (any StoredFile)?, writes: Bool, target: (any StoredFile)?,
    template: FileDescription?
  ) {
    self.file = file
    self.scratch = scratch
    self.writes = writes
    self.target = target
    self.template = template
    stage = .looking(file)
  }

  /// Does the next piece of work; one that throws is made again.
  ///
  /// - Returns: what the file (of a salvage: the target) is now, `.damaged` if nothing could be saved; `nil` while there
  ///   is more to do.
  public mutating func step() throws(StorageError) -> MediaInspection? {
    switch stage {
    case .looking(let subject):
      switch try Self.kind(of: subject) {
      case .movie:
        stage = .movie(
          MovieRepair(subject, scratch: scratch, writes: isWriting(subject), trustsIndex: trustsIndex), subject)
      case .wave:
        let wave = WaveRepair(subject)
        try conclude(isWriting(subject) ? wave.repair() : wave.inspect(), of: subject)
      case .flac: stage = .flac(FLACRepair(subject, writes: isWriting(subject)), subject)
      case .opus: stage = .opus(OpusRepair(subject, writes: isWriting(subject)), subject)
      case .unknown(let reason): try conclude(MediaInspection(.damaged(reason)), of: subject)
      }
    case .movie(var movie, let subject):
      let found = try movie.step()
      stage = .movie(movie, subject)
      if let found { try conclude(found, of: subject) }
    case .flac(var flac, let subject):
      let found = try flac.step()
      stage = .flac(flac, subject)
      if let found { try conclude(found, of: subject) }
    case .opus(var opus, let subject):
      let found = try opus.step()
      stage = .opus(opus, subject)
      if let found { try conclude(found, of: subject) }
    case .seeking(var scanner, let head):
      switch try scanner.step() {
      case .more: stage = .seeking(scanner, head: head)
      case .found(let found): try beginCopy(from: found.headOffset, head: head)
      case .end: stage = .done(MediaInspection(.damaged(Self.nothingFound), unreadableBytes: file.size))
      }
    case .copying(let from, let to, let done):
      guard let target else { break }
      let block = try file.bytes(at: from + done, count: Self.copyBytes)
      if block.isEmpty {
        stage = .looking(target)
      } else {
        try target.write(block, at: to + done)
        stage = .copying(from: from, to: to, done: done + block.count)
      }
    case .done(let inspection): return inspection
    }
    if case .done(let inspection) = stage { return inspection }
    return nil
  }

  /// Does everything in one go.
  public mutating func run() throws(StorageError) -> MediaInspection {
    while true {
      if let inspection = try step() { return inspection }
    }
  }

  private func isWriting(_ subject: any StoredFile) -> Bool { writes || subject === target }

  /// Takes what a file was found to be: that is the outcome, but for the source of a salvage.
  private mutating func conclude(_ found: MediaInspection, of subject: any StoredFile) throws(StorageError) {
    guard target != nil, subject !== target else {
      stage = .done(found)
      return
    }
    guard case .damaged = found.condition else {
      stage = .copying(from: 0, to: 0, done: 0)
      return
    }
    guard let template else {
      stage = .done(found)
      return
    }
    if [.flac, .opus].contains(template.sound?.codec) {
      stage = .done(found)
    } else if let codec = template.sound?.codec, [.pcm, .alaw, .mulaw].contains(codec) {
      let head = WaveHeader(description: template, summary: FileSummary()).bytes(dataBytes: 0, tailBytes: 0)
      guard file.size > head.count else {
        stage = .done(MediaInspection(.damaged(Self.nothingFound), unreadableBytes: file.size))
        return
      }
      try beginCopy(from: head.count, head: head)
    } else {
      var template = template
      for (index, track) in template.tracks.enumerated() {
        guard case .sound(var sound) = track, sound.configuration.isEmpty else { continue }
        sound.configuration = MovieReading.lowComplexityConfiguration(sound.pcm)
        template.tracks[index] = .sound(sound)
      }
      let scanner = FragmentScanner(file, tracks: template.tracks, from: 0, end: file.size)
      stage = .seeking(scanner, head: MovieBoxes(template).initialSegment())
    }
  }

  private mutating func beginCopy(from start: Int, head: [UInt8]) throws(StorageError) {
    try target?.write(head, at: 0)
    stage = .copying(from: start, to: head.count, done: 0)
  }

  private static let nothingFound = "Its header is unreadable. No sound was found in it either."

  private static func kind(of file: any StoredFile) throws(StorageError) -> Kind {
    let head = try file.bytes(at: 0, count: 512)
    guard !head.isEmpty else { return .unknown("The file is empty.") }
    var reader = ByteReader(head)
    let first = reader.fourCC()
    let second = reader.fourCC()
    let third = reader.fourCC()
    if first == "RIFF" || first == "RF64" || third == "WAVE" { return .wave }
    if first == "fLaC" { return .flac }
    if first == "OggS" { return .opus }
    if second == "ftyp" { return .movie }
    // One damaged box type does not hide a recording: its `moov` has a fixed place.
    if String(decoding: head.dropFirst(MovieBoxes.movieOffset + 4).prefix(4), as: UTF8.self) == "moov" { return .movie }
    if FLACHead.read(head)?.isOurs == true { return .flac }
    if OpusHead.mended(head) != nil { return .opus }
    if FLACHead.lost(before: try file.bytes(at: FLACHead.bytes, count: 32)) != nil { return .flac }
    return .unknown("It begins like neither an MP4, a FLAC, an Ogg nor a WAV file.")
  }
}

extension MediaRepair {
  /// Says what a file is, in one go.
  public static func inspect(_ file: any StoredFile) throws(StorageError) -> MediaInspection {
    var repair = MediaRepair(inspecting: file)
    return try repair.run()
  }

  /// Finishes a file, in one go.
  public static func repair(
    _ file: any StoredFile, scratch: (any StoredFile)? = nil
  ) throws(StorageError) -> MediaInspection {
    var repair = MediaRepair(file, scratch: scratch)
    return try repair.run()
  }

  /// Salvages a file, in one go.
  public static func salvage(
    from source: any StoredFile, into target: any StoredFile, scratch: (any StoredFile)?,
    template: FileDescription? = nil
  ) throws(StorageError) -> MediaInspection {
    var repair = MediaRepair(salvaging: source, into: target, scratch: scratch, template: template)
    return try repair.run()
  }
}
