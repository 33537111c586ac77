public import Hardware
internal import Media
public import Sound

/// Plays one file at a time: decodes ahead into the render ring, seeks to the sample, fades at every joint.
///
/// Positions are frames of the file at its own rate for the outside, at the speaker's inside. Media worker only.
public final class Player {
  private let output: SpeakerOutput
  private let report: (Event) -> Void
  private var file: SoundFile?
  private var id: String?
  /// Frames of the file by what is known of it, where it does not say its length itself.
  private var knownFrames = 0
  private var nextFrame = 0
  private var wantsPlaying = false
  private var hasReachedEnd = false
  /// When the last frame has left the device, once the ring is empty at the end of the file.
  private var drainedAt: Instant?
  private var scrub: Scrub?
  /// The fade of a pause is still to be heard.
  private var isFading = false
  /// The picture of the file, begun when it is first played.
  private var overview: TakeOverview?
  private var hasSoughtOverview = false
  /// Measures what goes to the speaker.
  private var meter = LevelMeter(format: PCMFormat(sampleRate: 48_000, channels: 2))
  private let scratch: UnsafeMutablePointer<Float>

  /// Frames decoded at a time.
  static let chunkFrames = 1024
  /// Most channels of a file that is mixed down for the speaker.
  private static let channelLimit = 2

  public init(speaker: (any Speaker)?, request: SoundRequest, report: @escaping (Event) -> Void) {
    output = SpeakerOutput(speaker: speaker, request: request, chunkFrames: Self.chunkFrames)
    self.report = report
    scratch = .allocate(capacity: Self.chunkFrames * Self.channelLimit)
    scratch.initialize(repeating: 0, count: Self.chunkFrames * Self.channelLimit)
  }

  deinit {
    output.close()
    scratch.deallocate()
  }

  public var status: Status {
    guard let file else { return Status() }
    var status = Status()
    status.id = id
    status.frame = fileFrames(position)
    status.frames = file.totalFrames.map(fileFrames) ?? knownFrames
    status.sampleRate = file.format.sampleRate
    status.isPlaying = wantsPlaying
    status.codec = file.codecName
    status.channels = file.format.channels
    status.overview = overview?.peaks ?? []
    return status
  }

  /// Frames at the speaker's rate, as frames at the file's.
  private func fileFrames(_ frames: Int) -> Int {
    guard let file, file.outputFormat.sampleRate != file.format.sampleRate else { return frames }
    return frames * file.format.sampleRate / file.outputFormat.sampleRate
  }

  /// Levels of what is played, since the last call; none while nothing is.
  public func takeLevels() -> [ChannelLevel] {
    guard let file, wantsPlaying else { return [] }
    let reading = meter.take()
    return file.outputFormat.channels == 1 ? [reading.left] : [reading.left, reading.right]
  }

  /// The counters that the speaker's thread leaves.
  public var counters: SoundCounters { output.counters }

  /// The frame now at the speaker.
  private var position: Int { max(0, nextFrame - output.pendingFrames) }

  private var length: Int { file?.totalFrames ?? .max }

  // MARK: Orders

  /// Opens a file at `frame`; a position at or past the end means the beginning.
  ///
  /// - Parameter knownFrames: its length as it was examined, for files that do not say it.
  public func load(id: String, path: String, frame: Int, knownFrames: Int = 0, playing: Bool) {
    unload()
    do throws(MediaError) {
      let file = try SoundFile(path: path, output: Self.playable(try SoundFile(path: path, output: nil).format))
      self.file = file
      meter = LevelMeter(format: file.outputFormat)
      self.id = id
      self.knownFrames = knownFrames
      let start = frame < (file.totalFrames ?? .max) ? max(0, frame) : 0
      if start > 0 { try file.seek(toFrame: start) }
      nextFrame = start
      report(
        .loaded(
          id: id, frames: file.totalFrames.map(fileFrames) ?? knownFrames, sampleRate: file.format.sampleRate,
          frame: start))
      if playing { play() }
    } catch {
      unload()
      report(.failed(code: "not-found", text: "cannot play \(id): \(error)"))
    }
  }

  public func play() {
    guard file != nil else { return report(.failed(code: "not-found", text: "nothing is loaded; choose a take first")) }
    // What is still in the ring at the end of the file is heard out first.
    if hasReachedEnd, output.pendingFrames == 0 { seek(to: 0) }
    guard openSpeaker() else { return wantsPlaying = false }
    wantsPlaying = true
    // The device may take all that it buffers the moment it runs.
    fill()
    output.setRunning(true)
  }

  /// Opens the speaker in the file's format; what it grants instead, the file is converted to.
  private func openSpeaker() -> Bool {
    guard let open = file else { return false }
    do {
      let granted = try output.open(for: open.outputFormat)
      guard granted.sampleRate != open.outputFormat.sampleRate || granted.channels != open.outputFormat.channels
      else { return true }
      let converted = try SoundFile(path: open.path, output: granted)
      let frame = nextFrame * granted.sampleRate / open.outputFormat.sampleRate
      if frame > 0 { try converted.seek(toFrame: frame) }
      file = converted
      meter = LevelMeter(format: granted)
      nextFrame = frame
      return true
    } catch {
      report(.failed(code: "device-lost", text: "no sound: \(error)"))
      return false
    }
  }

  /// The format in which a file is offered to the speaker first: its own, with at most two channels.
  private static func playable(_ format: PCMFormat) -> PCMFormat {
    PCMFormat(sampleRate: format.sampleRate, channels: min(channelLimit, format.channels), bits: format.bits)
  }

  /// Holds the sound where it is heard now, through a short fade.
  public func pause() {
    isFading = wantsPlaying || scrub != nil
    wantsPlaying = false
    scrub = nil
    output.setRunning(false)
  }

  /// Stops and gives the speaker back; the position stays.
  public func stop() {
    let frame = position
    wantsPlaying = false
    scrub = nil
    output.close()
    if file != nil { seek(to: frame) }
  }

  /// Forgets the file, before it is deleted or another is opened.
  public func unload() {
    wantsPlaying = false
    scrub = nil
    output.close()
    file = nil
    id = nil
    nextFrame = 0
    hasReachedEnd = false
    drainedAt = nil
    overview = nil
    hasSoughtOverview = false
  }

  /// Moves by seconds, to within the file.
  public func seek(bySeconds seconds: Double) {
    guard let file, seconds.isFinite else { return }
    // Nobody's file is longer than a century, and the sum must not overflow.
    let limit = 3e9
    let shift = max(-limit, min(limit, seconds)) * Double(file.outputFormat.sampleRate)
    seek(to: position + Int(shift.rounded()))
  }

  /// Moves to a frame, to within the file.
  public func seek(to frame: Int) {
    guard let file else { return }
    let target = max(0, min(frame, file.totalFrames ?? frame))
    output.flush()
    do throws(MediaError) {
      try file.seek(toFrame: target)
      nextFrame = target
      hasReachedEnd = false
      drainedAt = nil
    } catch {
      report(.failed(code: "internal", text: "cannot move to \(target) in \(id ?? "?"): \(error)"))
    }
  }

  /// Begins (−1, +1), or ends (0), stepping through the file with a preview of the sound at each stop.
  public func scrub(direction: Int, now: Instant) {
    if direction == 0 {
      guard scrub != nil else { return }
      scrub = nil
      if !wantsPlaying { output.setRunning(false) }
    } else if openSpeaker() {
      scrub = Scrub(direction: direction, due: now)
      output.setRunning(true)
    }
  }

  // MARK: Work

  /// Decodes ahead.
  ///
  /// - Returns: when to be called again, or `nil` while nothing moves.
  public func step(now: Instant) -> Instant? {
    guard file != nil else { return nil }
    guard wantsPlaying || scrub != nil else {
      // Once more when the fade has been taken from the ring: it moves the position.
      guard isFading else { return nil }
      isFading = false
      return now + output.fadeTime
    }
    if output.isLost {
      pause()
      output.close()
      report(.failed(code: "device-lost", text: "the speaker went away; plug it in and press CENTRE"))
      return nil
    }
    stepScrub(now: now)
    fill()
    drawOverview()
    if hasReachedEnd, scrub == nil, output.pendingFrames == 0 {
      let end = drainedAt ?? now + output.deviceDelay
      drainedAt = end
      guard now >= end else { return end }
      wantsPlaying = false
      output.close()
      report(.ended)
      return nil
    }
    return now + .milliseconds(20)
  }

  /// A column a step, once what is to be heard next is ready.
  private func drawOverview() {
    guard let file else { return }
    if !hasSoughtOverview {
      hasSoughtOverview = true
      overview = TakeOverview(path: file.path)
    } else if let overview, !overview.isComplete {
      overview.step()
    }
  }

  private func stepScrub(now: Instant) {
    guard var current = scrub, let file, now >= current.due else { return }
    seek(to: position + current.direction * Scrub.stepSeconds * file.outputFormat.sampleRate)
    current.due = now + Scrub.interval
    scrub = current
  }

  /// Decodes until the ring holds the lead.
  private func fill() {
    guard let file, !hasReachedEnd else { return }
    let lead = output.leadFrames
    while output.queuedFrames < lead, output.writableFrames >= Self.chunkFrames {
      let wanted = min(Self.chunkFrames, length - nextFrame)
      do throws(MediaError) {
        let got = wanted > 0 ? try file.read(into: scratch, frames: wanted) : 0
        guard got > 0 else {
          hasReachedEnd = true
          return
        }
        meter.add(scratch, frames: got)
        output.write(scratch, frames: got)
        nextFrame += got
      } catch {
        hasReachedEnd = true
        report(.failed(code: "internal", text: "\(id ?? "?") cannot be decoded further: \(error)"))
        return
      }
    }
  }
}

/// A held LEFT or RIGHT: steps of two seconds, five times a second, as the seed's hold-seek.
private struct Scrub {
  static let stepSeconds = 2
  static let interval = Duration.milliseconds(200)

  var direction: Int
  var due: Instant
}
