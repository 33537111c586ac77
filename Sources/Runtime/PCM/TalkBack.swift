internal import Hardware
internal import Recording
internal import Sound

/// What the microphone hears, on the speaker at once: within 60 ms where the devices' periods are 10 ms at most. It steps
/// back while a player has the speaker. Media lane only.
final class TalkBack {
  private let output: SpeakerOutput
  private var fitting: RateFitting?
  private var granted: PCMFormat?
  private var howl = HowlGuard(sampleRate: 48_000)
  private var generation = -1
  private var position = 0
  private var retry = Instant.zero
  private var isRunning = false
  private var starved = 0
  /// Frames that wait in the ring, as a mean of some seconds.
  private var level = 0.0
  private var chunk = [Float](repeating: 0, count: 2 * blockFrames)

  private static let blockFrames = 480
  /// Between two periods of the microphone: the ring holds two.
  private static func period(_ input: CaptureInput) -> Double {
    guard let grant = input.grant else { return 0.010 }
    return max(0.005, Double(grant.periodFrames) / Double(max(1, grant.format.sampleRate)))
  }
  private static let patience = Duration.milliseconds(100)

  /// - Parameter request: what the board file says of its speaker; shorter periods are asked for.
  init(speaker: any Speaker, request: SoundRequest) {
    let rate = request.format.sampleRate
    output = SpeakerOutput(
      speaker: speaker,
      request: SoundRequest(format: request.format, periodFrames: rate / 200, bufferFrames: rate / 100),
      chunkFrames: 24 * Self.blockFrames)
  }

  func close() { output.close() }

  /// - Returns: when to come again, besides when the microphone has delivered.
  func step(now: Instant, _ input: CaptureInput) -> Instant? {
    guard input.isRunning else { return nil }
    if granted == nil || output.isLost || generation != input.generation {
      guard now >= retry else { return retry }
      guard begin(input) else {
        retry = now + Self.patience
        return retry
      }
    }
    guard let granted else { return nil }
    let period = Self.period(input)
    let target = Int(Double(granted.sampleRate) * period * 1.5)
    while position < input.endFrame, let fitting {
      // Two crystals: the ring stays as full as it is.
      let ppm = (level / Double(granted.sampleRate) - 2 * period) * 1e6 / 10
      chunk.withUnsafeMutableBufferPointer { chunk in
        guard let base = chunk.baseAddress else { return }
        let got = input.history.read(from: position, into: base, frames: Self.blockFrames)
        position += max(got, 1)
        if input.format.channels == 2 {
          for frame in 0..<got { base[frame] = (base[2 * frame] + base[2 * frame + 1]) / 2 }
        }
        howl.process(base, frames: got)
        fitting.fit(base, frames: got, ppm: ppm) { output.write($0, frames: min($1, output.writableFrames)) }
      }
    }
    let queued = output.queuedFrames
    level += (Double(queued) - level) / 200
    if output.starvedFrames > starved || queued > 4 * target {
      starved = output.starvedFrames
      hold(queued > target)
    } else if !isRunning, queued >= target {
      (isRunning, level) = (true, Double(granted.sampleRate) * period * 2)
      output.setRunning(true)
    }
    return nil
  }

  /// The ring fills, or is emptied, to what it should be.
  private func hold(_ isFull: Bool) {
    if isFull { output.flush() }
    output.setRunning(false)
    isRunning = false
  }

  private func begin(_ input: CaptureInput) -> Bool {
    output.close()
    let own = PCMFormat(sampleRate: input.format.sampleRate, channels: 1)
    guard let format = try? output.open(for: own), let made = RateFitting(from: own, to: format) else {
      granted = nil
      return false
    }
    (granted, fitting, generation, position) = (format, made, input.generation, input.endFrame)
    (isRunning, starved, level) = (false, 0, Double(format.sampleRate) * Self.period(input) * 2)
    howl = HowlGuard(sampleRate: own.sampleRate)
    return true
  }
}
