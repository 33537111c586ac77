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
  private var epoch = 0
  private var next = 0
  private(set) var pictures = 0
  private(set) var isOver = false

  private static let ticks = PictureTrack.timescale / 30

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
  mutating func step(_ world: OpenClip.Surroundings, now: Instant) {
    guard !isOver, now >= due else { return }
    let (due, next, known) = (due, next, codec)
    let epoch = epoch
    let pipe = world.pipe
    let (number, tick) = (number, pictures * Self.ticks)
    // The beginning is sent before the first picture, so the first one is only looked at.
    let found = world.buffer.withLock { shared -> Found? in
      guard let ring = shared.ring, let format = shared.format, known == nil || shared.epoch == epoch else {
        return nil
      }
      let after = ring.number(at: due - .nanoseconds(1)).map { $0 + 1 } ?? ring.first
      guard let keyframe = ring.keyframe(from: max(after, next)), let entry = ring[keyframe],
        let bytes = ring.picture(keyframe)
      else { return nil }
      let parameters = format.codec == .h264 ? H264Parameters(in: bytes) : nil
      if known != nil {
        let size = format.codec == .h264 ? AnnexB.sampleSize(of: bytes) : bytes.count
        guard size > 0, pipe.hasRoom(picture: size) else { return nil }
        pipe.append(picture: bytes, codec: format.codec, to: number, tick: tick, isKeyframe: true, bytes: size)
      }
      return Found(number: keyframe, time: entry.time, format: format, epoch: shared.epoch, parameters: parameters)
    }
    guard let found else {
      if known != nil, world.buffer.withLock({ $0.ring != nil && $0.epoch != epoch }) { end(world, now: now, .error) }
      return
    }
    guard known != nil else { return begin(found, world, now: now) }
    self.next = found.number + 1
    pictures += 1
    receipt.end = found.time
    // Turns that nothing came for are left out, not made up for.
    repeat { self.due = self.due + interval } while self.due <= found.time
  }

  private struct Found {
    var number: Int
    var time: Instant
    var format: VideoFormat
    var epoch: Int
    var parameters: H264Parameters?
  }

  private mutating func begin(_ found: Found, _ world: OpenClip.Surroundings, now: Instant) {
    guard found.format.codec == .mjpeg || found.parameters != nil else { return end(world, now: now, .error) }
    codec = found.format.codec
    epoch = found.epoch
    next = found.number
    receipt.start = found.time
    receipt.pictures.codec = found.format.codec.rawValue
    receipt.pictures.width = found.parameters?.width ?? found.format.width
    receipt.pictures.height = found.parameters?.height ?? found.format.height
    receipt.anchors = [Receipt.Anchor(instant: now, wall: world.clock.wallNow)]
    let track = PictureTrack(
      codec: found.format.codec, width: receipt.pictures.width, height: receipt.pictures.height,
      configuration: found.parameters?.configuration ?? [])
    let wall = world.clock.wallNow.nanosecondsSince1970 - (now - found.time).nanoseconds
    var opening = RecordingOpening(
      number: number, kind: .clip, sound: nil, createdAt: WallTime(nanosecondsSince1970: wall), receipt: receipt)
    opening.pictures = track
    opening.isSlow = true
    world.pipe.append(.begin(opening))
    step(world, now: now)
  }

  /// Ends the clip with the last picture that was taken.
  mutating func end(_ world: OpenClip.Surroundings, now: Instant, _ reason: StopReason) {
    guard !isOver else { return }
    isOver = true
    guard codec != nil else { return }
    receipt.stopReason = reason.rawValue
    receipt.requestedEnd = now
    receipt.pictures.captured = pictures
    receipt.pictures.keyframes = pictures
    receipt.duration = Double(pictures * Self.ticks) / Double(PictureTrack.timescale)
    receipt.lastMediaAt = now
    var ending = RecordingEnding(number: number, reason: reason, frames: 0, receipt: receipt)
    ending.endTick = pictures * Self.ticks
    world.pipe.append(.end(ending))
  }
}
