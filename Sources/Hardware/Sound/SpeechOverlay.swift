internal import Synchronization

/// Speech that is laid over whatever a speaker plays: one channel at 48 kHz, mixed into each period by the thread that
/// renders it. Under speech all else steps back by 14 dB, within 20 ms, and comes back in 200 ms.
///
/// One writer; one reader, the speaker's thread (`RenderRing.render`). `flush` is called by whoever serialises it with the
/// writer. It outlives every ring that it is laid over.
public struct SpeechOverlay: ~Copyable {
  public static let sampleRate = 48_000

  /// The reading thread's own.
  private struct Reading {
    /// Where the output is between `last` and `next`, in parts of the output's rate.
    var phase = 0
    var last: Float = 0
    var next: Float = 0
    /// How much of the speech, and of what lies below it, is let through.
    var voice: Float = 1
    var below: Float = 1
    /// Output frames that the latter stays down after the last sample.
    var hold = 0
  }

  private let samples: SampleRing
  private let flushIndex = Atomic<Int>(0)
  private let reading: UnsafeMutablePointer<Reading>
  private let scratch: UnsafeMutablePointer<Float>

  private static let blockFrames = 512
  /// Rates of speakers that are mixed into as they are.
  private static let rates = 8000...192_000
  private static let scratchSamples = blockFrames * sampleRate / 8000 + 1
  /// What is left of the sound below.
  private static let ducked: Float = 0.2

  /// - Parameter samples: how many may wait.
  public init(samples: Int) {
    self.samples = SampleRing(minimumCapacity: samples)
    reading = .allocate(capacity: 1)
    reading.initialize(to: Reading())
    scratch = .allocate(capacity: Self.scratchSamples)
    scratch.initialize(repeating: 0, count: Self.scratchSamples)
  }

  deinit {
    reading.deallocate()
    scratch.deallocate()
  }

  // MARK: The writer's side

  /// Bytes of one that holds so many samples, for the budget.
  public static func byteCount(samples: Int) -> Int { (samples + scratchSamples) * 4 }

  /// Samples that can be written now. Writing thread.
  public var writableSamples: Int { samples.writableCount }

  /// Samples that will still be heard. Any thread.
  public var queuedSamples: Int {
    max(0, samples.writtenCount - max(samples.takenCount, flushIndex.load(ordering: .acquiring)))
  }

  /// Appends samples; all or nothing. Writing thread.
  public borrowing func write(_ source: UnsafePointer<Float>, count: Int) -> Bool {
    samples.write(source, count: count)
  }

  /// What waits is not heard: it fades away within 5 ms of the next period.
  public borrowing func flush() { flushIndex.store(samples.writtenCount, ordering: .releasing) }

  // MARK: The driver's side

  /// Mixes what there is into interleaved frames. Reading thread only.
  @_noLocks @_noAllocation
  public borrowing func mix(into target: UnsafeMutablePointer<Float>, frames: Int, channels: Int, sampleRate: Int) {
    if samples.readableCount == 0, reading.pointee.below == 1, reading.pointee.last == 0, reading.pointee.next == 0 {
      return
    }
    let rate = max(Self.rates.lowerBound, min(Self.rates.upperBound, sampleRate))
    var done = 0
    while done < frames {
      let count = min(Self.blockFrames, frames - done)
      mixBlock(into: target + done * channels, frames: count, channels: channels, rate: rate)
      done += count
    }
  }

  @_noLocks @_noAllocation
  private borrowing func mixBlock(into target: UnsafeMutablePointer<Float>, frames: Int, channels: Int, rate: Int) {
    var state = reading.pointee
    let condemned = flushIndex.load(ordering: .acquiring)
    let isCondemned = samples.takenCount < condemned
    let wanted = (state.phase + Self.sampleRate * frames) / rate
    // What comes behind is not lost with what is condemned.
    let got = samples.read(into: scratch, count: isCondemned ? min(wanted, condemned - samples.takenCount) : wanted)
    if got > 0 { state.hold = rate / 4 }
    let fade = 1 / Float(rate / 200)
    let down = (1 - Self.ducked) / Float(rate / 50)
    let up = (1 - Self.ducked) / Float(rate / 5)
    var used = 0
    for frame in 0..<frames {
      state.phase += Self.sampleRate
      while state.phase >= rate {
        state.phase -= rate
        state.last = state.next
        state.next = used < got ? scratch[used] : 0
        used += 1
      }
      if isCondemned { state.voice = max(0, state.voice - fade) }
      let part = Float(state.phase) / Float(rate)
      let speech = (state.last + (state.next - state.last) * part) * state.voice
      state.hold = max(0, state.hold - 1)
      state.below = state.hold > 0 ? max(Self.ducked, state.below - down) : min(1, state.below + up)
      let start = frame * channels
      for index in start..<(start + channels) {
        target[index] = max(-1, min(1, target[index] * state.below + speech))
      }
    }
    // What is condemned is gone once it cannot be heard, or has been read to its end.
    if isCondemned, state.voice == 0 || samples.takenCount >= condemned {
      samples.skip(to: condemned)
      (state.voice, state.last, state.next) = (1, 0, 0)
    }
    reading.pointee = state
  }
}
