internal import Hardware
internal import Media

/// The shape of a whole file: the peak of each of 128 columns, as wide as the display.
///
/// It is made a little at a time from a decoder of its own, from the left to the right, while the file plays. What a step
/// costs does not grow with the file: of a long one, each column is the peak of the beginning of its share. A file whose
/// length is not known has none. Media worker only.
final class TakeOverview {
  /// Columns of a whole file.
  static let columns = 128

  /// The columns that are done: peaks, 0…1, from the beginning of the file.
  private(set) var peaks: [Float] = []
  private let file: SoundFile
  private let frames: Int
  /// The file plays on even where its picture cannot be made.
  private var hasFailed = false

  /// Frames of a column that are looked at, at most: a sixth of a second, some two milliseconds of a slow board.
  private static let mostFrames = 8192
  private static let chunkFrames = 1024

  /// - Returns: `nil` if the file cannot be opened, or does not say how long it is.
  init?(path: String) {
    guard let file = try? SoundFile(path: path), let frames = file.totalFrames, frames > 0 else { return nil }
    self.file = file
    self.frames = frames
    peaks.reserveCapacity(Self.columns)
  }

  var isComplete: Bool { hasFailed || peaks.count == Self.columns }

  /// Looks at the next column.
  func step() {
    guard !isComplete else { return }
    do throws(MediaError) {
      peaks.append(try peak(ofColumn: peaks.count))
    } catch {
      hasFailed = true
    }
  }

  private func peak(ofColumn column: Int) throws(MediaError) -> Float {
    let start = share(column)
    let end = max(start + 1, min(start + Self.mostFrames, share(column + 1)))
    try file.seek(toFrame: start)
    let channels = file.outputFormat.channels
    var samples = [Float](repeating: 0, count: Self.chunkFrames * channels)
    var peak: Float = 0
    var rest = end - start
    while rest > 0 {
      let wanted = min(Self.chunkFrames, rest)
      let got = try samples.withUnsafeMutableBufferPointer { buffer throws(MediaError) in
        try buffer.baseAddress.map { base throws(MediaError) in try file.read(into: base, frames: wanted) } ?? 0
      }
      guard got > 0 else { break }
      for sample in samples[..<(got * channels)] { peak = max(peak, abs(sample)) }
      rest -= got
    }
    return min(1, peak)
  }

  /// The frame at which a column begins. (No product here: a file may claim any length.)
  private func share(_ column: Int) -> Int {
    let (whole, rest) = frames.quotientAndRemainder(dividingBy: Self.columns)
    return whole * column + rest * column / Self.columns
  }
}
