/// What tests ask of a tone.
public enum Tone {
  /// Its frequency in Hz, from the places between samples where it rises through zero.
  public static func frequency(of samples: ArraySlice<Float>, sampleRate: Double = 48_000) -> Double {
    var crossings: [Double] = []
    for index in samples.indices.dropFirst() {
      let (before, after) = (samples[index - 1], samples[index])
      if before < 0, after >= 0 { crossings.append(Double(index) + Double(before / (before - after)) - 1) }
    }
    guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
    return sampleRate * Double(crossings.count - 1) / (last - first)
  }
}
