internal import Media

/// The shape of a whole file: the peak of each of 128 columns, as wide as the display.
///
/// It is made a little at a time, from the left to the right, while the file plays. What a step costs does not grow with
/// the file: of a long one, each column is the peak of the beginning of its share. A file whose length is not known has
/// none. Media worker only.
final class TakeOverview {
  /// Columns of a whole file.
  static let columns = 128

  /// The columns that are done: peaks, 0…1, from the beginning of the file.
  private(set) var peaks: [Float] = []
  private let frames: Int
  private let peak: (Range<Int>) throws(MediaError) -> Float?
  /// The file plays on even where its picture cannot be made.
  private var hasFailed = false

  /// Frames of a column that are looked at, at most: a sixth of a second, some two milliseconds of a slow board.
  private static let mostFrames = 8192

  /// - Parameter peaks: of all columns; nil: there are not as many.
  init?(known peaks: [Float]) {
    guard peaks.count == Self.columns else { return nil }
    (self.peaks, frames, peak) = (peaks, 0, { _ in nil })
  }

  /// - Parameters:
  ///   - frames: of the file.
  ///   - peak: gives that of some of them; nil: not yet.
  init?(frames: Int?, peak: @escaping (Range<Int>) throws(MediaError) -> Float?) {
    guard let frames, frames > 0 else { return nil }
    self.frames = frames
    self.peak = peak
    peaks.reserveCapacity(Self.columns)
  }

  var isComplete: Bool { hasFailed || peaks.count == Self.columns }

  /// Looks at the next column.
  func step() {
    guard !isComplete else { return }
    let start = share(peaks.count)
    let end = max(start + 1, min(start + Self.mostFrames, share(peaks.count + 1)))
    do throws(MediaError) {
      if let found = try peak(start..<end) { peaks.append(found) }
    } catch {
      hasFailed = true
    }
  }

  /// The frame at which a column begins. (No product here: a file may claim any length.)
  private func share(_ column: Int) -> Int {
    let (whole, rest) = frames.quotientAndRemainder(dividingBy: Self.columns)
    return whole * column + rest * column / Self.columns
  }
}
