public import Hardware

/// Reads a finished clip's tables: where its samples are, and what of them is shown.
///
/// Storage lane only; `init` reads the `moov`, nothing else. Any bytes are answered; sizes and places are checked, so that
/// what it says can be read.
public struct ClipReader {
  public struct Sample: Hashable, Sendable {
    public var offset: Int
    public var bytes: Int
    /// Media time, and from it to the next: ticks of pictures, frames of sound.
    public var time: Int
    public var duration: Int
    /// From its time to when it is seen.
    public var delay: Int
    public var isKeyframe: Bool

    /// Media time at which it is seen.
    public var seen: Int { time + delay }
  }

  public let description: FileDescription
  public let pictures: [Sample]
  public let sound: [Sample]
  /// What is shown of the pictures, in ticks of their media time, and heard of the sound, in frames of its own.
  public let shown: [Range<Int>]
  public let heard: [Range<Int>]

  private static let largestMovie = 64 << 20

  /// - Throws: `damaged` if it is not a finished clip of this device's making.
  public init(_ file: any StoredFile) throws(MediaError) {
    func damaged(_ reason: String) -> MediaError {
      MediaError(.damaged, subject: file.path, operation: "read the clip", reason: reason)
    }
    let found: [UInt8]?
    do throws(StorageError) {
      found = try Self.movie(of: file)
    } catch {
      throw MediaError(.failed, subject: file.path, operation: "read the clip", reason: "\(error)")
    }
    guard let movie = found else { throw damaged("it is not finished, or not made by this device") }
    guard let parts = ClipTableReader(movie[...], fileBytes: file.size) else {
      throw damaged("its tables contradict themselves")
    }
    description = parts.description
    pictures = parts.pictures
    sound = parts.sound
    shown = parts.shown
    heard = parts.heard
  }

  /// The content of the final `moov`; `nil` if there is none where it should be.
  private static func movie(of file: any StoredFile) throws(StorageError) -> [UInt8]? {
    guard case .whole(let finished) = try FinishedMovie.find(in: file) else { return nil }
    let movie = finished.movie
    guard movie.end - movie.content <= largestMovie else { return nil }
    return try file.bytes(at: movie.content, count: movie.end - movie.content)
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
  public var facts: MediaFacts {
    var (facts, seen) = (MediaFacts(), ShownPictures(shown))
    for picture in pictures { seen.add(picture.seen) }
    seen.close()
    facts.pictures = seen.count
    facts.keyframes = pictures.count { $0.isKeyframe }
    facts.frames = heard.reduce(0) { $0 + $1.count }
    facts.duration = duration
    facts.longestStep = Double(seen.longestStep) / Double(PictureTrack.timescale)
    return facts
  }
}
