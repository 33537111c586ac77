import Hardware
import Sound
import TestSupport
import Testing

@Suite("Waveform strip")
struct WaveformStripTests {
  @Test("Each column is the peak of its 50 ms over both channels, newest first")
  func columns() {
    var random = SeededGenerator(seed: 4)
    var strip = WaveformStrip(format: PCMFormat(sampleRate: 8000, channels: 2), columnLength: .milliseconds(50))
    var samples: [Float] = []
    for column in 0..<300 {
      for _ in 0..<800 { samples.append(Float.random(in: -1...1, using: &random) * Float(column) / 300) }
    }
    var done = 0
    while done < samples.count / 2 {
      let count = min(samples.count / 2 - done, Int.random(in: 1...777, using: &random))
      strip.add(Array(samples[(done * 2)..<((done + count) * 2)]), frames: count)
      done += count
    }
    #expect(strip.completedColumns == 300)
    for age in 0..<128 {
      let column = 299 - age
      let expected = samples[(column * 800)..<(column * 800 + 800)].reduce(0) { max($0, abs($1)) }
      #expect(strip.peak(age: age) == expected)
    }
    #expect(strip.peak(age: 128) == 0 && strip.peak(age: -1) == 0)
    #expect(strip.all.count == 128 && strip.all.last == strip.peak(age: 0))
    strip.reset()
    #expect(strip.all.allSatisfy { $0 == 0 })
  }
}
