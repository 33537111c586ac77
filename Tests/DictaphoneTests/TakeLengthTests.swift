import Dictaphone
import Hardware
import Recording
import SimulatedHardware
import TestSupport
import Testing

/// Takes of random orders at random instants, checked frame by frame.
@Suite struct TakeLengthTests {
  /// One random session on a bench.
  struct Session {
    var random: SeededGenerator
    let bench: Bench
    var model = TakeModel()
    private let preRecordFrames: Int
    private var lossEnds = Instant.zero

    init(seed: UInt64, preRecordSeconds: Int? = nil, pipeBytes: Int = 1 << 20) {
      random = SeededGenerator(seed: seed)
      let pre = preRecordSeconds ?? Int.random(in: 0...1, using: &random)
      preRecordFrames = pre * Bench.rate
      bench = Bench(
        settings: .counted(preRecordSeconds: pre), period: Int.random(in: 16...160, using: &random),
        pipeBytes: pipeBytes)
    }

    /// Waits, and returns the time of an order that is carried out up to 3 ms later, before or after more sound.
    mutating func nextOrder(within milliseconds: ClosedRange<Int>) -> Instant {
      bench.run(for: .milliseconds(Int.random(in: milliseconds, using: &random)))
      // Not in the middle between two frames, where rounding is anybody's guess.
      let frame = bench.frame(at: bench.clock.now)
      let at = Instant(nanoseconds: Int64(frame) * 125_000 + Int64.random(in: -50_000...50_000, using: &random))
      let late = at + .microseconds(Int.random(in: 60...3000, using: &random))
      if Bool.random(using: &random) { bench.run(until: late) } else { bench.clock.advance(to: late) }
      return at
    }

    mutating func start(within milliseconds: ClosedRange<Int> = 30...60) {
      let at = nextOrder(within: milliseconds)
      bench.recorder.start(at: at)
      model.start(at: max(0, bench.frame(at: at) - preRecordFrames))
    }

    mutating func order(_ choice: Int, _ span: ClosedRange<Int> = 0...40) {
      let at = nextOrder(within: span)
      let frame = bench.frame(at: at)
      switch choice {
      case 0, 1:
        if model.isRunning {
          bench.recorder.pause(at: at)
          model.pause(at: frame)
        } else {
          bench.recorder.resume(at: at)
          model.resume(at: frame)
        }
      case 2:
        bench.recorder.mark(at: at, title: nil)
        model.mark(at: frame)
      default: overrun()
      }
    }

    private mutating func overrun() {
      guard bench.clock.now > lossEnds else { return }
      let length = Int.random(in: 1...800, using: &random)
      let gone = model.lost.reduce(0) { $0 + $1.count }
      bench.microphone.overrun(.microseconds(125 * length), at: bench.clock.now)
      let position = bench.microphone.counters.frames + gone
      model.lost.append(position..<(position + length))
      lossEnds = .at(Double(position + length + 330) / Double(Bench.rate))
    }

    mutating func stop() {
      let at = nextOrder(within: 0...40)
      bench.recorder.stop(at: at, reason: .user)
      model.stop(at: bench.frame(at: at))
      bench.finish()
    }

    /// What is wrong with the one take that came of it.
    func complaint() -> String? {
      guard bench.log.failures.isEmpty else { return "\(bench.log.failures)" }
      guard bench.store.takes.count == 1, let take = bench.store.takes.first, let ending = take.ending else {
        return "\(bench.store.takes.count) takes"
      }
      guard ending.frames == model.frames else { return "ends after \(ending.frames), not \(model.frames)" }
      guard take.gaps == bench.log.gaps else { return "the news and the metadata differ about gaps" }
      guard take.marks == bench.log.marks else { return "the news and the metadata differ about marks" }
      return model.complaint(about: bench.samples(of: take), gaps: take.gaps)
    }
  }

  @Test("A take holds exactly the frames between the orders' instants")
  func exactRanges() {
    for seed in 0..<600 as Range<UInt64> {
      var session = Session(seed: seed)
      session.start()
      for _ in 0..<Int.random(in: 0...8, using: &session.random) {
        session.order(Int.random(in: 0...2, using: &session.random))
      }
      session.stop()
      if let complaint = session.complaint() { Issue.record("seed \(seed): \(complaint)") }
      #expect(session.bench.log.marks == session.model.marks, "seed \(seed)")
    }
  }

  @Test("Overruns are exact silence of the right length at the right place, whatever they straddle")
  func overruns() {
    var total = 0
    for seed in 10_000..<10_300 as Range<UInt64> {
      var session = Session(seed: seed)
      session.order(3, 20...60)
      session.start(within: 30...60)
      for _ in 0..<Int.random(in: 0...8, using: &session.random) {
        session.order(Int.random(in: 0...5, using: &session.random))
      }
      session.stop()
      if let complaint = session.complaint() { Issue.record("seed \(seed): \(complaint)") }
      #expect(session.bench.log.gaps == session.model.gaps, "seed \(seed)")
      total += session.bench.log.gaps.count
    }
    #expect(total > 200)
  }

  @Test("A storage that stalls for up to 10 s costs no frame")
  func stalls() {
    for seed in 20_000..<20_006 as Range<UInt64> {
      var session = Session(seed: seed, pipeBytes: 10 * Bench.rate * 3)
      session.start()
      for _ in 0..<3 {
        let length = Duration.milliseconds(Int.random(in: 10...10_000, using: &session.random))
        session.bench.storage.stall(length, at: session.bench.clock.now)
        for _ in 0..<3 { session.order(Int.random(in: 0...2, using: &session.random)) }
        session.bench.run(for: length)
      }
      session.stop()
      if let complaint = session.complaint() { Issue.record("seed \(seed): \(complaint)") }
      #expect(session.bench.log.gaps.isEmpty, "seed \(seed)")
    }
  }

  @Test("A storage that stalls beyond all buffers leaves silence that is told, and a true length")
  func stallsBeyondCapacity() {
    var total = 0
    for seed in 30_000..<30_008 as Range<UInt64> {
      var session = Session(seed: seed, pipeBytes: 1)
      session.start()
      for _ in 0..<3 {
        let length = Duration.milliseconds(Int.random(in: 1000...12_000, using: &session.random))
        session.bench.storage.stall(length, at: session.bench.clock.now)
        for _ in 0..<3 { session.order(Int.random(in: 0...1, using: &session.random), 0...4000) }
        if Bool.random(using: &session.random) { session.bench.run(for: length) }
      }
      session.stop()
      if let complaint = session.complaint() { Issue.record("seed \(seed): \(complaint)") }
      for gap in session.bench.log.gaps { #expect(gap.reason == "storage", "seed \(seed)") }
      total += session.bench.log.gaps.count
    }
    #expect(total > 3)
  }
}
