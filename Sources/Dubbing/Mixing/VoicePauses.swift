/// Where a voice speaks, and where it pauses for so long that the original should be heard. Pure.
enum VoicePauses {
  /// Shorter pauses belong to speech: stops of consonants, and between words.
  static let shortest = 48_000 / 5
  /// What is 50 dB below the voice's peak is silence.
  private static let threshold: Float = 0.003

  /// The stretches in which one channel at 48 kHz speaks, in order; pauses of `shortest` and more lie between them.
  static func spans(_ mono: [Float]) -> [Range<Int>] {
    var peak: Float = 0
    for sample in mono where sample.isFinite { peak = max(peak, abs(sample)) }
    let level = peak * threshold
    var spans: [Range<Int>] = []
    var first: Int?
    var last = 0
    for index in mono.indices where abs(mono[index]) > level {
      if let begin = first, index - last > shortest {
        spans.append(begin..<(last + 1))
        first = index
      }
      first = first ?? index
      last = index
    }
    if let begin = first { spans.append(begin..<(last + 1)) }
    return spans
  }
}
