internal import Hardware
internal import Media
internal import Recording

/// A clip of one keyframe every so often, shown at thirty a second, without sound. Media lane only.
///
/// Only keyframes: they stand alone, so that nothing has to be encoded again.
struct TimeLapse {
  let number: Int
  let interval: Duration
  /// When the next picture is due.
  private var due: Instant
  private var receipt = Receipt()
  private var codec: VideoCodec?
  private var epoch: Int32 = 0
  private var next = 0
  private var order = DecodedOrder()
  private(set) var pictures = 0
  /// Why it is over: nothing more can be put into it.
  private(set) var over: StopReason?
  /// What keeps pictures from being taken, for people.
  private(set) var complaint: String?

  /// A camera that sends only parts of a refresh for so long has to be set otherwise.
  private static let patience = Duration.seconds(3)

  init(number: Int, trigger: Trigger, interval: Duration) {
    self.number = number
    self.interval = max(interval, .milliseconds(100))
    due = trigger.time
    receipt.number = number
    receipt.causes = [Receipt.Cause(trigger: trigger, outcome: "started")]
    receipt.requestedStart = trigger.time
    receipt.timeLapseSeconds = self.interval.inSeconds
  }

  /// Sends the keyframe that is due, if it has come.
  mutating func step(_ world: ClipWorld, now: Instant) {
    guard over == nil, now >= due else { return }
    let (due, next, known) = (due, next, codec)
    let (epoch, order) = (epoch, order)
    let pipe = world.pipe
    let (number, tick) = (number, pictures * Receipt.lapseTicks)
    var refreshes = false
    // The beginning is sent before the first picture, so the first one is only looked at.
    let found = world.buffer.withLock { shared -> Found? in
      guard let ring = shared.ring else { return nil }
      let after = ring.number(at: due - .nanoseconds(1)).map { $0 + 1 } ?? ring.first
      var place = ring.keyframe(from: max(after, next))
      // Where pictures are refreshed bit by bit, none stands alone; of those in open groups a decoder shows the ones whose
      // count seems to go on.
      while let keyframe = place, let entry = ring[keyframe],
        entry.recovery > 0 || entry.epoch == epoch && entry.orderBits > 0 && order.mistakes(entry.decoded)
      {
        place = ring.keyframe(from: keyframe + 1)
        refreshes = refreshes || entry.recovery > 0
      }
      guard let keyframe = place, let entry = ring[keyframe], let bytes = ring.picture(keyframe),
        let format = shared.formats[entry.epoch]
      else { return nil }
      let parameters = format.codec == .h264 ? H264Parameters(in: bytes) : nil
      if known != nil, entry.epoch == epoch {
        // Each says its own sets: what lies between them may have changed them.
        let filter: SampleFilter? = format.codec == .h264 ? .withSets : nil
        let size = filter?.size(of: bytes) ?? bytes.count
        guard size > 0, pipe.hasRoom(picture: size) else { return nil }
        pipe.append(picture: bytes, by: filter, to: number, tick: tick, isKeyframe: true, bytes: size)
      }
      return Found(number: keyframe, entry: entry, format: format, parameters: parameters)
    }
    guard let found else {
      if refreshes, now - due >= Self.patience {
        complaint =
          "the camera refreshes its pictures bit by bit; a time-lapse needs whole ones: set it to IDR pictures"
        over = .error
      }
      return
    }
    guard known == nil || found.entry.epoch == epoch else {
      over = .split
      return
    }
    guard known != nil else { return begin(found, world, now: now) }
    self.next = found.number + 1
    pictures += 1
    self.order.add(found.entry.decoded, isFirst: true)
    receipt.end = found.entry.time
    // Turns that nothing came for are left out, not made up for, and told.
    var turns = 0
    repeat {
      self.due = self.due + interval
      turns += 1
    } while self.due <= found.entry.time
    if found.entry.cause == .none {
      receipt.pictures.droppedBeforeKeyframe += turns - 1
    } else {
      receipt.pictures.missedByDevice += turns - 1
    }
  }

  private struct Found {
    var number: Int
    var entry: FrameRing.Entry
    var format: VideoFormat
    var parameters: H264Parameters?
  }

  private mutating func begin(_ found: Found, _ world: ClipWorld, now: Instant) {
    guard found.format.codec == .mjpeg || found.parameters != nil else {
      over = .error
      return
    }
    codec = found.format.codec
    epoch = found.entry.epoch
    next = found.number
    receipt.start = found.entry.time
    receipt.pictures.codec = found.format.codec.rawValue
    receipt.pictures.width = found.parameters?.width ?? found.format.width
    receipt.pictures.height = found.parameters?.height ?? found.format.height
    receipt.anchors = [Receipt.Anchor(instant: now, wall: world.clock.wallNow)]
    let track = PictureTrack(
      codec: found.format.codec, width: receipt.pictures.width, height: receipt.pictures.height,
      configuration: found.parameters?.configuration ?? [])
    var opening = RecordingOpening(
      number: number, kind: .clip, sound: nil, createdAt: world.wall(of: found.entry.time, now: now), receipt: receipt)
    opening.pictures = track
    opening.isSlow = true
    world.pipe.append(.begin(opening))
    step(world, now: now)
  }

  /// Ends the clip with the last picture that was taken.
  mutating func end(_ world: ClipWorld, now: Instant, _ reason: StopReason) {
    guard codec != nil else { return }
    receipt.stopReason = reason.rawValue
    receipt.requestedEnd = now
    receipt.pictures.missedByDevice += max(0, Int((now - due).nanoseconds / interval.nanoseconds))
    receipt.duration = Double(pictures * Receipt.lapseTicks) / Double(PictureTrack.timescale)
    receipt.lastMediaAt = now
    var ending = RecordingEnding(number: number, reason: reason, frames: 0, receipt: receipt)
    ending.endTick = pictures * Receipt.lapseTicks
    world.pipe.append(.end(ending))
  }
}
