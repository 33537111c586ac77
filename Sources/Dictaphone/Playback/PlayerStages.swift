internal import Hardware
internal import Media

/// A take that is looked for, then opened, and what was ordered meanwhile. Media worker only.
final class Opening {
  /// By which number it is looked for; nil: it need not be.
  let request: Int?
  /// Nobody has asked for it since the start.
  let isRestored: Bool
  var orders: [(Player) -> Void]
  private(set) var files: [PlayerFile] = []
  private(set) var frame = 0
  /// Its files are known.
  private(set) var isFound = false
  private var apart: ApartSound?
  private var begun: Instant?

  /// So long another process may take to say what is in a file.
  static let patience = Duration.seconds(10)

  init(request: Int? = nil, isRestored: Bool = false, orders: [(Player) -> Void] = []) {
    (self.request, self.isRestored, self.orders) = (request, isRestored, orders)
  }

  func found(_ files: [PlayerFile], frame: Int) {
    (self.files, self.frame, isFound) = (files, frame, true)
  }

  /// Whether what is in it has not been said for too long; asked for in each step.
  func isLate(now: Instant) -> Bool {
    let begun = begun ?? now
    self.begun = begun
    return now - begun >= Self.patience
  }

  /// - Returns: nil while another process has not said what is in it.
  func sound(_ links: @escaping SoundLinks) throws(MediaError) -> (any PlayedSound)? {
    if apart == nil, files.count == 1, files[0].isForeign { apart = try ApartSound(files[0], links: links) }
    guard let apart else { return try TakeSound(files) }
    do throws(MediaError) { return try apart.isOpen() ? apart : nil } catch {
      guard apart.isImpossible else { throw error }
      return try TakeSound(files)
    }
  }
}

/// A held LEFT or RIGHT: steps of two seconds, five times a second, and between them what is there is heard.
struct Scrub {
  private static let stepSeconds = 2
  private static let interval = Duration.milliseconds(200)

  let direction: Int
  /// When the next step is.
  private(set) var due: Instant
  /// Where it is, at the speaker's rate.
  private var place: Int

  init(direction: Int, due: Instant, place: Int) { (self.direction, self.due, self.place) = (direction, due, place) }

  /// - Parameter length: of the file, if it is known.
  /// - Returns: where it is now, if it is time for a step.
  mutating func step(now: Instant, format: PCMFormat, length: Int?) -> Int? {
    guard now >= due else { return nil }
    // The last piece is heard, too, and is not the end.
    let last = length.map { max(0, $0 - format.frames(in: Self.interval)) } ?? .max
    place = max(0, min(last, place + direction * Self.stepSeconds * format.sampleRate))
    due = max(due + Self.interval, now + Self.interval / 2)
    return place
  }
}
