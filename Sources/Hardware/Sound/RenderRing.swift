internal import Synchronization

/// The way from the player to a speaker's real-time thread: samples, pause, and where the sound has got to.
///
/// One writer (the media worker), one reader (the driver's thread, or the simulated speaker's step). The reader
/// calls `render` once a period. Reach it through a pointer in real-time code.
public struct RenderRing: ~Copyable {
  private let samples: SampleRing
  private let channels: Int
  private let rampFrames: Int
  private let flushIndex = Atomic<Int>(0)
  private let wantsSound = Atomic<Bool>(false)
  /// Where the fade stands: 0 silent, `rampFrames` full. The reading thread's own.
  private let level = Atomic<Int>(0)
  private let rendered = Atomic<Int>(0)
  private let delay = Atomic<Int>(0)
  private let starved = Atomic<Int>(0)
  /// The last stamp; `stampTurn` is odd while it is being written.
  private let stampTurn = Atomic<Int>(0)
  private let stampPosition = Atomic<Int>(0)
  private let stampTime = Atomic<Int64>(0)
  /// Speech over the player's sound, and the rate that it is mixed at.
  private var overlay: UnsafeMutablePointer<SpeechOverlay>?
  private var overlayRate = 0
  /// Who is heard instead of what is in this ring, and whether the reading thread is looking there.
  private let guest = Atomic<UInt>(0)
  private let visit = Atomic<Bool>(false)

  /// - Parameters:
  ///   - frames: frames that the ring can hold; decides how far the player may run ahead.
  ///   - rampFrames: length of the fade at pause and resume (5 ms of frames).
  public init(frames: Int, channels: Int, rampFrames: Int) {
    samples = SampleRing(minimumCapacity: frames * channels)
    self.channels = channels
    self.rampFrames = max(1, rampFrames)
  }

  // MARK: The player's side

  /// Frames that can be written now. Writing thread.
  public var writableFrames: Int { samples.writableCount / channels }

  /// Frames that will still be heard: those waiting in the ring, without what a flush has condemned. Any thread.
  public var queuedFrames: Int {
    let start = max(samples.takenCount, flushIndex.load(ordering: .acquiring))
    return max(0, samples.writtenCount - start) / channels
  }

  /// Appends interleaved frames; all or nothing. Writing thread.
  public borrowing func write(_ source: UnsafePointer<Float>, frames: Int) -> Bool {
    samples.write(source, count: frames * channels)
  }

  /// Throws away what has been written and not rendered yet (seek, stop). Writing thread.
  public borrowing func flush() { flushIndex.store(samples.writtenCount, ordering: .releasing) }

  /// Lets the sound run or holds it. A change fades over 5 ms. Any thread.
  public borrowing func setRunning(_ running: Bool) { wantsSound.store(running, ordering: .releasing) }

  /// Frames of the player's that were rendered since the start. Any thread.
  public var renderedFrames: Int { rendered.load(ordering: .acquiring) }

  /// Frames between the last rendered one and the one now at the converter. Any thread.
  public var deviceDelayFrames: Int { delay.load(ordering: .acquiring) }

  /// Frames of silence played because the player was late. Any thread.
  public var starvedFrames: Int { starved.load(ordering: .acquiring) }

  /// Lays speech over all that is rendered, at the rate that the device granted. Before the device is started.
  public mutating func lay(_ overlay: UnsafeMutablePointer<SpeechOverlay>, sampleRate: Int) {
    self.overlay = overlay
    overlayRate = sampleRate
  }

  /// Has another ring be heard instead of this one, which the driver reads from; what comes then is the other's, down to the
  /// stamps. `nil`: this one again. Once this returns, the one before is not touched any more; it waits for a period at most.
  /// One thread that is not the reading one.
  public borrowing func setGuest(_ new: UnsafeMutablePointer<RenderGuest>?) {
    guest.store(UInt(bitPattern: new), ordering: .sequentiallyConsistent)
    while visit.load(ordering: .sequentiallyConsistent) {}
  }

  // MARK: The driver's side

  /// Fills `target` with the next `frames` frames: sound, a fade, or silence, and the speech over it. Reading thread only.
  ///
  /// Pause, resume and flush never step: what goes away fades out over `rampFrames`, what comes fades in.
  @_noLocks @_noAllocation
  public borrowing func render(into target: UnsafeMutablePointer<Float>, frames: Int) {
    visit.store(true, ordering: .sequentiallyConsistent)
    defer { visit.store(false, ordering: .releasing) }
    if let guest = UnsafeMutablePointer<RenderGuest>(bitPattern: guest.load(ordering: .sequentiallyConsistent)) {
      return guest.pointee.render(into: target, frames: frames)
    }
    renderSound(into: target, frames: frames)
    if let overlay { overlay.pointee.mix(into: target, frames: frames, channels: channels, sampleRate: overlayRate) }
  }

  @_noLocks @_noAllocation
  private borrowing func renderSound(into target: UnsafeMutablePointer<Float>, frames: Int) {
    let running = wantsSound.load(ordering: .acquiring)
    let condemned = flushIndex.load(ordering: .acquiring)
    var filled = 0
    if samples.takenCount < condemned {
      filled = fadeOut(into: target, frames: frames)
      // A period shorter than the fade leaves the rest of it for the next one.
      if level.load(ordering: .relaxed) > 0 { return }
      samples.skip(to: condemned)
    }
    if running {
      filled += play(into: target + filled * channels, frames: frames - filled)
      if filled < frames { _ = starved.wrappingAdd(frames - filled, ordering: .relaxed) }
    } else if filled == 0 {
      filled = fadeOut(into: target, frames: frames)
    }
    for index in (filled * channels)..<(frames * channels) { target[index] = 0 }
  }

  /// Takes sound from the ring, fading in where it was held before; returns the frames there were.
  @_noLocks @_noAllocation
  private borrowing func play(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let got = samples.read(into: target, count: frames * channels) / channels
    var position = level.load(ordering: .relaxed)
    var frame = 0
    while frame < got && position < rampFrames {
      position += 1
      scale(target + frame * channels, by: Float(position) / Float(rampFrames))
      frame += 1
    }
    // Sound that broke off starts again from silence.
    level.store(got < frames ? 0 : position, ordering: .relaxed)
    _ = rendered.wrappingAdd(got, ordering: .releasing)
    return got
  }

  /// Takes what the fade still needs from the ring, falling to silence; returns the frames written.
  @_noLocks @_noAllocation
  private borrowing func fadeOut(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    var position = level.load(ordering: .relaxed)
    let wanted = min(frames, position)
    guard wanted > 0 else { return 0 }
    let got = samples.read(into: target, count: wanted * channels) / channels
    for frame in 0..<got {
      position -= 1
      scale(target + frame * channels, by: Float(position) / Float(rampFrames))
    }
    level.store(got < wanted ? 0 : position, ordering: .relaxed)
    _ = rendered.wrappingAdd(got, ordering: .releasing)
    return got
  }

  @_noLocks @_noAllocation
  private borrowing func scale(_ frame: UnsafeMutablePointer<Float>, by gain: Float) {
    for channel in 0..<channels { frame[channel] *= gain }
  }

  /// Publishes the device's own delay after the last `render`. Reading thread only.
  @_noLocks @_noAllocation
  public borrowing func setDeviceDelay(frames: Int) {
    visit.store(true, ordering: .sequentiallyConsistent)
    if let guest = UnsafeMutablePointer<RenderGuest>(bitPattern: guest.load(ordering: .sequentiallyConsistent)) {
      guest.pointee.setDeviceDelay(frames: frames)
    }
    visit.store(false, ordering: .releasing)
    delay.store(frames, ordering: .releasing)
  }

  /// Publishes the device's own delay as it was at a time on CLOCK_MONOTONIC, after the last `render`. Reading thread
  /// only.
  @_noLocks @_noAllocation
  public borrowing func setDeviceDelay(frames: Int, at nanoseconds: Int64) {
    visit.store(true, ordering: .sequentiallyConsistent)
    if let guest = UnsafeMutablePointer<RenderGuest>(bitPattern: guest.load(ordering: .sequentiallyConsistent)) {
      guest.pointee.setDeviceDelay(frames: frames, at: nanoseconds)
    }
    visit.store(false, ordering: .releasing)
    delay.store(frames, ordering: .releasing)
    let turn = stampTurn.load(ordering: .relaxed)
    stampTurn.store(turn &+ 1, ordering: .sequentiallyConsistent)
    stampPosition.store(rendered.load(ordering: .relaxed) &- frames, ordering: .sequentiallyConsistent)
    stampTime.store(nanoseconds, ordering: .sequentiallyConsistent)
    stampTurn.store(turn &+ 2, ordering: .sequentiallyConsistent)
  }

  /// The player's frame that was at the converter, and when: the last stamp; `nil` if there is none yet, or it is being
  /// written just now. Any thread.
  public var stamp: (position: Int, at: Instant)? {
    let turn = stampTurn.load(ordering: .sequentiallyConsistent)
    guard turn > 0, turn.isMultiple(of: 2) else { return nil }
    let position = stampPosition.load(ordering: .sequentiallyConsistent)
    let time = stampTime.load(ordering: .sequentiallyConsistent)
    guard stampTurn.load(ordering: .sequentiallyConsistent) == turn else { return nil }
    return (position, Instant(nanoseconds: time))
  }
}
