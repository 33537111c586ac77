import Foundation
import Glibc
import Hardware
import Testing

@testable import LinuxHardware

/// A camera that is as a test says: pictures at once, with times of a rhythm.
private final class ScriptedCamera: Camera {
  let name = "scripted"
  var grant: CameraGrant
  var error: DeviceError?
  var pictures = 61
  var interval: Int64 = 33_333_333
  var loss: Int32 = 0
  var counters = CameraCounters()

  init(_ codec: VideoCodec) {
    grant = CameraGrant(
      format: VideoFormat(codec: codec, width: 1280, height: 720, framesPerSecond: 30),
      timestamps: "start-of-exposure", canForceKeyframe: false)
  }

  func open(_ request: CameraRequest) throws(DeviceError) -> CameraGrant {
    if let error { throw error }
    return grant
  }

  func start(into queue: FrameQueue) throws(DeviceError) {
    let now = Monotonic.now
    for number in 0..<pictures {
      let time = Instant(nanoseconds: now - Int64(pictures - number) * interval)
      _ = queue.write(FrameRecord(.picture, isKeyframe: number % 15 == 0, bytes: 5, time: time), "12345")
    }
    if loss != 0 { _ = queue.write(FrameRecord(.lost, code: loss, time: Instant(nanoseconds: now)), nil) }
  }

  func requestKeyframe() {}
  func close() {}
}

@Suite("What the doctor says of cameras")
struct CameraProbeTests {
  private let request = CameraRequest(
    codecs: [.h264, .nv12], width: 1280, height: 720, framesPerSecond: 30, bitrate: 4_000_000, keyframeInterval: 15)

  private func examine(
    _ codec: VideoCodec = .h264, encoder: Result<String, DeviceError> = .success("libx264"),
    _ change: @escaping @Sendable (ScriptedCamera) -> Void = { _ in }
  ) throws -> DeviceFinding {
    let probe = CameraProbe(
      place: "/dev/video0", request: request, device: "/dev/null", appliance: nil, encoder: { _ in encoder }
    ) {
      let camera = ScriptedCamera(codec)
      change(camera)
      return camera
    }
    return try #require(probe.examine().first)
  }

  @Test("What was negotiated and measured is told")
  func works() throws {
    let finding = try examine()
    #expect(finding.verdict == .works)
    #expect(
      finding.detail.hasPrefix(
        "h264, 1280 × 720 at 30, start-of-exposure timestamps; 30.0 a second, the first after "))
    #expect(finding.detail.hasSuffix("0 missed; kept as it comes"))
    #expect(finding.facts["framesPerSecondMeasured"] == .number(30))
    #expect(finding.facts["keyframes"] == .integer(5) && finding.facts["frames"] == .integer(61))
  }

  @Test("Raw pictures need an encoder, and it is named")
  func encoders() throws {
    let finding = try examine(.nv12)
    #expect(finding.verdict == .works && finding.facts["encoder"] == .text("libx264"))
    let missing = DeviceError(
      .unsupported, device: "video", operation: "encode", hint: "install libavcodec with libx264")
    let without = try examine(.nv12, encoder: .failure(missing))
    #expect(without.verdict == .failed && without.remedy == "install libavcodec with libx264")
  }

  @Test("Less than was asked for is said, with what to do")
  func limited() throws {
    let slow = try examine { $0.interval = 66_666_666 }
    #expect(slow.verdict == .limited && slow.detail.hasPrefix("30 pictures a second were asked for; "))
    #expect(slow.remedy.contains("light"))
    let small = try examine { $0.grant.format.width = 640 }
    #expect(small.verdict == .limited && small.remedy.contains("camera.width"))
    let broken = try examine { $0.counters.broken = 7 }
    #expect(broken.detail.hasPrefix("7 broken pictures"))
    let arrival = try examine { $0.grant.timestamps = "arrival" }
    #expect(arrival.verdict == .limited)
  }

  @Test("A camera that is busy, silent or absent says so")
  func failures() throws {
    let busy = try examine { $0.error = V4L2Errors.error("/dev/null", "set its format", code: EBUSY) }
    #expect(busy.verdict == .busy || busy.verdict == .inUse)
    let silent = try examine { $0.loss = ETIMEDOUT }
    #expect(silent.verdict == .failed && silent.remedy.contains("another port"))
    let absent = CameraProbe.v4l2(path: "/dev/no-such-video", request: request) { _ in .success("") }.examine()
    #expect(absent.map(\.verdict) == [.missing])
    let command = CameraProbe.command(
      CameraCommand(["sh", "-c", "echo 'no cameras available' >&2; exit 255"]), request: request, appliance: nil
    ) { _ in .success("") }
    let ended = try #require(command.examine().first)
    #expect(ended.verdict == .failed && ended.remedy.hasSuffix("it said: no cameras available"))
    #expect(ended.detail.contains("ended with status 255"))
    let used = CameraProbe.command(.rpicam, request: request, appliance: Int(getpid())) { _ in .success("") }
    #expect(used.examine().map(\.verdict) == [.inUse])
  }
}
