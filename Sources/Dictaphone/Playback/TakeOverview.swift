internal import Media

/// The loudness of a file at any place, from a reader beside the one that plays it. Media worker only.
struct PeakSource {
  /// Of the whole file.
  let frames: Int
  /// The highest sample of some frames, 0…1; nil: not yet.
  let peak: (Range<Int>) throws(MediaError) -> Float?
}

/// The shape of a stretch of a file: the peak of each of 128 columns, as wide as the display.
///
/// It is made a little at a time, from the left to the right, while the file plays. What a step costs does not grow with
/// the stretch: of a long one, each column is the peak of the beginning of its share. Media worker only.
struct TakeOverview {
  /// Columns of a stretch.
  static let columns = 128

  /// The frames that it shows.
  private(set) var range: Range<Int>
  /// The columns that are done: peaks, 0…1, from the beginning of the stretch.
  private(set) var peaks: [Float] = []
  /// The file plays on even where its picture cannot be made.
  private var hasFailed = false

  /// Frames of a column that are looked at, at most: a sixth of a second, some two milliseconds of a slow board.
  private static let mostFrames = 8192

  /// - Parameter peaks: of all columns of a whole file of any length; nil: there are not as many.
  init?(known peaks: [Float]) {
    guard peaks.count == Self.columns else { return nil }
    (self.peaks, range) = (peaks, 0..<0)
  }

  /// - Parameter range: of at least a frame, else there is nothing to be shown.
  init?(of range: Range<Int>) {
    guard !range.isEmpty else { return nil }
    self.range = range
    peaks.reserveCapacity(Self.columns)
  }

  var isComplete: Bool { hasFailed || peaks.count == Self.columns }

  /// Looks at the next column.
  mutating func step(_ source: PeakSource) {
    guard !isComplete else { return }
    let start = share(peaks.count)
    let end = max(start + 1, min(start + Self.mostFrames, share(peaks.count + 1)))
    do throws(MediaError) {
      if let found = try source.peak(start..<end) { peaks.append(found) }
    } catch {
      hasFailed = true
    }
  }

  /// Shows what lies `columns` of its own further on; what it knows of that, it keeps.
  mutating func move(by columns: Int) {
    let frames = range.count / Self.columns * columns
    range = range.lowerBound + frames..<range.upperBound + frames
    peaks.removeFirst(min(columns, peaks.count))
  }

  /// The frame at which a column begins. (No product here: a file may claim any length.)
  private func share(_ column: Int) -> Int {
    let (whole, rest) = range.count.quotientAndRemainder(dividingBy: Self.columns)
    return range.lowerBound + whole * column + rest * column / Self.columns
  }
}
