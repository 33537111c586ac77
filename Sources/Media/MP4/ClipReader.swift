public import Hardware

/// Reads a finished clip's tables: where its samples are, and what of them is shown.
///
/// Storage lane only; `init` reads the `moov`, nothing else. Any bytes are answered; sizes and places are checked, so that
/// what it says can be read.
public struct ClipReader {
  /// A picture or a packet of sound, and where it is.
  ///
  /// 32 bytes, for a clip of an hour has three hundred thousand of them.
  public struct Sample: Hashable, Sendable {
    public internal(set) var offset = 0
    /// Media time: ticks of pictures, frames of sound.
    public internal(set) var time = 0
    let size: UInt32
    var step: UInt32 = 0
    var lead: UInt32 = 0
    public internal(set) var isKeyframe = true

    init(size: UInt32) { self.size = size }

    public var bytes: Int { Int(size) }
    /// From its time to the next one's.
    public var duration: Int { Int(step) }
    /// From its time to when it is seen.
    public var delay: Int { Int(lead) }

    /// Media time at which it is seen.
    public var seen: Int { time + delay }
  }

  public let description: FileDescription
  public let pictures: [Sample]
  public let sound: [Sample]
  /// What is shown of the pictures, in ticks of their media time, and heard of the sound, in frames of its own.
  public let shown: [Range<Int>]
  public let heard: [Range<Int>]

  /// Bytes of the tables of as many samples as are held.
  private static let largestMovie = 24 << 20
  /// Of pictures and sound together, in all that is open for one work: more than three hours, 32 MB.
  public static let mostSamples = 1 << 20
  /// No camera's picture is larger. One sample is copied in one step.
  static let largestSample = 16 << 20

  /// What a file is for a reader.
  enum Found {
    case whole(ClipReader)
    case tooLong
    /// A sentence's end.
    case damaged(String)
  }

  /// - Parameter mostSamples: how many it may have.
  /// - Throws: `damaged` if it is not a finished clip of this device's making, `unsupported` if it is too long.
  public init(_ file: any StoredFile, mostSamples: Int = Self.mostSamples) throws(MediaError) {
    func fault(_ kind: MediaError.Kind, _ reason: String) -> MediaError {
      MediaError(kind, subject: file.path, operation: "read the clip", reason: reason)
    }
    let found: Found
    do throws(StorageError) {
      found = try Self.read(file, mostSamples: mostSamples)
    } catch {
      throw fault(.failed, "\(error)")
    }
    switch found {
    case .whole(let clip): self = clip
    case .tooLong:
      throw fault(
        .unsupported, "it is longer than can be worked on here, some three hours in all; cut it on a computer")
    case .damaged(let reason): throw fault(.damaged, reason)
    }
  }

  static func read(_ file: any StoredFile, mostSamples: Int = Self.mostSamples) throws(StorageError) -> Found {
    guard let movie = try movie(of: file, mostSamples: mostSamples) else {
      return .damaged("it is not finished, or not made by this device")
    }
    guard !movie.isEmpty else { return .tooLong }
    guard let parts = ClipTableReader(movie[...], fileBytes: file.size, mostSamples: mostSamples) else {
      return .damaged("its tables contradict themselves")
    }
    return .whole(ClipReader(parts))
  }

  private init(_ parts: ClipTableReader) {
    description = parts.description
    pictures = parts.pictures
    sound = parts.sound
    shown = parts.shown
    heard = parts.heard
  }

  /// The content of the final `moov`; `nil` if there is none where it should be, empty if it is too large.
  private static func movie(of file: any StoredFile, mostSamples: Int) throws(StorageError) -> [UInt8]? {
    guard case .whole(let found) = try FinishedMovie.find(in: file) else { return nil }
    let size = found.movie.end - found.movie.content
    let samples = found.tracks.reduce(ClaimedNumber(0)) { $0 + ClaimedNumber($1.samples) }
    guard size <= largestMovie, samples.within(0...max(0, mostSamples)) != nil else { return [] }
    return try file.bytes(at: found.movie.content, count: size)
  }

  /// Length in units of the movie: frames of sound, or ticks.
  public var length: Int {
    let heard = heard.reduce(0) { $0 + $1.count }
    let seen = shown.reduce(0) { $0 + $1.count }.scaled(by: description.timescale, over: PictureTrack.timescale)
    // Where there is hardly any sound, the pictures say how long it is.
    return heard * 2 < seen ? seen : heard
  }

  /// Seconds.
  public var duration: Double { Double(length) / Double(max(1, description.timescale)) }

  /// What can be seen and heard of it.
  ///
  /// - Parameter file: the clip.
  public func facts(of file: any StoredFile) throws(StorageError) -> MediaFacts {
    var (facts, seen, heads) = (MediaFacts(), ShownPictures(shown), RefreshHeads(description.pictures))
    for picture in pictures {
      var recovery: Int?
      if picture.isKeyframe {
        recovery = try heads.recovery(ofKeyframeAt: picture.offset, bytes: picture.bytes, in: file)
      }
      seen.add(picture.seen, recovery: recovery)
    }
    seen.close()
    facts.pictures = seen.count
    facts.keyframes = pictures.count { $0.isKeyframe }
    facts.frames = heard.reduce(0) { $0 + $1.count }
    facts.duration = duration
    facts.longestStep = Double(seen.longestStep) / Double(PictureTrack.timescale)
    return facts
  }
}
