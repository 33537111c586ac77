internal import Hardware

/// Which pictures of a broken-off clip are of use: behind a hole those from the next one on that decoding can begin with, and
/// that a decoder does not take for one of before the hole.
struct ResumedPictures {
  /// Of H.264: the parameter sets as a byte stream.
  private let sets: [UInt8]?
  private var isWaiting = true
  /// Something is lost before what is waited for.
  private var isBehindHole = false
  /// The last ones that were taken, since decoding began anew.
  private var taken: [(place: Int, bytes: Int)] = []
  /// When the picture is seen that decoding went on with, and how many behind it may still be seen before it.
  private var firstSeen = 0
  private var leading = 0
  /// Media time of the last keyframe, from the one before to it, and of the first that would have been mistaken.
  private var lastKeyframe: Int?
  private var period = 0
  private var firstMistaken: Int?

  /// The order of the last picture follows from no more than these.
  private static let mostTaken = 32
  private static let mostLeading = 16
  /// Ticks that are given up for one that is not mistaken: players do without some pictures behind one that is.
  private static let patience = 2 * PictureTrack.timescale

  init(_ track: Track) {
    guard case .pictures(let pictures) = track, pictures.codec == .h264 else {
      sets = nil
      return
    }
    sets = AnnexB.byteStream(AnnexB.units(ofConfiguration: pictures.configuration))
  }

  /// What others may be decoded with is lost.
  mutating func lose() { (isWaiting, isBehindHole) = (true, true) }

  /// Takes in the next whole picture; one that decoding begins anew with is a keyframe from then on.
  ///
  /// - Returns: whether it is of use.
  mutating func takes(
    _ sample: inout MovieSample, at place: Int, time: Int, in file: any StoredFile
  ) throws(StorageError) -> Bool {
    let seen = time + Int(sample.delay)
    if isWaiting {
      guard try begins(sample, at: place, time: time, in: file) else { return false }
      sample.isKeyframe = true
      leading = isBehindHole ? Self.mostLeading : 0
      (isWaiting, isBehindHole, firstSeen) = (false, false, seen)
      firstMistaken = nil
      taken = []
    } else if leading > 0 {
      // They refer to what is lost.
      leading = seen < firstSeen ? leading - 1 : 0
      if seen < firstSeen { return false }
    }
    if sample.isKeyframe {
      period = lastKeyframe.map { time - $0 } ?? 0
      lastKeyframe = time
    }
    if taken.count == Self.mostTaken { taken.removeFirst() }
    taken.append((place, Int(sample.bytes)))
    return true
  }

  private mutating func begins(
    _ sample: MovieSample, at place: Int, time: Int, in file: any StoredFile
  ) throws(StorageError) -> Bool {
    guard isBehindHole, let sets else { return sample.isKeyframe }
    let head = try RefreshHeads.head(ofSampleAt: place, bytes: Int(sample.bytes), in: file)
    // Where a camera refreshes bit by bit only the first picture of the file is called a keyframe.
    guard sample.isKeyframe || RefreshHeads.recovery(in: head) > 0 else { return false }
    let first = firstMistaken ?? time
    guard time + period - first <= Self.patience, try isMistaken(head, sets, in: file) else { return true }
    firstMistaken = first
    return false
  }

  /// Whether a decoder that has seen what was taken does not begin anew with a picture.
  private func isMistaken(_ head: [UInt8], _ sets: [UInt8], in file: any StoredFile) throws(StorageError) -> Bool {
    var (stream, order) = (H264Stream(), DecodedOrder())
    func read(_ head: [UInt8]) -> DecodedOrder.Picture? {
      var found: DecodedOrder.Picture?
      Self.byteStream(head).withUnsafeBytes { bytes in
        stream.add(bytes) { found = DecodedOrder.Picture($1) }
      }
      return found
    }
    sets.withUnsafeBytes { bytes in stream.add(bytes) { _, _ in } }
    for (index, sample) in taken.enumerated() {
      let head = try RefreshHeads.head(ofSampleAt: sample.place, bytes: sample.bytes, in: file)
      if let picture = read(head) { order.add(picture, isFirst: index == 0) }
    }
    // Without a count of their own there may be none that is not mistaken.
    guard let next = read(head), next.orderBits > 0 else { return false }
    return order.mistakes(next)
  }

  /// The units of a sample down to its first slice, as a byte stream.
  private static func byteStream(_ sample: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = []
    var reader = ByteReader(sample)
    while let size = ClaimedNumber(reader.big32()).within(1...Int(UInt32.max)),
      let unit = reader.take(min(size, reader.remaining)), let first = unit.first
    {
      stream += [0, 0, 0, 1] + unit
      if (AnnexB.Kind.slice...AnnexB.Kind.keyframeSlice).contains(first & 31) { break }
    }
    return stream
  }
}
