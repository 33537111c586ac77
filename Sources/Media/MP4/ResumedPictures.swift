internal import Hardware

/// Which pictures of a broken-off clip are of use: behind a hole those from the next one on that decoding can begin with.
struct ResumedPictures {
  private let isH264: Bool
  private var isWaiting = true
  /// Something is lost before what is waited for.
  private var isBehindHole = false

  init(_ track: Track) {
    if case .pictures(let pictures) = track { isH264 = pictures.codec == .h264 } else { isH264 = false }
  }

  /// What others may be decoded with is lost.
  mutating func lose() { (isWaiting, isBehindHole) = (true, true) }

  /// Takes in the next whole picture; one that decoding begins anew with is a keyframe from then on.
  ///
  /// - Returns: whether it is of use.
  mutating func takes(_ sample: inout MovieSample, at place: Int, in file: any StoredFile) throws(StorageError) -> Bool
  {
    guard isWaiting else { return true }
    guard try begins(sample, at: place, in: file) else { return false }
    sample.isKeyframe = true
    isWaiting = false
    return true
  }

  private func begins(
    _ sample: MovieSample, at place: Int, in file: any StoredFile
  ) throws(StorageError) -> Bool {
    guard isH264, isBehindHole, !sample.isKeyframe else { return sample.isKeyframe }
    // Where a camera refreshes bit by bit only the first picture of the file is called a keyframe.
    return RefreshHeads.recovery(in: try RefreshHeads.head(ofSampleAt: place, bytes: Int(sample.bytes), in: file)) > 0
  }
}
