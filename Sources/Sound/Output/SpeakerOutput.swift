public import Hardware

/// A player's end of the speaker: opens it in the format of what is played, and knows what is still to be heard.
///
/// One worker thread; `open` may block for as long as the driver does, nothing else blocks.
public final class SpeakerOutput {
  private let speaker: (any Speaker)?
  private let request: SoundRequest
  private var ring: UnsafeMutablePointer<RenderRing>?
  private var grant: SoundGrant?
  private var requested: PCMFormat?
  private var drainedAt: Instant?
  private let chunkFrames: Int

  /// - Parameter chunkFrames: most frames that are written at a time.
  public init(speaker: (any Speaker)?, request: SoundRequest, chunkFrames: Int) {
    self.chunkFrames = chunkFrames
    self.speaker = speaker
    self.request = request
  }

  /// What the driver counted. Any thread.
  public var counters: SoundCounters { speaker?.counters ?? SoundCounters() }
  /// True where there is no speaker, or it has gone away.
  public var isLost: Bool { speaker?.isLost ?? true }
  /// Frames that can be written now.
  public var writableFrames: Int { ring?.pointee.writableFrames ?? 0 }
  /// Frames that wait in the ring.
  public var queuedFrames: Int { ring?.pointee.queuedFrames ?? 0 }
  /// Frames that were written and have not been heard yet.
  public var pendingFrames: Int {
    guard let ring else { return 0 }
    let queued = ring.pointee.queuedFrames
    return queued + (queued > 0 ? ring.pointee.deviceDelayFrames : 0)
  }
  /// How long what was rendered last takes to be heard.
  private var deviceDelay: Duration {
    guard let grant, let ring else { return .zero }
    return grant.format.duration(ofFrames: ring.pointee.deviceDelayFrames)
  }
  /// When the last of what was written comes out of the device: closed before, it would be cut off. `nil` while some of it
  /// waits in the ring; the first time that it does not counts.
  public func end(asOf now: Instant) -> Instant? {
    guard queuedFrames == 0 else { return nil }
    let end = drainedAt ?? now + deviceDelay
    drainedAt = end
    return end
  }
  /// How long the device takes at most to take a fade from the ring: it begins with its next period.
  public var fadeTime: Duration {
    guard let grant else { return .zero }
    return grant.format.duration(ofFrames: grant.periodFrames + Self.rampFrames(grant.format))
  }
  /// How far the decoder runs ahead.
  public var leadFrames: Int { grant.map(Self.leadFrames) ?? 0 }

  /// Three periods, at least 60 ms; and all that the device buffers, which it takes at once when it starts.
  private static func leadFrames(_ grant: SoundGrant) -> Int {
    max(grant.periodFrames * 3, grant.format.sampleRate * 60 / 1000, grant.bufferFrames + grant.periodFrames)
  }

  /// Frames that the ring holds: the lead and a chunk beside it, at least 250 ms.
  private func ringFrames(_ grant: SoundGrant) -> Int {
    max(grant.format.sampleRate / 4, grant.periodFrames * 8, Self.leadFrames(grant) + chunkFrames)
  }

  /// Opens the speaker for this format, unless it is open for it already and still there.
  ///
  /// - Returns: the format that it granted, which may be another.
  public func open(for format: PCMFormat) throws(DeviceError) -> PCMFormat {
    if let grant, !isLost, requested == format || grant.format == format { return grant.format }
    close()
    guard let speaker else {
      throw DeviceError(
        .missing, device: "speaker", operation: "play", hint: "name a speaker in the board file")
    }
    let scale = { (frames: Int) in frames * format.sampleRate / self.request.format.sampleRate }
    let granted = try speaker.open(
      SoundRequest(
        format: format, periodFrames: scale(request.periodFrames), bufferFrames: scale(request.bufferFrames)))
    let memory = UnsafeMutablePointer<RenderRing>.allocate(capacity: 1)
    memory.initialize(
      to: RenderRing(
        frames: ringFrames(granted), channels: granted.format.channels,
        rampFrames: Self.rampFrames(granted.format)))
    ring = memory
    grant = granted
    requested = format
    do throws(DeviceError) {
      try speaker.start(from: memory)
    } catch {
      close()
      throw error
    }
    return granted.format
  }

  /// Fades take 5 ms.
  private static func rampFrames(_ format: PCMFormat) -> Int { format.sampleRate / 200 }

  /// Gives the speaker back; what was queued is not heard.
  public func close() {
    guard let memory = ring else { return }
    speaker?.close()
    memory.deinitialize(count: 1)
    memory.deallocate()
    ring = nil
    grant = nil
    requested = nil
    drainedAt = nil
  }

  /// Frames of ours that the device has taken since it was opened.
  public var renderedFrames: Int { ring?.pointee.renderedFrames ?? 0 }
  /// Frames of silence played because the ring was empty.
  public var starvedFrames: Int { ring?.pointee.starvedFrames ?? 0 }

  /// Frames rendered so far less those still on their way to the converter, and when that was so; `nil` before the
  /// device has told. What `SpeakerClock` is fed with.
  public var stamp: (position: Int, at: Instant)? { ring?.pointee.stamp }

  /// Lets the sound run or holds it, through a short fade.
  public func setRunning(_ running: Bool) { ring?.pointee.setRunning(running) }
  /// Throws away what is queued, through a short fade.
  public func flush() {
    ring?.pointee.flush()
    drainedAt = nil
  }

  /// Appends frames; the caller has looked at `writableFrames`.
  public func write(_ samples: UnsafePointer<Float>, frames: Int) {
    _ = ring?.pointee.write(samples, frames: frames)
    drainedAt = nil
  }
}
