import Foundation
import Hardware
import Testing

@testable import Sound

@Suite("Level meter")
struct LevelMeterTests {
  private func reading(of sound: TestSound) -> LevelReading {
    var meter = LevelMeter(format: sound.format)
    sound.feed { meter.add($0, frames: $1) }
    return meter.take()
  }

  @Test(
    "Sines from 20 Hz to 20 kHz read within 0.1 dB, RMS and peak",
    arguments: [20, 23, 31.5, 50, 97, 250, 440, 997, 3150, 8000, 12_345, 19_999.0], [44_100, 48_000])
  func sines(frequency: Double, rate: Int) {
    let format = PCMFormat(sampleRate: rate, channels: 2, bits: 24)
    for level in [0.0, -20, -60] {
      var meter = LevelMeter(format: format)
      let amplitude = pow(10, level / 20)
      var samples: [Float] = []
      for frame in 0..<(rate * 3 / 4 + 137) {
        let value = Float(amplitude * sin(2 * .pi * frequency * Double(frame) / Double(rate) + 0.4))
        samples += [value, value / 2]
      }
      meter.add(samples, frames: samples.count / 2)
      let got = meter.take()
      #expect(abs(got.left.rmsDB - (level - 3.0103)) < 0.1)
      #expect(abs(got.right.rmsDB - (level - 3.0103 - 6.0206)) < 0.1)
      // A sampled sine need not touch its peak where the frequency is high; what sox reads is the sample peak too.
      let peak = samples.enumerated().reduce(0.0) { $1.offset % 2 == 0 ? max($0, Double(abs($1.element))) : $0 }
      #expect(abs(got.left.peakDB - 20 * log10(peak)) < 0.001)
    }
  }

  @Test(
    "Noise and speech read as sox does over the same 400 ms, within 0.1 dB",
    arguments: [
      ("white", ["synth", "2", "whitenoise", "vol", "0.3"]), ("pink", ["synth", "2", "pinknoise", "vol", "0.8"]),
      ("brown", ["synth", "2", "brownnoise", "vol", "0.8"]), ("speech", ["trim", "0", "2.0", "vol", "0.7"]),
      ("speech later", ["trim", "0.7", "1.5", "vol", "0.1"]),
    ])
  func noiseAndSpeech(name: String, effects: [String]) throws {
    for channels in [1, 2] {
      let spoken = name.hasPrefix("speech") ? "Never lose a take, never lie, never make the user wait." : nil
      let sound = try TestSound(effects, channels: channels, spoken: spoken)
      #expect(sound.frames > 48_000)
      let got = reading(of: sound)
      let start = Double(sound.frames / 480 * 480 - 19_200) / 48_000
      // Only complete steps of 10 ms are read; these files end with one.
      #expect(sound.frames % 480 == 0)
      let average = try sound.soxStatistics("RMS lev dB", from: start)
      let peak = try sound.soxStatistics("Pk lev dB")
      for channel in 0..<channels {
        let level = channel == 0 ? got.left : got.right
        #expect(abs(level.rmsDB - average[channel]) < 0.1, "\(name) RMS")
        #expect(abs(level.peakDB - peak[channel]) < 0.02, "\(name) peak")
        #expect(level.maximumDB == level.peakDB)
      }
    }
  }

  @Test("A reading does not depend on how the samples were cut up")
  func blockSizes() throws {
    let sound = try TestSound(["synth", "1", "pinknoise"], channels: 2)
    let readings = (0..<8).map { seed in
      var meter = LevelMeter(format: sound.format)
      sound.feed(seed: UInt64(seed), upTo: 1 << seed * 2) { meter.add($0, frames: $1) }
      return meter.take()
    }
    for reading in readings {
      #expect(abs(reading.left.rmsDB - readings[0].left.rmsDB) < 1e-4)
      #expect(reading.right.peakDB == readings[0].right.peakDB)
    }
  }

  @Test("Peak is since the last reading, hold stays 1.5 s and falls 20 dB in the next 1.5 s")
  func ballistics() {
    var meter = LevelMeter(format: PCMFormat(sampleRate: 48_000, channels: 1))
    let click: [Float] = [0.5]
    let silence = [Float](repeating: 0, count: 480)
    meter.add(click, frames: 1)
    let first = meter.take()
    #expect(abs(first.left.peakDB + 6.0206) < 0.001)
    var holds: [Double] = []
    for _ in 0..<300 {
      meter.add(silence, frames: 480)
      holds.append(meter.take().left.holdDB)
    }
    #expect(meter.take().left.peakDB == Decibels.floor)
    #expect(meter.take().left.maximumDB == first.left.maximumDB)
    #expect(holds[0..<149].allSatisfy { $0 == first.left.holdDB })
    #expect(abs(holds[299] - (first.left.holdDB - 20)) < 0.3)
    #expect(abs(holds[224] - (first.left.holdDB - 10)) < 0.3)
    // Something louder than what is held takes its place at once.
    meter.add([0.25, -0.3], frames: 2)
    #expect(abs(meter.take().left.holdDB - Decibels.ofAmplitude(0.3)) < 1e-4)
  }

  @Test("Clips are runs of three or more at full scale, counted once each, also across blocks")
  func clips() {
    let top: Float = 32_767 / 32_768
    let cases: [(samples: [Float], clips: Int)] = [
      ([1, 1], 0), ([1, 1, 1], 1), ([top, -1, top, -1, top, -1], 1), ([1, 1, 0, 1, 1], 0),
      ([1, 1, 1, 0, -1, -1, -1, 0, 1, 1, 1, 1, 1], 3), ([0.999, 0.999, 0.999, 0.999], 0),
    ]
    for (samples, clips) in cases {
      for cut in 0...samples.count {
        var meter = LevelMeter(format: PCMFormat(sampleRate: 48_000, channels: 1))
        meter.add(Array(samples[..<cut]), frames: cut)
        meter.add(Array(samples[cut...]), frames: samples.count - cut)
        #expect(meter.take().left.clips == clips)
      }
      var stereo = LevelMeter(format: PCMFormat(sampleRate: 48_000, channels: 2))
      stereo.add(samples.flatMap { [0, $0] }, frames: samples.count)
      let reading = stereo.take()
      #expect(reading.left.clips == 0 && reading.right.clips == clips)
      stereo.reset()
      #expect(stereo.take() == LevelReading())
    }
  }

  @Test("Silence, broken samples and odd rates give numbers, not traps")
  func oddInput() {
    for rate in [8000, 11_025, 22_050, 44_100, 192_000] {
      var meter = LevelMeter(format: PCMFormat(sampleRate: rate, channels: 2, bits: 24))
      #expect(meter.take().left == ChannelLevel())
      var samples = [Float](repeating: 0.1, count: rate * 2)
      samples[5] = .nan
      samples[9] = .infinity
      samples[21] = -.infinity
      meter.add(samples, frames: rate)
      let reading = meter.take()
      for level in [reading.left, reading.right] {
        #expect(abs(level.rmsDB + 20) < 0.2)
        #expect(level.peakDB.isFinite && level.holdDB.isFinite)
      }
    }
  }
}
