internal import Sound

// Sound that is missing: silence stands for it, so that lengths stay true, and it is told.
extension Recorder {
  /// The storage was so slow that sound fell out of the history before it could be encoded: silence stands for it.
  func skipLostSound() {
    guard let open = take, open.isConsuming else { return }
    let first = min(input.history.firstFrame, open.boundary ?? .max)
    if open.cursor < first { owe(open.cursor..<first, reason: "storage") }
  }

  /// Puts silence for these frames of the capture, which will not be read.
  func owe(_ lost: Range<Int>, reason: String) {
    noteGaps(in: lost, otherwise: reason)
    take?.owedSilence += lost.count
    take?.cursor += lost.count
  }

  /// Notes what is missing in a range of the capture that begins at the take's cursor.
  ///
  /// - Parameter reason: why the rest of it is missing, too; `nil` if it is not.
  func noteGaps(in range: Range<Int>, otherwise reason: String?) {
    guard let start = take?.position else { return }
    var place = range.lowerBound
    for gap in input.gaps {
      let missing = (gap.frame..<(gap.frame + gap.frames)).clamped(to: place..<range.upperBound)
      guard !missing.isEmpty else { continue }
      if let reason { noteGap(place..<missing.lowerBound, of: range, at: start, reason: reason) }
      noteGap(missing, of: range, at: start, reason: gap.reason)
      place = missing.upperBound
    }
    if let reason { noteGap(place..<range.upperBound, of: range, at: start, reason: reason) }
  }

  private func noteGap(_ missing: Range<Int>, of range: Range<Int>, at start: Int, reason: String) {
    let position = start + missing.lowerBound - range.lowerBound
    if let gap = take?.noteGap(at: position, frames: missing.count, reason: reason) { tell(gap) }
  }

  func finishGap(isRangeOver: Bool) {
    if let gap = take?.takeFinishedGap(isRangeOver: isRangeOver) { tell(gap) }
  }

  private func tell(_ gap: CaptureGap) {
    pipe.append(.gap(frame: gap.frame, frames: gap.frames, reason: gap.reason))
    report(.gap(frame: gap.frame, frames: gap.frames, reason: gap.reason))
  }
}
