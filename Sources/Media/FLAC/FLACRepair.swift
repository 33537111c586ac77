internal import Hardware

/// Inspection and repair of FLAC files of ours, a bounded piece at a time.
///
/// The head says how far the sound goes. Only where the last second is not as it claims, or the file is shorter, the last
/// whole frame is looked for, from the end on.
struct FLACRepair {
  private enum Stage {
    case opening
    /// What lies behind a whole claim is followed, a frame after the other.
    case following(FLACHead.Reading, claimed: FLACHead.Reading, reason: String)
    /// The end is looked for in what lies before this place.
    case searching(FLACHead.Reading, before: Int, reason: String)
    case done(MediaInspection)
  }

  private let file: any StoredFile
  private let writes: Bool
  private var stage = Stage.opening

  /// Bytes of one look; a frame is far smaller.
  private static let window = 512 << 10
  /// More than a frame of two channels of 24 bits takes.
  private static let longestFrame = 32 << 10
  /// Most that the last two seconds of a file take.
  private static let longestTail = 4 << 20
  /// Sound of so many seconds cannot be what was being written when the power went.
  private static let longestUnclaimed = 1

  init(_ file: any StoredFile, writes: Bool) {
    self.file = file
    self.writes = writes
  }

  /// Does the next piece of work; one that throws is made again.
  ///
  /// - Returns: what the file is, once that is known.
  mutating func step() throws(StorageError) -> MediaInspection? {
    switch stage {
    case .opening: stage = try open()
    case .following(let head, let claimed, let reason): stage = try follow(head, claimed: claimed, reason)
    case .searching(let head, let before, let reason): stage = try search(head, before: before, reason)
    case .done: break
    }
    if case .done(let inspection) = stage { return inspection }
    return nil
  }

  private func open() throws(StorageError) -> Stage {
    let first = try file.bytes(at: FLACHead.bytes, count: 32)
    guard var head = FLACHead.read(try file.bytes(at: 0, count: FLACHead.frontBytes)) ?? FLACHead.lost(before: first)
    else {
      return .done(
        MediaInspection(
          .damaged("The header that says how the sound is encoded is unreadable."), format: .flac,
          unreadableBytes: file.size))
    }
    let blocksEnd = try FLACBlocks.end(in: file)
    guard head.isOurs, try !FLACBlocks.leadElsewhere(blocksEnd, in: file) else {
      return .done(inspection(.foreign, head))
    }
    // Each frame says of what format it is, with a checksum: the head has none.
    if let own = first.withUnsafeBufferPointer({ FLACFrameHead($0, at: 0)?.format }), own != head.pcm {
      head.pcm = own
      head.isFinished = false
    }
    guard head.pcm.sampleRate > 0, head.pcm.channels <= 2, head.pcm.bits == 16 || head.pcm.bits == 24 else {
      return .done(inspection(.foreign, head))
    }
    if blocksEnd != FLACHead.bytes { head.isFinished = false }
    let reason = head.isFinished ? "Its end is missing." : "The recording was interrupted."
    let isThere = file.size >= head.claim.end
    if isThere, head.isFinished {
      guard let frames = try lastFrames(head), frames != head.claim.frames else {
        return .done(inspection(.finished, head))
      }
      return .following(
        head.claiming(frames), claimed: head.claiming(frames), reason: "Its head claims another length.")
    }
    if isThere, try isWhole(head) {
      let frames = try lastFrames(head) ?? head.claim.frames
      let head = frames == head.claim.frames ? head : head.claiming(frames)
      return .following(head, claimed: head, reason: reason)
    }
    if isThere, !hasMuchBehind(head) {
      if let own = try unbroken(head) { return .following(own, claimed: own, reason: reason) }
      if let own = try ownFrames(head) { return try close(own, reason) }
    }
    let end = hasMuchBehind(head) ? file.size : min(head.claim.end, file.size)
    return .searching(head, before: end, reason: reason)
  }

  /// Frames that go on from what is safe without a break, as many as the head says at the least: then it is where they
  /// end that it says wrongly.
  private func unbroken(_ head: FLACHead.Reading) throws(StorageError) -> FLACHead.Reading? {
    guard let safe = try safeFrames(head), safe < head.claim.frames else { return nil }
    let bytes = try file.bytes(at: head.safeEnd, count: min(Self.longestTail, file.size - head.safeEnd))
    guard let run = bytes.withUnsafeBufferPointer({ Self.run(in: $0) }),
      run.first * SoundCodec.flac.packetFrames == safe, run.frames >= head.claim.frames
    else { return nil }
    var own = head.claiming(run.frames)
    own.claim.end = head.safeEnd + run.end
    return own
  }

  /// How far what was claimed last, and is not all there, is the take's own: the card may have had blocks of an older
  /// one there, with whole frames. From what is safe on those count that go on, also behind a torn one as long as their
  /// numbers leave room for it and they do not go on beyond the claim; `nil` if that cannot be told.
  private func ownFrames(_ head: FLACHead.Reading) throws(StorageError) -> FLACHead.Reading? {
    let claimed = head.claim.end - head.safeEnd
    guard claimed <= Self.longestTail, let safe = try safeFrames(head) else { return nil }
    let bytes = try file.bytes(at: head.safeEnd, count: claimed + Self.longestFrame)
    let end = bytes.withUnsafeBufferPointer { Self.own(in: $0, claimed: claimed, head.claim.frames, from: safe) }
    var own = head.claiming(end.frames)
    own.claim.end = head.safeEnd + end.place
    return own
  }

  /// - Parameters:
  ///   - bytes: from what is safe on, also some behind the claim.
  ///   - claimed: where the claim ends, with so many `frames` of the stream.
  ///   - safe: frames up to the beginning of the bytes.
  private static func own(
    in bytes: UnsafeBufferPointer<UInt8>, claimed: Int, _ frames: Int, from safe: Int
  ) -> (place: Int, frames: Int) {
    var found = (place: 0, frames: safe)
    var place = 0
    while place < min(claimed, bytes.count) {
      guard bytes[place] == 0xFF, let first = FLACFrameHead(bytes, at: place),
        let all = run(in: UnsafeBufferPointer(rebasing: bytes[place...]))
      else {
        place += 1
        continue
      }
      let begin = first.number * SoundCodec.flac.packetFrames
      // What a torn frame has left has lost its number.
      let goesOn = place == found.place ? begin == found.frames : begin > found.frames
      var part = all
      if place + all.end > claimed, let most = run(in: UnsafeBufferPointer(rebasing: bytes[place..<claimed])) {
        part = most
      }
      let (end, isAll) = (place + part.end, part.end == all.end)
      // Own frames end with the claim, or where they are torn; an older take's go on beyond it.
      guard goesOn, part.frames <= frames, end == claimed ? part.frames == frames : end < claimed && isAll else {
        place += all.end
        continue
      }
      found = (end, part.frames)
      place = end
    }
    return found
  }

  /// Whether more lies behind the claim than is written between two claims: then it is the claim that is wrong.
  private func hasMuchBehind(_ head: FLACHead.Reading) -> Bool {
    let second = head.pcm.sampleRate * head.pcm.channels * head.pcm.bits / 8
    return file.size - head.claim.end > 2 * Self.longestUnclaimed * second
  }

  /// Follows the frames behind a claim. A little of what nobody claimed may be another recording's, and is left out.
  private func follow(
    _ head: FLACHead.Reading, claimed: FLACHead.Reading, _ reason: String
  ) throws(StorageError) -> Stage {
    let bytes = try file.bytes(at: head.claim.end, count: Self.window)
    let run = bytes.withUnsafeBufferPointer { Self.run(in: $0) }
    if let run, run.first * SoundCodec.flac.packetFrames == head.claim.frames {
      var longer = head.claiming(run.frames)
      longer.claim.end += run.end
      return .following(longer, claimed: claimed, reason: reason)
    }
    let unclaimed = max(Self.longestUnclaimed * head.pcm.sampleRate, 2 * SoundCodec.flac.packetFrames)
    if head.claim.frames - claimed.claim.frames > unclaimed {
      return try close(head, reason)
    }
    // A claim that ends with the frame that it says is no wrong one: what does not go on from it is another recording's.
    let isRight = claimed.claim.frames > 0 ? try lastFrames(claimed) == claimed.claim.frames : false
    guard hasMuchBehind(head), !isRight else { return try close(claimed, reason) }
    return .searching(claimed, before: file.size, reason: reason)
  }

  /// Frames of the stream up to the end of the frame that the file ends with; `nil` if that cannot be told.
  private func lastFrames(_ head: FLACHead.Reading) throws(StorageError) -> Int? {
    try lastFrames(before: head.claim.end)
  }

  /// How many frames end where what is safe does; `nil` if that cannot be told.
  private func safeFrames(_ head: FLACHead.Reading) throws(StorageError) -> Int? {
    head.safeEnd == FLACHead.bytes ? 0 : try lastFrames(before: head.safeEnd)
  }

  private func lastFrames(before end: Int) throws(StorageError) -> Int? {
    let start = max(FLACHead.bytes, end - Self.longestFrame)
    let bytes = try file.bytes(at: start, count: end - start)
    guard let found = bytes.withUnsafeBufferPointer({ Self.lastFrame(in: $0) }), start + found.end == end
    else { return nil }
    return found.frames
  }

  /// Whether what was claimed last, and may not have reached the medium, is there: frames up to the claim's end that
  /// are as many as it says, or, where that number is wrong, go on from what is safe.
  private func isWhole(_ head: FLACHead.Reading) throws(StorageError) -> Bool {
    let count = head.claim.end - head.safeEnd
    guard count > 0 else { return true }
    guard count <= Self.longestTail else { return false }
    let bytes = try file.bytes(at: head.safeEnd, count: count)
    guard let run = bytes.withUnsafeBufferPointer({ Self.run(in: $0) }) else { return false }
    guard run.end == count else { return false }
    if run.frames == head.claim.frames { return true }
    return run.first * SoundCodec.flac.packetFrames == (try safeFrames(head))
  }

  /// The whole frames that follow one another from the beginning of these bytes on: the number of the first, where the
  /// last one ends, and frames of the stream up to there.
  private static func run(in bytes: UnsafeBufferPointer<UInt8>) -> (first: Int, end: Int, frames: Int)? {
    guard var last = FLACFrameHead(bytes, at: 0) else { return nil }
    let first = last.number
    // Of the frame as far as it has been looked at: a torn one may have any number of others behind it.
    var (sum, summed): (UInt16, Int) = (0, 0)
    var found: (first: Int, end: Int, frames: Int)?
    for place in bytes.indices.dropFirst() where bytes[place] == 0xFF {
      guard let next = FLACFrameHead(bytes, at: place) else { continue }
      let follows = next.number == last.number + 1
      sum = FLACFrameHead.checksum(of: bytes[summed..<place], after: sum)
      summed = place
      guard sum == 0 else {
        // What looks like a head may lie within a frame.
        if follows { return found }
        continue
      }
      found = (first, place, last.end)
      guard follows else { return found }
      last = next
    }
    return FLACFrameHead.checksum(of: bytes[summed...], after: sum) == 0 ? (first, bytes.count, last.end) : found
  }

  /// Looks for the last whole frame of a stretch of the file.
  private func search(_ head: FLACHead.Reading, before end: Int, _ reason: String) throws(StorageError) -> Stage {
    var head = head
    head.claim.digest = FLACHead.Claim().digest
    let start = max(FLACHead.bytes, end - Self.window)
    guard start < end else {
      head.claim = FLACHead.Claim()
      return try close(head, reason)
    }
    let bytes = try file.bytes(at: start, count: end - start)
    let found = bytes.withUnsafeBufferPointer { Self.lastFrame(in: $0) }
    guard let found else {
      // A frame may lie across the border of two looks.
      let before = start + Self.window / 4
      return .searching(
        head, before: start > FLACHead.bytes && before < end ? before : FLACHead.bytes, reason: reason)
    }
    head.claim.frames = found.frames
    head.claim.end = start + found.end
    return try close(head, reason)
  }

  /// Where the last frame ends that is whole, and frames of the stream up to there.
  private static func lastFrame(in bytes: UnsafeBufferPointer<UInt8>) -> (end: Int, frames: Int)? {
    // A frame ends where another begins, or with the file, whose end may never have been written: then it is zeros.
    let rest = bytes.lastIndex { $0 != 0 } ?? 0
    var ends = Array(Set((1...3).map { min(rest + $0, bytes.count) })).sorted()
    for place in stride(from: bytes.count - 1, through: 0, by: -1) where bytes[place] == 0xFF {
      guard let head = FLACFrameHead(bytes, at: place) else { continue }
      for end in ends where FLACFrameHead.isWhole(bytes[place..<end]) {
        return (end, head.end)
      }
      // Of the heads that a torn frame may contain by chance only the last few count.
      ends = [place] + ends.prefix(5)
    }
    return nil
  }

  /// Ends the file where its claim does.
  private func close(_ head: FLACHead.Reading, _ reason: String) throws(StorageError) -> Stage {
    guard writes else { return .done(inspection(.unfinished(reason), head)) }
    var found = inspection(.finished, head)
    found.unreadableBytes = max(0, file.size - head.claim.end)
    if file.size != head.claim.end { try file.truncate(to: head.claim.end) }
    try file.sync()
    let writer = FLACHead(pcm: head.pcm)
    // Comments that cannot be reached are in the notes, too.
    if try FLACBlocks.end(in: file) != FLACHead.bytes {
      try file.write(FLACBlocks.onlyPadding, at: FLACHead.frontBytes)
    }
    try file.write(writer.front(head.claim, safeEnd: head.claim.end, isFinished: true), at: 0)
    try file.sync()
    return .done(found)
  }

  private func inspection(_ condition: MediaInspection.Condition, _ head: FLACHead.Reading) -> MediaInspection {
    MediaInspection(condition, format: .flac, pcm: head.pcm, frames: head.claim.frames)
  }
}

extension FLACHead.Reading {
  /// The same of another length, of which no digest is known.
  fileprivate func claiming(_ frames: Int) -> FLACHead.Reading {
    var head = self
    head.claim.frames = frames
    head.claim.digest = FLACHead.Claim().digest
    return head
  }
}
