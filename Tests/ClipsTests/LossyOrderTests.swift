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
    let films = try films(of: path) { bench in
      bench.run(until: 5.21)
      bench.camera.stall(.milliseconds(milliseconds), at: bench.clock.now)
    }
    var all = 0
    for film in films {
      let count = film.times.count
      #expect(film.receipt.pictures.captured == count, "\(film.receipt.id)")
      all += count
    }
    // All but the hole and the rest of its group.
    #expect(all > 210 - Int(milliseconds) * 30 / 1000 - 20, "\(all)")
  }
}
