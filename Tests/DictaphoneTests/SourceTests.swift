import Dictaphone
import Hardware
import Recording
import SimulatedHardware
import TestSupport
import Testing

/// Which microphone is in the file, sample by sample: the board's own counts up from 1, the other down from -1.
@Suite struct SourceTests {
  private static let other = FunctionSource { frame, _ in -Float(frame + 1) / 8_388_608 }

  private static func settings(_ order: [String], returns: Bool = false, preRecord: Int = 0) -> RecordingSettings {
    var settings = RecordingSettings.counted(preRecordSeconds: preRecord)
    settings.sources = order
    settings.returnsInTakes = returns
    settings.marksGaps = true
    return settings
  }

  private static func changes(_ bench: Bench) -> [String] {
    bench.log.microphone.compactMap {
      if case .changed(let name, let before, let reason) = $0 { "\(before) \(name) \(reason)" } else { nil }
    }
  }

  private static func marks(_ bench: Bench) -> [(frame: Int, cause: String?)] {
    bench.log.recorder.compactMap {
      if case .marked(let frame, let before, let cause) = $0 { (frame + before, cause) } else { nil }
    }
  }

  /// The samples that each frame must have: of one source, silence, then the other, each at its own time.
  private static func expected(_ frames: Range<Int>, other: Range<Int>, silent: Range<Int> = 0..<0) -> [Int] {
    frames.map { other.contains($0) ? -($0 + 1) : silent.contains($0) ? 0 : $0 + 1 }
  }

  @Test func `A take goes on with the next of the order: its samples are the other's, and the gap is silence and told`()
    throws
  {
    let bench = Bench(settings: Self.settings(["usb"]), others: [("usb", Self.other)])
    bench.run(until: .at(1))
    #expect(bench.input.source == "usb")
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(2.003))
    try #require(bench.others["usb"]).unplug(at: bench.clock.now)
    bench.run(until: .at(4))
    bench.recorder.stop(at: .at(4), reason: .user)
    bench.finish()
    let take = try #require(bench.store.takes.first)
    #expect(take.ending?.reason == .user)
    // The last period that usb delivered ended at 2 s; the board's own began when it was opened, with the next frame after 2.003 s.
    let silent = 16_000..<16_024
    #expect(bench.samples(of: take) == Self.expected(8000..<32_000, other: 8000..<16_000, silent: silent))
    #expect(bench.log.gaps == [CaptureGap(frame: 8000, frames: 24, reason: "source")])
    let marks = Self.marks(bench)
    #expect(marks.map(\.frame) == [8000])
    #expect(marks.map(\.cause) == ["source"])
    #expect(Self.changes(bench) == ["usb board lost"])
    #expect(bench.input.generation == 1)
    #expect(take.opening.take?.source == "usb")
    let told = take.ending?.receipt.sound.changes
    #expect(told == [Receipt.SourceChange(frame: 8000, source: "simulated microphone")])
  }

  @Test(arguments: [false, true])
  func `The better one comes back behind the take, or in it by setting, and nothing is missing then`(returns: Bool)
    throws
  {
    let bench = Bench(settings: Self.settings(["usb"], returns: returns), others: [("usb", Self.other)])
    let usb = try #require(bench.others["usb"])
    usb.unplug(at: .zero)
    bench.run(until: .at(1))
    #expect(bench.input.source == "board")
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(2))
    usb.replug()
    bench.run(until: .at(5))
    #expect(bench.input.source == (returns ? "usb" : "board"))
    bench.recorder.stop(at: .at(5), reason: .user)
    bench.finish()
    bench.run(for: .seconds(2))
    #expect(bench.input.source == "usb")
    let take = try #require(bench.store.takes.first)
    let samples = bench.samples(of: take)
    let change = samples.firstIndex { $0 < 0 }
    #expect((change != nil) == returns)
    let other = change.map { (8000 + $0)..<40_000 } ?? 0..<0
    #expect(samples == Self.expected(8000..<40_000, other: other))
    #expect(bench.log.gaps.isEmpty)
    #expect(Self.marks(bench).map(\.frame) == (change.map { [$0] } ?? []))
    #expect(Self.changes(bench) == ["usb board absent", "board usb returned"])
  }

  @Test func `Another order counts at once, in the take too, and the history before it stays`() throws {
    let bench = Bench(settings: Self.settings([], preRecord: 2), others: [("usb", Self.other)])
    bench.run(until: .at(3))
    #expect(bench.input.sourceBeside(by: 1) == "usb")
    bench.recorder.configure(Self.settings(["usb"], preRecord: 2))
    bench.run(until: .at(4))
    bench.recorder.start(at: .at(4))
    bench.run(until: .at(5))
    bench.recorder.configure(Self.settings(["board", "usb"], preRecord: 2))
    bench.run(until: .at(6))
    bench.recorder.stop(at: .at(6), reason: .user)
    bench.finish()
    let take = try #require(bench.store.takes.first)
    let samples = bench.samples(of: take)
    let first = try #require(samples.firstIndex { $0 < 0 })
    let last = try #require(samples.lastIndex { $0 < 0 })
    #expect(samples == Self.expected(16_000..<48_000, other: (16_000 + first)..<(16_001 + last)))
    #expect(Self.changes(bench) == ["board usb chosen", "usb board chosen"])
  }

  @Test func `Another rate is converted in a take, and its length stays exact`() throws {
    // A ramp that is zero at 3 s: wherever that comes out, is 3 s.
    let quick = FunctionSource(format: PCMFormat(sampleRate: 12_000, channels: 1, bits: 24)) { frame, _ in
      -Float(frame - 36_000) / 12_000 / 16
    }
    let bench = Bench(settings: Self.settings(["board", "quick"]), others: [("quick", quick)])
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(2))
    bench.microphone.unplug(at: bench.clock.now)
    bench.run(until: .at(4))
    bench.recorder.stop(at: .at(4), reason: .user)
    bench.finish()
    let take = try #require(bench.store.takes.first)
    let samples = bench.samples(of: take)
    #expect(samples.count == 24_000)
    #expect(Array(samples[..<8000]) == Array(8001...16_000))
    for frame in stride(from: 8400, to: 23_900, by: 100) {
      let wanted = -Double(frame - 16_000) / 8000 / 16 * 8_388_608
      // A tenth of a frame of the ramp, or -54 dB.
      #expect(abs(Double(samples[frame]) - wanted) < max(6.5, abs(wanted) / 500), "\(frame)")
    }
    #expect(bench.saved(reason: .user))
  }

  @Test func `Each file of a split take says with which microphone it begins`() throws {
    var settings = Self.settings(["usb"])
    settings.splitSeconds = 2
    let bench = Bench(settings: settings, others: [("usb", Self.other)])
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(4))
    try #require(bench.others["usb"]).unplug(at: bench.clock.now)
    bench.run(until: .at(7))
    bench.recorder.stop(at: .at(7), reason: .user)
    bench.finish()
    let (own, usb) = ("simulated microphone", "usb")
    #expect(bench.store.takes.map { $0.opening.take?.source } == [usb, usb, own])
    let told = bench.store.takes.map { $0.ending?.receipt.sound.changes ?? [] }
    #expect(told == [[], [Receipt.SourceChange(frame: 8000, source: own)], []])
  }

  @Test func `An order whose first is not there is told once, and the present one goes on`() {
    let bench = Bench(settings: Self.settings([]), others: [("usb", Self.other)])
    bench.run(until: .at(1))
    bench.recorder.configure(Self.settings(["lapel", "board"]))
    bench.run(until: .at(9))
    #expect(Self.changes(bench) == ["lapel board absent"])
    #expect(bench.input.source == "board")
  }

  @Test func `Without another one a take ends as ever, and what is named and not there is not waited for`() throws {
    let bench = Bench(settings: Self.settings(["usb"]))
    bench.run(until: .at(1))
    #expect(bench.input.source == "board")
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(2))
    bench.microphone.unplug(at: bench.clock.now)
    bench.finish()
    #expect(bench.store.takes.first?.ending?.reason == .deviceLost)
    #expect(bench.input.sourceBeside(by: 1) == nil)
  }
}

extension Bench {
  fileprivate func saved(reason: StopReason) -> Bool { log.saved.map(\.reason) == [reason] }
}
