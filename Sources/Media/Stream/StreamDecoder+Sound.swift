internal import CFFmpeg

// Where decoded sound belongs, and its way to 48 kHz.
extension StreamDecoder {
  /// Decides where a decoded frame belongs.
  func place(_ content: AVFrame) throws(MediaError) {
    let stamp = pendingTime
    pendingTime = nil
    hasFrame = true
    frameOffset = 0
    if Int64(content.sample_rate) != rate {
      base = expected
      fed = 0
      rate = Int64(content.sample_rate)
    }
    guard anchor != nil else {
      begin(at: stamp ?? 0)
      return
    }
    guard let stamp else { return }
    let difference = StreamTime.distance(from: expected, to: stamp)
    if difference > longestGap || difference < -Self.longestOverlap {
      try drain()
      ready.append(.jump)
      begin(at: stamp)
    } else if difference > Self.tolerance {
      silence = (difference * rate + 45_000) / 90_000
    } else if difference < -Self.tolerance {
      frameOffset = Int((-difference * rate + 45_000) / 90_000)
      // The rest of the overlap is cut from the frames behind, which have no time stamps of their own, or later ones.
      if frameOffset >= Int(content.nb_samples) {
        hasFrame = false
        pendingTime = StreamTime.folded(stamp + Int64(content.nb_samples) * 90_000 / rate)
      }
    }
  }

  private func begin(at stamp: Int64) {
    anchor = stamp
    base = stamp
    fed = 0
    made = 0
  }

  func convertFrame() throws(MediaError) {
    let content = frame.pointer.pointee
    let source = Resampler.Source(
      sampleRate: Int(content.sample_rate), channels: Int(content.ch_layout.nb_channels), sampleFormat: content.format)
    let resampler = try converter(for: source)
    try resampler.convert(frame.pointer, offset: frameOffset, subject: "sound")
    fed += Int64(Int(content.nb_samples) - frameOffset)
    collect(resampler)
  }

  func feedSilence() throws(MediaError) {
    guard let resampler else {
      silence = 0
      return
    }
    let count = try resampler.convertSilence(frames: Int(min(silence, 1024)), subject: "silence")
    silence -= Int64(count)
    fed += Int64(count)
    collect(resampler)
  }

  func drain() throws(MediaError) {
    guard let resampler else { return }
    // At the same rate nothing is held back.
    if resampler.source.sampleRate != Self.sampleRate {
      try resampler.drain(subject: "sound")
      collect(resampler)
    }
    self.resampler = nil
  }

  private func converter(for source: Resampler.Source) throws(MediaError) -> Resampler {
    if let resampler, resampler.source == source { return resampler }
    try drain()
    let new = try Resampler(source: source, outputRate: Self.sampleRate, outputChannels: 2, subject: "sound")
    resampler = new
    return new
  }

  private func collect(_ resampler: Resampler) {
    guard resampler.count > 0, let anchor else { return }
    let samples = Array(
      UnsafeBufferPointer(start: resampler.samples + 2 * resampler.first, count: 2 * resampler.count))
    // 90,000 ÷ 48,000 is 15 ÷ 8.
    ready.append(.sound(StreamSound(time: anchor + made * 15 / 8, samples: samples)))
    made += Int64(resampler.count)
    resampler.count = 0
  }
}
