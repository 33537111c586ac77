import Foundation
import Glibc
import Hardware
import Testing

@testable import LinuxHardware

/// A device of the kernel's driver `vivid` to be tested with, and its name on the platform bus to be unbound by:
/// `MYNAH_TEST_VIVID=/dev/video0:vivid.0`. Needs root; the rig's guest has one.
private let vivid = ProcessInfo.processInfo.environment["MYNAH_TEST_VIVID"]?.split(separator: ":").map(String.init)

@Suite("A camera of the kernel's own", .enabled(if: vivid?.count == 2), .serialized)
struct V4L2DeviceTests {
  private var path: String { vivid?[0] ?? "" }
  private var driver: String { "/sys/bus/platform/drivers/vivid" }

  private func request(_ codecs: [VideoCodec], rate: Int = 10) -> CameraRequest {
    CameraRequest(
      codecs: codecs, width: 320, height: 180, framesPerSecond: rate, bitrate: 1_000_000, keyframeInterval: 15)
  }

  /// The next record; waits for it.
  private func next(_ queue: FrameQueue) -> (record: FrameRecord, bytes: [UInt8]) {
    while true {
      if let (record, bytes) = queue.peek() {
        defer { queue.drop() }
        return (record, Array(bytes))
      }
      usleep(1000)
    }
  }

  private func write(_ text: String, _ file: String) throws {
    try text.write(toFile: "\(driver)/\(file)", atomically: false, encoding: .utf8)
  }

  @Test("Pictures come in the format, the size and the rhythm that it granted", arguments: [VideoCodec.yuyv, .nv12])
  func streams(codec: VideoCodec) throws {
    let camera = V4L2Camera(path: path)
    for _ in 0..<2 {
      let grant = try camera.open(request([.h264, codec]))
      print("granted", grant, camera.card ?? "", camera.refusedControls)
      #expect(grant.format == VideoFormat(codec: codec, width: 320, height: 180, framesPerSecond: 10))
      #expect(grant.timestamps == "end-of-frame" || grant.timestamps == "start-of-exposure")
      let queue = FrameQueue(bytes: 30 * grant.format.largestFrameBytes)
      try camera.start(into: queue)
      var times: [Int64] = []
      var missed = 0
      for _ in 0..<10 {
        let (record, bytes) = next(queue)
        #expect(record.kind == .picture && bytes.count == grant.format.largestFrameBytes)
        #expect(Set(bytes).count > 10)
        if !times.isEmpty { missed += record.missedBefore }
        times.append(record.time.nanoseconds)
        #expect(Monotonic.now > record.time.nanoseconds)
      }
      let length = Double((times.last ?? 0) - (times.first ?? 0)) / 1e9
      print("pictures", camera.counters, "in", length, "thread", camera.scheduling.map { "\($0)" } ?? "")
      #expect(abs(length - 0.1 * Double(9 + missed)) < 0.06)
      camera.close()
    }
  }

  @Test("Somebody else who streams is found out")
  func busy() throws {
    let first = V4L2Camera(path: path)
    _ = try first.open(request([.yuyv]))
    let second = V4L2Camera(path: path)
    var found: DeviceError?
    do { _ = try second.open(request([.yuyv])) } catch { found = error }
    #expect(found?.kind == .busy)
    first.close()
    _ = try second.open(request([.nv12]))
    second.close()
  }

  @Test("Unbound while it streams it is lost within a second, and it comes back when it is bound again")
  func unplug() throws {
    let name = vivid?[1] ?? ""
    let camera = V4L2Camera(path: path)
    let grant = try camera.open(request([.yuyv]))
    let queue = FrameQueue(bytes: 30 * grant.format.largestFrameBytes)
    try camera.start(into: queue)
    _ = next(queue)
    let unbinding = Monotonic.now
    // The driver waits for whoever has it open.
    let thread = Thread { try? write(name, "unbind") }
    thread.start()
    var record = next(queue).record
    while record.kind != .lost { record = next(queue).record }
    print("lost after", Double(Monotonic.now - unbinding) / 1e9, "errno", record.code)
    #expect(record.code == ENODEV || record.code == ETIMEDOUT)
    camera.close()
    while FileManager.default.fileExists(atPath: path) { usleep(10_000) }
    var found: DeviceError?
    do { _ = try camera.open(request([.yuyv])) } catch { found = error }
    #expect(found?.kind == .missing)
    while !thread.isFinished { usleep(1000) }
    try write(name, "bind")
    while true {
      if (try? camera.open(request([.yuyv]))) != nil { break }
      usleep(10_000)
    }
    try camera.start(into: queue)
    queue.clear()
    #expect(next(queue).record.kind == .picture)
    camera.close()
  }

  @Test("The doctor says what it has")
  func doctor() throws {
    let probe = CameraProbe.v4l2(path: path, request: request([.nv12])) { _ in .success("libx264") }
    let finding = try #require(probe.examine().first)
    print(finding.verdict, finding.detail, finding.remedy, finding.facts["formats"] ?? .text(""))
    #expect(finding.verdict == .works || finding.verdict == .limited)
  }
}
