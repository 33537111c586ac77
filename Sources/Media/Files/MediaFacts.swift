/// What can be seen and heard of a finished file: what players make of its tables.
public struct MediaFacts: Hashable, Sendable {
  /// Pictures that are to be seen, whole ones, and those in the file with which decoding can begin.
  public internal(set) var pictures = 0
  public internal(set) var keyframes = 0
  /// Frames of sound.
  public internal(set) var frames = 0
  /// Seconds.
  public internal(set) var duration = 0.0
  /// Longest time from one picture to the next, seconds.
  public internal(set) var longestStep = 0.0
}

/// Counts the whole pictures that edits let through.
struct ShownPictures {
  /// Stretches of media time, in the order in which they are shown, and when each begins to be.
  private let edits: [Range<Int>]
  private let starts: [Int]
  /// The stretch that was reached: pictures come in the order of these, but for a few.
  private var current = 0
  private(set) var count = 0
  /// Longest time from one to the next, in ticks.
  private(set) var longestStep = 0
  /// A picture: when it is shown, if it is; of a keyframe, how many from it on are not whole.
  private typealias Seen = (time: Int, shown: Int?, recovery: Int?)
  /// The last ones in order: pictures come out of order by less than these.
  private var recent: [Seen] = []
  private var last: Int?
  /// Pictures still to come until one is whole.
  private var broken = 0

  private static let depth = 17

  init(_ edits: [Range<Int>]) {
    self.edits = edits
    var shown = 0
    starts = edits.map { edit in
      defer { shown += edit.count }
      return shown
    }
  }

  /// Takes in the next picture, seen at a media time.
  ///
  /// - Parameter recovery: of a keyframe: pictures from it on, as they are seen, that are not whole.
  mutating func add(_ time: Int, recovery: Int? = nil) {
    while current + 1 < edits.count, time >= edits[current].upperBound { current += 1 }
    let index = [current, current - 1].first { edits.indices.contains($0) && edits[$0].contains(time) }
    let shown = index.map { starts[$0] + time - edits[$0].lowerBound }
    recent.insert((time, shown, recovery), at: recent.firstIndex { $0.time > time } ?? recent.count)
    if recent.count > Self.depth { pass(recent.removeFirst()) }
  }

  mutating func close() {
    for picture in recent { pass(picture) }
    recent = []
  }

  private mutating func pass(_ picture: Seen) {
    if let recovery = picture.recovery { broken = recovery }
    guard broken <= 0 else {
      broken -= 1
      return
    }
    guard let shown = picture.shown else { return }
    count += 1
    if let last { longestStep = max(longestStep, shown - last) }
    last = shown
  }
}
