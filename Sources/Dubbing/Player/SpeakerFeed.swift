internal import Hardware
internal import Sound

/// From the mixer to the speaker: limiter, rate, ring; and which frame of the timeline is heard when.
final class SpeakerFeed {
  /// What is at the converter.
  struct Heard {
    /// A frame of the timeline.
    var timeline: Double
    /// By so many frames it is ahead of its time because the live edge was steered for.
    var steered: Double
  }

  /// A frame of the output, and what is heard with it.
  private struct Anchor {
    var output: Int
    var heard: Heard
  }

  private let output: SpeakerOutput
  private var limiter = PeakLimiter()
  private var rate = RateControl()
  private(set) var clock = SpeakerClock(sampleRate: 48_000)
  private var anchors: [Anchor] = []
  /// Frames written since the speaker was opened, as `renderedFrames` counts them.
  private var written = 0
  private var lastStamp = Instant.zero
  private var lastStarved = 0
  private var gap = 0
  private var isRunning = false
  /// Silence after the last sound is no gap.
  private var isFinishing = false
  private(set) var longestGap = 0
  /// Looks that found the speaker starved.
  private var starvations = 0
  /// Grows whenever what is heard is later than it was to be: for want of sound, or of the device's own making.
  var interruptions: Int { starvations + clock.jumps }
  private let block: UnsafeMutablePointer<Float>
  private static let format = PCMFormat(sampleRate: 48_000, channels: 2)
  private static let keptAnchors = 400
  /// Mixed and waiting, at least: three of the dubbing lane's steps, so that two late ones are not heard. Voices cost no
  /// time here: the speech lane makes them fit (`VoicePreparer`).
  static let lead = Duration.milliseconds(180)
  private static let leadFrames = format.frames(in: lead)

  init(speaker: (any Speaker)?, request: SoundRequest) {
    output = SpeakerOutput(speaker: speaker, request: request, chunkFrames: Self.leadFrames + 2 * Mixer.blockFrames)
    block = .allocate(capacity: 2 * Mixer.blockFrames)
    block.initialize(repeating: 0, count: 2 * Mixer.blockFrames)
  }

  deinit {
    output.close()
    block.deallocate()
  }

  var isLost: Bool { output.isLost }
  var isEmpty: Bool { output.pendingFrames == 0 }
  /// When the last of what was written is heard; `nil` while some of it waits.
  func end(asOf now: Instant) -> Instant? { output.end(asOf: now) }
  /// Written and not heard yet.
  var pendingFrames: Int { output.pendingFrames }
  var isOpen = false

  /// Opens the speaker at 48 kHz in stereo; it may block for some 100 ms.
  func open() throws(DeviceError) {
    guard !isOpen else { return }
    let granted = try output.open(for: Self.format)
    guard granted.sampleRate == 48_000, granted.channels == 2 else {
      output.close()
      throw DeviceError(
        .unsupported, device: "speaker", operation: "play",
        hint:
          "it grants \(granted.sampleRate) Hz with \(granted.channels) channels; name one that takes 48000 Hz stereo")
    }
    isOpen = true
    restart(at: 0)
    lastStarved = 0
    gap = 0
  }

  func close() {
    output.close()
    isOpen = false
    isRunning = false
  }

  func setRunning(_ running: Bool) {
    guard running != isRunning else { return }
    isRunning = running
    output.setRunning(running)
    // Silence that was played meanwhile has moved the device's clock against our frames.
    clock.restart()
  }

  /// What is queued is not heard: another place.
  func flush() {
    output.flush()
    let wasRunning = isRunning
    // Until there is sound from the other place: its absence is no gap.
    setRunning(false)
    // The fade takes 5 ms of what was queued.
    restart(at: output.renderedFrames + (wasRunning ? min(240, output.queuedFrames) : 0))
  }

  /// Something else is played: what is queued is not heard, and gaps are counted anew.
  func renew() {
    flush()
    (gap, longestGap) = (0, 0)
  }

  private func restart(at frame: Int) {
    written = frame
    isFinishing = false
    anchors = []
    limiter = PeakLimiter()
    rate.reset()
    clock.restart()
  }

  func set(ppm: Double, steering: Double) { rate.set(ppm: ppm, steering: steering) }
  func set(speed: Double) { rate.set(speed: speed) }

  /// Mixes until the speaker has its lead.
  ///
  /// - Parameter before: called before each block, with nothing mixed beyond the mixer's position.
  /// - Returns: false if the mixer ran out of sound before that.
  func fill(from mixer: Mixer, before: () -> Void) -> Bool {
    let lead = max(output.leadFrames, Self.leadFrames)
    while output.queuedFrames < lead, output.writableFrames >= 2 * Mixer.blockFrames {
      before()
      let frames = mixer.mix(into: block)
      guard frames > 0 else { return false }
      pass(frames, end: mixer.position)
    }
    return true
  }

  /// Brings out what the limiter still holds, at the end.
  func finish(end: Int) {
    isFinishing = true
    for index in 0..<(2 * Mixer.blockFrames) { block[index] = 0 }
    guard output.writableFrames >= 2 * Mixer.blockFrames else { return }
    pass(Mixer.blockFrames, end: end + Mixer.blockFrames)
  }

  private func pass(_ frames: Int, end: Int) {
    limiter.process(block, frames: frames)
    rate.process(block, frames: frames) { samples, count in
      output.write(samples, frames: count)
      written += count
    }
    let heard = Heard(timeline: Double(end - PeakLimiter.latency) - rate.held, steered: rate.steered)
    anchors.append(Anchor(output: written, heard: heard))
    if anchors.count > Self.keptAnchors { anchors.removeFirst(Self.keptAnchors / 2) }
  }

  /// Looks at the device.
  func observe() {
    let starved = output.starvedFrames
    if starved > lastStarved, isRunning, !isFinishing {
      gap += starved - lastStarved
      longestGap = max(longestGap, gap)
      starvations += 1
      // Silence that the device played has moved its clock against our frames.
      clock.restart()
    } else {
      gap = 0
    }
    lastStarved = starved
    guard isRunning, let stamp = output.stamp, stamp.at != lastStamp else { return }
    lastStamp = stamp.at
    clock.add(position: stamp.position, at: stamp.at)
  }

  /// What is at the converter at `time`.
  func heard(at time: Instant) -> Heard? {
    guard let place = isRunning ? clock.position(at: time) : output.stamp.map({ Double($0.position) }),
      let last = anchors.last
    else { return nil }
    guard let index = anchors.firstIndex(where: { Double($0.output) >= place }) else { return last.heard }
    let after = anchors[index]
    guard index > 0 else {
      return Heard(timeline: after.heard.timeline - (Double(after.output) - place), steered: after.heard.steered)
    }
    let before = anchors[index - 1]
    let share = (place - Double(before.output)) / Double(max(1, after.output - before.output))
    func between(_ before: Double, _ after: Double) -> Double { before + (after - before) * share }
    return Heard(
      timeline: between(before.heard.timeline, after.heard.timeline),
      steered: between(before.heard.steered, after.heard.steered))
  }
}
