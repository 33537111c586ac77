internal import Hardware
internal import Media
internal import Recording
internal import Sound

/// The sound of a clip being made: what of the history is still to be encoded, and silence for what is missing. Media lane
/// only.
final class ClipSound {
  let track: SoundTrack
  private let number: Int
  private let world: ClipWorld
  private let gaps: GapLog
  private let encoder: SoundEncoder
  private let firstFrame: Int
  /// Next frame of the clip's clock to be encoded.
  private var cursor: Int
  private let samples: UnsafeMutablePointer<Float>
  /// The pipe had no room when something was to be sent last: the card is what is slow.
  private var isHeldUp = false

  private static let chunkFrames = 2048
  /// While there is no microphone, silence goes on this far behind now: what comes back must find its place.
  private static let silenceLag = Duration.milliseconds(300)

  /// - Parameter firstFrame: of the clip's clock.
  init(
    of number: Int, from firstFrame: Int, _ world: ClipWorld, gaps: GapLog, clock: ClipClock, bitrateKbps: Int
  ) throws(MediaError) {
    let heard = world.sound.format
    encoder = try SoundEncoder(
      encoding: .aac, format: PCMFormat(sampleRate: clock.rate, channels: heard.channels, bits: heard.bits),
      bitrateKbps: bitrateKbps)
    track = encoder.track
    self.number = number
    self.world = world
    self.gaps = gaps
    self.firstFrame = firstFrame
    cursor = firstFrame
    samples = .allocate(capacity: Self.chunkFrames * 2)
    samples.initialize(repeating: 0, count: Self.chunkFrames * 2)
  }

  deinit { samples.deallocate() }

  /// Frames that are encoded.
  var sentFrames: Int { cursor - firstFrame }
  /// Seconds from the clip's start.
  var position: Double { Double(sentFrames) / Double(max(1, track.pcm.sampleRate)) }

  /// What the microphone delivers now is of another format than the clip's sound, which is silence meanwhile.
  var isDeaf: Bool {
    let heard = world.sound.format
    return world.sound.isRunning && !world.sound.isUntimed
      && (heard.sampleRate != track.pcm.sampleRate || heard.channels != encoder.format.channels)
  }

  /// Whether sound of before a loss of the microphone is still to be taken out of the history.
  func wantsHistory(until end: Int?, _ clock: ClipClock) -> Bool {
    guard clock.holds(world.sound) else { return false }
    let frame = cursor - clock.offset
    return cursor < end ?? .max && frame < world.sound.endFrame && frame >= world.sound.history.firstFrame
  }

  /// Encodes the next piece; false if there is none, the pipe has no room, or the step has done enough.
  ///
  /// - Parameter end: the clip's, once it is known, with the frame after the last.
  func send(until end: (time: Instant, frame: Int)?, now: Instant, clock: ClipClock, slice: WorkSlice)
    throws(MediaError)
    -> Bool
  {
    let limit = end?.frame ?? .max
    guard cursor < limit else { return false }
    guard encoder.hasRoom(in: world.pipe) else {
      isHeldUp = true
      return false
    }
    guard slice.mayEncode else { return false }
    let before = cursor
    defer { slice.encoded(frames: cursor - before) }
    let sound = world.sound
    guard clock.isHearing || wantsHistory(until: end?.frame, clock),
      sound.format.channels == encoder.format.channels
    else {
      return try encodeSilence(upTo: min(limit, clock.frame(at: now - Self.silenceLag, sound)), "microphone-lost")
    }
    let frame = cursor - clock.offset
    if frame < sound.history.firstFrame {
      let isBefore = frame < sound.firstFrameOfOpening
      let edge = isBefore ? min(sound.firstFrameOfOpening, sound.history.firstFrame) : sound.history.firstFrame
      return try encodeSilence(
        upTo: min(limit, edge + clock.offset), isBefore ? "microphone-lost" : isHeldUp ? "storage" : "processor")
    }
    if frame < sound.firstQuietFrame, frame < sound.endFrame {
      return try encodeSilence(
        upTo: min(limit, min(sound.firstQuietFrame, sound.endFrame) + clock.offset), "prompt")
    }
    let frames = sound.history.read(from: frame, into: samples, frames: min(Self.chunkFrames, limit - cursor))
    // Less work from here on, before anything is lost for want of a faster processor.
    let isShort = sound.history.capacity - (sound.endFrame - frame) < sound.format.sampleRate * 2
    if isShort, !isHeldUp { try encoder.use(.narrow) }
    // Until all is caught up with that a card has held up.
    if !isShort { isHeldUp = false }
    guard frames > 0 else {
      // What has not come long after the end does not come any more.
      guard let end, now >= end.time + ClipBeginning.patience else { return false }
      return try encodeSilence(upTo: limit, "overrun")
    }
    try encode(frames)
    for gap in sound.gaps {
      let missing = (gap.frame..<(gap.frame + gap.frames)).clamped(to: frame..<(frame + frames))
      if !missing.isEmpty { noteSilence(from: missing.lowerBound + clock.offset, frames: missing.count, gap.reason) }
    }
    cursor += frames
    return true
  }

  private func encodeSilence(upTo end: Int, _ reason: String) throws(MediaError) -> Bool {
    let frames = min(Self.chunkFrames, end - cursor)
    guard frames > 0 else { return false }
    samples.update(repeating: 0, count: frames * encoder.format.channels)
    try encode(frames)
    noteSilence(from: cursor, frames: frames, reason)
    cursor += frames
    return true
  }

  private func encode(_ frames: Int) throws(MediaError) {
    try encoder.encode(samples, frames: frames) { world.pipe.append(sound: $0, to: number, frames: $1) }
  }

  private func noteSilence(from frame: Int, frames: Int, _ reason: String) {
    let rate = Double(max(1, track.pcm.sampleRate))
    gaps.note("sound", from: Double(frame - firstFrame) / rate, seconds: Double(frames) / rate, reason: reason)
  }

  /// Puts out what the encoder still holds.
  ///
  /// - Returns: false while there is something to be sent before, or no room.
  func finish(at endFrame: Int) throws(MediaError) -> Bool {
    guard cursor >= endFrame, encoder.hasRoom(in: world.pipe) else { return false }
    try encoder.finish { world.pipe.append(sound: $0, to: number, frames: $1) }
    return true
  }
}
