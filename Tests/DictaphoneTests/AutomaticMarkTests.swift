import Dictaphone
import Hardware
import SimulatedHardware
import TestSupport
import Testing

@Suite struct AutomaticMarkTests {
  /// Full scale for so many frames from each of these on, else quiet.
  private static func bursts(at starts: [Int], frames: Int) -> FunctionSource {
    FunctionSource { frame, _ in starts.contains { $0 <= frame && frame < $0 + frames } ? 1 : 0.1 }
  }

  private static func marks(_ settings: RecordingSettings, _ source: FunctionSource) -> [(frame: Int, cause: String?)] {
    let bench = Bench(settings: settings, source: source)
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(20))
    bench.recorder.stop(at: .at(20), reason: .user)
    bench.finish()
    return bench.log.recorder.compactMap {
      if case .marked(let frame, let before, let cause) = $0 { (frame + before, cause) } else { nil }
    }
  }

  @Test func `An overload is marked at its first sample, every 5 s at most`() {
    var settings = RecordingSettings.counted()
    settings.marksOverloads = true
    // Clipped all the time from 3 to 9 s, and once at 15.5 s.
    let source = FunctionSource { frame, _ in
      (24_007..<72_000).contains(frame) || (124_000..<124_003).contains(frame) ? 1 : 0.1
    }
    let found = Self.marks(settings, source)
    #expect(found.map(\.frame) == [16_007, 56_007, 116_000])
    #expect(found.allSatisfy { $0.cause == "overload" })
  }

  @Test func `Two samples at full scale are none, nor is anything when it is off`() {
    var settings = RecordingSettings.counted()
    #expect(Self.marks(settings, Self.bursts(at: [24_000], frames: 500)).isEmpty)
    settings.marksOverloads = true
    #expect(Self.marks(settings, Self.bursts(at: [24_000, 40_001, 56_003], frames: 2)).isEmpty)
  }

  @Test func `In a split take a mark is in the part that it lies in`() {
    var settings = RecordingSettings.counted()
    settings.marksOverloads = true
    settings.splitSeconds = 2
    let bench = Bench(settings: settings, source: Self.bursts(at: [24_007, 72_500], frames: 9))
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(11))
    bench.recorder.stop(at: .at(11), reason: .user)
    bench.finish()
    #expect(bench.store.takes.map(\.marks) == [[], [7], [], [], [500]])
  }
}
