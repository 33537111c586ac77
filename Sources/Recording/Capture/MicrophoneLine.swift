internal import Hardware
internal import Sound

/// A microphone that is open, and its sound in the format of the history. Media lane only.
final class MicrophoneLine {
  /// What it is called in the order of sources.
  let source: String
  let microphone: any Microphone
  let grant: SoundGrant
  /// Why the device does not run as the session has it; `nil`: it does.
  let fallback: String?
  private let ring: CaptureRing
  /// Channels that come out.
  private var channels: Int
  /// Of a rate that is not the history's, whose rate it makes.
  private var filter: UnsafeMutablePointer<RateFilter>?
  private var delivered = 0
  /// What the last block was converted to, and the frames of it that are not taken yet.
  private var converted: [Float] = []
  private var convertedFrames = 0..<0
  /// A block that was looked at before its time.
  private var ahead: CaptureBlock?

  /// Seconds of sound that the ring between the driver's thread and this lane holds.
  static let ringSeconds = 2

  /// Opens and starts it, as the first rung that it takes.
  init(_ source: String, _ microphone: any Microphone, _ requests: [SoundRequest]) throws(DeviceError) {
    self.source = source
    self.microphone = microphone
    (grant, fallback) = try SessionOpening.open(requests) { request throws(DeviceError) in try microphone.open(request)
    }
    let rate = grant.format.sampleRate
    ring = CaptureRing(
      frames: rate * Self.ringSeconds, channels: grant.format.channels,
      blocks: max(64, rate * Self.ringSeconds / max(1, grant.periodFrames) * 2))
    channels = min(grant.format.channels, requests.first?.format.channels ?? grant.format.channels)
    do throws(DeviceError) {
      try microphone.start(into: ring)
    } catch {
      microphone.close()
      throw error
    }
  }

  deinit { dropFilter() }

  func close() { microphone.close() }

  private func dropFilter() {
    filter?.deinitialize(count: 1)
    filter?.deallocate()
    filter = nil
  }

  /// The format of what comes out; its bits are the device's.
  var format: PCMFormat {
    PCMFormat(
      sampleRate: filter == nil ? grant.format.sampleRate : delivered, channels: channels, bits: grant.format.bits)
  }

  /// What comes out without a filter, of so many of its channels.
  func nativeFormat(channels: Int) -> PCMFormat {
    PCMFormat(
      sampleRate: grant.format.sampleRate, channels: min(channels, grant.format.channels), bits: grant.format.bits)
  }

  /// Whether its sound can be had at a rate.
  func canDeliver(at rate: Int) -> Bool { RateFilter.canConvert(from: grant.format.sampleRate, to: rate) }

  /// From here on comes out what fits into a history of this format.
  func deliver(as format: PCMFormat) {
    channels = format.channels
    dropFilter()
    convertedFrames = 0..<0
    let own = grant.format.sampleRate
    guard own != format.sampleRate,
      let made = RateFilter(
        from: own, to: format.sampleRate, channels: channels, frames: CaptureInput.chunkFrames)
    else { return }
    let memory = UnsafeMutablePointer<RateFilter>.allocate(capacity: 1)
    memory.initialize(to: made)
    filter = memory
    delivered = format.sampleRate
    let most = own * Self.ringSeconds + CaptureInput.chunkFrames
    converted = Array(repeating: 0, count: (most * delivered / own + 64) * channels)
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
    guard filter != nil, let raw = block else { return block }
    return convert(raw)
  }

  /// Takes frames of the last block.
  ///
  /// - Parameter target: room for two channels of them.
  func read(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    guard filter != nil else { return readRaw(into: target, frames: frames) }
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
    guard let filter else { return block }
    guard block.kind == .sound else {
      filter.pointee.reset()
      return block
    }
    var rest = Int(block.frames)
    var made = 0
    withUnsafeTemporaryAllocation(of: Float.self, capacity: CaptureInput.chunkFrames * 2) { chunk in
      guard let base = chunk.baseAddress else { return }
      while rest > 0 {
        let got = readRaw(into: base, frames: min(rest, CaptureInput.chunkFrames, filter.pointee.room))
        guard got > 0 else { return }
        filter.pointee.write(base, frames: got)
        made += take(from: filter, after: made)
        rest -= got
      }
    }
    convertedFrames = 0..<made
    let held = Duration.nanoseconds(Int64(filter.pointee.held * 1e9 / Double(grant.format.sampleRate)))
    return CaptureBlock(.sound, frames: Int32(truncatingIfNeeded: made), end: block.end - held)
  }

  /// Takes what the filter has into what is converted, behind the frames that are there.
  private func take(from filter: UnsafeMutablePointer<RateFilter>, after frames: Int) -> Int {
    let room = converted.count / channels - frames
    return converted.withUnsafeMutableBufferPointer {
      $0.baseAddress.map { filter.pointee.read(into: $0 + frames * channels, frames: room) } ?? 0
    }
  }
}
