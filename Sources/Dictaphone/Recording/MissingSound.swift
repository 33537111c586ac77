internal import Recording

/// What of a range of the capture is missing, and why. Pure.
enum MissingSound {
  /// The gaps in it, one after the other, in frames of the capture.
  ///
  /// - Parameters:
  ///   - gaps: of the capture, oldest first.
  ///   - reason: why the rest of it is missing, too; `nil` if it is not.
  static func gaps(in range: Range<Int>, of gaps: [CaptureGap], otherwise reason: String?) -> [CaptureGap] {
    var missing: [CaptureGap] = []
    var place = range.lowerBound
    func rest(upTo end: Int) {
      guard let reason, place < end else { return }
      missing.append(CaptureGap(frame: place, frames: end - place, reason: reason))
    }
    for gap in gaps {
      let part = (gap.frame..<(gap.frame + gap.frames)).clamped(to: place..<range.upperBound)
      guard !part.isEmpty else { continue }
      rest(upTo: part.lowerBound)
      missing.append(CaptureGap(frame: part.lowerBound, frames: part.count, reason: gap.reason))
      place = part.upperBound
    }
    rest(upTo: range.upperBound)
    return missing
  }
}
