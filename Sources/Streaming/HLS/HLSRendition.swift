internal import Hardware
internal import Media

/// The sound of another rendition (RFC 8216 section 4.3.4.1), laid onto the main sound's timeline by the source's time
/// stamps. Whatever happens to it, the main sound does not notice; what is missing of it is left out, so that the main
/// sound can be heard there. One thread: that of the main programme.
final class HLSRendition: Programme {
  let language: String
  private let track: HLSTrack
  private let decoder: StreamDecoder?
  private let epochs: EpochMap
  private let options: HLSOptions
  /// Another one of its language may be had in its place.
  private let hasOther: Bool
  private var queue = SoundQueue()

  private var hasSegment = false
  private var madeSound = false
  private var discontinuity: Int?
  /// What is decoded and cannot be placed yet, because the main sound has not come there.
  private var waiting: StreamSound?
  /// The epoch that blocks go to, and the frame of the timeline at which the next one of the run begins in it.
  private var run: (epoch: Int, next: Int)?
  /// Far from any frame, and from overflow.
  private static let nowhere = -(1 << 48)
  /// 10 ms: the tolerance of time stamps.
  private static let mostFilled = 480
  private var hasBegun = false
  private var isOver = false
  /// Why the last segment gave nothing; `nil` if it gave sound.
  private var missed: StreamFault?
  /// The last fault for which sound was left out, and the frame at which sound goes on behind it; it is read seconds
  /// ahead of what is heard.
  private var hole: (fault: StreamFault, end: Int)?
  /// Segments that gave nothing, one after the other.
  private var misses = 0
  /// Why it cannot be had.
  private(set) var failure: StreamFault?

  /// After so many that give nothing another one is worth trying.
  private static let mostMisses = 3

  /// - Parameter epoch: of what is heard where it is to begin.
  init(
    language: String, track: HLSTrack, epochs: EpochMap, epoch: Int, hasOther: Bool, options: HLSOptions
  ) {
    self.language = language
    self.track = track
    self.epochs = epochs
    self.hasOther = hasOther
    self.options = options
    do throws(MediaError) {
      decoder = try StreamDecoder(pictures: false, longestGap: 0.1)
    } catch {
      decoder = nil
      failure = StreamFault("internal", "\(error)")
    }
    run = (epoch, Self.nowhere)
  }

  var address: String { track.firstURL }

  var heldBytes: Int { track.heldBytes + (decoder?.heldBytes ?? 0) + queue.frames * 8 }

  func step(now: Instant) -> Instant? {
    lastStep = now
    guard let decoder, failure == nil else { return nil }
    var wake = track.step(now: now, room: options.segments - (hasSegment ? 1 : 0))
    let goal = min(options.decodedFrames, queue.frames + 24_000)
    // What is left out is decoded too; that must not take for ever.
    for _ in 0..<256 where queue.frames < goal && !isOver {
      guard advance(decoder) else { break }
    }
    if let again = track.step(now: now, room: options.segments - (hasSegment ? 1 : 0)) {
      wake = min(wake ?? again, again)
    }
    failure = track.failure ?? hopeless
    guard failure == nil else { return nil }
    let isBlocked = waiting != nil || queue.frames >= options.decodedFrames
    if hasSegment || track.waiting > 0 {
      return isBlocked ? min(wake ?? .distantFuture, now + .milliseconds(100)) : now
    }
    return wake
  }

  /// Nothing has come of it so far, and there is another one: it is not waited for.
  private var hopeless: StreamFault? {
    guard hasOther, !hasBegun, waiting == nil else { return nil }
    if let missed, misses >= Self.mostMisses || isOver { return missed }
    guard track.plan.isFailing else { return nil }
    return StreamFault("unreachable", track.problem ?? "\(HLSTrack.name(track.url)): nothing comes of it")
  }

  var status: ProgrammeStatus {
    var status = ProgrammeStatus()
    status.isLive = track.plan.playlist?.isEnded == false
    status.decodedFrames = queue.frames
    status.segments = track.held + (hasSegment ? 1 : 0)
    status.soundLanguages = [language]
    status.hasOther = hasOther
    (status.missed, status.missedUntil) = (hole?.fault, hole?.end ?? 0)
    if let failure {
      status.phase = .failed(failure)
    } else if queue.isEmpty, let missed {
      status.phase = .stalled(missed.text)
    } else if isOver, queue.isEmpty {
      status.phase = .ended
    } else if queue.isEmpty, let trouble = track.plan.trouble(now: lastStep) {
      status.phase = .stalled(trouble)
    } else {
      status.phase = hasBegun ? .running : .opening
    }
    return status
  }
  private var lastStep = Instant.zero

  func nextSound() -> SoundBlock? { queue.next() }
  func nextCue() -> SubtitleCue? { nil }
  func nextPicture() -> ProgrammePicture? { nil }
  func rendition(language: String, from frame: Int) -> (any Programme)? { nil }
  /// It follows the main programme, which is sought in.
  func seek(to frame: Int) {}
  func close() {
    track.close()
    failure = failure ?? .closed
  }

  /// The main programme goes elsewhere.
  func restart(at frame: Int, time: Duration) {
    decoder?.reset()
    queue.restart(at: frame)
    hasSegment = false
    waiting = nil
    run = (epochs.last.map { $0.number + 1 } ?? 0, frame)
    isOver = false
    (missed, misses, hole) = (nil, 0, nil)
    discontinuity = nil
    track.seek(to: max(.zero, time - .milliseconds(100)))
  }

  /// - Returns: false if there is nothing to do for now.
  private func advance(_ decoder: StreamDecoder) -> Bool {
    if let sound = waiting {
      waiting = nil
      return place(sound)
    }
    if hasSegment {
      do throws(MediaError) {
        switch try decoder.next() {
        case .sound(let sound):
          madeSound = true
          (missed, misses) = (nil, 0)
          return place(sound)
        case .picture: break
        case .jump: run?.next = Self.nowhere
        case nil:
          hasSegment = false
          if !madeSound, !decoder.holdsSound { miss(decoder, .silent("no sound in \(HLSTrack.name(track.url))")) }
        }
      } catch {
        hasSegment = false
        if !madeSound { miss(decoder, StreamFault(error)) }
      }
      return true
    }
    guard let next = track.take() else {
      guard track.plan.isOver else { return false }
      if let tail = try? decoder.finishRun() { _ = place(tail) }
      isOver = waiting == nil
      return isOver
    }
    open(next, decoder)
    return true
  }

  private func open(_ next: LoadedSegment, _ decoder: StreamDecoder) {
    if let discontinuity, discontinuity != next.segment.discontinuity || next.isAfterBreak {
      // The tail may still lie on the timeline; what comes behind is placed anew.
      if let tail = try? decoder.finishRun() { _ = place(tail) }
      waiting = nil
      run?.next = Self.nowhere
    }
    discontinuity = next.segment.discontinuity
    madeSound = false
    do throws(MediaError) {
      switch next.content {
      case .bytes(let bytes, let initialization):
        try decoder.begin(
          bytes, initialization: initialization, name: HLSTrack.name(next.segment.url),
          place: next.segment.range?.lowerBound)
        hasSegment = true
      case .missing(let fault): miss(decoder, fault)
      }
    } catch {
      miss(decoder, StreamFault(error))
    }
  }

  /// What is missing is left out; the next sound is placed by its time stamp.
  private func miss(_ decoder: StreamDecoder, _ fault: StreamFault) {
    missed = fault
    misses += 1
    if let tail = try? decoder.finishRun() { _ = place(tail) }
    run?.next = Self.nowhere
    hole = (fault, .max)
  }

  /// Lays sound onto the timeline.
  ///
  /// - Returns: false if it must wait.
  private func place(_ sound: StreamSound) -> Bool {
    guard let discontinuity else { return true }
    switch epochs.find(sound.time, discontinuity: discontinuity, from: run?.epoch ?? 0) {
    case .ahead:
      waiting = sound
      return false
    case .never: return true
    case .at(let epoch, let frame):
      // Within a run of one epoch, frames are counted: rounding each block would double and drop single ones.
      var start = frame
      if let run, run.epoch == epoch.number, abs(frame - run.next) <= 48 { start = run.next }
      run = (epoch.number, start + sound.frames)
      keep(sound.samples, at: start, in: epoch)
      return true
    }
  }

  private func keep(_ samples: [Float], at start: Int, in epoch: EpochMap.Epoch) {
    var start = start
    var kept = samples[...]
    let least = hasBegun ? max(epoch.start, queue.end) : max(epoch.start, 0)
    if start < least {
      kept = kept.dropFirst(2 * (least - start))
      start = least
    }
    if let end = epoch.end { kept = kept.prefix(max(0, 2 * (end - start))) }
    guard !kept.isEmpty else { return }
    if !hasBegun {
      hasBegun = true
      queue.restart(at: start)
    }
    // The last sound before it may have waited.
    if missed == nil, hole?.end == .max { hole?.end = start }
    // Rounding makes no hole; what is missing does.
    let missing = start - queue.end
    if missing > 0, missing <= Self.mostFilled {
      kept = [Float](repeating: 0, count: 2 * missing) + kept
      start = queue.end
    }
    queue.append(
      SoundBlock(
        epoch: epoch.number, start: start, samples: Array(kept),
        sourceTime: epoch.source + Int64(start - epoch.start) * 15 / 8))
  }
}
