internal import Hardware
internal import Sound

/// A microphone that is open, and its sound in the format of the history. Media lane only.
final class MicrophoneLine {
  /// What it is called in the order of sources.
  let source: String
  let microphone: any Microphone
  let grant: SoundGrant
  private let ring: CaptureRing
  /// Channels that come out.
  private var channels: Int
  /// Of a rate that is not the history's.
  private var resampler: FractionalResampler?
  /// Frames that go in for one that comes out.
  private var step = 1.0
  /// What the last block was converted to, and the frames of it that are not taken yet.
  private var converted: [Float] = []
  private var convertedFrames = 0..<0
  /// A block that was looked at before its time.
  private var ahead: CaptureBlock?

  /// Seconds of sound that the ring between the driver's thread and this lane holds.
  static let ringSeconds = 2

  /// Opens and starts it.
  init(_ source: String, _ microphone: any Microphone, _ request: SoundRequest) throws(DeviceError) {
    self.source = source
    self.microphone = microphone
    grant = try microphone.open(request)
    let rate = grant.format.sampleRate
    ring = CaptureRing(
      frames: rate * Self.ringSeconds, channels: grant.format.channels,
      blocks: max(64, rate * Self.ringSeconds / max(1, grant.periodFrames) * 2))
    channels = min(grant.format.channels, request.format.channels)
    do throws(DeviceError) {
      try microphone.start(into: ring)
    } catch {
      microphone.close()
      throw error
    }
  }

  func close() { microphone.close() }

  /// The format of what comes out; its bits are the device's.
  var format: PCMFormat {
    PCMFormat(sampleRate: grant.format.sampleRate, channels: channels, bits: grant.format.bits)
  }

  /// Whether its sound can be had at a rate.
  func canDeliver(at rate: Int) -> Bool {
    FractionalResampler.steps.contains(Double(grant.format.sampleRate) / Double(rate))
  }

  /// From here on comes out what fits into a history of this format.
  func deliver(as format: PCMFormat) {
    channels = format.channels
    guard grant.format.sampleRate != format.sampleRate else { return }
    step = Double(grant.format.sampleRate) / Double(format.sampleRate)
    resampler = FractionalResampler(channels: channels)
    let blockFrames = grant.format.sampleRate * Self.ringSeconds
    converted = Array(
      repeating: 0, count: (Int(Double(blockFrames) / step) + 2 * FractionalResampler.latency) * channels)
  }

  /// Whether sound has come; `nil`: it has gone away again.
  func hasSound() -> Bool? {
    while ahead == nil, let block = ring.blocks.pointee.read() {
      if block.kind == .lost { return nil }
      if block.kind == .sound { ahead = block }
    }
    return ahead != nil
  }

  // MARK: Its sound

  /// The next block, counted in frames that come out.
  func next() -> CaptureBlock? {
    var block = ahead
    if block == nil { block = ring.blocks.pointee.read() } else { ahead = nil }
    guard resampler != nil, let raw = block else { return block }
    return convert(raw)
  }

  /// Takes frames of the last block.
  ///
  /// - Parameter target: room for two channels of them.
  func read(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    guard resampler != nil else { return readRaw(into: target, frames: frames) }
    let count = min(frames, convertedFrames.count)
    converted.withUnsafeBufferPointer {
      guard let base = $0.baseAddress else { return }
      target.update(from: base + convertedFrames.lowerBound * channels, count: count * channels)
    }
    convertedFrames = (convertedFrames.lowerBound + count)..<convertedFrames.upperBound
    return count
  }

  private func readRaw(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let got = ring.samples.pointee.read(into: target, count: frames * ring.channels) / ring.channels
    switch (ring.channels, channels) {
    // Mean of left and right, in place: the mono take of a stereo microphone.
    case (2, 1): for frame in 0..<got { target[frame] = (target[2 * frame] + target[2 * frame + 1]) / 2 }
    case (1, 2):
      for frame in (0..<got).reversed() {
        let sample = target[frame]
        target[2 * frame] = sample
        target[2 * frame + 1] = sample
      }
    default: break
    }
    return got
  }

  /// What the filter holds back comes with the next block: the end is that of what comes out.
  private func convert(_ block: CaptureBlock) -> CaptureBlock {
    guard let resampler else { return block }
    guard block.kind == .sound else {
      resampler.reset()
      return block
    }
    var rest = Int(block.frames)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: CaptureInput.chunkFrames * 2) { chunk in
      guard let base = chunk.baseAddress else { return }
      while rest > 0 {
        let got = readRaw(into: base, frames: min(rest, CaptureInput.chunkFrames))
        guard got > 0 else { return }
        resampler.write(base, frames: got)
        rest -= got
      }
    }
    let room = converted.count / channels
    let made = converted.withUnsafeMutableBufferPointer {
      $0.baseAddress.map { resampler.read(into: $0, frames: room, step: step) } ?? 0
    }
    convertedFrames = 0..<made
    let held = Duration.nanoseconds(Int64(resampler.held * 1e9 / Double(grant.format.sampleRate)))
    return CaptureBlock(.sound, frames: Int32(truncatingIfNeeded: made), end: block.end - held)
  }
}
