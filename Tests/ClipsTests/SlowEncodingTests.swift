import Hardware
import Recording
import SimulatedHardware
import Testing

@testable import Clips

/// A processor that takes its time for every access unit, while camera and microphone go on by themselves.
@Suite struct SlowEncodingTests {
  /// Works until `end`, every access unit costing `cost`; what the camera's lane does costs nothing.
  ///
  /// - Returns: the longest step.
  private func run(_ bench: Bench, until end: Instant, cost: Duration) -> Duration {
    var longest = Duration.zero
    var sent: [Int: Int] = [:]
    while bench.clock.now < end {
      for clip in bench.recorder.clips where clip.isRunning { sent[clip.number] = clip.sentFrames }
      let next = bench.step()
      var units = 0
      for clip in bench.recorder.clips where clip.isRunning {
        units += max(0, clip.sentFrames - sent[clip.number, default: 0]) / 1024
      }
      longest = max(longest, cost * units)
      _ = bench.writer.step()
      let target = max(bench.clock.now + max(cost * units, .microseconds(100)), min(next ?? end, end))
      // Devices go on while the processor is busy.
      while bench.clock.now < target {
        let camera = bench.camera.step(now: bench.clock.now)
        let microphone = bench.microphone?.step(now: bench.clock.now)
        let input = bench.input.step(now: bench.clock.now)
        let due = [camera, microphone, input].compactMap { $0 }.min() ?? target
        bench.clock.advance(to: min(target, max(due, bench.clock.now + .microseconds(100))))
      }
    }
    return longest
  }

  @Test("Two clips of 60 s before the key on a slow processor lose neither sound nor pictures")
  func longWindow() throws {
    var settings = ClipSettings.small(pre: 60, post: 5, overlap: .independent, ringBytes: 8 << 20)
    settings.soundBitrateKbps = 32
    let bench = try Bench(settings, pipeBytes: 4 << 20)
    bench.recorder.arm()
    bench.run(until: 61)
    bench.recorder.trigger(at: bench.instant(61), cause: .key)
    _ = run(bench, until: bench.instant(62), cost: .milliseconds(12))
    bench.recorder.trigger(at: bench.instant(62), cause: .key)
    // 64 ms of sound a unit: two clips at 2.7 times real time.
    let longest = run(bench, until: bench.instant(115), cost: .milliseconds(12))
    bench.finish()
    #expect(bench.log.failures == [])
    #expect(bench.log.saved.count == 2)
    for receipt in bench.log.saved {
      #expect(receipt.gaps == [])
      #expect(receipt.pictures.captured >= 65 * 30)
      #expect(receipt.pictures.droppedForStorage == 0)
      #expect(abs(receipt.duration - 65) < 0.1)
    }
    #expect(bench.microphone?.counters.ringOverflows == 0)
    #expect(longest <= .milliseconds(6 * 12))
  }

  @Test("What a processor loses that is too slow for AAC is told as the processor's, and stays in its place")
  func tooSlow() throws {
    let bench = try Bench(.small(pre: 5, post: 30, ringBytes: 8 << 20), pipeBytes: 4 << 20)
    bench.recorder.arm()
    bench.run(until: 6)
    bench.recorder.trigger(at: bench.instant(6), cause: .key)
    // Half of real time.
    _ = run(bench, until: bench.instant(110), cost: .milliseconds(128))
    bench.finish()
    let receipt = try #require(bench.log.saved.first)
    let gaps = receipt.gaps.filter { $0.track == "sound" }
    #expect(!gaps.isEmpty)
    #expect(gaps.allSatisfy { $0.reason == "processor" && $0.start > 2.5 }, "\(gaps)")
    #expect(abs(receipt.duration - 35) < 0.1)
    #expect(bench.microphone?.counters.ringOverflows == 0)
  }

  @Test("A microphone that goes while the past is encoded takes nothing of the past away")
  func lossBehind() throws {
    let bench = try Bench(.small(pre: 30, post: 5, ringBytes: 8 << 20), pipeBytes: 4 << 20)
    bench.recorder.arm()
    bench.run(until: 31)
    bench.recorder.trigger(at: bench.instant(31), cause: .key)
    _ = run(bench, until: bench.instant(32), cost: .milliseconds(24))
    bench.microphone?.unplug(at: bench.clock.now)
    _ = run(bench, until: bench.instant(32.1), cost: .milliseconds(24))
    bench.microphone?.replug()
    _ = run(bench, until: bench.instant(60), cost: .milliseconds(24))
    bench.finish()
    let receipt = try #require(bench.log.saved.first)
    #expect(receipt.gaps.allSatisfy { $0.track == "sound" && $0.reason == "microphone-lost" && $0.start >= 30.9 })
    #expect(receipt.gaps.count == 1)
  }
}
