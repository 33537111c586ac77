internal import CSonic

/// Speech faster or slower at the same pitch, by Sonic (PICOLA: whole pitch periods are taken out or put in).
///
/// Sonic works on 16-bit samples inside, whichever way they are handed over. One worker thread.
public enum TimeStretch {
  /// Speeds that stay intelligible, and that Sonic was made for.
  public static let range = 0.5...2.0

  /// All of `samples` in exactly `frames` frames.
  ///
  /// Sonic's length is right but for a pitch period; the difference is cut off or filled with silence at the end, where
  /// speech that was trimmed is about to be silent.
  ///
  /// - Parameters:
  ///   - samples: interleaved, −1…1; what is beyond is clipped.
  ///   - channels: 1 or 2.
  /// - Returns: `frames` frames; the input cut or padded if the speed were outside `range` or memory is exhausted.
  public static func stretch(_ samples: [Float], channels: Int, sampleRate: Int, toFrames frames: Int) -> [Float] {
    let given = samples.count / max(1, channels)
    let wanted = max(0, frames) * channels
    guard given != frames, given > 0, frames > 0 else { return fitted(samples, to: wanted) }
    let speed = Double(given) / Double(frames)
    guard range.contains(speed), let stream = TempoStream(sampleRate: sampleRate, channels: channels) else {
      return fitted(samples, to: wanted)
    }
    stream.setSpeed(speed)
    samples.withUnsafeBufferPointer { if let start = $0.baseAddress { stream.write(start, frames: given) } }
    stream.finish()
    var output = [Float](repeating: 0, count: wanted)
    output.withUnsafeMutableBufferPointer {
      if let start = $0.baseAddress { _ = stream.read(into: start, frames: frames) }
    }
    return output
  }

  private static func fitted(_ samples: [Float], to count: Int) -> [Float] {
    if samples.count >= count { return Array(samples[0..<count]) }
    return samples + [Float](repeating: 0, count: count - samples.count)
  }
}

/// The same for sound without end, at a speed that changes: what a live stream is brought nearer to its edge with.
public final class TempoStream {
  private let stream: sonicStream
  private let channels: Int
  private let sampleRate: Int
  private var clipped: [Float] = []

  /// - Returns: `nil` if memory is exhausted.
  public init?(sampleRate: Int, channels: Int) {
    guard let stream = sonicCreateStream(Int32(sampleRate), Int32(channels)) else { return nil }
    self.stream = stream
    self.channels = channels
    self.sampleRate = sampleRate
  }

  deinit { sonicDestroyStream(stream) }

  /// Within 0.25…4. 1: what is still inside comes out as it is.
  public func setSpeed(_ speed: Double) { sonicSetSpeed(stream, Float(max(0.25, min(4, speed)))) }

  /// Frames that Sonic waits for before it brings anything out: two of the longest periods that it knows.
  private(set) var latency = 0

  /// Has Sonic look for pitch periods of 65…400 Hz (0), or those so many octaves lower: they are whole frames, so that the
  /// longer they are, the less a tone is put out of tune. What is inside is lost.
  func setRange(octavesDown octaves: Int) {
    let told = sampleRate << octaves
    latency = 2 * (told / 65)
    sonicSetSampleRate(stream, Int32(told))
  }

  /// Brings out what is still inside, as it is, and ends the copying of whole stretches that speeds near 1 begin: the
  /// next speed counts from the next frame written on.
  func settle() {
    sonicSetSpeed(stream, 1)
    var nothing: Float = 0
    _ = sonicWriteFloatToStream(stream, &nothing, 0)
    _ = sonicFlushStream(stream)
  }

  /// Appends interleaved frames.
  public func write(_ samples: UnsafePointer<Float>, frames: Int) {
    // Sonic's conversion to 16 bits wraps around beyond full scale.
    let count = frames * channels
    if clipped.count < count { clipped = [Float](repeating: 0, count: count) }
    clipped.withUnsafeMutableBufferPointer { clipped in
      for index in 0..<count {
        let sample = samples[index]
        clipped[index] = sample.magnitude <= 1 ? sample : sample > 1 ? 1 : sample < -1 ? -1 : 0
      }
      _ = sonicWriteFloatToStream(stream, clipped.baseAddress, Int32(frames))
    }
  }

  /// Frames that can be read.
  public var available: Int { Int(sonicSamplesAvailable(stream)) }

  /// Takes up to `frames` frames.
  ///
  /// - Returns: how many there were.
  public func read(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    Int(sonicReadFloatFromStream(stream, target, Int32(frames)))
  }

  /// Brings out what is still inside.
  public func finish() { _ = sonicFlushStream(stream) }
}
