internal import Hardware
internal import Sound

/// A take being made: which frames of the capture it still wants, and how they are joined.
struct OpenTake {
  enum Phase: Equatable {
    case running
    /// Sound up to this frame still belongs to it.
    case pausing(at: Int)
    case paused
    case ending(at: Int, reason: TakeStopReason, giveUp: Instant)
  }

  let encoder: TakeEncoder
  let loudness: LoudnessMeter
  let format: PCMFormat
  var phase = Phase.running
  /// Next frame of the capture to be encoded.
  var cursor: Int
  /// Frames of the take so far.
  private(set) var written = 0
  /// Frames of silence to be encoded before the frame at `cursor`.
  var owedSilence = 0
  /// Where the present range began, if it fades in.
  private var fadeInStart: Int?
  /// Input gain; at 1 it touches nothing.
  var gain: GainRamp

  /// Frames of the fades at a pause: 5 ms.
  private let fadeFrames: Int

  init(encoder: TakeEncoder, format: PCMFormat, first: Int, gain: Float) {
    self.encoder = encoder
    self.format = format
    loudness = LoudnessMeter(format: format)
    self.gain = GainRamp(format: format, gain: gain)
    cursor = first
    fadeFrames = format.sampleRate / 200
  }

  /// Whether sound is being taken in.
  var isConsuming: Bool { phase != .paused }

  // MARK: Boundaries

  /// Ends the present range at `frame`; never closer than a fade ahead of what is encoded.
  mutating func pause(at frame: Int) {
    guard phase == .running else { return }
    phase = .pausing(at: max(frame, cursor + fadeFrames))
  }

  /// Begins the next range at `frame`.
  mutating func resume(at frame: Int, oldest: Int) {
    switch phase {
    case .paused:
      cursor = max(frame, cursor, oldest)
      fadeInStart = cursor
      phase = .running
    case .pausing:
      // Resumed before the pause was reached: there never was one.
      phase = .running
    case .running, .ending: break
    }
  }

  /// Ends the take at `frame`, or where it is paused.
  mutating func end(at frame: Int, reason: TakeStopReason, giveUp: Instant) {
    switch phase {
    case .ending(let end, let earlier, let patience):
      phase = .ending(at: min(end, max(frame, cursor)), reason: earlier, giveUp: min(patience, giveUp))
    case .paused: phase = .ending(at: cursor, reason: reason, giveUp: giveUp)
    case .pausing(let end): phase = .ending(at: min(end, max(frame, cursor)), reason: reason, giveUp: giveUp)
    case .running: phase = .ending(at: max(frame, cursor), reason: reason, giveUp: giveUp)
    }
  }

  /// The frame up to which may be encoded now: a running take holds back one fade, in case a pause comes.
  func limit(available: Int, now: Instant) -> Int {
    switch phase {
    case .running: available - fadeFrames
    case .pausing(let end): min(available, end)
    case .paused: cursor
    case .ending(let end, _, _): min(available, end)
    }
  }

  var hasReachedPause: Bool {
    if case .pausing(let end) = phase { cursor >= end } else { false }
  }

  /// Why the take ends, once everything that belongs to it is encoded or will not come any more.
  func reachedEnd(available: Int, now: Instant) -> TakeStopReason? {
    guard case .ending(let end, let reason, let giveUp) = phase else { return nil }
    return cursor >= end || (cursor >= available && now >= giveUp) ? reason : nil
  }

  /// The frame of the take that holds (or would hold) this frame of the capture.
  func takeFrame(of frame: Int) -> Int {
    let position = written + owedSilence + frame - cursor
    // While paused, everything happens at the joint.
    return max(0, phase == .paused ? min(position, written) : position)
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

  /// Fades in after a resume and out before a pause, on the chunk that begins at `cursor`.
  mutating func applyFades(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    if let start = fadeInStart {
      for frame in max(0, start - cursor)..<max(0, min(frames, start + fadeFrames - cursor)) {
        scale(samples, frame, by: Float(cursor + frame - start) / Float(fadeFrames))
      }
      if cursor + frames >= start + fadeFrames { fadeInStart = nil }
    }
    if case .pausing(let end) = phase, end - cursor - frames < fadeFrames {
      for frame in max(0, end - fadeFrames - cursor)..<max(0, min(frames, end - cursor)) {
        scale(samples, frame, by: Float(end - 1 - cursor - frame) / Float(fadeFrames))
      }
    }
  }

  private func scale(_ samples: UnsafeMutablePointer<Float>, _ frame: Int, by gain: Float) {
    for channel in 0..<format.channels { samples[frame * format.channels + channel] *= gain }
  }
}
