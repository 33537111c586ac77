import Dictaphone
import Hardware
import Media
import Recording
import SimulatedHardware
import TestSupport
import Testing

/// A processor that takes its time for every access unit, while the microphone goes on by itself.
@Suite struct SlowProcessorTests {
  /// 16 kHz, so that an access unit is 64 ms of sound.
  private static func bench(preRecordSeconds: Int) -> Bench {
    Bench(
      settings: RecordingSettings(
        encoding: .aac, bitrateKbps: 64, sampleRate: 16_000, channels: 1, bits: 16, preRecordSeconds: preRecordSeconds),
      period: 160, source: ToneSource(frequencies: [440]))
  }

  /// Works until `end`, every access unit costing `cost`.
  ///
  /// - Returns: the longest step.
  private func run(_ bench: Bench, until end: Instant, cost: Duration) -> Duration {
    var longest = Duration.zero
    while bench.clock.now < end {
      let microphone = bench.microphone.step(now: bench.clock.now)
      let before = (bench.recorder.latest?.frames ?? 0)
      let next = bench.step()
      let units = max(0, (bench.recorder.latest?.frames ?? 0) - before) / 1024
      longest = max(longest, cost * units)
      _ = bench.writer.step()
      let due = [microphone, next, end].compactMap { $0 }.min() ?? end
      bench.clock.advance(to: max(bench.clock.now + cost * units, due, bench.clock.now + .nanoseconds(1)))
    }
    return longest
  }

  /// Works until `end`: an access unit of 64 ms costs 128 ms, a unit's worth of WAV next to nothing.
  private func workTooSlowly(_ bench: Bench, until end: Instant) {
    while bench.clock.now < end {
      let isPlain = bench.store.takes.count > 1
      _ = run(bench, until: bench.clock.now + .milliseconds(50), cost: .milliseconds(isPlain ? 1 : 128))
    }
  }

  /// - Returns: when the take has ended.
  private func stop(_ bench: Bench) -> Instant {
    let end = bench.clock.now
    bench.recorder.stop(at: end, reason: .user)
    _ = run(bench, until: end + .seconds(1), cost: .milliseconds(1))
    bench.finish()
    return end
  }

  @Test("60 s of pre-record on a processor that encodes at 2.7 times real time lose nothing of what comes meanwhile")
  func longPreRecord() throws {
    let bench = Self.bench(preRecordSeconds: 60)
    bench.run(until: .at(61))
    bench.recorder.start(at: .at(61))
    let longest = run(bench, until: .at(110), cost: .milliseconds(24))
    bench.recorder.stop(at: .at(110), reason: .user)
    _ = run(bench, until: .at(112), cost: .milliseconds(24))
    bench.finish()
    let take = try #require(bench.store.takes.first)
    #expect(take.ending?.frames == 109 * 16_000)
    #expect(take.gaps.isEmpty)
    #expect(bench.microphone.counters.ringOverflows == 0)
    #expect(longest <= .milliseconds(4 * 24))
  }

  @Test("On a processor that is too slow for any coder the take goes on as WAV, and no frame is lost at the seam")
  func tooSlow() throws {
    let bench = Self.bench(preRecordSeconds: 2)
    bench.run(until: .at(3))
    bench.recorder.start(at: .at(3))
    workTooSlowly(bench, until: .at(20))
    let end = stop(bench)
    let takes = bench.store.takes
    try #require(takes.count == 2)
    #expect(takes.map { $0.opening.encoding } == [.aac, .wav])
    #expect(takes[1].opening.continues == takes[0].opening.number)
    #expect(takes.compactMap { $0.ending?.frames }.reduce(0, +) == Int(((end - .at(1)).inSeconds * 16_000).rounded()))
    #expect(takes.allSatisfy { $0.gaps.isEmpty })
    #expect(bench.microphone.counters.ringOverflows == 0)
    let told = bench.log.recorder.filter { if case .told(code: "encoder-behind", _) = $0 { true } else { false } }
    // To the narrow coder, and to WAV.
    #expect(told.count == 2)
    #expect(takes[0].ending?.receipt.sound.coderFalls == 2)
    let folder = TemporaryFolder()
    let heard = try SplitTests.decode(bench, in: folder).map(\.count)
    #expect(heard == takes.map { $0.ending?.frames })
  }

  @Test("What is missing where the take goes on as WAV is told in the file in which it is missing")
  func gapAtTheSeam() throws {
    let bench = Self.bench(preRecordSeconds: 2)
    bench.run(until: .at(3))
    bench.recorder.start(at: .at(3))
    workTooSlowly(bench, until: .at(4))
    bench.microphone.overrun(.seconds(3), at: bench.clock.now)
    workTooSlowly(bench, until: .at(30))
    _ = stop(bench)
    let takes = bench.store.takes
    #expect(takes.count == 2)
    for take in takes {
      let frames = try #require(take.ending?.frames)
      #expect(take.gaps.allSatisfy { $0.frame + $0.frames <= frames }, "\(take.gaps) in \(frames)")
      #expect(take.ending?.receipt.sound.lostFrames == take.gaps.reduce(0) { $0 + $1.frames })
    }
  }

  @Test("Lost sound is no slow processor: a take in FLAC goes on in FLAC, and its safety take with it")
  func longOverrun() throws {
    var settings = RecordingSettings.counted(preRecordSeconds: 5)
    (settings.encoding, settings.hasSafetyTake) = (.flac, true)
    let bench = Bench(settings: settings)
    bench.run(until: .at(8))
    bench.recorder.start(at: .at(8))
    bench.run(until: .at(10.6))
    bench.microphone.overrun(.seconds(9), at: .at(10.6))
    bench.run(until: .at(25))
    bench.recorder.stop(at: .at(25), reason: .user)
    bench.finish()
    #expect(bench.store.takes.count == 1 && bench.store.safeties.count == 1)
    #expect(!bench.log.recorder.contains { if case .told = $0 { true } else { false } })
    let take = try #require(bench.store.takes.first)
    #expect(take.ending?.frames == 22 * 8000 && take.gaps.map(\.frames) == [9 * 8000])
    #expect(bench.store.safeties.first?.ending?.frames == 22 * 8000)
  }

  @Test("A stop in the midst of the past waits until all of it is encoded")
  func stopBehind() throws {
    let bench = Self.bench(preRecordSeconds: 30)
    bench.run(until: .at(31))
    bench.recorder.start(at: .at(31))
    _ = run(bench, until: .at(33), cost: .milliseconds(24))
    #expect((bench.recorder.latest?.frames ?? 0) < 10 * 16_000)
    bench.recorder.stop(at: .at(33), reason: .user)
    _ = run(bench, until: .at(60), cost: .milliseconds(24))
    let take = try #require(bench.store.takes.first)
    #expect(take.ending?.frames == 32 * 16_000)
    #expect(take.gaps.isEmpty)
  }

  @Test("A microphone that goes and comes back while the past is encoded takes nothing of the past away")
  func lossBehind() throws {
    let bench = Self.bench(preRecordSeconds: 30)
    bench.run(until: .at(31))
    bench.recorder.start(at: .at(31))
    _ = run(bench, until: .at(32), cost: .milliseconds(24))
    bench.microphone.unplug(at: bench.clock.now)
    _ = run(bench, until: .at(32.1), cost: .milliseconds(24))
    bench.microphone.replug()
    _ = run(bench, until: .at(60), cost: .milliseconds(24))
    let take = try #require(bench.store.takes.first)
    let frames = try #require(take.ending?.frames)
    #expect(take.ending?.reason == .deviceLost)
    #expect(frames >= Int(30.99 * 16_000) && frames <= Int(31.2 * 16_000))
    #expect(take.gaps.isEmpty)
    #expect(bench.input.isRunning)
  }

  @Test("A lane that is called only every 1.5 s loses nothing of 60 s before the press, nor after it")
  func lateLane() throws {
    let bench = Self.bench(preRecordSeconds: 60)
    bench.run(until: .at(61))
    bench.recorder.start(at: .at(61))
    // Each time it comes at once to where it should be: does up to a hundred rounds in it.
    while bench.clock.now < .at(91) {
      for _ in 0..<100 {
        _ = bench.microphone.step(now: bench.clock.now)
        _ = bench.step()
        _ = bench.writer.step()
      }
      bench.clock.advance(to: bench.clock.now + .milliseconds(1500))
    }
    bench.recorder.stop(at: .at(90), reason: .user)
    bench.finish()
    let take = try #require(bench.store.takes.first)
    #expect(take.ending?.frames == 89 * 16_000)
    #expect(take.gaps.isEmpty)
  }

  @Test("What is encoded is on the storage while the rest of the past is still to come")
  func pastOnTheStorage() throws {
    let bench = Self.bench(preRecordSeconds: 5)
    bench.run(until: .at(6))
    bench.recorder.start(at: .at(6))
    _ = run(bench, until: .at(6.2), cost: .milliseconds(24))
    let take = try #require(bench.store.takes.first)
    // 8 units of 64 ms have been encoded; the last of them may still be on their way.
    let found = try MediaRepair.inspect(try bench.memory.open(take.id, writable: true))
    #expect(found.frames >= 5 * 1024)
    bench.recorder.stop(at: .at(6.2), reason: .user)
    bench.finish()
  }
}
