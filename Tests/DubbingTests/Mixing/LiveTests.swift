import Foundation
import Hardware
import Sound
import TestSupport
import Testing

@testable import Dubbing

@Suite("Live edge and drift")
struct LiveTests {
  @Test func `How far behind it is, is told of what is heard: before what was left out it is farther`() throws {
    let programme = Fixtures.programme(seconds: 20)
    programme.cues = []
    programme.isLive = true
    programme.behind = 2 * 48_000
    programme.leftOut = (place: 3 * 48_000, frames: 60 * 48_000)
    let stage = Stage(programme, settings: Fixtures.settings(service: false))
    stage.player.post(.start(source: "fake", language: "es"))
    stage.run(until: 2)
    #expect(try #require(stage.player.status.liveOffsetSeconds) > 60)
    stage.run(until: 6)
    #expect(try #require(stage.player.status.liveOffsetSeconds) < 15)
  }

  @Test(arguments: [-100.0, 0, 100])
  func `A speaker with another clock stays within 2 ms for an hour`(ppm: Double) {
    var clock = SpeakerClock(sampleRate: 48_000)
    var drift = DriftControl()
    var dice = SeededGenerator(seed: 7)
    var timeline = 0.0
    var errors: [Double] = []
    var correction = 0.0
    var largest = 0.0
    let period = 480.0
    let rate = 48_000 * (1 + ppm * 1e-6)
    for index in 0..<360_000 {
      // The device takes a period whenever its own clock says so; stamps jitter by a quarter of a millisecond.
      let time = Double(index) * period / rate
      timeline += period * (1 + correction * 1e-6)
      let at = Instant(nanoseconds: Int64((time + Double.random(in: -0.00025...0.00025, using: &dice)) * 1e9))
      clock.add(position: Int((time * rate).rounded()), at: at)
      if clock.isLocked {
        correction = drift.correction(
          frame: timeline, at: Instant(nanoseconds: Int64(time * 1e9)), speakerPPM: clock.ppm)
        errors.append(abs(drift.error) * 1000)
      }
      largest = max(largest, abs(correction))
    }
    #expect(largest <= 500)
    errors.sort()
    #expect(errors[errors.count * 99 / 100] <= 2)
    #expect(errors[errors.count / 2] <= 0.5)
  }

  @Test func `What the live edge is steered for is counted with the frame with which it is heard`() {
    let control = RateControl()
    var (taken, given, largest) = (0, 0, 0.0)
    for block in 0..<3000 {
      switch block {
      case 200: control.set(speed: 0.97)
      case 900: control.set(speed: 1)
      case 1000: control.set(ppm: 500, steering: 500)
      case 1700: control.set(ppm: 0, steering: 0)
      case 1800: control.set(speed: 1.03)
      case 2500: control.set(speed: 1)
      default: break
      }
      let buffer = Self.sine(block: block)
      taken += 480
      control.process(buffer, frames: 480) { _, count in given += count }
      // A speaker that keeps the time has played as much of the timeline as there would be without steering.
      largest = max(largest, abs(Double(taken) - control.held - control.steered - Double(given)))
    }
    // A millisecond: a stretch leaves out whole periods of the voice.
    #expect(largest < 48)
    #expect(abs(Double(taken) - control.held - control.steered - Double(given)) < 1)
  }

  @Test func `After a pause the crystal's rate is known still`() {
    var clock = SpeakerClock(sampleRate: 48_000)
    var dice = SeededGenerator(seed: 3)
    func feed(from begin: Double, seconds: Double, offset: Int) {
      for index in 0..<Int(seconds / 0.04) {
        let time = begin + Double(index) * 0.04
        let jitter = Double.random(in: -0.0005...0.0005, using: &dice)
        clock.add(position: Int(time * 48_014.4) + offset, at: Instant(nanoseconds: Int64((time + jitter) * 1e9)))
      }
    }
    feed(from: 0, seconds: 60, offset: 0)
    #expect(abs(clock.ppm - 300) < 20)
    clock.restart()
    feed(from: 63, seconds: 2.4, offset: 77_000)
    #expect(clock.isLocked)
    #expect(abs(clock.ppm - 300) < 60)
  }

  @Test func `Stamps that jitter after a pause spoil a rate that was found no more than without it`() {
    /// How far the rate is off at worst in the minute that follows two, in ppm.
    func worst(pausing: Bool, seed: UInt64) -> Double {
      var clock = SpeakerClock(sampleRate: 48_000)
      var dice = SeededGenerator(seed: seed)
      var worst = 0.0
      for index in 0..<4500 {
        if pausing, index == 3000 { clock.restart() }
        let time = Double(index) * 0.04
        // A busy machine: now and then a stamp is some ms late.
        let late = Int.random(in: 0..<20, using: &dice) == 0 ? Double.random(in: 0...0.006, using: &dice) : 0
        let jump = pausing && index >= 3000 ? 77_000 : 0
        clock.add(position: Int(time * 48_014.4) + jump, at: Instant(nanoseconds: Int64((time + late) * 1e9)))
        if index >= 3000, clock.isLocked { worst = max(worst, abs(clock.ppm - 300)) }
      }
      return worst
    }
    let seeds = 1...20 as ClosedRange<UInt64>
    let paused = seeds.reduce(0) { $0 + worst(pausing: true, seed: $1) } / 20
    let whole = seeds.reduce(0) { $0 + worst(pausing: false, seed: $1) } / 20
    #expect(paused < 1.5 * whole, "\(paused) ppm after a pause, \(whole) without one")
  }

  @Test func `Small errors are left, larger ones are worked off by the gentlest means`() {
    var edge = LiveEdge()
    #expect(edge.correct(error: 0.019) == .none)
    #expect(edge.correct(error: -0.019) == .none)
    #expect(edge.correct(error: 0.05) == .resample(500))
    // On until it is as good as there, then nothing up to the dead band again.
    #expect(edge.correct(error: 0.01) == .resample(500))
    #expect(edge.correct(error: 0.004) == .none)
    #expect(edge.correct(error: 0.01) == .none)
    #expect(edge.correct(error: -0.05) == .resample(-500))
    #expect(edge.correct(error: 0.3) == .stretch(1.03))
    #expect(edge.correct(error: 0.1) == .stretch(1.03))
    #expect(edge.correct(error: -0.3) == .stretch(0.97))
    #expect(edge.correct(error: 3) == .jump(144_000))
    #expect(edge.correct(error: -2.5) == .jump(-120_000))
  }

  @Test func `The distance is measured without the saw-tooth of segments`() {
    var edge = LiveEdge()
    for index in 0..<400 { edge.measured(12 + Double(index / 10 % 4)) }
    #expect(abs((edge.distance ?? 0) - 13.5) < 0.6)
    #expect(edge.correction(wanted: 13.5) == .none)
    edge.restart()
    #expect(edge.distance == nil)
    // However segments and measurements meet, nothing is to be mended.
    for segment in [2.0, 3, 4, 6, 8] {
      edge.restart()
      var distances: [Double] = []
      for index in 0..<1000 {
        edge.measured(9 + (Double(index) * 0.1003).truncatingRemainder(dividingBy: segment))
        if index % 10 == 0, let distance = edge.distance { distances.append(distance) }
      }
      #expect((distances.max() ?? 0) - (distances.min() ?? 0) < LiveEdge.stretchBeyond)
    }
    edge.restart()
    edge.measured(.nan)
    #expect(edge.correction(wanted: 1) == .none)
  }

  @Test func `The dub's round trip and a segment are kept`() {
    #expect(LiveEdge.wantedDistance(roundTrip: 5, segment: 4, initial: 6) == 9)
    #expect(LiveEdge.wantedDistance(roundTrip: nil, segment: 4, initial: 12) == 12)
  }

  @Test func `Sound passes untouched until a correction is asked for, and nothing is lost by one`() {
    let control = RateControl()
    var output: [Float] = []
    var input: [Float] = []
    for block in 0..<400 {
      switch block {
      case 100: control.set(ppm: 400)
      case 200: control.set(speed: 1.03)
      case 300: control.set(speed: 1)
      default: break
      }
      let buffer = Self.sine(block: block)
      input += buffer
      control.process(buffer, frames: 480) { samples, count in
        output += Array(UnsafeBufferPointer(start: samples, count: 2 * count))
      }
      if block < 100 { #expect(control.held == 0) }
    }
    #expect(Array(output[0..<96_000]) == Array(input[0..<96_000]))
    // 100 blocks at 3 % less; 400 ppm are 57 frames.
    let expected = 400 * 480 - 100 * 480 * 3 / 103 - 57
    #expect(abs(output.count / 2 - expected) < 900)
    let steepest = stride(from: 0, to: output.count - 2, by: 2).map { abs(output[$0 + 2] - output[$0]) }.max() ?? 1
    #expect(steepest < 0.03)
  }

  /// A block of 480 frames of a stereo sine.
  private static func sine(block: Int) -> [Float] {
    (0..<480).flatMap { index in
      let value = Float(0.3 * sin(Double(block * 480 + index) * 0.03))
      return [value, value]
    }
  }
}
