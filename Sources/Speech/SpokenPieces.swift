internal import Sound

/// Speech on its way to who says it while it is being made: at 48 kHz, without the silence before its first word. The
/// synthesiser's thread.
final class SpokenPieces: @unchecked Sendable {
  private let take: (UnsafeBufferPointer<Float>) -> Bool
  private let resampler = FractionalResampler(channels: 1)
  private var source: [Float] = []
  private var target = [Float](repeating: 0, count: 4096)
  private var hasBegun = false
  private var isWanted = true
  /// Samples of the synthesiser for one that is given on.
  var step = 1.0

  /// Below this there is silence.
  private static let threshold: Int16 = 66

  init(_ take: @escaping (UnsafeBufferPointer<Float>) -> Bool) { self.take = take }

  /// - Returns: whether more is wanted.
  func add(_ block: UnsafeBufferPointer<Int16>) -> Bool {
    var first = 0
    if !hasBegun {
      guard let begin = block.firstIndex(where: { $0 > Self.threshold || $0 < -Self.threshold }) else {
        return isWanted
      }
      // Some 5 ms before it: no consonant is cut.
      first = max(0, begin - 110)
      hasBegun = true
    }
    source.removeAll(keepingCapacity: true)
    for sample in block[first...] { source.append(Float(sample) / 32_768) }
    source.withUnsafeBufferPointer { buffer in
      if let start = buffer.baseAddress { resampler.write(start, frames: buffer.count) }
    }
    give()
    return isWanted
  }

  /// Nothing follows.
  func finish() {
    resampler.finish()
    give()
  }

  private func give() {
    while isWanted {
      let step = step
      let made = target.withUnsafeMutableBufferPointer { buffer in
        buffer.baseAddress.map { resampler.read(into: $0, frames: buffer.count, step: step) } ?? 0
      }
      guard made > 0 else { return }
      isWanted = target.withUnsafeBufferPointer { take(UnsafeBufferPointer(rebasing: $0[0..<made])) }
    }
  }
}
