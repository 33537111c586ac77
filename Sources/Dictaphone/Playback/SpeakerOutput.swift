internal import Hardware

/// The player's end of the speaker: opens it in the format of what is played, and knows what is still to be heard.
final class SpeakerOutput {
  private let speaker: (any Speaker)?
  private let request: SoundRequest
  private var ring: UnsafeMutablePointer<RenderRing>?
  private var grant: SoundGrant?
  private var requested: PCMFormat?

  init(speaker: (any Speaker)?, request: SoundRequest) {
    self.speaker = speaker
    self.request = request
  }

  var counters: SoundCounters { speaker?.counters ?? SoundCounters() }
  var isLost: Bool { speaker?.isLost ?? true }
  var writableFrames: Int { ring?.pointee.writableFrames ?? 0 }
  var queuedFrames: Int { ring?.pointee.queuedFrames ?? 0 }
  /// Frames that were written and have not been heard yet.
  var pendingFrames: Int {
    guard let ring else { return 0 }
    let queued = ring.pointee.queuedFrames
    return queued + (queued > 0 ? ring.pointee.deviceDelayFrames : 0)
  }
  /// How long what was rendered last takes to be heard.
  var deviceDelay: Duration {
    guard let grant, let ring else { return .zero }
    return grant.format.duration(ofFrames: ring.pointee.deviceDelayFrames)
  }
  /// How long the device takes at most to take a fade from the ring: it begins with its next period.
  var fadeTime: Duration {
    guard let grant else { return .zero }
    return grant.format.duration(ofFrames: grant.periodFrames + Self.rampFrames(grant.format))
  }
  /// How far the decoder runs ahead.
  var leadFrames: Int { grant.map(Self.leadFrames) ?? 0 }

  /// Three periods, at least 60 ms; and all that the device buffers, which it takes at once when it starts.
  private static func leadFrames(_ grant: SoundGrant) -> Int {
    max(grant.periodFrames * 3, grant.format.sampleRate * 60 / 1000, grant.bufferFrames + grant.periodFrames)
  }

  /// Frames that the ring holds: the lead and a chunk beside it, at least 250 ms.
  private static func ringFrames(_ grant: SoundGrant) -> Int {
    max(grant.format.sampleRate / 4, grant.periodFrames * 8, leadFrames(grant) + Player.chunkFrames)
  }

  /// Opens the speaker for this format, unless it is open for it already and still there.
  ///
  /// - Returns: the format that it granted, which may be another.
  func open(for format: PCMFormat) throws(DeviceError) -> PCMFormat {
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
        frames: Self.ringFrames(granted), channels: granted.format.channels,
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

  func close() {
    guard let memory = ring else { return }
    speaker?.close()
    memory.deinitialize(count: 1)
    memory.deallocate()
    ring = nil
    grant = nil
    requested = nil
  }

  func setRunning(_ running: Bool) { ring?.pointee.setRunning(running) }
  func flush() { ring?.pointee.flush() }

  /// Appends frames; the caller has looked at `writableFrames`.
  func write(_ samples: UnsafePointer<Float>, frames: Int) { _ = ring?.pointee.write(samples, frames: frames) }
}
