internal import Hardware
internal import Media
internal import Recording

/// What open clips work with.
struct ClipWorld {
  let buffer: PictureBuffer
  let sound: CaptureInput
  let pipe: RecordingPipe
  let clock: any DeviceClock

  /// What the wall clock showed, or will show, at an instant.
  func wall(of instant: Instant, now: Instant) -> WallTime {
    WallTime(nanosecondsSince1970: clock.wallNow.nanosecondsSince1970 - (now - instant).nanoseconds)
  }
}

/// A clip being made: its pictures and its sound in turns, and what is to be told of it. Media lane only.
final class OpenClip {
  private enum Stage {
    /// Its first keyframe, or the end of the clip that it continues, is still to come.
    case waiting
    case running
    /// Everything is in the pipe.
    case done
    /// Nothing came of it.
    case refused(code: String, text: String)
  }

  let number: Int
  var cut: CutPlanner.Cut
  /// The storage takes no more of it.
  var refusal: StopReason?
  private var stage = Stage.waiting
  private var receipt = Receipt()
  private let world: ClipWorld
  private let bitrateKbps: Int
  private let gaps = GapLog()
  private var pictures: ClipPictures?
  /// `nil` if there is no microphone.
  private var sound: ClipSound?

  /// What is sent of one track before the other has its turn, seconds.
  private static let turnSeconds = 0.25
  /// Triggers that the receipt names, the first ones: it has to be read, too.
  private static let mostCauses = 1000

  init(_ cut: CutPlanner.Cut, bitrateKbps: Int, world: ClipWorld) {
    number = cut.number
    self.cut = cut
    self.bitrateKbps = bitrateKbps
    self.world = world
  }

  var isWaiting: Bool { if case .waiting = stage { true } else { false } }
  var isRunning: Bool { if case .running = stage { true } else { false } }
  var isDone: Bool { if case .done = stage { true } else { false } }
  var refused: (code: String, text: String)? {
    if case .refused(let code, let text) = stage { (code, text) } else { nil }
  }
  var isOver: Bool { isDone || refused != nil }

  /// Since when the microphone's sound has not fitted into it.
  private var deafSince: Instant?

  func listen(at now: Instant) -> Instant? {
    deafSince = isRunning && sound?.isDeaf ?? isMute ? deafSince ?? now : nil
    return deafSince
  }

  /// It was begun beside a microphone of a rate that AAC has not, and what is heard now would fit.
  private var isMute: Bool {
    world.sound.isRunning && !world.sound.isUntimed && AACEncoder.takes(sampleRate: world.sound.format.sampleRate)
  }

  /// Where it ends; `nil` until that is known.
  var end: Instant? { pictures?.end }
  /// Frames of sound that are encoded.
  var sentFrames: Int { sound?.sentFrames ?? 0 }

  /// The oldest picture that it still needs; `nil` if none.
  func pinned(in ring: FrameRing) -> Int? {
    if isWaiting { return ring.number(at: cut.start).flatMap { ring.start(of: $0) } ?? ring.firstKeyframe }
    return isRunning ? pictures?.pinned : nil
  }

  /// Whether sound of before a loss of the microphone is still to be taken out of the history.
  func wantsHistory(_ clock: ClipClock) -> Bool {
    isRunning && sound?.wantsHistory(until: pictures?.endFrame, clock) == true
  }

  // MARK: The beginning

  /// Sends the beginning down the pipe, if the first keyframe is there.
  func begin(now: Instant, clock: ClipClock) {
    switch ClipBeginning.search(cut, in: world.buffer, now: now) {
    case .notYet: return
    case .never(let code, let text): stage = .refused(code: code, text: text)
    case .found(let found):
      do throws(MediaError) {
        try open(found, now: now, clock: clock)
        stage = .running
      } catch {
        fail("the clip's sound cannot be encoded: \(error)")
      }
    }
  }

  private func fail(_ text: String) { stage = .refused(code: "internal", text: text) }

  private func open(_ found: ClipBeginning, now: Instant, clock: ClipClock) throws(MediaError) {
    let pictures = ClipPictures(found, of: number, world, gaps: gaps, clock: clock)
    self.pictures = pictures
    // Pictures are kept in any case.
    if world.sound.hasDevice, AACEncoder.takes(sampleRate: clock.rate) {
      sound = try ClipSound(
        of: number, from: pictures.firstFrame, world, gaps: gaps, clock: clock, bitrateKbps: bitrateKbps)
    }
    receipt.number = number
    receipt.requestedStart = cut.start
    receipt.start = found.start
    receipt.continues = cut.continues
    receipt.sound.sampleRate = sound?.track.pcm.sampleRate ?? 0
    receipt.sound.channels = sound?.track.pcm.channels ?? 0
    receipt.sound.bitrateKbps = sound?.track.bitrateKbps ?? 0
    note(now, pictures)
    var opening = RecordingOpening(
      number: number, kind: cut.isSpool ? .spool : .clip, sound: sound?.track,
      createdAt: world.wall(of: found.start, now: now), receipt: receipt)
    opening.pictures = pictures.track
    opening.skippedTicks = pictures.skippedTicks
    opening.continues = cut.continues
    world.pipe.append(.begin(opening))
  }

  /// Puts what is known now into the receipt.
  private func note(_ now: Instant, _ pictures: ClipPictures) {
    receipt.requestedEnd = cut.end
    receipt.causes = cut.triggers.prefix(Self.mostCauses).enumerated().map {
      Receipt.Cause(trigger: $1, outcome: $0 == 0 ? "started" : "joined")
    }
    receipt.pictures = pictures.receipt
    receipt.anchors.append(Receipt.Anchor(instant: now, wall: world.clock.wallNow))
  }

  // MARK: What follows

  /// Sends what there is, picture and sound in turns, and the end.
  ///
  /// - Parameter limit: from here on a keyframe splits it.
  /// - Returns: where it has to be split: call again when its cut says so.
  func send(now: Instant, clock: ClipClock, splitAt limit: Instant?, slice: WorkSlice) -> Instant? {
    guard isRunning, let pictures else { return nil }
    do throws(MediaError) {
      var isMoving = true
      while isMoving {
        isMoving = false
        sending: while mayGoOn(pictures) {
          switch pictures.send(cut, clock: clock, splitAt: limit, slice: slice) {
          case .sent: isMoving = true
          case .none: break sending
          case .split(let time): return time
          }
        }
        pictures.endWithoutPicture(cut, now: now, clock: clock)
        guard let sound else { continue }
        let seen = pictures.position ?? 0
        while sound.position < seen + Self.turnSeconds {
          guard try sound.send(until: end(of: pictures), now: now, clock: clock, slice: slice) else { break }
          isMoving = true
        }
        // Without pictures sound sets the pace.
        if !isMoving, pictures.end == nil {
          isMoving = try sound.send(until: nil, now: now, clock: clock, slice: slice)
        }
      }
      try finish(pictures, now: now)
    } catch {
      fail("the sound encoder failed: \(error)")
    }
    return nil
  }

  /// Whether it is the pictures' turn.
  private func mayGoOn(_ pictures: ClipPictures) -> Bool {
    guard let sound, pictures.end == nil else { return true }
    return pictures.position ?? -1 < sound.position + Self.turnSeconds
  }

  private func end(of pictures: ClipPictures) -> (time: Instant, frame: Int)? {
    guard let end = pictures.end, let frame = pictures.endFrame else { return nil }
    return (end, frame)
  }

  /// Sends the end, once everything before it is in the pipe.
  private func finish(_ pictures: ClipPictures, now: Instant) throws(MediaError) {
    guard pictures.isSent, let (end, endFrame) = end(of: pictures) else { return }
    if let sound, try !sound.finish(at: endFrame) { return }
    let reason = refusal ?? (cut.isSplitAway ? .split : cut.isCutShort ? .user : .postRoll)
    let ticks = pictures.endTick - pictures.skippedTicks
    receipt.stopReason = reason.rawValue
    receipt.requestedStart = min(receipt.requestedStart, cut.start)
    receipt.end = end
    receipt.sound.frames = sound == nil ? 0 : endFrame - pictures.firstFrame
    receipt.duration = sound?.position ?? Double(ticks) / Double(PresentationRun.timescale)
    if sound == nil, world.sound.hasDevice {
      gaps.note("sound", from: 0, seconds: receipt.duration, reason: "microphone-rate")
    }
    receipt.gaps = gaps.gaps
    receipt.largestSkew = pictures.largestSkew
    receipt.soundDriftPPM = world.sound.isRunning ? world.sound.driftPPM : 0
    receipt.lastMediaAt = now
    note(now, pictures)
    var ending = RecordingEnding(number: number, reason: reason, frames: receipt.sound.frames, receipt: receipt)
    ending.endTick = pictures.endTick
    world.pipe.append(.end(ending))
    stage = .done
  }
}
