internal import Hardware
internal import Recording
internal import Sound

/// A take being made: which frames of the capture it still wants, and how they are joined.
struct OpenTake {
  enum Phase: Equatable {
    case running
    /// Sound up to this frame still belongs to it.
    case pausing(at: Int)
    case paused
    case ending(at: Int, reason: StopReason, giveUp: Instant)
  }

  /// An order that came before the pause ahead of it was reached: sound can be late by seconds.
  private enum Boundary {
    case pause(at: Int)
    case resume(at: Int)
    case end(at: Int, reason: StopReason, giveUp: Instant)
  }

  /// Its files, with the encoder.
  let files: TakeFiles
  let format: PCMFormat
  var phase = Phase.running
  /// Next frame of the capture to be encoded.
  var cursor: Int
  /// Frames of the take so far.
  private(set) var written = 0
  /// Frames of silence to be encoded before the frame at `cursor`.
  var owedSilence = 0
  /// Those of the present range.
  private var fades: Fades
  /// What happens after the pause that is being waited for, in order.
  private var pending: [Boundary] = []
  /// Where the present range began: in the capture, and in the take.
  private var rangeStart: Int
  private var rangePosition = 0
  /// The gap that the last frames were part of; told once its end is known.
  private var openGap: CaptureGap?
  /// What it is made of.
  let sound: ShapedSound

  /// Frames of the fades at a pause: 5 ms.
  private let fadeFrames: Int
  /// Frames of a take that was ended before its first sound came: 20 ms.
  private let leastFrames: Int
  /// Frames that a running take holds back: a fade, and 20 ms by which a key's order may come after its edge.
  private let heldBackFrames: Int

  init(files: TakeFiles, format: PCMFormat, first: Int, sound: ShapedSound) {
    self.files = files
    self.format = format
    self.sound = sound
    cursor = first
    rangeStart = first
    fadeFrames = format.sampleRate / 200
    fades = Fades(frames: fadeFrames, channels: format.channels)
    leastFrames = format.sampleRate / 50
    heldBackFrames = fadeFrames + leastFrames
  }

  /// Whether sound is being taken in.
  var isConsuming: Bool { phase != .paused }

  // MARK: Boundaries

  /// Ends the present range at `frame`; never closer than a fade behind what is encoded.
  mutating func pause(at frame: Int) {
    switch phase {
    case .running:
      let end = max(frame, cursor + fadeFrames)
      phase = .pausing(at: end)
      fades.end = end
    case .pausing: pending.append(.pause(at: frame))
    case .paused, .ending: break
    }
  }

  /// Begins the next range at `frame`.
  mutating func resume(at frame: Int) {
    switch phase {
    case .paused:
      cursor = max(frame, cursor)
      rangeStart = cursor
      rangePosition = position
      fades.start = cursor
      phase = .running
    case .pausing: pending.append(.resume(at: frame))
    case .running, .ending: break
    }
  }

  /// Ends the take at `frame`, or where it is paused. Who was told that a take is recorded finds one: it has its first
  /// sound, even if that came after the end.
  mutating func end(at frame: Int, reason: StopReason, giveUp: Instant) {
    let frame = position == 0 && frame <= cursor ? cursor + leastFrames : frame
    switch phase {
    case .ending(let end, let earlier, let patience):
      phase = .ending(at: min(end, max(frame, cursor)), reason: earlier, giveUp: min(patience, giveUp))
    case .paused: phase = .ending(at: cursor, reason: reason, giveUp: giveUp)
    case .pausing: pending.append(.end(at: frame, reason: reason, giveUp: giveUp))
    case .running: phase = .ending(at: max(frame, cursor), reason: reason, giveUp: giveUp)
    }
  }

  /// Ends the take with the sound up to `frame`: nothing after it will come, or can be kept.
  ///
  /// - Parameter reason: counts unless the take was to end already.
  mutating func cut(at frame: Int, reason: StopReason) {
    var reason = reason
    for case .end(_, let earlier, _) in pending { reason = earlier }
    pending = []
    let limit = max(frame, cursor)
    switch phase {
    case .ending(let end, let earlier, _): phase = .ending(at: min(end, limit), reason: earlier, giveUp: .zero)
    case .pausing(let end): phase = .ending(at: min(end, limit), reason: reason, giveUp: .zero)
    case .paused: phase = .ending(at: cursor, reason: reason, giveUp: .zero)
    case .running: phase = .ending(at: limit, reason: reason, giveUp: .zero)
    }
  }

  /// Goes on to what comes after a pause that has been reached; false if nothing has been reached.
  mutating func crossPause() -> Bool {
    guard case .pausing(let end) = phase, cursor >= end else { return false }
    phase = .paused
    fades.end = nil
    let orders = pending
    pending = []
    for order in orders {
      switch order {
      case .pause(let frame): pause(at: frame)
      case .resume(let frame): resume(at: frame)
      case .end(let frame, let reason, let giveUp): self.end(at: frame, reason: reason, giveUp: giveUp)
      }
    }
    return true
  }

  /// The frame up to which may be encoded now: a running take holds some back, in case a pause or stop
  /// of a moment ago comes.
  func limit(available: Int, now: Instant) -> Int {
    switch phase {
    case .running: available - heldBackFrames
    case .pausing(let end): min(available, end)
    case .paused: cursor
    case .ending(let end, _, _): min(available, end)
    }
  }

  /// The frame at which the present range ends; `nil` while it is open.
  var boundary: Int? {
    switch phase {
    case .running, .paused: nil
    case .pausing(let end), .ending(let end, _, _): end
    }
  }

  /// Whether its end is known, or follows from a pause that is.
  var isEnding: Bool {
    if case .ending = phase { return true }
    return pending.contains { if case .end = $0 { true } else { false } }
  }

  /// Whether sound that has not arrived by `now` is not waited for any more.
  func hasGivenUp(at now: Instant) -> Bool {
    if case .ending(_, _, let giveUp) = phase { return now >= giveUp }
    for case .end(_, _, let giveUp) in pending { return now >= giveUp }
    return false
  }

  /// Why the take ends, once everything that belongs to it is encoded.
  var reachedEnd: StopReason? {
    guard case .ending(let end, let reason, _) = phase, cursor >= end else { return nil }
    return reason
  }

  /// Frames of the take up to `cursor`, the silence that is still owed included.
  var position: Int { written + owedSilence }

  /// The frame of the take that holds (or would hold) this frame of the capture; in a pause, the joint.
  func takeFrame(of frame: Int) -> Int {
    if frame < rangeStart { return rangePosition }
    guard phase != .paused else { return position }
    var place = position + min(frame, boundary ?? frame) - cursor
    // Beyond the pause: ranges that are ordered and not reached yet. Each will have room for its fade.
    var start: Int?
    var end = boundary ?? cursor
    for order in pending {
      switch order {
      case .resume(let at): start = max(at, end)
      case .pause(let at):
        guard let begin = start else { break }
        end = max(at, begin + fadeFrames)
        place += max(0, min(frame, end) - begin)
        start = nil
      case .end(let at, _, _):
        if let begin = start { place += max(0, min(frame, at) - begin) }
        start = nil
      }
    }
    if let begin = start { place += max(0, frame - begin) }
    return max(0, place)
  }

  // MARK: Gaps

  /// Notes that `frames` frames at `position` of the take are silence for lost sound.
  ///
  /// - Returns: the gap before it, if that is another one.
  mutating func noteGap(at position: Int, frames: Int, reason: String) -> CaptureGap? {
    guard frames > 0 else { return nil }
    if let gap = openGap, gap.frame + gap.frames == position, gap.reason == reason {
      openGap = CaptureGap(frame: gap.frame, frames: gap.frames + frames, reason: reason)
      return nil
    }
    let finished = openGap
    openGap = CaptureGap(frame: position, frames: frames, reason: reason)
    return finished
  }

  /// The last gap, if its end is known: sound came after it, or the range is over.
  mutating func takeFinishedGap(isRangeOver: Bool) -> CaptureGap? {
    guard let gap = openGap, isRangeOver || gap.frame + gap.frames < position else { return nil }
    openGap = nil
    return gap
  }

  /// Counts frames of the capture as encoded.
  mutating func advance(by frames: Int) {
    cursor += frames
    written += frames
  }

  /// Counts silence as encoded.
  mutating func advanceSilence(by frames: Int) {
    owedSilence -= frames
    written += frames
  }

  // MARK: Samples

  /// Goes to another gain.
  func setGain(_ gain: Float) {
    sound.setGain(gain)
    files.safety?.setGain(gain)
  }

  /// Copies frames of the capture from `cursor` on as they go into the file, faded in after a resume and out before a
  /// pause; a safety take has the same ones.
  ///
  /// - Returns: how many there are.
  mutating func read(into samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let count = sound.read(from: cursor, into: samples, frames: frames)
    guard count > 0 else { return 0 }
    fades.apply(to: samples, from: cursor, count)
    files.safety?.read(from: cursor, fades)
    if let start = fades.start, cursor + count >= start + fadeFrames { fades.start = nil }
    return count
  }
}

/// How the range of a take fades in after a resume, and out before a pause.
struct Fades {
  /// Frame of the capture at which it begins to.
  var start: Int?
  /// Frame of the capture at which it is silent.
  var end: Int?
  /// Frames of each.
  let frames: Int
  let channels: Int

  init(frames: Int, channels: Int) { (self.frames, self.channels) = (frames, channels) }

  var areNone: Bool { start == nil && end == nil }

  /// Fades `count` frames of the capture that begin with frame `cursor`, in place.
  func apply(to samples: UnsafeMutablePointer<Float>, from cursor: Int, _ count: Int) {
    if let start {
      for frame in max(0, start - cursor)..<max(0, min(count, start + frames - cursor)) {
        scale(samples, frame, by: Float(cursor + frame - start) / Float(frames))
      }
    }
    if let end, end - cursor - count < frames {
      for frame in max(0, end - frames - cursor)..<max(0, min(count, end - cursor)) {
        scale(samples, frame, by: Float(end - 1 - cursor - frame) / Float(frames))
      }
    }
  }

  private func scale(_ samples: UnsafeMutablePointer<Float>, _ frame: Int, by gain: Float) {
    for channel in 0..<channels { samples[frame * channels + channel] *= gain }
  }
}
