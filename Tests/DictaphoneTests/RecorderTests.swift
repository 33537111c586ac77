import Dictaphone
import Foundation
import Hardware
import Recording
import SimulatedHardware
import Sound
import TestSupport
import Testing

/// What happens to a take when things do not go by the book.
@Suite struct RecorderTests {
  @Test("A pipe that was asked to be tiny still lets a take through")
  func tinyPipe() throws {
    let bench = Bench(pipeBytes: 1)
    bench.run(until: .at(0.1))
    bench.recorder.start(at: .at(0.1))
    bench.run(until: .at(3))
    bench.recorder.stop(at: .at(3), reason: .user)
    bench.finish()
    let take = try #require(bench.store.takes.first)
    #expect(take.ending?.frames == 23_200)
    #expect(bench.samples(of: take) == Array(801...24_000))
  }

  @Test("Marks by the hundred during a stall do not keep the end of the take from the storage")
  func marksFillThePipe() throws {
    let bench = Bench(pipeBytes: 1)
    bench.run(until: .at(0.1))
    bench.recorder.start(at: .at(0.1))
    bench.run(until: .at(0.2))
    bench.storage.stall(.seconds(5), at: .at(0.2))
    for _ in 0..<9000 { bench.recorder.mark(at: .at(0.2), title: nil) }
    bench.recorder.stop(at: .at(0.3), reason: .user)
    bench.finish()
    let take = try #require(bench.store.takes.first)
    #expect(take.marks.count == 9000)
    #expect(take.ending?.frames == 1600)
  }

  @Test(
    "A take that is ended before its first sound came has the 20 ms after it: REC leaves a file", arguments: [0, 0.004])
  func endedAtOnce(press: Double) throws {
    let bench = Bench()
    // Nothing has been heard yet, nor has the microphone been opened when the first comes.
    bench.run(until: .at(press))
    bench.recorder.start(at: .at(press))
    bench.recorder.stop(at: .at(press), reason: .power)
    bench.run(for: .milliseconds(50))
    bench.finish()
    let take = try #require(bench.store.takes.first)
    #expect(take.ending?.frames == 160 && take.gaps.isEmpty)
    let first = bench.frame(at: .at(press)) + 1
    #expect(bench.samples(of: take) == Array(first..<first + 160))
    #expect(bench.log.saved.map(\.reason) == [.power])
  }

  @Test("Silence stands for it if the microphone says nothing within a second")
  func endedInAStall() throws {
    let bench = Bench()
    bench.run(until: .at(1))
    bench.microphone.stall(.seconds(20), at: .at(1))
    bench.run(until: .at(2))
    bench.recorder.start(at: .at(2))
    bench.recorder.stop(at: .at(2), reason: .power)
    bench.finish()
    let take = try #require(bench.store.takes.first)
    #expect(take.ending?.frames == 160 && bench.log.saved.count == 1)
    #expect(bench.clock.now < .at(4))
  }

  @Test(
    "A take whose microphone goes before its first sound leaves nothing behind", arguments: [TakeEncoding.wav, .aac])
  func emptyTake(encoding: TakeEncoding) throws {
    var settings = RecordingSettings.counted(preRecordSeconds: 0)
    settings.encoding = encoding
    let bench = Bench(settings: settings)
    bench.run(until: .at(0.1))
    bench.recorder.start(at: .at(0.1))
    bench.microphone.unplug(at: .at(0.1))
    bench.finish()
    #expect(bench.store.takes.isEmpty)
    #expect(bench.log.saved.isEmpty)
    #expect(bench.log.failures.count == 1)
    #expect(try bench.memory.list("").isEmpty)
    bench.microphone.replug()
    bench.run(for: .seconds(5))
    bench.recorder.start(at: bench.clock.now)
    bench.run(for: .seconds(1))
    bench.recorder.stop(at: bench.clock.now, reason: .user)
    bench.finish()
    #expect(bench.log.saved.count == 1)
  }

  @Test("A press and a stop before the microphone's first period is there make a take of just that time")
  func withinTheFirstPeriod() throws {
    let bench = Bench()
    bench.run(until: .at(0.001))
    bench.recorder.start(at: .at(0.002))
    bench.recorder.stop(at: .at(0.008), reason: .user)
    bench.run(until: .at(0.05))
    bench.finish()
    let take = try #require(bench.store.takes.first)
    #expect(take.ending?.frames == 48)
    #expect(bench.samples(of: take) == Array(17...64))
  }

  @Test("A take begun right after another may hold the same sound again")
  func overlappingTakes() throws {
    let bench = Bench(settings: .counted(preRecordSeconds: 1))
    bench.run(until: .at(2))
    bench.recorder.start(at: .at(2))
    bench.run(until: .at(3))
    bench.recorder.stop(at: .at(3), reason: .user)
    bench.finish()
    bench.recorder.start(at: .at(3.001))
    bench.run(until: .at(4))
    bench.recorder.stop(at: .at(4), reason: .user)
    bench.finish()
    #expect(bench.store.takes.count == 2)
    #expect(bench.samples(of: bench.store.takes[0]) == Array(8001...24_000))
    #expect(bench.samples(of: bench.store.takes[1]) == Array(16_009...32_000))
  }

  @Test("An order that comes too late for its instant never makes the take jump or shrink below what is encoded")
  func lateOrders() throws {
    let bench = Bench()
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(2))
    bench.recorder.pause(at: .at(1.5))
    bench.run(until: .at(3))
    bench.recorder.resume(at: .at(2.5))
    bench.run(until: .at(4))
    bench.recorder.stop(at: .at(3.5), reason: .user)
    bench.finish()
    let take = try #require(bench.store.takes.first)
    var model = TakeModel()
    model.start(at: 8000)
    // What is held back for late orders, 5 + 20 ms, can still be taken away.
    model.pause(at: 16_000 - 160)
    model.resume(at: 20_000)
    model.stop(at: 32_000 - 200)
    #expect(model.complaint(about: bench.samples(of: take), gaps: take.gaps) == nil)
  }

  /// One of the second second on, in which something happens to the microphone.
  private func take(on bench: Bench, until stop: Instant, _ fault: (Bench) -> Void) throws -> KeptTake {
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(2))
    fault(bench)
    bench.run(until: stop)
    bench.recorder.stop(at: stop, reason: .user)
    bench.finish()
    return try #require(bench.store.takes.first)
  }

  @Test("STOP in a stall of the microphone does not wait for ever, and the length stays true")
  func stopWithoutSound() throws {
    let bench = Bench()
    let take = try take(on: bench, until: .at(4)) { $0.microphone.stall(.seconds(20), at: .at(2)) }
    #expect(bench.clock.now < .at(6))
    #expect(take.ending?.frames == 24_000)
    #expect(take.gaps == [CaptureGap(frame: 8000, frames: 16_000, reason: "overrun")])
    #expect(bench.samples(of: take) == Array(8001...16_000) + Array(repeating: 0, count: 16_000))
  }

  @Test("An overrun longer than the history costs nothing of what was heard before it, and is not the storage's")
  func longOverrun() throws {
    let take = try take(on: Bench(), until: .at(90)) { $0.microphone.overrun(.seconds(80), at: .at(2)) }
    #expect(take.gaps.map(\.reason) == ["overrun"])
    #expect(take.gaps.first?.frames == 80 * 8000)
  }

  @Test("Pause, resume, pause, resume and stop ordered during a stall are all carried out when the sound comes")
  func ordersDuringAStall() throws {
    let bench = Bench()
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(2))
    bench.microphone.stall(.seconds(1), at: .at(2))
    var model = TakeModel()
    model.start(at: 8000)
    for (time, pauses) in [(2.1, true), (2.2, false), (2.4, true), (2.6, false)] {
      bench.run(until: .at(time))
      if pauses {
        bench.recorder.pause(at: .at(time))
        model.pause(at: Int(time * 8000))
      } else {
        bench.recorder.resume(at: .at(time))
        model.resume(at: Int(time * 8000))
      }
      bench.recorder.mark(at: .at(time + 0.01), title: nil)
      model.mark(at: Int(((time + 0.01) * 8000).rounded()))
    }
    bench.run(until: .at(2.8))
    bench.recorder.stop(at: .at(2.8), reason: .user)
    model.stop(at: 22_400)
    bench.finish()
    let take = try #require(bench.store.takes.first)
    #expect(model.complaint(about: bench.samples(of: take), gaps: take.gaps) == nil)
    #expect(take.marks == model.marks)
  }

  @Test("A lost microphone ends the take with the sound up to the loss; it is back within a second of its return")
  func lostMicrophone() throws {
    for seed in 0..<15 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let bench = Bench(period: Int.random(in: 16...160, using: &random))
      bench.run(until: .at(0.1))
      bench.recorder.start(at: .at(0.1))
      var model = TakeModel()
      model.start(at: 800)
      bench.run(for: .microseconds(Int.random(in: 1...200_000, using: &random)))
      let choice = Int.random(in: 0...2, using: &random)
      let frame = bench.frame(at: bench.clock.now)
      let at = Instant(nanoseconds: Int64(frame) * 125_000)
      if choice > 0 {
        bench.recorder.pause(at: at)
        if choice > 1 { bench.recorder.resume(at: at + .milliseconds(50)) }
      }
      bench.run(for: .microseconds(Int.random(in: 0...100_000, using: &random)))
      bench.microphone.unplug(at: bench.clock.now)
      let heard = bench.microphone.counters.frames
      bench.finish()
      let take = try #require(bench.store.takes.first)
      #expect(take.ending?.reason == .deviceLost)
      let samples = bench.samples(of: take)
      #expect(samples.count == take.ending?.frames)
      if choice == 0 { #expect(samples == Array(801..<(heard + 1)), "seed \(seed)") }
      #expect(samples.allSatisfy { $0 <= heard }, "seed \(seed)")
      #expect(take.gaps.isEmpty)

      bench.run(for: .milliseconds(Int.random(in: 0...1200, using: &random)))
      bench.recorder.start(at: bench.clock.now)
      #expect(bench.log.failures.count == 1, "there is no microphone")
      bench.microphone.replug()
      bench.run(for: .seconds(1))
      let second = bench.clock.now
      // The press may be from before the first sound.
      bench.recorder.start(at: second - .milliseconds(Int.random(in: 0...990, using: &random)))
      bench.run(for: .milliseconds(700))
      bench.recorder.stop(at: bench.clock.now, reason: .user)
      bench.finish()
      let next = try #require(bench.store.takes.last)
      #expect(bench.store.takes.count == 2)
      #expect(next.gaps.isEmpty, "seed \(seed): \(next.gaps)")
      let sound = bench.samples(of: next)
      #expect(sound.count >= 5590)
      #expect(sound == Array((sound.first ?? 0)..<((sound.first ?? 0) + sound.count)), "seed \(seed)")
    }
  }

  @Test("Settings that change during a take wait for its end, and the next press finds a microphone")
  func settingsDuringATake() throws {
    let bench = Bench()
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(2))
    var other = RecordingSettings.counted(preRecordSeconds: 0)
    other.sampleRate = 16_000
    other.bits = 16
    bench.recorder.configure(other)
    bench.run(until: .at(3))
    bench.recorder.stop(at: .at(3), reason: .user)
    bench.finish()
    bench.recorder.configure(.counted())
    bench.recorder.configure(other)
    bench.recorder.start(at: bench.clock.now)
    let begun = bench.clock.now
    bench.run(for: .seconds(1))
    bench.recorder.stop(at: begun + .seconds(1), reason: .user)
    bench.finish()
    #expect(bench.log.failures.isEmpty)
    #expect(bench.samples(of: bench.store.takes[0]) == Array(8001...24_000))
    let second = WAVReading(bench.memory, bench.store.takes[1].id)
    #expect(second.sampleRate == 16_000)
    #expect(second.bits == 16)
    #expect(abs(second.samples.count - 16_000) <= 160)
  }

  @Test("A mono take of a stereo microphone is the mean of both sides")
  func monoFromStereo() throws {
    let source = FunctionSource(format: PCMFormat(sampleRate: 8000, channels: 2, bits: 24)) { frame, channel in
      Float(2 * frame + (channel == 0 ? 0 : 4)) / 8_388_608
    }
    let bench = Bench(source: source)
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(2))
    bench.recorder.stop(at: .at(2), reason: .user)
    bench.finish()
    let take = try #require(bench.store.takes.first)
    #expect(take.opening.pcm.channels == 1)
    #expect(bench.samples(of: take) == (8000..<16_000).map { 2 * $0 + 2 })
  }

  @Test("A take says the rate that the microphone granted, not the one that was asked for")
  func grantedRate() throws {
    let source = FunctionSource(format: PCMFormat(sampleRate: 44_100, channels: 1, bits: 16)) { frame, _ in
      Float(frame % 1000) / 32_768
    }
    var settings = RecordingSettings.counted()
    settings.channels = 2
    let bench = Bench(settings: settings, source: source)
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(2))
    bench.recorder.stop(at: .at(2), reason: .user)
    bench.finish()
    let take = try #require(bench.store.takes.first)
    let file = WAVReading(bench.memory, take.id)
    #expect(take.opening.pcm == PCMFormat(sampleRate: 44_100, channels: 1, bits: 16))
    #expect(file.sampleRate == 44_100)
    #expect(abs(file.samples.count - 44_100) <= 1)
  }

  @Test("What was heard while nothing was armed is in no take: it begins with the press, or where listening began")
  func notArmed() throws {
    let bench = Bench(settings: .counted(preRecordSeconds: 5))
    bench.run(until: .at(2))
    bench.input.forget()
    #expect(bench.input.heldSeconds == 0)
    bench.run(until: .at(4))
    #expect(bench.input.heldSeconds == 0)
    bench.recorder.start(at: .at(4))
    bench.run(until: .at(5))
    bench.recorder.stop(at: .at(5), reason: .user)
    bench.finish()
    let first = try #require(bench.store.takes.first)
    #expect(bench.samples(of: first) == Array(32_001...40_000))

    bench.input.forget()
    let back = bench.clock.now
    bench.run(for: .seconds(1))
    bench.input.keep(from: bench.clock.now)
    let kept = bench.clock.now
    bench.run(for: .seconds(2))
    let press = bench.clock.now
    #expect(back < kept && abs(bench.input.heldSeconds - 2) < 0.02)
    bench.recorder.start(at: press)
    bench.run(for: .seconds(1))
    bench.recorder.stop(at: press + .seconds(1), reason: .user)
    bench.finish()
    let second = try #require(bench.store.takes.last)
    #expect(bench.samples(of: second).first == bench.frame(at: kept) + 1)
    #expect(second.ending?.frames == 3 * Bench.rate)
  }

  @Test("What the device has said is in no take: it begins where that is over, before the press or after it")
  func ownSpeech() throws {
    let bench = Bench(settings: .counted(preRecordSeconds: 5))
    bench.run(until: .at(3))
    bench.input.hush(until: .at(2))
    bench.recorder.start(at: .at(3))
    bench.run(until: .at(4))
    bench.recorder.stop(at: .at(4), reason: .user)
    bench.finish()
    let first = try #require(bench.store.takes.first)
    #expect(bench.samples(of: first) == Array(16_001...32_000))
    #expect(first.opening.take?.preRecordedFrames == 8000)

    let press = bench.clock.now
    bench.input.hush(until: press + .milliseconds(250))
    bench.recorder.start(at: press)
    bench.run(for: .seconds(1))
    bench.recorder.stop(at: press + .seconds(1), reason: .user)
    bench.finish()
    let second = try #require(bench.store.takes.last)
    #expect(bench.samples(of: second).first == bench.frame(at: press) + 2001)
    #expect(second.ending?.frames == 6000)
    #expect(second.opening.take?.preRecordedFrames == 0)
  }

  @Test("Levels and clips are of the sound with its gain, which is what the file gets")
  func metersAfterGain() {
    // −12 dB, in runs that a clip counter sees.
    let bench = Bench(source: FunctionSource { frame, _ in frame / 40 % 2 == 0 ? 0.25 : -0.25 })
    bench.run(until: .at(1))
    _ = bench.input.takeLevels()
    bench.run(until: .at(1.5))
    let before = bench.input.takeLevels()[0]
    #expect(abs(before.peakDB + 12.04) < 0.1)
    #expect(before.clips == 0)
    var louder = RecordingSettings.counted()
    louder.gainDB = 20
    bench.recorder.configure(louder)
    bench.run(until: .at(2))
    _ = bench.input.takeLevels()
    bench.run(until: .at(3))
    let after = bench.input.takeLevels()[0]
    #expect(abs(after.peakDB - 7.96) < 0.1)
    #expect(after.clips > 0)
    bench.input.meterTakes(false)
    bench.run(until: .at(3.5))
    _ = bench.input.takeLevels()
    bench.run(until: .at(4))
    #expect(abs(bench.input.takeLevels()[0].peakDB + 12.04) < 0.1)
  }

  @Test("Filter and limiter cost no frame: a take is as long as ever, and shaped from its first frame to its last")
  func shaped() throws {
    func record(_ shaping: ShapingSettings, pausing: Bool) -> [Int] {
      var settings = RecordingSettings.counted(preRecordSeconds: 2)
      settings.shaping = shaping
      let source = FunctionSource { frame, _ in Float(0.5 * sin(2 * Double.pi * 400 * Double(frame) / 8000)) }
      let bench = Bench(settings: settings, source: source)
      bench.run(until: .at(4))
      bench.recorder.start(at: .at(4))
      bench.run(until: .at(5))
      if pausing {
        bench.recorder.pause(at: .at(5))
        bench.run(until: .at(6))
        bench.recorder.resume(at: .at(6))
      }
      bench.run(until: .at(7))
      bench.recorder.stop(at: .at(7), reason: .user)
      bench.finish()
      #expect(bench.log.failures.isEmpty)
      return bench.store.takes.flatMap { bench.samples(of: $0) }
    }
    for pausing in [false, true] {
      let plain = record(ShapingSettings(), pausing: pausing)
      #expect(plain.count == (pausing ? 32_000 : 40_000))
      // It needs no limiting: every frame is where it was.
      #expect(record(ShapingSettings(hasLimiter: true), pausing: pausing) == plain)
      let cut = record(ShapingSettings(lowCutHz: 80, hasLimiter: true), pausing: pausing)
      #expect(cut.count == plain.count)
      let middle = { (samples: [Int]) in samples[100..<400].map(\.magnitude).max() ?? 0 }
      #expect(abs(Double(middle(cut)) / Double(middle(plain)) - 1) < 0.02)
    }
  }
}
