import Glibc
import Hardware
import Testing

@testable import LinuxHardware

@Suite("What the camera's thread makes of a capture device")
struct V4L2LoopTests {
  private func shape(_ codec: VideoCodec, width: Int = 4, height: Int = 2, stride: Int = 0) -> PictureShape {
    PictureShape(codec: codec, width: width, height: height, stride: stride, patience: 1_000_000_000)
  }

  private let key: [UInt8] = [0, 0, 0, 1, 0x65, 0x88, 1, 2]
  private let other: [UInt8] = [0, 0, 1, 0x41, 0x9A, 3]
  private let image: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 16, 0, 16, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 3]
    + [0xFF, 0xD9]

  @Test("Pictures are delivered with the device's times, keyframes told, buffers given back")
  func plain() {
    let script = CameraScript([.picture(key, sequence: 0), .picture(other, sequence: 1), .picture(key, sequence: 2)])
    let records = script.run(shape(.h264))
    #expect(records.map(\.1) == [key, other, key])
    #expect(records.map(\.0.isKeyframe) == [true, false, true])
    #expect(records.map(\.0.time.nanoseconds) == [100_023_333_333, 100_056_666_666, 100_089_999_999])
    #expect(script.given == [0, 1, 2])
    #expect(script.counters == CameraCounters(frames: 3))
  }

  @Test("Holes in the numbers are missed pictures; a driver that counts anew is not")
  func sequence() {
    let script = CameraScript([
      .picture(key, sequence: .max - 1), .picture(key, sequence: 1), .picture(key, sequence: 2),
      .picture(key, sequence: 0), .picture(key, sequence: 5_000_000), .picture(key, sequence: 5_000_003),
    ])
    #expect(script.run(shape(.h264)).map(\.0.missedBefore) == [0, 2, 0, 0, 0, 2])
    #expect(script.counters.missed == 4)
  }

  @Test("Broken buffers are counted and told of, and never delivered")
  func broken() {
    let script = CameraScript([
      .picture(image, sequence: 0), .picture(image, sequence: 1, isBroken: true), .picture([], sequence: 2),
      .picture(Array(image.dropLast(3)), sequence: 3), .failure(EIO), .picture(image + [0, 0, 0], sequence: 4),
    ])
    let records = script.run(shape(.mjpeg))
    #expect(records.map(\.1) == [image, image])
    #expect(records.map(\.0.missedBefore) == [0, 4])
    #expect(script.counters == CameraCounters(frames: 2, broken: 4))
    #expect(script.given == [0, 1, 2, 3, 0])
  }

  @Test("Raw pictures lose the padding of their lines, and short ones are broken", arguments: [VideoCodec.yuyv, .nv12])
  func stride(codec: VideoCodec) {
    let lineBytes = codec == .yuyv ? 8 : 4
    let lines = codec == .yuyv ? 2 : 3
    let padded = (0..<lines).flatMap { line in
      (0..<16).map { $0 < lineBytes ? UInt8(line * 16 + $0) : 0xEE }
    }
    let script = CameraScript([
      .picture(padded, sequence: 0), .picture(Array(padded.dropLast(16 - lineBytes)), sequence: 1),
      .picture(Array(padded.dropLast(17 - lineBytes)), sequence: 2), .picture(padded + [1, 2], sequence: 3),
    ])
    let expected = (0..<lines).flatMap { line in (0..<lineBytes).map { UInt8(line * 16 + $0) } }
    let records = script.run(shape(codec, stride: 16))
    #expect(records.map(\.1) == [expected, expected, expected])
    #expect(records.map(\.0.missedBefore) == [0, 0, 1])
  }

  @Test("Times that are not ours are replaced by the arrival's, and times always grow")
  func times() {
    let script = CameraScript(
      [
        .picture(key, sequence: 0, time: -1), .picture(key, sequence: 1, time: 5),
        .picture(key, sequence: 2, time: .max), .picture(key, sequence: 3, time: 104_400_000_000),
        .picture(key, sequence: 4, time: 107_000_000_000),
      ], interval: 1_500_000_000)
    var slow = shape(.h264)
    slow.patience = 2_500_000_000
    #expect(
      script.run(slow).map(\.0.time.nanoseconds)
        == [101_500_000_000, 103_000_000_000, 104_500_000_000, 104_500_000_001, 107_000_000_000])
  }

  @Test("A second of silence, or of nothing but broken pictures, is a loss; less is not")
  func silence() {
    let script = CameraScript([
      .picture(key, sequence: 0), .silence(900_000_000), .picture(key, sequence: 27), .silence(5_000_000_000),
    ])
    let records = script.run(shape(.h264))
    #expect(records.last?.0.kind == .lost && records.last?.0.code == ETIMEDOUT)
    #expect(records.count == 3 && records[1].0.missedBefore == 26)
    let babble = CameraScript((0..<100).map { .picture([1, 2, 3], sequence: $0) })
    let babbled = babble.run(shape(.h264))
    #expect(babbled.map(\.0.kind) == [.lost] && babble.counters.broken >= 30)
  }

  @Test("A device that goes away is lost with its errno, whoever says so")
  func unplugged() {
    for turn: CameraScript.Turn in [.failure(ENODEV), .waitFailure(ENODEV)] {
      let records = CameraScript([.picture(key, sequence: 0), turn, .picture(key, sequence: 1)]).run(shape(.h264))
      #expect(records.map(\.0.kind) == [.picture, .lost] && records.last?.0.code == ENODEV)
    }
    // Signals and empty answers are none.
    let script = CameraScript([.waitFailure(EINTR), .failure(EAGAIN), .picture(key, sequence: 0)])
    #expect(script.run(shape(.h264)).count == 1)
  }

  @Test("A full queue is counted, told of by the next picture, and no sign of a lost camera")
  func overflow() {
    let queue = FrameQueue(bytes: 1024)
    let long = key + [UInt8](repeating: 7, count: 300)
    let script = CameraScript((0..<60).map { .picture(long, sequence: $0) })
    let records = script.run(shape(.h264), queue: queue)
    #expect(records.map(\.0.kind) == [.picture, .picture])
    #expect(script.counters == CameraCounters(frames: 2, overflows: 58))
  }

  @Test("Parameter sets in a buffer of their own come in front of the next picture")
  func heads() {
    let sets: [UInt8] = [0, 0, 0, 1, 0x67, 1, 2, 3, 0, 0, 0, 1, 0x68, 4]
    let script = CameraScript([
      .picture(sets, sequence: 0), .picture(key, sequence: 1), .picture(other, sequence: 2),
      .picture([0, 0, 1, 0x67] + [UInt8](repeating: 9, count: 2000), sequence: 3), .picture([7, 7], sequence: 4),
    ])
    #expect(script.run(shape(.h264)).map(\.1) == [sets + key, other])
    #expect(script.counters.broken == 2)
  }

  @Test("A keyframe that was asked for is asked of the device once")
  func keyframe() {
    let script = CameraScript([.picture(key, sequence: 0), .picture(key, sequence: 1)])
    script.askForKeyframe()
    _ = script.run(shape(.h264))
    #expect(script.keyframesAsked == 1)
  }
}
