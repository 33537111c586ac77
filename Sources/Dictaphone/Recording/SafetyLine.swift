internal import Hardware
internal import Media
internal import Recording
internal import Sound

/// The safety take beside a take: the same frames, before automatic gain and limiter, at -12 dB, in files of their own.
/// What becomes of it never harms the take. Media lane only.
final class SafetyLine {
  let sound: ShapedSound
  private var files: TakeFiles?
  private let buffer: UnsafeMutablePointer<Float>
  private let channels: Int
  /// Why it cannot go on.
  private var complaint: String?

  init(_ input: CaptureInput, gain: Float, files: () throws(MediaError) -> TakeFiles) {
    sound = ShapedSound(input, gain: gain, isSafety: true)
    channels = input.format.channels
    buffer = .allocate(capacity: CaptureInput.chunkFrames * channels)
    buffer.initialize(repeating: 0, count: CaptureInput.chunkFrames * channels)
    attempt { () throws(MediaError) in self.files = try files() }
  }

  deinit { buffer.deallocate() }

  /// Reads a chunk of the capture, which `encode` encodes once; without one that is silence.
  ///
  /// - Returns: its samples.
  func read(from frame: Int, frames: Int) -> UnsafeMutablePointer<Float> {
    let count = sound.read(from: frame, into: buffer, frames: frames)
    (buffer + count * channels).update(repeating: 0, count: (frames - count) * channels)
    return buffer
  }

  func encode(frames: Int, at position: Int) {
    attempt { () throws(MediaError) in try files?.encode(buffer, frames: frames, at: position) }
    buffer.update(repeating: 0, count: frames * channels)
  }

  func split(at frames: Int, _ beginning: TakeFiles.Beginning, as new: TakeEncoding?) {
    attempt { () throws(MediaError) in try files?.split(at: frames, beginning, as: new) }
  }

  func use(_ coder: AACCoder, isCheaper: Bool) {
    attempt { () throws(MediaError) in try files?.use(coder, isCheaper: isCheaper) }
  }

  func tell(_ gap: CaptureGap) { files?.tell(gap) }

  func change(at frame: Int, to name: String) { files?.change(at: frame, to: name) }

  func finish(frames: Int, reason: StopReason, at end: Instant, counters: SoundCounters, _ anchor: Receipt.Anchor) {
    let reason = complaint == nil ? reason : .error
    attempt { () throws(MediaError) in
      try files?.finish(frames: frames, reason: reason, at: end, counters: counters, anchor)
    }
  }

  /// It is not to go on.
  func refuse(_ text: String) { complaint = complaint ?? text }

  /// Why it has to end now, if it has to: for its own sake, or before the take loses sound.
  func mustEnd(isPressing: Bool) -> String? {
    complaint ?? (isPressing ? "card or processor are too slow for both" : nil)
  }

  /// Whether there is half of the pipe for two, and the other half for the take alone.
  var hasHalf: Bool { files?.hasHalf ?? true }

  private func attempt(_ work: () throws(MediaError) -> Void) {
    do throws(MediaError) { try work() } catch { refuse("the encoder failed: \(error)") }
  }
}
