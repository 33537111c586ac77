import Dictaphone
import Foundation
import Hardware
import Recording
import SimulatedHardware
import Sound
import TestSupport
import Testing

/// The safety take beside a take.
@Suite struct SafetyTests {
  /// -12 dB.
  private static let share = 0.251_188_643

  private static func settings(_ change: (inout RecordingSettings) -> Void = { _ in }) -> RecordingSettings {
    var settings = RecordingSettings.counted(preRecordSeconds: 2)
    settings.hasSafetyTake = true
    change(&settings)
    return settings
  }

  /// A take from 4 s on with what the past has, and a pause in it, if it is to have one.
  ///
  /// - Parameter trouble: what happens at 5 s.
  private static func record(
    _ settings: RecordingSettings, pausing: Bool = false, until stop: Double = 9, source: (any SoundSource)? = nil,
    pipeBytes: Int = 1 << 20, refused: RecordingKind? = nil, _ trouble: (Bench) -> Void = { _ in }
  ) -> Bench {
    let bench = Bench(settings: settings, pipeBytes: pipeBytes, source: source)
    bench.store.refused = refused
    bench.run(until: .at(4))
    bench.recorder.start(at: .at(4))
    bench.run(until: .at(5))
    trouble(bench)
    if pausing {
      bench.recorder.pause(at: .at(5))
      bench.run(until: .at(6))
      bench.recorder.resume(at: .at(6))
    }
    bench.run(until: .at(stop))
    bench.recorder.stop(at: .at(stop), reason: .user)
    bench.finish()
    #expect(bench.writer.unexpected.isEmpty)
    return bench
  }

  private static func expectShare(_ bench: Bench, _ samples: [Int]? = nil) {
    let samples = samples ?? bench.store.takes.flatMap { bench.samples(of: $0) }
    let lower = bench.store.safeties.flatMap { bench.samples(of: $0) }
    #expect(lower.count == samples.count)
    let wrong = zip(samples, lower).enumerated().first { abs(Double($1.0) * share - Double($1.1)) > 1 }
    #expect(wrong == nil, "frame \(wrong?.offset ?? 0): \(String(describing: wrong?.element))")
  }

  @Test(arguments: [false, true])
  func `It has the same frames at -12 dB, over pauses and in all files of a split take`(pausing: Bool) throws {
    for splitSeconds in [0, 2] {
      let bench = Self.record(Self.settings { $0.splitSeconds = splitSeconds }, pausing: pausing)
      Self.expectShare(bench)
      let (takes, safeties) = (bench.store.takes, bench.store.safeties)
      #expect(takes.count == (splitSeconds == 0 ? 1 : pausing ? 3 : 4) && safeties.count == takes.count)
      for (take, safety) in zip(takes, safeties) {
        #expect(safety.ending?.frames == take.ending?.frames && safety.ending?.reason == take.ending?.reason)
        #expect(safety.opening.number == take.opening.number + RecordingOpening.safety)
        #expect(safety.opening.receipt.number == take.opening.receipt.number)
        #expect(safety.ending?.receipt.sound.frames == take.ending?.frames)
      }
      // Nobody is told of it as of a take.
      #expect(bench.log.saved.count == takes.count && bench.log.failures.isEmpty)
    }
  }

  @Test func `A take that is split by size has safety takes that are split where it is`() {
    let bench = Self.record(Self.settings { $0.splitMB = 1 }, until: 60) {
      $0.microphone.overrun(.milliseconds(300), at: .at(5))
    }
    Self.expectShare(bench)
    #expect(bench.store.takes.count == 2)
    #expect(bench.store.takes.map(\.gaps) == bench.store.safeties.map(\.gaps))
    #expect(bench.store.takes.first?.gaps.count == 1)
  }

  @Test func `The past of the take is in the pipe before the first of it is encoded`() throws {
    let bench = Bench(settings: Self.settings { $0.preRecordSeconds = 5 })
    bench.run(until: .at(6))
    bench.recorder.start(at: .at(6))
    // The media lane alone, while no time goes by.
    for _ in 0..<200 { _ = bench.step() }
    var (take, safety) = (0, 0)
    while let item = bench.pipe.next() {
      switch item {
      case .order(.begin(let opening)) where opening.kind == .safety: #expect(take > 39_000, "begun after \(take)")
      case .sound(RecordingOpening.safety..., let frames): safety += frames
      case .sound(_, let frames):
        #expect(safety == 0)
        take += frames
      default: break
      }
    }
    #expect(take > 39_000 && safety == take)
  }

  @Test func `It has its past in all files, also in several, and where STOP follows at once`() throws {
    for stop in [6.05, 9] {
      let bench = Bench(
        settings: Self.settings {
          $0.preRecordSeconds = 5
          $0.splitSeconds = 2
        })
      bench.run(until: .at(6))
      bench.recorder.start(at: .at(6))
      if stop > 7 { bench.run(until: .at(stop)) }
      bench.recorder.stop(at: .at(stop), reason: .user)
      bench.finish()
      Self.expectShare(bench)
      let (takes, safeties) = (bench.store.takes, bench.store.safeties)
      #expect(takes.count == (stop > 7 ? 4 : 3))
      #expect(safeties.map { $0.ending?.frames } == takes.map { $0.ending?.frames })
      #expect(safeties.map(\.opening.number) == takes.map { $0.opening.number + RecordingOpening.safety })
      #expect(bench.writer.unexpected.isEmpty && bench.log.failures.isEmpty)
    }
  }

  @Test func `What clips in the take is whole in it`() {
    let source = FunctionSource { frame, _ in Float(0.4 * sin(2 * .pi * 400 * Double(frame) / 8000)) }
    let loud = Self.record(Self.settings { $0.gainDB = 18 }, source: source)
    let plain = Self.record(Self.settings(), source: source)
    let full = 1 << 23
    #expect(loud.samples(of: loud.store.takes[0]).contains(full - 1))
    let whole = loud.samples(of: loud.store.safeties[0])
    #expect(whole.allSatisfy { $0.magnitude < full - 1 } && whole.count == 56_000)
    let gain = pow(10, 18.0 / 20) * Self.share
    let expected = plain.samples(of: plain.store.takes[0]).map { Double($0) * gain }
    #expect(zip(expected, whole).allSatisfy { abs($0 - Double($1)) < 4 })
  }

  @Test func `Limiter and automatic gain are not in it, and cost it no frame`() {
    let source = FunctionSource { frame, _ in Float(0.9 * sin(2 * .pi * 400 * Double(frame) / 8000)) }
    let plain = Self.record(Self.settings { $0.gainDB = 6 }, pausing: true, source: source)
    let held = Self.record(
      Self.settings {
        $0.gainDB = 6
        $0.shaping = ShapingSettings(hasAutomaticGain: true, hasLimiter: true)
      }, pausing: true, source: source)
    let take = held.samples(of: held.store.takes[0])
    #expect(take.allSatisfy { $0.magnitude < (1 << 23) * 9 / 10 })
    #expect(held.samples(of: held.store.safeties[0]) == plain.samples(of: plain.store.safeties[0]))
    #expect(take.count == 48_000)
  }

  @Test func `A card that stands still for a while costs neither a frame`() {
    let bench = Self.record(Self.settings(), pipeBytes: 64 << 10) { $0.storage.stall(.milliseconds(1500), at: .at(5)) }
    Self.expectShare(bench)
    #expect(bench.log.gaps.isEmpty && bench.store.takes[0].ending?.frames == 56_000)
  }

  @Test func `It ends with a word and a mark before a slow card costs the take a frame`() throws {
    let bench = Self.record(
      Self.settings {
        $0.preRecordSeconds = 0
        $0.marksGaps = true
      }, until: 12, pipeBytes: 64 << 10
    ) { $0.storage.stall(.seconds(4), at: .at(5)) }
    let (take, safety) = (bench.store.takes[0], try #require(bench.store.safeties.first))
    #expect(bench.samples(of: take) == Array(32_001...96_000) && bench.log.gaps.isEmpty)
    let frames = try #require(safety.ending?.frames)
    #expect(frames > 8000 && frames < 32_000 && safety.ending?.reason == .error)
    Self.expectShare(bench, Array(bench.samples(of: take).prefix(frames)))
    let words = bench.log.recorder.filter { if case .told(code: "safety-ended", _) = $0 { true } else { false } }
    #expect(words.count == 1 && take.marks == [frames] && bench.log.marks == [frames])
  }

  @Test func `A voice after a silence, with all of its past, does not end it`() throws {
    let source = FunctionSource { frame, _ in
      let second = Double(frame) / 8000
      let isVoice = (4..<6).contains(second) || (15..<17).contains(second)
      let noise = Float(Int32(truncatingIfNeeded: UInt64(frame) &* 0x9E37_79B9_7F4A_7C15 >> 32)) / 2_147_483_648
      return noise * 0.003 + (isVoice ? Float(0.1 * sin(2 * .pi * 200 * second)) : 0)
    }
    let bench = Self.record(
      Self.settings {
        $0.preRecordSeconds = 0
        $0.silence = .cut
        $0.voicePreRollSeconds = 3
      }, until: 20, source: source)
    let (take, safety) = (bench.store.takes[0], bench.store.safeties[0])
    let frames = try #require(take.ending?.frames)
    #expect(frames < 14 * 8000 && frames > 7 * 8000 && safety.ending?.frames == frames)
    Self.expectShare(bench)
  }

  @Test func `A storage that takes no more of it does not end the take`() {
    let bench = Self.record(Self.settings(), refused: .safety)
    #expect(bench.samples(of: bench.store.takes[0]) == Array(16_001...72_000))
    #expect(bench.store.safeties.isEmpty && bench.log.failures.isEmpty)
    #expect(bench.log.recorder.contains { if case .told(code: "safety-ended", _) = $0 { true } else { false } })
  }

  @Test func `A full storage ends both with what is on it`() throws {
    let bench = Self.record(Self.settings()) { $0.storage.setFull(true) }
    let (take, safety) = (bench.store.takes[0], try #require(bench.store.safeties.first))
    #expect(take.ending?.reason == .storageFull && safety.ending?.reason == .storageFull)
    for kept in [take, safety] { #expect(bench.samples(of: kept).count == kept.ending?.frames) }
    #expect((take.ending?.frames ?? 0) > 20_000 && (safety.ending?.frames ?? 0) > 20_000)
  }

  /// Both files of a take of half a second on a storage with a trouble.
  private static func troubled(_ trouble: TroubledStorage.Trouble?) -> (Bench, TestStore, operations: Int) {
    let bench = Bench(settings: settings { $0.preRecordSeconds = 0 })
    let storage = TroubledStorage(bench.memory, clock: bench.clock, trouble: trouble)
    let store = TestStore(storage: storage)
    let writer = FileWriter(pipe: bench.pipe, stores: [.take: store, .safety: store], clock: bench.clock) {
      [recorder = bench.recorder] news in
      switch news {
      case .refused(let number, _, let text) where number >= RecordingOpening.safety:
        recorder.abandonSafety(number, text)
      case .refused(let number, let reason, _): recorder.abandon(number, reason: reason)
      default: break
      }
    }
    func work(until end: Double) {
      while bench.clock.now < .at(end) {
        _ = bench.microphone.step(now: bench.clock.now)
        _ = bench.step()
        _ = writer.step()
        bench.clock.advance(to: bench.clock.now + .milliseconds(10))
      }
    }
    work(until: 0.1)
    bench.recorder.start(at: .at(0.1))
    work(until: 0.3)
    bench.recorder.mark(at: .at(0.25), title: "here")
    work(until: 0.6)
    bench.recorder.stop(at: .at(0.6), reason: .user)
    work(until: 1.3)
    return (bench, store, storage.operations)
  }

  @Test func `A stall at any single operation costs neither a byte, an error only the one that it is about`() throws {
    let (smooth, kept, operations) = Self.troubled(nil)
    #expect(operations > 20 && kept.safeties.first?.ending?.frames == 4000)
    func bytes(_ bench: Bench, _ store: TestStore) -> [[UInt8]] {
      (store.takes + store.safeties).map { (try? bench.memory.read($0.id, limit: 1 << 30)) ?? [] }
    }
    for number in 0..<operations {
      let (bench, store, _) = Self.troubled(.stall(at: number))
      #expect(bytes(bench, store) == bytes(smooth, kept), "operation \(number)")
      let (failed, rest, _) = Self.troubled(.failure(at: number))
      let frames = (rest.takes.first?.ending?.frames ?? 0, rest.safeties.first?.ending?.frames ?? 0)
      #expect(frames.0 == 4000 || frames.1 >= frames.0, "operation \(number): \(frames)")
      guard let take = rest.takes.first, let safety = rest.safeties.first else { continue }
      let pairs = zip(failed.samples(of: take).prefix(frames.0), failed.samples(of: safety).prefix(frames.1))
      #expect(pairs.allSatisfy { abs(Double($0) * Self.share - Double($1)) <= 1 }, "operation \(number)")
    }
  }
}
