/// What the player draws of a take while it plays: all of it, and, where one wants to see more of it, the stretch around
/// the playhead, which turns its page as the playhead goes on. Media worker only.
struct TakePicture {
  /// Of the file, from its first frame on.
  private var whole: TakeOverview?
  /// A stretch of it.
  private var near: TakeOverview?
  private var source: PeakSource?
  private var hasSoughtSource = false
  /// The governor's: no column is added.
  var isHeld = false

  /// Another take.
  ///
  /// - Parameter known: the shape of all of it, if it was made before.
  mutating func begin(known: [Float]) {
    whole = TakeOverview(known: known)
    (near, source, hasSoughtSource) = (nil, nil, false)
  }

  /// What is shown: peaks, and frames of the file that they are of; empty: all of them.
  var shown: (peaks: [Float], frames: Range<Int>) {
    if let near { return (near.peaks, near.range) }
    return (whole?.peaks ?? [], 0..<0)
  }

  /// Adds a column.
  ///
  /// - Parameters:
  ///   - frame: of the file, where the playhead is.
  ///   - span: frames that are to be seen; nil: all.
  /// - Returns: the shape of all of the take, when its last column has been added.
  mutating func step(_ file: any PlayedSound, at frame: Int, span: Int?) -> [Float]? {
    guard !isHeld else { return nil }
    let isKnown = whole?.isComplete == true
    guard !isKnown || span != nil || near != nil else { return nil }
    if !hasSoughtSource {
      hasSoughtSource = true
      source = file.peaks()
      if whole == nil, let source { whole = TakeOverview(of: 0..<source.frames) }
      return nil
    }
    guard let source else { return nil }
    turnPage(at: frame, span: span, of: source.frames)
    if near?.isComplete == false {
      near?.step(source)
      return nil
    }
    guard !isKnown else { return nil }
    whole?.step(source)
    return whole.flatMap { $0.peaks.count == TakeOverview.columns ? $0.peaks : nil }
  }

  /// The playhead is kept in the first three quarters of what is seen.
  private mutating func turnPage(at frame: Int, span: Int?, of frames: Int) {
    // Whole columns of equal length, so that a page that is turned fits the one before.
    guard let span, case let column = span / TakeOverview.columns, column > 0, span < frames else { return near = nil }
    let length = column * TakeOverview.columns
    let half = TakeOverview.columns / 2
    if let near, near.range.count == length, near.range.contains(frame) {
      guard frame - near.range.lowerBound >= length / 4 * 3, near.range.upperBound < frames else { return }
      self.near?.move(by: half)
    } else {
      let start = max(0, min(frame - length / 4, frames - length))
      near = TakeOverview(of: start..<start + length)
    }
  }
}
