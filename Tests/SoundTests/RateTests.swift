import Foundation
import Hardware
import TestSupport
import Testing

@testable import Sound

@Suite("Resampling and stretching")
struct RateTests {
  private func resampled(_ input: [Float], ppm: (Int) -> Double, chunk: Int = 480) -> [Float] {
    let resampler = FractionalResampler()
    var output: [Float] = []
    var buffer = [Float](repeating: 0, count: 2 * 4096)
    for start in stride(from: 0, to: input.count / 2, by: chunk) {
      let count = min(chunk, input.count / 2 - start)
      Array(input[(2 * start)..<(2 * (start + count))]).withUnsafeBufferPointer {
        if let base = $0.baseAddress { resampler.write(base, frames: count) }
      }
      while true {
        let made = buffer.withUnsafeMutableBufferPointer {
          $0.baseAddress.map { resampler.read(into: $0, frames: 4096, ppm: ppm(start)) } ?? 0
        }
        guard made > 0 else { break }
        output += buffer[0..<(2 * made)]
      }
    }
    return output
  }

  private func sine(_ hertz: Double, _ frames: Int) -> [Float] {
    var samples: [Float] = []
    for frame in 0..<frames {
      let value = Float(0.5 * sin(2 * Double.pi * hertz * Double(frame) / 48_000))
      samples += [value, -value]
    }
    return samples
  }

  @Test func `Without a difference nothing is changed`() {
    let input = sine(1000, 10_000)
    let output = resampled(input, ppm: { _ in 0 })
    #expect(output == Array(input[0..<output.count]))
    #expect(output.count >= input.count - 2 * FractionalResampler.latency)
  }

  @Test(arguments: [500.0, -500.0, 37.0])
  func `A sine stays a sine, at the other speed`(ppm: Double) {
    let input = sine(5000, 96_000)
    let output = resampled(input, ppm: { _ in ppm })
    var worst: Float = 0
    for frame in 100..<(output.count / 2 - 100) {
      let place = Double(frame) * (1 + ppm * 1e-6)
      let expected = Float(0.5 * sin(2 * Double.pi * 5000 * place / 48_000))
      worst = max(worst, abs(output[2 * frame] - expected))
    }
    // −66 dB of the tone.
    #expect(worst < 0.00025)
  }

  @Test func `A change of the ratio does not break the phase`() {
    let input = sine(1000, 96_000)
    var dice = SeededGenerator(seed: 4)
    let output = resampled(input, ppm: { _ in Double.random(in: -500...500, using: &dice) })
    // The steepest step of this sine, and half a thousandth.
    let limit: Float = 0.065_59
    var steepest: Float = 0
    for frame in 50..<(output.count / 2 - 1) {
      let step = output[2 * frame + 2] - output[2 * frame]
      steepest = max(steepest, abs(step))
    }
    #expect(steepest <= limit)
  }

  @Test(arguments: [8000, 16_000, 22_050, 24_000, 44_100])
  func `Voices come to 48 kHz with their length, time and level`(rate: Int) {
    let seconds = 0.5
    let frames = Int(Double(rate) * seconds)
    let input: [Float] = (0..<frames).map { Float(0.5 * sin(2 * Double.pi * 440 * Double($0) / Double(rate))) }
    let output = RateConverter.to48k(input, rate: rate)
    #expect(output.count == 24_000)
    var worst: Float = 0
    for frame in 500..<23_500 {
      let expected = Float(0.5 * sin(2 * Double.pi * 440 * Double(frame) / 48_000))
      worst = max(worst, abs(output[frame] - expected))
    }
    #expect(worst < 0.0005)
  }

  @Test func `Stretched sound has exactly the length that was promised`() {
    var dice = SeededGenerator(seed: 9)
    for _ in 0..<60 {
      let frames = Int.random(in: 1...60_000, using: &dice)
      let speed = Double.random(in: 0.97...1.4, using: &dice)
      let channels = Int.random(in: 1...2, using: &dice)
      let wanted = max(1, Int(Double(frames) / speed))
      let input = (0..<(frames * channels)).map { Float(sin(Double($0) * 0.02)) }
      let output = TimeStretch.stretch(input, channels: channels, sampleRate: 48_000, toFrames: wanted)
      #expect(output.count == wanted * channels)
      #expect(output.allSatisfy { abs($0) <= 1 })
    }
  }

  @Test func `Faster speech keeps its pitch`() {
    let input = (0..<48_000).map { Float(0.5 * sin(2 * .pi * 200 * Double($0) / 48_000)) }
    let output = TimeStretch.stretch(input, channels: 1, sampleRate: 48_000, toFrames: 36_000)
    let crossings = (1..<output.count).count { output[$0 - 1] < 0 && output[$0] >= 0 }
    // 200 Hz for 0.75 s; a period or two are lost at joints and at the end.
    #expect((146...151).contains(crossings))
  }

  @Test func `A stream that is stretched for a while loses nothing`() throws {
    let stream = try #require(TempoStream(sampleRate: 48_000, channels: 2))
    let input = sine(220, 4800)
    var made = 0
    var buffer = [Float](repeating: 0, count: 2 * 8192)
    for turn in 0..<100 {
      stream.setSpeed(turn < 50 ? 1.03 : 1)
      stream.write(input, frames: 4800)
      while stream.available > 0 {
        made += stream.read(into: &buffer, frames: 8192)
      }
    }
    let expected = Double(50 * 4800) / 1.03 + Double(50 * 4800)
    #expect(abs(Double(made) - expected) < 800)
  }
}

@Suite("Speaker's clock")
struct SpeakerClockTests {
  /// Stamps of a speaker that is `ppm` off, as a driver gives them.
  private func run(ppm: Double, jitter: Double, seconds: Double, seed: UInt64) -> (SpeakerClock, worst: Double) {
    var clock = SpeakerClock(sampleRate: 48_000)
    var dice = SeededGenerator(seed: seed)
    var worst = 0.0
    let rate = 48_000 * (1 + ppm * 1e-6)
    for period in 0..<Int(seconds * 100) {
      let time = Double(period) * 0.01 + (jitter == 0 ? 0 : Double.random(in: -jitter...jitter, using: &dice))
      let at = Instant(nanoseconds: 1_000_000_000 + Int64(time * 1e9))
      clock.add(position: Int((time * rate).rounded()), at: at)
      if time > 60, let place = clock.position(at: at) { worst = max(worst, abs(place - time * rate) / 48) }
    }
    return (clock, worst)
  }

  @Test(arguments: [-100.0, 0, 100, 500])
  func `It finds the rate to some parts per million`(ppm: Double) {
    let (clock, worst) = run(ppm: ppm, jitter: 0, seconds: 120, seed: 1)
    #expect(clock.isLocked)
    #expect(abs(clock.ppm - ppm) < 2)
    #expect(worst < 0.05)
  }

  @Test func `Positions that jitter by a millisecond are smoothed`() {
    var clock = SpeakerClock(sampleRate: 48_000)
    var dice = SeededGenerator(seed: 5)
    var errors: [Double] = []
    for period in 0..<30_000 {
      let time = Double(period) * 0.01
      let jitter = Double.random(in: -48...48, using: &dice)
      clock.add(position: Int(time * 48_004.8 + jitter), at: Instant(nanoseconds: Int64(time * 1e9)))
      if time > 60, let place = clock.position(at: Instant(nanoseconds: Int64(time * 1e9))) {
        errors.append(abs(place - time * 48_004.8) / 48)
      }
    }
    errors.sort()
    #expect(errors[errors.count * 99 / 100] < 0.3)
    #expect(abs(clock.ppm - 100) < 30)
  }

  @Test func `A stamp that cannot be is dropped, a real jump is believed after some`() {
    var clock = SpeakerClock(sampleRate: 48_000)
    func at(_ period: Int) -> Instant { Instant(nanoseconds: Int64(period) * 10_000_000) }
    for period in 0..<1000 { clock.add(position: period * 480, at: at(period)) }
    #expect(clock.add(position: 0, at: at(1000)) == false)
    #expect(clock.add(position: 1001 * 480, at: at(1001)) == true)
    #expect(clock.droppedStamps == 1)
    for period in 1002..<1012 { clock.add(position: period * 480 + 96_000, at: at(period)) }
    let place = clock.position(at: at(1012)) ?? 0
    #expect(abs(place - Double(1012 * 480 + 96_000)) < 5)
    // Time that stands still or goes back changes nothing.
    #expect(clock.add(position: 5, at: at(1011)) == true)
    #expect(clock.add(position: 5, at: at(900)) == false)
  }
}

@Suite("Loudness for ducking")
struct BedLoudnessTests {
  @Test func `A voice and a bed of the same level are as loud as each other`() throws {
    let format = PCMFormat(sampleRate: 48_000, channels: 2)
    let mono = (0..<(4 * 48_000)).map { Float(0.1 * sin(2 * .pi * 1000 * Double($0) / 48_000)) }
    let stereo = mono.flatMap { [$0, $0] }
    let bed = ProgrammeLoudness(format: format)
    bed.add(stereo, frames: mono.count)
    let shortTerm = try #require(bed.shortTermLUFS)
    let voice = try #require(ProgrammeLoudness.ofVoice(mono))
    // A sine of −20 dBFS peak on both channels is −20.0 LUFS at 1 kHz.
    #expect(abs(shortTerm + 20) < 0.1)
    #expect(abs(voice + 20) < 0.1)
    #expect(ProgrammeLoudness.ofVoice([Float](repeating: 0, count: 48_000)) == nil)
    #expect(ProgrammeLoudness(format: format).shortTermLUFS == nil)
  }

  @Test func `What was louder is forgotten after 3,2 s, however the sound comes in`() throws {
    let bed = ProgrammeLoudness(format: PCMFormat(sampleRate: 48_000, channels: 2))
    var frame = 0
    func play(_ amplitude: Double, seconds: Double) {
      var left = Int(seconds * 48_000)
      while left > 0 {
        let frames = min(777, left)
        let block = (0..<frames).flatMap { index -> [Float] in
          let sample = Float(amplitude * sin(2 * .pi * 1000 * Double(frame + index) / 48_000))
          return [sample, sample]
        }
        bed.add(block, frames: frames)
        frame += frames
        left -= frames
      }
    }
    play(0.1, seconds: 4)
    play(0.01, seconds: 1.6)
    // Half of it: 3 dB less.
    #expect(abs(try #require(bed.shortTermLUFS) + 23) < 0.2)
    play(0.01, seconds: 2)
    #expect(abs(try #require(bed.shortTermLUFS) + 40) < 0.1)
    play(0, seconds: 4)
    #expect(bed.shortTermLUFS == nil)
  }
}
