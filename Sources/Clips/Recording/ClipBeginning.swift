internal import Hardware
internal import Media
internal import Recording

/// What the ring has for the beginning of a clip.
struct ClipBeginning {
  var keyframe: Int
  var start: Instant
  /// Times and rhythms of the pictures from the keyframe to the first that is shown.
  var entries: [FrameRing.Entry]
  var format: VideoFormat
  /// Of H.264.
  var parameters: H264Parameters?
  var reorderDepth: Int
  var losses: PictureBuffer.Losses

  enum Search {
    case notYet
    case never(code: String, text: String)
    case found(ClipBeginning)
  }

  /// Silent camera or microphone: how long an end waits for what belongs before it.
  static let patience = Duration.seconds(1)
  /// How long a camera that has just been asked for may take to send what can be begun with.
  private static let firstPatience = Duration.seconds(5)

  /// Looks for the first keyframe of a range.
  static func search(_ cut: CutPlanner.Cut, in buffer: PictureBuffer, now: Instant) -> Search {
    // What goes on of a clip without end waits until there is something; the first one no longer than a camera takes.
    let first: Instant = cut.isSplit ? .distantFuture : (cut.triggers.first?.time ?? cut.start) + firstPatience
    let isLate = now >= (cut.end == .distantFuture ? first : cut.end + patience)
    return buffer.withLock { shared -> Search in
      let isDead = isLate || !shared.isRunning && now >= cut.end
      guard let ring = shared.ring else {
        return isDead ? .never(code: "device-lost", text: "no clip was made: there is no camera") : .notYet
      }
      // What is to be seen at the start is only known when a picture after it has come.
      let isReached = ring.newest.map { $0.time >= cut.start } ?? false
      guard isReached || now - cut.start > .milliseconds(300) else { return .notYet }
      guard let (keyframe, shown, start) = find(cut, in: ring),
        let format = ring[keyframe].flatMap({ shared.formats[$0.epoch] })
      else { return isDead ? never(shared) : .notYet }
      let parameters = format.codec == .h264 ? ring.picture(keyframe).flatMap { H264Parameters(in: $0) } : nil
      guard format.codec != .h264 || parameters != nil else {
        return .never(
          code: "unsupported",
          text: "no clip was made: the camera's stream has no parameter sets; have it send them with each keyframe")
      }
      // The newest picture may be of another order than what the clip begins with.
      let epoch = ring[keyframe]?.epoch
      let entries = (keyframe..<ring.end).lazy.compactMap { ring[$0] }
      let depth = entries.filter { $0.epoch == epoch }.map { Int($0.depth) }.max() ?? 0
      return .found(
        ClipBeginning(
          keyframe: keyframe, start: start, entries: (keyframe...shown).compactMap { ring[$0] }, format: format,
          parameters: parameters, reorderDepth: depth, losses: shared.losses))
    }
  }

  /// Why there is nothing: a camera that works has to be set otherwise.
  private static func never(_ shared: PictureBuffer.Shared) -> Search {
    if shared.isRunning, let complaint = shared.complaint {
      return .never(code: "unsupported", text: "no clip was made: \(complaint)")
    }
    if shared.isRunning, let ring = shared.ring, !ring.isEmpty, ring.firstKeyframe == nil {
      return .never(
        code: "unsupported",
        text: "no clip was made: the ring is too small for the pictures from one keyframe to the next; "
          + "set the camera's keyframe interval to half a second")
    }
    return .never(code: "device-lost", text: "no clip was made: the camera delivered no picture for it")
  }

  /// The keyframe to begin with, the first picture shown, and the start.
  private static func find(
    _ cut: CutPlanner.Cut, in ring: FrameRing
  ) -> (keyframe: Int, shown: Int, start: Instant)? {
    if let shown = ring.number(at: cut.start), let entry = ring[shown], let keyframe = ring.start(of: shown) {
      // The picture that is to be seen at the start: the clip begins with it, less than its length early.
      let isSeen = (cut.start - entry.time).nanoseconds <= Int64(entry.period) * 5 / 2
      return (keyframe, shown, isSeen ? entry.time : cut.start)
    }
    // What was to be seen there is gone, or lies behind a loss and before what is whole again: its own keyframe, if that is
    // there, or the next.
    let own = ring.number(at: cut.start).flatMap { ring[$0]?.keyframe }
    guard let keyframe = ring.keyframe(from: own ?? ring.first),
      let shown = ring.clean(from: keyframe), let entry = ring[shown], entry.time < cut.end
    else { return nil }
    return (keyframe, shown, max(entry.time, cut.start))
  }
}
