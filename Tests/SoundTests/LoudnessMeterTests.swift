import CEBUR128
import Foundation
import Hardware
import TestSupport
import Testing

@testable import Sound

@Suite("Loudness meter")
struct LoudnessMeterTests {
  private static let speech = "The quick brown fox jumps over the lazy dog. Pack my box with five dozen liquor jugs."

  /// Integrated loudness and true peak by ffmpeg's ebur128 filter, in steps of 0.1.
  private func ffmpeg(_ sound: TestSound) throws -> (loudness: Double, peak: Double) {
    let text = try Tool.run(
      "ffmpeg", ["-hide_banner", "-nostats", "-i", sound.path, "-af", "ebur128=peak=true", "-f", "null", "-"]
    ).errors
    let summary = try #require(text.range(of: "Summary:")).upperBound
    func value(_ label: String) throws -> Double {
      let tail = try #require(text.range(of: label, range: summary..<text.endIndex)).upperBound
      return try #require(Double(text[tail...].split(separator: " ").first ?? ""))
    }
    return (try value(" I: "), try value("Peak: "))
  }

  /// The true peak of libebur128 over everything, with nothing left out.
  private func ungated(_ sound: TestSound) -> Double {
    var state = ebur128_init(
      UInt32(sound.format.channels), UInt(sound.format.sampleRate), Int32(EBUR128_MODE_TRUE_PEAK.rawValue))
    defer { ebur128_destroy(&state) }
    ebur128_add_frames_float(state, sound.samples, sound.frames)
    var maximum = 0.0
    for channel in 0..<UInt32(sound.format.channels) {
      var value = 0.0
      ebur128_true_peak(state, channel, &value)
      maximum = max(maximum, value)
    }
    return maximum
  }

  @Test(
    "Loudness and true peak agree with ffmpeg within 0.1",
    arguments: [
      ["synth", "6", "sine", "997", "vol", "0.1"], ["synth", "6", "pinknoise", "vol", "0.5"],
      ["synth", "6", "whitenoise", "vol", "0.2", "sinc", "-15k"], ["speech"],
    ])
  func agreesWithFFmpeg(effects: [String]) throws {
    for (rate, channels) in [(48_000, 2), (44_100, 1)] {
      let isSpeech = effects == ["speech"]
      let sound = try TestSound(
        isSpeech ? ["vol", "0.5"] : effects, rate: rate, channels: channels, spoken: isSpeech ? Self.speech : nil)
      let meter = LoudnessMeter(format: sound.format)
      sound.feed { meter.add($0, frames: $1) }
      let reference = try ffmpeg(sound)
      let loudness = try #require(meter.integratedLUFS)
      // Half a step of ffmpeg's print-out on top.
      #expect(abs(loudness - reference.loudness) <= 0.15)
      // ffmpeg over-samples with another filter, which goes closer to the Nyquist limit: the noise stays below 15 kHz.
      let peak = try #require(meter.truePeakDBTP)
      #expect(abs(peak - reference.peak) <= 0.15)
    }
  }

  @Test("A sine of 997 Hz at -23 dBFS in both channels is -23 LUFS (EBU Tech 3341, case 1)")
  func tech3341() throws {
    let format = PCMFormat(sampleRate: 48_000, channels: 2, bits: 24)
    let samples = (0..<(48_000 * 20)).flatMap { frame -> [Float] in
      let value = Float(pow(10, -23.0 / 20) * sin(2 * .pi * 1000 * Double(frame) / 48_000))
      return [value, value]
    }
    let meter = LoudnessMeter(format: format)
    meter.add(samples, frames: samples.count / 2)
    #expect(abs(try #require(meter.integratedLUFS) + 23) < 0.1)
    #expect(abs(try #require(meter.truePeakDBTP) + 23) < 0.1)
  }

  @Test("Leaving out what cannot matter leaves the true peak exactly as it is", arguments: 0..<24)
  func gateIsExact(seed: Int) throws {
    let rate = [48_000, 44_100, 96_000, 8000, 192_000][seed % 5]
    let channels = 1 + seed % 2
    let effects =
      switch seed % 4 {
      case 0: ["synth", "3", "pinknoise", "tremolo", "\(1 + seed)", "90", "vol", "0.8"]
      case 1: ["synth", "3", "sine", "\(rate / 4)", "fade", "t", "1", "3", "1"]
      case 2: ["synth", "3", "whitenoise", "vol", "0.9", "fade", "l", "2"]
      default: ["vol", "0.9"]
      }
    let sound = try TestSound(effects, rate: rate, channels: channels, spoken: seed % 4 == 3 ? Self.speech : nil)
    let meter = LoudnessMeter(format: sound.format)
    sound.feed(seed: UInt64(seed), upTo: seed % 3 == 0 ? 40 : 3000) { meter.add($0, frames: $1) }
    let truth = Decibels.ofAmplitude(ungated(sound))
    #expect(abs(try #require(meter.truePeakDBTP) - truth) < 1e-5)
  }

  @Test("The bound of the gate is that of the filter: no signal of one slice gets past it")
  func bound() {
    // The worst signal for each phase: full scale with the signs of the coefficients.
    for (rate, factor, gain) in [(48_000, 4, 1.87), (96_000, 2, 2.31)] {
      for phase in 0..<factor {
        var signs: [Float] = []
        for tap in stride(from: phase, to: 49, by: factor) {
          let distance = Double(tap - 24) / Double(factor)
          signs.append(distance == 0 || sin(.pi * distance) / distance >= 0 ? 1 : -1)
        }
        let samples = [Float](repeating: 0, count: 64) + signs.reversed() + [Float](repeating: 0, count: 64)
        var state = ebur128_init(1, UInt(rate), Int32(EBUR128_MODE_TRUE_PEAK.rawValue))
        defer { ebur128_destroy(&state) }
        ebur128_add_frames_float(state, samples, samples.count)
        var peak = 0.0
        ebur128_true_peak(state, 0, &peak)
        #expect(peak <= gain)
        #expect(phase != factor / 2 || peak > gain - 0.02, "the bound is tight")
      }
    }
  }

  @Test("Silence and nothing have no loudness")
  func silence() {
    let meter = LoudnessMeter(format: PCMFormat(sampleRate: 48_000, channels: 1))
    #expect(meter.integratedLUFS == nil && meter.truePeakDBTP == nil)
    meter.add([Float](repeating: 0, count: 96_000), frames: 96_000)
    #expect(meter.integratedLUFS == nil && meter.truePeakDBTP == nil)
  }
}
