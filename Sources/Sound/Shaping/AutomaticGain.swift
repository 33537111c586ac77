public import Hardware

/// Brings near and far voices to one level, slowly: a gain that follows the peaks, and what it was for the last minute.
///
/// It is measured once, as sound is heard, and written down for every 10 ms; what is encoded later gets the same gain that
/// the meters had. Falls by 40 dB/s, rises by 3 dB/s, and not in silence, so that pauses do not become noise. One thread.
public final class AutomaticGain {
  /// Peaks are brought to −8 dBFS.
  private static let target: Float = 0.398
  /// Quieter than −60 dBFS is silence.
  private static let silence: Float = 0.001
  /// −12…+30 dB.
  private static let range: ClosedRange<Float> = 0.251...31.6
  /// A hundredth of a second of: +3 dB/s; −40 dB/s; the envelope's fall, 12 dB/s.
  private static let rise: Float = 1.003_46
  private static let fall: Float = 0.954_99
  private static let release: Float = 0.986_28
  private static let blocksPerSecond = 100

  private let channels: Int
  private let blockFrames: Int
  /// Gain after each block, by its number.
  private var gains: [Float]
  /// The block that is being heard.
  private var block: Int?
  private var peak: Float = 0
  private var envelope: Float = 0
  private var gain: Float = 1

  /// - Parameter seconds: for which gains are kept.
  public init(format: PCMFormat, seconds: Int) {
    channels = format.channels
    blockFrames = max(1, format.sampleRate / Self.blocksPerSecond)
    gains = Array(repeating: 1, count: max(4, seconds * Self.blocksPerSecond))
  }

  /// Listens to interleaved frames; `frame` is the number of the first, and follows on the last.
  public func listen(to samples: UnsafePointer<Float>, frames: Int, at frame: Int) {
    var done = 0
    while done < frames {
      let number = (frame + done) / blockFrames
      if let block, number != block { close(block, until: number) }
      block = number
      let count = min(frames - done, (number + 1) * blockFrames - frame - done)
      for index in (done * channels)..<((done + count) * channels) {
        let value = abs(samples[index])
        if value > peak, value.isFinite { peak = value }
      }
      done += count
    }
  }

  private func close(_ block: Int, until next: Int) {
    envelope = max(peak, envelope * Self.release)
    let wanted = min(max(Self.target / max(envelope, 1e-6), Self.range.lowerBound), Self.range.upperBound)
    if wanted < gain {
      gain = max(wanted, gain * Self.fall)
    } else if peak >= Self.silence {
      gain = min(wanted, gain * Self.rise)
    }
    peak = 0
    for number in block..<min(next, block + gains.count) { gains[number % gains.count] = gain }
  }

  /// Gives interleaved frames the gain that was right when they were heard, in place.
  public func apply(to samples: UnsafeMutablePointer<Float>, frames: Int, at frame: Int) {
    var done = 0
    while done < frames {
      let number = (frame + done) / blockFrames
      let count = min(frames - done, (number + 1) * blockFrames - frame - done)
      // A block goes from the gain of two before it to that of the one before it: nothing is known of itself.
      let (start, end) = (kept(number - 2), kept(number - 1))
      let step = (end - start) / Float(blockFrames)
      let offset = frame + done - number * blockFrames
      for index in 0..<count {
        let factor = start + step * Float(offset + index)
        for channel in 0..<channels { samples[(done + index) * channels + channel] *= factor }
      }
      done += count
    }
  }

  private func kept(_ number: Int) -> Float { number < 0 ? 1 : gains[number % gains.count] }
}
