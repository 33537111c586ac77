import Foundation
import Hardware
import Media
import Recording
import SimulatedHardware
import TestSupport
import Testing

@testable import Clips

/// Clips whose seconds from before the trigger begin where pictures are missing, judged by ffmpeg.
@Suite struct HoleAtTheStartTests: CameraStreams {
  let folder = TemporaryFolder()

  /// A clip of a camera that sends nothing for some time from 6.1 s on.
  ///
  /// - Parameter start: of its pre-roll, in the hole; whole seconds before the trigger.
  private func clip(
    of path: String, _ codec: VideoCodec = .h264, hole: Int64, start: Double, pre: Int
  ) throws -> (Bench, Receipt) {
    let bench = try Bench(
      .small(pre: pre, post: 2, codecs: [codec], ringBytes: 6 << 20), source: VideoFileSource(path: path),
      pipeBytes: 4 << 20)
    bench.recorder.arm()
    bench.run(until: 6.1)
    bench.camera.stall(.milliseconds(hole), at: bench.clock.now)
    let trigger = start + Double(pre)
    bench.run(until: trigger)
    bench.recorder.trigger(at: bench.instant(trigger), cause: .key)
    bench.run(until: 12)
    bench.finish()
    #expect(bench.log.failures == [] && bench.log.saved.count == 1)
    let receipt = try #require(bench.log.saved.first)
    #expect(abs((receipt.start - bench.instant(start)).inSeconds) < 0.001)
    #expect(abs(receipt.duration - Double(pre + 2)) < 0.1)
    return (bench, receipt)
  }

  private var wall: WallTime { WallTime(nanosecondsSince1970: 1_790_000_000_000_000_000) }

  private func edited(_ make: (MemoryFile) throws -> ClipEditor) throws -> (MemoryFile, ClipEditor) {
    let target = MemoryFile()
    let editor = try make(target)
    while try !editor.step() {}
    return (target, editor)
  }

  @Test(
    "A clip that begins in a hole of a camera with open groups is one: with the sound of the hole, and the pictures behind it",
    arguments: [
      "bframes=2:b-adapt=0:open-gop=1:keyint=15", "bframes=2:b-adapt=0:open-gop=1:keyint=15:b-pyramid=none",
      "bframes=3:b-adapt=0:keyint=30",
    ],
    // Over already when the trigger comes, or still open.
    [(500, 6.3, 2), (700, 6.3, 2), (800, 6.25, 1), (900, 6.4, 2), (950, 6.2, 1)]
      as [(milliseconds: Int64, start: Double, pre: Int)])
  func oneClip(x264: String, hole: (milliseconds: Int64, start: Double, pre: Int)) throws {
    let path = try stream("hole", x264)
    let (bench, receipt) = try clip(of: path, hole: hole.milliseconds, start: hole.start, pre: hole.pre)
    let times = try whole(bench, receipt, of: path)
    let first = try #require(times.first)
    #expect(receipt.pictures.captured == times.count && times.count > 25)
    let gap = try #require(receipt.gaps.first)
    #expect(receipt.gaps.count == 1 && gap.track == "picture" && gap.start == 0)
    #expect(abs(gap.seconds - first) < 0.017 && first > 0.2, "\(gap.seconds) \(first)")
    // A beep at each full second, from the start on.
    let beeps = try ClipContent.beeps(folder.put(try bench.bytes(of: receipt.id), receipt.id))
    #expect(beeps.count >= hole.pre + 1)
    for beep in beeps { #expect(abs(hole.start + beep - (hole.start + beep).rounded()) < 0.005, "\(beep)") }
  }

  @Test(
    "What is trimmed or copied of a clip that begins in a hole has its pictures beside the same sound",
    arguments: [
      "bframes=2:b-adapt=0:open-gop=1:keyint=15:b-pyramid=none", "bframes=2:b-adapt=0:keyint=15", "bframes=0:keyint=15",
      nil,
    ] as [String?])
  func trimmed(x264: String?) throws {
    let (path, codec) = try film("hole", x264)
    let (bench, receipt) = try clip(of: path, codec, hole: 700, start: 6.3, pre: 2)
    let times = try whole(bench, receipt, of: path)
    let first = try #require(times.first)
    let clip = MemoryFile(try bench.bytes(of: receipt.id))
    #expect(try ClipReader(clip).facts(of: clip).pictures == times.count)
    // At the very end of the hole it begins with the picture behind it.
    for (start, begin) in [(0, 0), (0.2, 0.2), (first - 0.05, first)] as [(Double, Double)] {
      let (part, editor) = try edited { target in
        try start == 0
          ? ClipEditor(joining: [clip], into: target, createdAt: wall, title: "all")
          : ClipEditor(trimming: clip, to: start..<2.5, into: target, createdAt: wall, title: "part")
      }
      let left = try whole(part.bytes, "part.mp4", of: path)
      #expect(editor.facts.pictures == left.count && left.count > 40)
      let one = try #require(left.first)
      #expect(abs(one + begin - first) < 0.001, "\(start): \(one) \(first)")
      let beeps = try ClipContent.beeps(folder.file("part.mp4")).map { 6.3 + begin + $0 }
      #expect(!beeps.isEmpty && beeps.allSatisfy { abs($0 - $0.rounded()) < 0.005 }, "\(start): \(beeps)")
    }
  }
}
