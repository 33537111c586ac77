import Hardware
import Media
import Recording
import SimulatedHardware
import TestSupport
import Testing

@testable import Clips

/// Out of clip mode and back faster than the camera lane looks, or while a clip still takes pictures.
@Suite struct RearmingTests {
  private let folder = TemporaryFolder()

  private func film() throws -> String {
    let path = folder.file("film.h264")
    _ = try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30", "-frames:v", "700", "-c:v", "libx264", "-preset",
        "veryfast", "-x264-params", "bframes=0:keyint=15:scenecut=0", "-f", "h264", "-y", path,
      ])
    return path
  }

  /// Who arms is told of the camera each time, and nothing of another ring is taken for this one's.
  @Test(arguments: [true, false]) func whoArmsAgainIsToldOfTheCamera(hasOpenClip: Bool) throws {
    let bench = try Bench(.small(pre: 2, post: 1, codecs: [.h264]), source: VideoFileSource(path: film()))
    bench.recorder.arm()
    // In the middle of a group of pictures.
    bench.run(until: 6.3)
    if hasOpenClip { bench.recorder.trigger(at: bench.instant(6.29), cause: .key) }
    bench.recorder.disarm(at: bench.clock.now)
    bench.recorder.arm()
    bench.run(until: 10)
    bench.recorder.trigger(at: bench.instant(10), cause: .key)
    bench.run(until: 12)
    bench.finish()
    let openings = bench.log.camera.filter { if case .opened = $0 { true } else { false } }
    #expect(openings.count == 2 && bench.log.camera.count == 2)
    #expect(bench.log.failures == [])
    #expect(bench.log.saved.count == (hasOpenClip ? 2 : 1))
    for receipt in bench.log.saved {
      let film = try folder.put(bench.bytes(of: receipt.id), "clip.mp4")
      let decoded = try Tool.succeed(
        "ffprobe",
        [
          "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames", "-of",
          "csv=p=0",
          film,
        ])
      #expect(decoded.contains("\(receipt.pictures.captured)"))
      #expect(receipt.pictures.captured >= 60)
    }
  }
}
