import Foundation
import Hardware
import Sound
import TestSupport
import Testing

@Suite("Capture timeline")
struct CaptureTimelineTests {
  private let format = PCMFormat(sampleRate: 48_000, channels: 1)
  private let period = 960

  /// A converter whose clock is off by `ppm`: gives blocks and knows the truth.
  private struct Converter {
    var ppm: Double
    var start: Double
    var frame = 0

    func time(_ frame: Int) -> Double { start + Double(frame) / 48_000 / (1 + ppm * 1e-6) }

    mutating func block(_ frames: Int, jitter: Double = 0) -> CaptureBlock {
      frame += frames
      let nanoseconds = Int64(((time(frame) + jitter) * 1e9).rounded())
      return CaptureBlock(.sound, frames: Int32(frames), end: Instant(nanoseconds: nanoseconds))
    }
  }

  @Test("Exact times give exact numbers, gaps to the frame", arguments: [44_100, 48_000, 8000])
  func exact(rate: Int) {
    let format = PCMFormat(sampleRate: rate, channels: 1)
    var random = SeededGenerator(seed: UInt64(rate))
    for _ in 0..<200 {
      var timeline = CaptureTimeline(format: format)
      let base = Instant(nanoseconds: Int64.random(in: 0...1_000_000_000_000_000, using: &random))
      var truth = 0
      let period = Int.random(in: 1...2000, using: &random)
      for index in 0..<60 {
        if index > 0, Int.random(in: 0...9, using: &random) == 0 {
          let lost = Int.random(in: 1...500_000, using: &random)
          let kind: CaptureBlock.Kind = Bool.random(using: &random) ? .discontinuity : .lost
          let none = timeline.add(CaptureBlock(kind, end: base + format.duration(ofFrames: truth)))
          #expect(none.frames == 0 && none.gapFrames == 0)
          truth += lost
          let placement = timeline.add(
            CaptureBlock(.sound, frames: Int32(period), end: base + format.duration(ofFrames: truth + period)))
          #expect(
            placement
              == CaptureTimeline.Placement(gapFrames: lost, firstFrame: truth, frames: period, cause: kind))
        } else {
          let placement = timeline.add(
            CaptureBlock(.sound, frames: Int32(period), end: base + format.duration(ofFrames: truth + period)))
          #expect(placement == CaptureTimeline.Placement(gapFrames: 0, firstFrame: truth, frames: period, cause: nil))
        }
        truth += period
        #expect(timeline.nextFrame == truth)
        let asked = truth - Int.random(in: -rate...(60 * rate), using: &random)
        #expect(timeline.frame(at: base + format.duration(ofFrames: asked)) == asked)
        let off = timeline.instant(ofFrame: asked).map { $0 - (base + format.duration(ofFrames: asked)) }
        #expect(off.map { abs($0.nanoseconds) < 200 } == true)
      }
    }
  }

  @Test(
    "Drift of 100 ppm and jitter of a period invent no gaps in an hour, and the map follows",
    arguments: [-100.0, -37, 0, 100])
  func drift(ppm: Double) {
    var random = SeededGenerator(seed: UInt64(abs(ppm)) + 7)
    var converter = Converter(ppm: ppm, start: 1000)
    var timeline = CaptureTimeline(format: format)
    var worst = 0.0
    for index in 0..<180_000 {
      let placement = timeline.add(converter.block(period, jitter: Double.random(in: -0.01...0.01, using: &random)))
      #expect(placement.gapFrames == 0)
      if index % 100 == 0, let time = timeline.instant(ofFrame: converter.frame) {
        worst = max(worst, abs(time.seconds - converter.time(converter.frame)))
      }
    }
    #expect(timeline.nextFrame == 180_000 * 960)
    #expect(worst < 0.01, "the map is off by \(worst) s")
    #expect(abs(timeline.driftPPM - ppm) < 40, "the drift reads \(timeline.driftPPM)")
  }

  @Test("Without jitter the drift is measured to a tenth of a ppm and gaps are exact in the converter's own frames")
  func driftAndGaps() {
    for ppm in [-100.0, 100] {
      var converter = Converter(ppm: ppm, start: 5)
      var timeline = CaptureTimeline(format: format)
      for _ in 0..<6000 { _ = timeline.add(converter.block(period)) }
      #expect(abs(timeline.driftPPM - ppm) < 0.1)
      _ = timeline.add(CaptureBlock(.lost, code: 19, end: .zero))
      converter.frame += 480_000
      let placement = timeline.add(converter.block(period))
      #expect(abs(placement.gapFrames - 480_000) <= 1)
      #expect(placement.cause == .lost)
    }
  }

  @Test("A stall that delivers everything late is no gap")
  func stall() {
    var converter = Converter(ppm: 0, start: 0)
    var timeline = CaptureTimeline(format: format)
    for _ in 0..<100 { _ = timeline.add(converter.block(period)) }
    for late in stride(from: 5.0, to: 0, by: -0.02) {
      #expect(timeline.add(converter.block(period, jitter: late)).gapFrames == 0)
    }
    for _ in 0..<5000 { _ = timeline.add(converter.block(period)) }
    let time = timeline.instant(ofFrame: converter.frame)
    #expect(abs((time?.seconds ?? 0) - converter.time(converter.frame)) < 0.001)
  }

  @Test("Nothing is known before the first block, and a loss before it makes no gap")
  func beginning() {
    var timeline = CaptureTimeline(format: format)
    #expect(timeline.frame(at: .zero) == nil && timeline.instant(ofFrame: 0) == nil)
    _ = timeline.add(CaptureBlock(.discontinuity, end: Instant(nanoseconds: 5)))
    let placement = timeline.add(CaptureBlock(.sound, frames: 960, end: Instant(nanoseconds: 30_000_000_000)))
    #expect(placement == CaptureTimeline.Placement(gapFrames: 0, firstFrame: 0, frames: 960, cause: nil))
    #expect(timeline.frame(at: Instant(nanoseconds: 29_970_000_000)) == -480)
  }

  @Test("No stream of blocks traps or goes back")
  func fuzz() {
    var random = SeededGenerator(seed: 99)
    for _ in 0..<300 {
      var timeline = CaptureTimeline(format: format)
      var last = 0
      for _ in 0..<200 {
        let kinds: [CaptureBlock.Kind] = [.sound, .sound, .sound, .discontinuity, .lost]
        let bound: Int64 = Bool.random(using: &random) ? 1_000_000_000 : 4_000_000_000_000_000_000
        let block = CaptureBlock(
          kinds.randomElement(using: &random) ?? .sound, frames: Int32.random(in: -5...5000, using: &random),
          end: Instant(nanoseconds: Int64.random(in: -bound...bound, using: &random)))
        let placement = timeline.add(block)
        #expect(placement.gapFrames >= 0 && timeline.nextFrame >= last)
        #expect(timeline.nextFrame == (placement.frames > 0 ? placement.firstFrame + placement.frames : last))
        last = timeline.nextFrame
        _ = timeline.frame(at: Instant(nanoseconds: .random(in: -bound...bound, using: &random)))
        _ = timeline.instant(ofFrame: Int.random(in: -1_000_000...1_000_000, using: &random))
      }
    }
  }
}
