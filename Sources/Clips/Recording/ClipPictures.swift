internal import Hardware
internal import Media
internal import Recording

/// The pictures of a clip being made: which of the ring are still to be sent, at which ticks, and where they end. Media
/// lane only.
///
/// Pictures are sent in the order in which they came. Where that is not the order in which they are seen, a picture's time
/// is that of the picture in whose turn it is seen, and everything in the file is `delay` later.
final class ClipPictures {
  /// What sending the next picture came to.
  enum Sent: Equatable {
    case sent
    /// No picture is there, or the pipe has no room.
    case none
    /// The clip has to end here, with a keyframe of this time, and may go on in another.
    case split(Instant)
  }

  /// Of the file: ticks from its first picture to the first that is shown, and the frame of the sound's clock there.
  let skippedTicks: Int
  let firstFrame: Int
  let track: PictureTrack
  /// Where it ends; known once the picture after the last one has come, or is not waited for any more.
  private(set) var end: Instant?
  /// The same in frames and in ticks of the file.
  private(set) var endFrame: Int?
  private(set) var endTick = 0
  /// The last picture sent.
  private(set) var lastTime: Instant?

  private let number: Int
  private let world: ClipWorld
  private let gaps: GapLog
  private let start: Instant
  private let epoch: Int32
  /// Ticks by which everything is later in the file than it is seen.
  private let delay: Int
  private let reorderDepth: Int
  private let firstTick: Int
  private let firstShown: Int
  /// The picture that decoding begins with, and its turn.
  private var keyframe: Int
  private var firstTurn: Int
  /// From this turn on pictures are whole again behind a loss: where they are refreshed bit by bit, those before it are only
  /// decoded.
  private var cleanTurn = 0
  private var order = DecodedOrder()
  /// The last picture before what cannot be seen, and why that cannot.
  private var blind: (time: Instant, tick: Int, period: Int, reason: String)?
  private let lossesAtStart: PictureBuffer.Losses
  /// Each keyframe says its own sets: a player that goes back over a change of them decodes by the right ones.
  private let filter: SampleFilter?
  private var run: PresentationRun
  /// Ticks of pictures, the first of them that with the number `ticksFrom`; the edit list depends on the first ones.
  private var ticks: [Int] = []
  private var ticksFrom: Int
  private var next: Int
  private var lastPeriod = 33_333_333
  private var lastTick = 0
  /// The clip begins in a hole: what came before that is held back until it is known what comes behind it.
  private var beginsInHole: Bool
  private var heldSince: Instant?
  /// A clip that is cut off is none without a picture.
  private static let longestHold = Duration.seconds(3)
  private var isWaitingForKeyframe = false
  private var hasAskedForKeyframe = false
  /// The ring is gone.
  private var isOver = false
  /// Pictures behind the end that others before it are decoded with.
  private var trailing = 0
  private var counts = Receipt.Pictures()

  init(_ found: ClipBeginning, of number: Int, _ world: ClipWorld, gaps: GapLog, clock: ClipClock) {
    self.number = number
    self.world = world
    self.gaps = gaps
    start = found.start
    epoch = found.entries.first?.epoch ?? 0
    reorderDepth = found.reorderDepth
    lossesAtStart = found.losses
    next = found.keyframe
    keyframe = found.keyframe
    firstTurn = found.keyframe + Int(found.entries.first?.lag ?? 0)
    ticksFrom = found.keyframe
    firstShown = found.keyframe + found.entries.count - 1
    // A decoder begins anew with each keyframe of a camera whose own ones are IDR pictures or images.
    beginsInHole = found.entries.last.map { $0.time < found.start } ?? false && found.entries.first?.isInstant == false
    filter = found.parameters == nil ? nil : .withSets
    run = PresentationRun(
      rate: clock.rate, firstFrame: clock.frame(at: found.entries.first?.time ?? found.start, world.sound))
    // The edit list must hit a picture's tick exactly, so ticks of these are made once and for all.
    for entry in found.entries {
      ticks.append(
        run.tick(frame: clock.frame(at: entry.time, world.sound), period: Double(entry.period) * clock.stretch))
    }
    var first = ticks.last ?? 0
    if let shown = found.entries.last, shown.time < found.start {
      first = max(first, run.ideal(frame: clock.frame(at: found.start, world.sound)))
    }
    firstTick = first
    let step =
      Double(found.entries.last?.period ?? 33_333_333) * clock.stretch * Double(PresentationRun.timescale) / 1e9
    delay = found.reorderDepth * Int(step.rounded())
    skippedTicks = first + delay
    firstFrame = run.frame(ofTick: first)
    let (width, height) = (found.parameters?.width, found.parameters?.height)
    track = PictureTrack(
      codec: found.format.codec, width: width ?? found.format.width, height: height ?? found.format.height,
      configuration: found.parameters?.configuration ?? [])
    counts.codec = track.codec.rawValue
    (counts.width, counts.height) = (track.width, track.height)
  }

  /// What is known for the receipt.
  var receipt: Receipt.Pictures {
    var receipt = counts
    let losses = world.buffer.withLock { $0.losses } - lossesAtStart
    receipt.missedByDevice = losses.missedByDevice
    receipt.droppedInQueue = losses.droppedInQueue
    receipt.droppedBeforeKeyframe += losses.droppedBeforeKeyframe
    return receipt
  }

  var largestSkew: Double { run.largestSkew }

  /// Everything that belongs to the clip is sent.
  var isSent: Bool { end != nil && trailing == 0 }

  /// The oldest picture that it still needs; `nil` if none.
  var pinned: Int? { isSent ? nil : next }

  /// Seconds from the clip's start of what is sent; `nil` if there is nothing.
  var position: Double? { end == nil ? lastTime.map { position(of: $0) } : .infinity }

  private func position(of time: Instant) -> Double { (time - start).inSeconds }

  // MARK: Sending

  /// Sends the next picture; finds the end when one at or after it has come.
  ///
  /// - Parameter limit: from here on a keyframe splits the clip; `nil`: nothing does.
  func send(_ cut: CutPlanner.Cut, clock: ClipClock, splitAt limit: Instant?, slice: WorkSlice) -> Sent {
    guard !isSent, !isOver, slice.mayCopy else { return .none }
    return world.buffer.withLock { shared -> Sent in
      guard let ring = shared.ring else {
        isOver = true
        return .none
      }
      if next < ring.first { skipEvicted(ring) }
      if beginsInHole, end == nil, !crossHole(cut, ring) { return .none }
      guard let entry = ring[next], entry.isSettled else { return .none }
      // Behind a loss decoding begins anew, as at the start of the clip.
      let isAnew = next > keyframe && entry.isKeyframe && (entry.isFresh || isWaitingForKeyframe)
      // Of those that are refreshed bit by bit the first whole one is seen later, and comes only while the camera runs.
      let clean = ring.clean(from: next) ?? next
      let isMixed = isAnew && order.mistakes(entry.decoded) && (shared.isRunning || ring[clean] != nil)
      if end == nil {
        // A decoder would mix it with what it has seen: it begins the next clip, in the turn in which it is seen whole.
        let turn = isMixed ? clean : next
        guard let time = ring[turn]?.time else { return .none }
        if time >= cut.end {
          guard finish(before: turn, cut, ring, clock: clock) else { return .none }
        } else if isMixed || entry.epoch != epoch || entry.isKeyframe && Int(entry.depth) > reorderDepth {
          // By how much all of a file is late is fixed at its start: what is farther out of order goes into another.
          return .split(time)
        } else if let limit, entry.time >= limit, next > firstShown {
          if entry.isKeyframe { return .split(entry.time) }
          shared.wantsKeyframe = shared.wantsKeyframe || !hasAskedForKeyframe
          hasAskedForKeyframe = true
        }
      }
      if end != nil {
        trailing = entry.epoch != epoch || entry.isInstant || isAnew ? 0 : trailing
        guard trailing > 0 else { return .none }
      }
      if isAnew {
        (keyframe, firstTurn) = (next, next + max(0, Int(entry.lag)))
        cleanTurn = firstTurn + Int(entry.recovery)
      }
      // Seen before the keyframe that decoding begins with, they cannot be decoded, and are not shown.
      if next > keyframe, next + Int(entry.lag) < firstTurn {
        if next > firstShown { counts.droppedBeforeKeyframe += 1 }
        next += 1
        return .sent
      }
      if isWaitingForKeyframe, !entry.isKeyframe { return drop() }
      guard let bytes = ring.picture(next), let (time, seen) = times(of: entry, ring, clock) else { return .none }
      let size = filter?.size(of: bytes) ?? bytes.count
      guard size > 0, world.pipe.canCarry(picture: size) else {
        isWaitingForKeyframe = true
        return drop()
      }
      guard world.pipe.hasRoom(picture: size) else { return .none }
      // A player goes to the last keyframe before what it is to show. A refresh bit by bit has not come far enough there:
      // it is one where nothing else is to begin with.
      let isKeyframe = entry.isKeyframe && (entry.recovery == 0 || next == keyframe || isWaitingForKeyframe)
      world.pipe.append(
        picture: bytes, by: filter, to: number, tick: time, delay: max(0, seen + delay - time),
        isKeyframe: isKeyframe, bytes: size)
      slice.copied(bytes: size)
      order.add(entry.decoded, isFirst: isAnew || next == keyframe)
      if end == nil { count(entry, ring, tick: time) } else { trailing -= 1 }
      next += 1
      lastTime = entry.time
      lastTick = time
      lastPeriod = Int(entry.period)
      isWaitingForKeyframe = false
      return .sent
    }
  }

  /// Leaves out what came before the hole in which the clip begins if a decoder would mix it with what begins anew behind:
  /// nothing of it is to be seen, and the clip would have to be split before its first picture.
  ///
  /// - Returns: false while it is not known what comes behind.
  private func crossHole(_ cut: CutPlanner.Cut, _ ring: FrameRing) -> Bool {
    let behind = firstShown + 1
    guard let entry = ring[behind], let clean = ring.clean(from: behind), let time = ring[clean]?.time else {
      return false
    }
    beginsInHole = false
    guard let last = ring[firstShown], let tick = ticks.last, time < cut.end, entry.isKeyframe, entry.isFresh,
      entry.epoch == epoch, Int(entry.depth) <= reorderDepth
    else { return true }
    var order = DecodedOrder()
    for number in keyframe...firstShown {
      if let entry = ring[number] { order.add(entry.decoded, isFirst: number == keyframe) }
    }
    guard order.mistakes(entry.decoded) else { return true }
    next = behind
    (lastTime, lastTick, lastPeriod) = (last.time, tick, Int(last.period))
    return true
  }

  private func drop() -> Sent {
    next += 1
    counts.droppedForStorage += 1
    return .sent
  }

  /// Ticks of the next picture: its own, and that of the one in whose turn it is seen.
  private func times(of entry: FrameRing.Entry, _ ring: FrameRing, _ clock: ClipClock) -> (time: Int, seen: Int)? {
    guard let seen = tick(of: max(next + Int(entry.lag), ticksFrom), ring, clock),
      let time = tick(of: next, ring, clock)
    else { return nil }
    // Pictures may still be seen in the turns of the last few.
    if ticks.count > 256, next - ticksFrom > 192 {
      ticks.removeFirst(128)
      ticksFrom += 128
    }
    return (time, seen)
  }

  private func tick(of number: Int, _ ring: FrameRing, _ clock: ClipClock) -> Int? {
    while ticksFrom + ticks.count <= number {
      guard let ahead = ring[ticksFrom + ticks.count] else { return nil }
      ticks.append(
        run.tick(frame: clock.frame(at: ahead.time, world.sound), period: Double(ahead.period) * clock.stretch))
    }
    return ticks[number - ticksFrom]
  }

  private func count(_ entry: FrameRing.Entry, _ ring: FrameRing, tick: Int) {
    guard next >= firstShown else { return }
    if next + Int(entry.lag) < cleanTurn {
      counts.unseen += 1
      counts.droppedBeforeKeyframe += 1
    }
    // A picture's time is that of the turn with its number.
    if let blind, next >= cleanTurn {
      // What came before a clip that begins in a hole was not seen.
      let delta = blind.time < start ? 0 : Double(tick - blind.tick) / Double(PresentationRun.timescale)
      counts.longestDelta = max(counts.longestDelta, delta)
      noteGap(to: entry.time, blind.reason)
    }
    if entry.isLate { counts.late += 1 }
    counts.largestSmoothing = max(counts.largestSmoothing, Double(abs(entry.shift)) / 1e9)
    let isBehindLoss = entry.missing > 0 || entry.cause == .lost || isWaitingForKeyframe || next == keyframe
    guard next > firstShown, isBehindLoss else { return }
    if next + max(0, Int(entry.lag)) < cleanTurn {
      if blind == nil, let lastTime { blind = (lastTime, lastTick, lastPeriod, reason(before: entry)) }
      return
    }
    // The one that decoding begins with is seen later than it came where others were to be seen before it.
    let seen = entry.isKeyframe ? ring[next + max(0, Int(entry.lag))]?.time : nil
    noteGap(to: seen ?? entry.time, reason(before: entry))
  }

  private func reason(before entry: FrameRing.Entry) -> String {
    if isWaitingForKeyframe { return "storage" }
    return entry.epoch != epoch ? "camera-changed" : entry.cause == .lost ? "camera-lost" : "camera-missed"
  }

  /// Notes that nothing is new from the end of the last picture on.
  private func noteGap(to time: Instant, _ reason: String) {
    guard let last = blind?.time ?? lastTime else {
      // Those that the clip was to begin with were let go before they could be sent.
      return gaps.note("picture", from: 0, seconds: position(of: time), reason: reason)
    }
    let period = Double(blind?.period ?? lastPeriod) / 1e9
    let why = blind?.reason ?? reason
    blind = nil
    let seconds = (time - last).inSeconds
    guard seconds > 1.5 * period else { return }
    gaps.note("picture", from: position(of: last) + period, seconds: seconds - period, reason: why)
  }

  /// Pictures were let go before they could be sent: the storage has been too slow for too long.
  private func skipEvicted(_ ring: FrameRing) {
    counts.droppedForStorage += ring.first - next
    next = ring.first
    isWaitingForKeyframe = true
    guard next >= ticksFrom + ticks.count else { return }
    ticks = []
    ticksFrom = next
  }

  // MARK: The end

  /// Fixes the end in front of the picture that is seen in a turn: the next one's number, or the turn in which that is seen.
  private func finish(
    before turn: Int, _ cut: CutPlanner.Cut, _ ring: FrameRing, clock: ClipClock
  ) -> Bool {
    guard let entry = ring[turn], let following = ring[next] else { return false }
    // An end that was ordered late may lie before what is sent already.
    let wanted = max(cut.end, lastTime ?? cut.end)
    let isNear = (entry.time - wanted).nanoseconds <= Int64(entry.period) * 5 / 2
    guard let tick = tick(of: turn, ring, clock) else { return false }
    trailing = reorderDepth
    finish(at: isNear ? entry.time : wanted, tick: isNear ? tick : nil, clock: clock)
    noteGap(to: isNear ? entry.time : wanted, reason(before: following))
    return true
  }

  /// The picture at the end does not come: the camera is away, or silent.
  func endWithoutPicture(_ cut: CutPlanner.Cut, now: Instant, clock: ClipClock) {
    if beginsInHole {
      let since = heldSince ?? now
      heldSince = since
      if now - since >= Self.longestHold { beginsInHole = false }
    }
    guard !isSent, now >= cut.end else { return }
    let (isRunning, hasMore) = world.buffer.withLock { shared in
      (shared.isRunning, shared.ring?[next] != nil)
    }
    guard !isRunning || now >= cut.end + ClipBeginning.patience else { return }
    // Nothing comes behind a hole: what came before it is all that there is.
    beginsInHole = false
    // What is in the ring still waits for room in the pipe.
    guard !hasMore || isOver else { return }
    trailing = 0
    guard end == nil else { return }
    finish(at: cut.end, tick: nil, clock: clock)
    noteGap(to: cut.end, isRunning ? "camera-missed" : "camera-lost")
  }

  /// - Parameter tick: of the picture at that time, of the next clip's perhaps; `nil`: there is none.
  private func finish(at time: Instant, tick: Int?, clock: ClipClock) {
    let last = next - 1 - ticksFrom
    let after = ticks.indices.contains(last) ? ticks[last] + 1 : 0
    let tick = max(tick ?? run.ideal(frame: clock.frame(at: time, world.sound)), firstTick + 1, after)
    endTick = tick + delay
    endFrame = max(run.frame(ofTick: tick), firstFrame)
    end = time
  }
}
