/// What can be seen and heard of a finished file: what players make of its tables.
public struct MediaFacts: Hashable, Sendable {
  /// Pictures that are to be seen, and those in the file with which decoding can begin.
  public internal(set) var pictures = 0
  public internal(set) var keyframes = 0
  /// Frames of sound.
  public internal(set) var frames = 0
  /// Seconds.
  public internal(set) var duration = 0.0
  /// Longest time from one picture to the next, seconds.
  public internal(set) var longestStep = 0.0
}

/// Counts the pictures that edits let through.
struct ShownPictures {
  /// Stretches of media time, in the order in which they are shown, and when each begins to be.
  private let edits: [Range<Int>]
  private let starts: [Int]
  /// The stretch that was reached: pictures come in the order of these, but for a few.
  private var current = 0
  private(set) var count = 0
  /// Longest time from one to the next, in ticks.
  private(set) var longestStep = 0
  /// Times of the last ones in order: pictures come out of order by less than these.
  private var recent: [Int] = []
  private var last: Int?

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
  mutating func add(_ time: Int) {
    while current + 1 < edits.count, time >= edits[current].upperBound { current += 1 }
    guard let index = [current, current - 1].first(where: { edits.indices.contains($0) && edits[$0].contains(time) })
    else { return }
    let shown = starts[index] + time - edits[index].lowerBound
    count += 1
    recent.insert(shown, at: recent.firstIndex { $0 > shown } ?? recent.count)
    if recent.count > Self.depth { pass(recent.removeFirst()) }
  }

  mutating func close() {
    for time in recent { pass(time) }
    recent = []
  }

  private mutating func pass(_ time: Int) {
    if let last { longestStep = max(longestStep, time - last) }
    last = time
  }
}
