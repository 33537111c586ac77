import Dictaphone
import Hardware
import Recording
import SimulatedHardware
import TestSupport
import Testing

/// A take that is begun while the one before is still on its way to a card that does not answer.
@Suite struct QueuedTakeTests {
  /// A take of 2 s, in which the card stops answering for so long, and REC 0.2 s after its STOP.
  private static func begin(stall: Duration, pipeBytes: Int = 1 << 20) -> Bench {
    let bench = Bench(pipeBytes: pipeBytes)
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(1.5))
    bench.storage.stall(stall, at: .at(1.5))
    bench.run(until: .at(3))
    bench.recorder.stop(at: .at(3), reason: .user)
    bench.run(until: .at(3.2))
    bench.recorder.start(at: .at(3.2))
    return bench
  }

  /// Whether a take has the microphone's frames from one on, and exact silence where it says that something is missing.
  private static func isTrue(_ take: KeptTake, from first: Int, in bench: Bench) -> Bool {
    var wanted = Array((first + 1)..<(first + 1 + (take.ending?.frames ?? 0)))
    for gap in take.gaps { for frame in gap.frame..<(gap.frame + gap.frames) { wanted[frame] = 0 } }
    return bench.samples(of: take) == wanted
  }

  @Test("Its sound waits in the pipe like any other, and is on the card before the one before is complete")
  func inThePipe() throws {
    let bench = Self.begin(stall: .seconds(20))
    bench.run(until: .at(12))
    bench.recorder.stop(at: .at(12), reason: .user)
    bench.finish()
    try #require(bench.store.takes.count == 2 && bench.log.failures.isEmpty && bench.log.gaps.isEmpty)
    #expect(bench.samples(of: bench.store.takes[0]) == Array(8001...24_000))
    #expect(bench.samples(of: bench.store.takes[1]) == Array(25_601...96_000))
    let told = bench.log.files.map { event in
      switch event {
      case .started(let opening, _): "started \(opening.number)"
      case .saved(_, _, let ending): "saved \(ending.number)"
      default: "\(event)"
      }
    }
    #expect(told == ["started 1", "started 2", "saved 1", "saved 2"])
    #expect(bench.store.takes[1].opening.take?.pressedInstant == .at(3.2))
    #expect(bench.recorder.previous?.pressed == .at(1) && bench.recorder.latest?.pressed == .at(3.2))
  }

  @Test("With no room in the pipe it begins at its press all the same: what memory does not hold is silence, and told")
  func fullPipe() throws {
    for end in [10.0, 24.5, 27] {
      let bench = Self.begin(stall: .seconds(20), pipeBytes: 1)
      bench.run(until: .at(end))
      bench.recorder.stop(at: .at(end), reason: .user)
      bench.finish()
      try #require(bench.store.takes.count == 2 && bench.log.failures.isEmpty, "\(end)")
      let (first, second) = (bench.store.takes[0], bench.store.takes[1])
      #expect(first.ending?.frames == 16_000 && Self.isTrue(first, from: 8000, in: bench), "\(end)")
      #expect(second.ending?.frames == Int(end * 8000) - 25_600, "\(end)")
      #expect(Self.isTrue(second, from: 25_600, in: bench), "\(end): \(second.gaps)")
      #expect(!second.gaps.isEmpty && second.gaps.allSatisfy { $0.reason == "storage" }, "\(end)")
      #expect(second.opening.createdAt == second.opening.take?.pressedAt, "\(end)")
    }
  }

  @Test("A microphone that goes away meanwhile ends it, with all that was heard", arguments: [1, 1 << 20])
  func unplugged(pipeBytes: Int) throws {
    let bench = Self.begin(stall: .seconds(20), pipeBytes: pipeBytes)
    bench.run(until: .at(5))
    bench.microphone.unplug(at: .at(5))
    let heard = bench.microphone.counters.frames
    bench.run(until: .at(6))
    bench.microphone.replug()
    bench.finish()
    try #require(bench.store.takes.count == 2 && bench.log.failures.isEmpty)
    let take = bench.store.takes[1]
    #expect(take.ending?.reason == .deviceLost && take.ending?.frames == heard - 25_600)
    #expect(take.gaps.isEmpty && Self.isTrue(take, from: 25_600, in: bench))
  }

  @Test("Settings that were changed in the take before do not cost it the sound since its press")
  func settings() throws {
    let bench = Bench(pipeBytes: 1)
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(2))
    var other = RecordingSettings.counted()
    other.sampleRate = 16_000
    bench.recorder.configure(other)
    bench.storage.stall(.seconds(3), at: .at(2))
    bench.run(until: .at(4))
    bench.recorder.stop(at: .at(4), reason: .user)
    bench.recorder.start(at: .at(4))
    bench.run(until: .at(7))
    bench.recorder.stop(at: .at(7), reason: .user)
    bench.finish()
    try #require(bench.store.takes.count == 2)
    #expect(bench.samples(of: bench.store.takes[1]) == Array(32_001...56_000))
    bench.run(for: .seconds(1))
    #expect(bench.input.format.sampleRate == 16_000)
  }

  @Test("A card that takes no more of the one before does not end it; one that is full has it told")
  func refused() throws {
    let bench = Self.begin(stall: .seconds(2))
    bench.recorder.abandon(1, reason: .storageFull)
    bench.run(until: .at(6))
    bench.recorder.stop(at: .at(6), reason: .user)
    bench.finish()
    #expect(bench.log.saved.map(\.reason) == [.user, .user] && bench.log.saved.last?.frames == 22_400)

    let full = Self.begin(stall: .seconds(2))
    full.storage.setFull(true)
    full.run(until: .at(6))
    full.finish()
    #expect(full.log.saved.map(\.reason) == [.storageFull] && full.log.failures.count == 1)
    #expect(!full.recorder.isRecording && full.store.takes.count == 1)
    full.storage.setFull(false)
    full.recorder.start(at: full.clock.now)
    full.run(for: .seconds(1))
    full.recorder.stop(at: full.clock.now, reason: .user)
    full.finish()
    #expect(full.log.saved.map(\.reason) == [.storageFull, .user])
  }

  @Test("It is split, paused and marked as any other, also while the one before is not safe")
  func orders() throws {
    var settings = RecordingSettings.counted()
    settings.splitSeconds = 1
    settings.hasSafetyTake = true
    let bench = Bench(settings: settings)
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(2.4))
    bench.storage.stall(.seconds(9), at: .at(2.4))
    bench.recorder.stop(at: .at(2.4), reason: .user)
    bench.recorder.start(at: .at(2.5))
    bench.run(until: .at(3))
    bench.recorder.mark(at: .at(3), title: nil)
    bench.run(until: .at(4))
    bench.recorder.pause(at: .at(4))
    bench.recorder.resume(at: .at(5))
    bench.run(until: .at(6))
    bench.recorder.stop(at: .at(6), reason: .user)
    bench.finish()
    #expect(bench.log.failures.isEmpty && bench.writer.unexpected.isEmpty)
    #expect(bench.log.saved.map(\.reason) == [.split, .user, .split, .split, .user])
    #expect(bench.store.takes.map { $0.ending?.frames } == [8000, 3200, 8000, 8000, 4000])
    #expect(bench.store.safeties.map { $0.ending?.frames } == [8000, 3200, 8000, 8000, 4000])
    #expect(bench.store.takes[2].marks == [4000])
  }
}
