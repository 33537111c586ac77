import Hardware
import Testing

@testable import LinuxHardware

@Suite("Choosing among a camera's formats")
struct CameraModesTests {
  private func discrete(_ sizes: [(Int, Int)]) -> [CameraMode.Sizes] {
    sizes.map { CameraMode.Sizes(width: $0.0...$0.0, height: $0.1...$0.1, widthStep: 1, heightStep: 1) }
  }

  private func request(_ codecs: [VideoCodec] = [.h264, .mjpeg, .nv12, .yuyv]) -> CameraRequest {
    CameraRequest(
      codecs: codecs, width: 1280, height: 720, framesPerSecond: 30, bitrate: 4_000_000, keyframeInterval: 15)
  }

  private func choice(
    _ modes: [CameraMode], _ request: CameraRequest, rate: (CameraMode, Int, Int) -> Double = { _, _, _ in 30 }
  ) -> String? {
    CameraCandidate.ordered(modes, for: request, rate: rate).first.map {
      "\($0.mode.codec.rawValue) \($0.width)x\($0.height)"
    }
  }

  @Test("The best coding wins where it has the size at the rate, else the next one that has")
  func order() {
    let usual = discrete([(640, 480), (1280, 720), (1920, 1080)])
    let modes = [
      CameraMode(codec: .yuyv, code: 1, sizes: usual), CameraMode(codec: .mjpeg, code: 2, sizes: usual),
      CameraMode(codec: .h264, code: 3, sizes: usual),
    ]
    #expect(choice(modes, request()) == "h264 1280x720")
    #expect(choice(modes, request([.yuyv, .mjpeg])) == "yuyv 1280x720")
    // USB 2 carries raw pictures of this size ten times a second.
    let slow: (CameraMode, Int, Int) -> Double = { mode, width, _ in mode.codec == .yuyv && width > 640 ? 10 : 29.97 }
    #expect(choice(modes, request([.yuyv, .mjpeg]), rate: slow) == "mjpeg 1280x720")
    let large = modes.dropLast() + [CameraMode(codec: .h264, code: 3, sizes: discrete([(1920, 1080)]))]
    #expect(choice(Array(large), request()) == "mjpeg 1280x720")
    #expect(choice(Array(large), request([.h264])) == "h264 1920x1080")
    #expect(choice(modes, request([.nv12])) == nil)
    #expect(choice([CameraMode(codec: .nv12, code: 9, sizes: [])], request()) == "nv12 1280x720")
  }

  @Test("Ranges give the nearest size of their steps, even both ways")
  func ranges() {
    let range = CameraMode.Sizes(width: 16...1000, height: 17...801, widthStep: 4, heightStep: 0)
    #expect(range.nearest(1280, 720) == (1000, 720))
    #expect(range.nearest(101, 1) == (100, 16))
    #expect(range.nearest(103, 999) == (104, 800))
  }
}
