import Foundation
import Hardware
import TestSupport
import Testing

@testable import LinuxHardware

@Suite("A camera behind a command")
struct PipeCameraTests {
  private let request = CameraRequest(
    codecs: [.h264], width: 320, height: 180, framesPerSecond: 30, bitrate: 500_000, keyframeInterval: 15)

  private func shell(_ text: String) -> PipeCamera {
    PipeCamera(command: CameraCommand(["sh", "-c", text]), name: "csi")
  }

  /// Everything that comes until a loss.
  private func untilLost(_ queue: FrameQueue) -> [(FrameRecord, [UInt8])] {
    var found: [(FrameRecord, [UInt8])] = []
    while found.last?.0.kind != .lost {
      guard let (record, bytes) = queue.peek() else {
        usleep(1000)
        continue
      }
      found.append((record, Array(bytes)))
      queue.drop()
    }
    return found
  }

  private func error(_ body: () throws -> Void) -> DeviceError? {
    do {
      try body()
      return nil
    } catch { return error as? DeviceError }
  }

  private func stream(_ folder: String) throws -> String {
    let path = folder + "/a.h264"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=30", "-frames:v", "40", "-c:v"]
      + ["libx264", "-bf", "0", "-g", "15", "-pix_fmt", "yuv420p", "-y", path]
    try process.run()
    process.waitUntilExit()
    return path
  }

  @Test("Its pictures come whole; its end is a loss, of which is known how it came and what the command said")
  func pictures() throws {
    let folder = TemporaryFolder()
    let path = try stream(folder.path)
    let camera = shell("cat '\(path)'; echo one >&2; echo 'no cameras available' >&2; exit 3")
    let grant = try camera.open(request)
    #expect(grant.format.codec == .h264 && grant.timestamps == "arrival" && !grant.canForceKeyframe)
    let queue = FrameQueue(bytes: 4 << 20)
    try camera.start(into: queue)
    let records = untilLost(queue)
    // The last picture's end is not known before another one begins.
    #expect(records.count == 40 && camera.counters.frames == 39)
    #expect(records.last?.0.code == EPIPE)
    let bytes = Data(records.flatMap(\.1))
    let all = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(all.starts(with: bytes))
    #expect(records.dropLast().enumerated().allSatisfy { $1.0.isKeyframe == ($0 % 15 == 0) })
    let times = records.map(\.0.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    camera.close()
    let told = camera.lastLoss
    #expect(told?.operation == "keep it running: the command ended with status 3")
    #expect(told?.hint.hasSuffix("it said: no cameras available") == true)
    _ = try camera.open(request)
    camera.close()
  }

  @Test("Silence after pictures is a loss, and closing ends the command and what it started")
  func silence() throws {
    let folder = TemporaryFolder()
    let path = try stream(folder.path)
    let mark = folder.path + "/alive"
    // A child that does not listen to SIGTERM, and one that has become its own.
    let camera = shell("trap '' TERM; sh -c 'echo $$ > \(mark); exec sleep 1000' & cat '\(path)'; sleep 1000")
    _ = try camera.open(request)
    let queue = FrameQueue(bytes: 4 << 20)
    try camera.start(into: queue)
    #expect(untilLost(queue).last?.0.code == ETIMEDOUT)
    camera.close()
    let process = try #require(
      Int32(try String(contentsOfFile: mark, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)))
    // Whoever adopted it may not have reaped it yet.
    while let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8), !state.contains(") Z") {
      usleep(1000)
    }
    #expect(camera.lastLoss?.operation == "get a picture within a second")
    _ = try camera.open(request)
    #expect(camera.lastLoss == nil)
  }

  @Test("Garbage is no picture, and closing while it runs tells nothing later")
  func garbage() throws {
    let camera = shell("exec cat /dev/urandom")
    _ = try camera.open(request)
    let queue = FrameQueue(bytes: 1 << 20)
    try camera.start(into: queue)
    usleep(100_000)
    camera.close()
    #expect(queue.peek() == nil || queue.peek()?.record.kind == .picture)
    #expect(camera.lastLoss == nil)
    camera.close()
  }

  @Test("The command's blanks are filled in, and what cannot be run is refused by name")
  func commands() throws {
    #expect(
      CameraCommand.rpicam.filled(for: request)?.joined(separator: " ")
        == "rpicam-vid --timeout 0 --nopreview --codec h264 --inline --flush --width 320 --height 180 --framerate 30 "
        + "--bitrate 500000 --intra 15 --output -")
    for bad in [[], [""], ["a", "{b}"], ["a", "{"], ["a", "{width"], ["a\0b"]] {
      #expect(CameraCommand(bad).filled(for: request) == nil)
    }
    #expect(CameraCommand(["a", "}x{rate}y{width}{height}"]).filled(for: request) == ["a", "}x30y320180"])
    let missing = PipeCamera(command: CameraCommand(["no-such-program-at-all"]))
    #expect(error { _ = try missing.open(request) }?.kind == .missing)
    var raw = request
    raw.codecs = [.nv12]
    #expect(error { _ = try shell("true").open(raw) }?.kind == .unsupported)
    let text = PipeCamera(command: CameraCommand(["/etc/passwd"]))
    #expect(error { _ = try text.open(request) }?.kind == .missing)
  }

  @Test("A device that is not there, or is none, is refused with what to do")
  func v4l2() {
    let missing = V4L2Camera(path: "/dev/no-such-video")
    let told = error { _ = try missing.open(request) }
    #expect(told?.kind == .missing && told?.hint.contains("v4l2-ctl") == true)
    #expect(error { _ = try V4L2Camera(path: "/dev/null").open(request) }?.kind == .unsupported)
    #expect(error { try missing.start(into: FrameQueue(bytes: 1024)) }?.kind == .failed)
    missing.close()
  }
}
