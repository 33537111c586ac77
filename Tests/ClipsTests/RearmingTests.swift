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

  /// What a ring that was too small has crowded out says nothing of the next arming, which has its own size.
  @Test func aRingThatIsStillInUseIsMadeAsLargeAsItIsToBe() throws {
    var settings = ClipSettings.small(pre: 5, post: 1, ringBytes: 60_000)
    let bench = try Bench(settings)
    func ready() -> [RingStatus] {
      bench.log.recorder.compactMap { if case .bufferReady(let ring) = $0 { ring } else { nil } }
    }
    bench.recorder.arm()
    bench.run(until: 10)
    #expect(ready().count == 1 && ready().first?.isFull == false)
    bench.recorder.trigger(at: bench.instant(10), cause: .key)
    bench.recorder.disarm(at: bench.clock.now)
    (settings.ringBytes, settings.largestRingBytes) = (400_000, 400_000)
    bench.recorder.configure(settings)
    bench.recorder.arm()
    bench.run(until: 10.2)
    #expect(ready().count == 1 && bench.recorder.status.ring.capacity == 400_000)
    bench.run(until: 17)
    #expect(ready().count == 2 && ready().last?.isFull == true)
    bench.finish()
    #expect(bench.log.failures == [] && bench.log.saved.count == 1)
  }

  /// The media lane may have made another ring while the camera lane is at work.
  @Test func nothingOfACameraThatWasGivenUpComesIntoTheNextRing() {
    let buffer = PictureBuffer()
    let intake = PictureIntake(buffer)
    let format = VideoFormat(codec: .mjpeg, width: 320, height: 180, framesPerSecond: 30)
    let grant = CameraGrant(
      format: format, timestamps: "test", canForceKeyframe: false, numbersPictures: true, largestPicture: nil)
    func take(at seconds: Double) {
      let record = FrameRecord(.picture, isKeyframe: true, bytes: 100, missedBefore: 0, time: .at(seconds))
      [UInt8](repeating: 1, count: 100).withUnsafeBytes {
        _ = intake.take(record, $0, counters: CameraCounters(), forcesKeyframe: false)
      }
    }
    buffer.withLock { $0.ring = FrameRing(bytes: 1 << 16) }
    intake.begin(grant, nil, counters: CameraCounters())
    take(at: 1)
    #expect(buffer.withLock { $0.ring?.end } == 1)
    buffer.withLock { shared in
      shared.ring = FrameRing(bytes: 1 << 16)
      shared.releases += 1
    }
    take(at: 1.03)
    #expect(buffer.withLock { $0.ring?.isEmpty } == true)
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
