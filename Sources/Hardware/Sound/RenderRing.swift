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
  private let rampPosition = Atomic<Int>(0)
  private let rendered = Atomic<Int>(0)
  private let delay = Atomic<Int>(0)
  private let starved = Atomic<Int>(0)

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

  /// Frames waiting in the ring. Any thread.
  public var queuedFrames: Int { samples.readableCount / channels }

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

  /// Frames of silence that had to be played because the player was late. Any thread.
  public var starvedFrames: Int { starved.load(ordering: .acquiring) }

  // MARK: The driver's side

  /// Fills `target` with the next `frames` frames: sound, a fade, or silence. Reading thread only.
  @_noLocks @_noAllocation
  public borrowing func render(into target: UnsafeMutablePointer<Float>, frames: Int) {
    samples.skip(to: flushIndex.load(ordering: .acquiring))
    let running = wantsSound.load(ordering: .acquiring)
    var position = rampPosition.load(ordering: .relaxed)
    // While held, only the rest of the fade is taken from the ring.
    let wanted = running ? frames : min(frames, position)
    let got = samples.read(into: target, count: wanted * channels) / channels
    if !(running && position == rampFrames) {
      for frame in 0..<got {
        position = running ? min(rampFrames, position + 1) : max(0, position - 1)
        let gain = Float(position) / Float(rampFrames)
        for channel in 0..<channels { target[frame * channels + channel] *= gain }
      }
    }
    if !running && got < wanted { position = 0 }
    for index in (got * channels)..<(frames * channels) { target[index] = 0 }
    if running && got < frames { _ = starved.wrappingAdd(frames - got, ordering: .relaxed) }
    rampPosition.store(position, ordering: .relaxed)
    _ = rendered.wrappingAdd(got, ordering: .releasing)
  }

  /// Publishes the device's own delay after the last `render`. Reading thread only.
  @_noLocks @_noAllocation
  public borrowing func setDeviceDelay(frames: Int) { delay.store(frames, ordering: .releasing) }
}
