import Foundation
import Hardware
import Recording
import SimulatedHardware
import TestSupport
import Testing

@testable import Clips

/// Losses of a camera that orders its pictures by counts of type 1, judged by ffmpeg.
@Suite struct LossyOrderTests: CameraStreams {
  let folder = TemporaryFolder()

  @Test(
    "Behind a loss in open groups whose order follows from the numbers, receipts count what decoders show",
    arguments: [("none", 800), ("normal", 300), ("normal", 600), ("normal", 900)] as [(String, Int64)])
  func typeOne(pyramid: String, milliseconds: Int64) throws {
    let plain = try stream("plain", "bframes=2:b-adapt=0:open-gop=1:keyint=15:cabac=0:b-pyramid=\(pyramid)")
    let path = folder.file("type1.h264")
    let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Tools/picture_order.py").path
    try Tool.succeed("python3", [tool, plain, path])
    let bench = try Bench(
      .small(pre: 2, post: 5, codecs: [.h264], ringBytes: 6 << 20), source: VideoFileSource(path: path),
      pipeBytes: 4 << 20)
    bench.recorder.arm()
    bench.run(until: 4)
    bench.recorder.trigger(at: bench.instant(4), cause: .key)
    bench.run(until: 5.21)
    bench.camera.stall(.milliseconds(milliseconds), at: bench.clock.now)
    bench.run(until: 10)
    bench.finish()
    #expect(bench.log.failures == [])
    var all = 0
    for receipt in bench.log.saved {
      let count = try whole(bench, receipt, of: path).count
      #expect(receipt.pictures.captured == count, "\(receipt.id)")
      all += count
    }
    // All but the hole and the rest of its group.
    #expect(all > 210 - Int(milliseconds) * 30 / 1000 - 20, "\(all)")
  }
}
