import Foundation
import Hardware
import SimulatedHardware
import TestSupport
import Testing

@Suite("A video file as a camera")
struct VideoFileSourceTests {
  private func file(_ folder: TemporaryFolder, _ name: String, _ arguments: [String]) throws -> String {
    let path = folder.file(name)
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=30", "-frames:v", "20"] + arguments + [path])
    return path
  }

  @Test("H.264 is cut into its pictures and played for ever", arguments: ["libx264", "slices", "aud"])
  func h264(kind: String) throws {
    let folder = TemporaryFolder()
    var arguments = ["-c:v", "libx264", "-g", "8", "-bf", "0", "-f", "h264"]
    if kind == "slices" { arguments += ["-slices", "4"] }
    if kind == "aud" { arguments += ["-x264-params", "aud=1"] }
    let path = try file(folder, "in.h264", arguments)
    let source = try VideoFileSource(path: path)
    #expect(source.codec == .h264 && source.count == 20)
    let clock = VirtualClock()
    let camera = SimulatedCamera(source: source, clock: clock, origin: .zero)
    #expect(deviceError { _ = try camera.open(cameraRequest([.nv12])) }?.hint == "it has h264")
    let format = try camera.open(cameraRequest([.h264, .nv12])).format
    let queue = FrameQueue(bytes: 4 << 20)
    try camera.start(into: queue)
    var pictures = Pictures()
    run(clock, until: .at(0.99), [camera]) { pictures.drain(queue, format, keepsBytes: true) }
    #expect(pictures.records.count == 30)
    #expect(pictures.records.map(\.isKeyframe) == (0..<30).map { $0 % 20 % 8 == 0 })
    #expect(Data(pictures.bytes[0..<20].joined()) == (try Data(contentsOf: URL(fileURLWithPath: path))))
  }

  /// Twenty pictures of a size in H.264, with their parameter sets in front and nowhere else.
  private func saidOnce(_ folder: TemporaryFolder, _ size: String) throws -> Data {
    let path = try file(
      folder, "\(size).h264",
      ["-s", size, "-c:v", "libx264", "-g", "8", "-bf", "0", "-pix_fmt", "yuv420p", "-f", "h264"])
    var film = Data()
    for (name, filter, count) in [("sets", "pass_types=7-8", "1"), ("bare", "remove_types=7-8", "20")] {
      let part = folder.file("\(size)-\(name).h264")
      try Tool.succeed(
        "ffmpeg",
        [
          "-v", "error", "-i", path, "-frames:v", count, "-c", "copy", "-bsf:v", "filter_units=\(filter)", "-f", "h264",
          part,
        ])
      film += try Data(contentsOf: URL(fileURLWithPath: part))
    }
    return film
  }

  @Test(
    "From the middle of a film that says its parameters once, those that hold there come first", arguments: [5, 25])
  func parametersOnce(first: Int) throws {
    let folder = TemporaryFolder()
    let path = folder.file("once.h264")
    try (saidOnce(folder, "320x180") + saidOnce(folder, "160x96")).write(to: URL(fileURLWithPath: path))
    let source = try VideoFileSource(path: path)
    #expect(source.count == 40)
    let clock = VirtualClock()
    let camera = SimulatedCamera(source: source, clock: clock, origin: .zero)
    run(clock, until: .at(Double(first) / 30), []) {}
    // A camera that is opened again says them again.
    for _ in 0..<2 {
      let begin = clock.now
      let grant = try camera.open(cameraRequest([.h264]))
      let queue = FrameQueue(bytes: 4 << 20)
      try camera.start(into: queue)
      var pictures = Pictures()
      run(clock, until: begin + .milliseconds(480), [camera]) { pictures.drain(queue, grant.format, keepsBytes: true) }
      #expect(pictures.bytes.allSatisfy { $0.count <= grant.largestPicture ?? 0 })
      let seen = folder.file("seen.h264")
      try Data(pictures.bytes.joined()).write(to: URL(fileURLWithPath: seen))
      let frames = try Tool.succeed(
        "ffprobe", ["-v", "quiet", "-show_entries", "frame=width", "-of", "csv=p=0", "-f", "h264", seen])
      let widths = frames.split(separator: "\n").map { $0.prefix { $0.isNumber } }
      #expect(widths.count >= 6 && widths.first == (first < 20 ? "320" : "160"), "\(widths)")
      camera.close()
      clock.advance(to: begin + .nanoseconds(1_333_333_333))
    }
  }

  @Test("JPEG images are cut apart")
  func jpeg() throws {
    let folder = TemporaryFolder()
    let path = try file(folder, "in.mjpeg", ["-c:v", "mjpeg", "-q:v", "5", "-f", "mjpeg"])
    let source = try VideoFileSource(path: path)
    #expect(source.codec == .mjpeg && source.count == 20)
    // What is granted is the film's own size, at the rate that was asked for.
    let camera = SimulatedCamera(source: source, clock: VirtualClock(), origin: .zero)
    let grant = try camera.open(cameraRequest([.mjpeg], width: 128, height: 72, rate: 25))
    #expect(grant.format == VideoFormat(codec: .mjpeg, width: 320, height: 180, framesPerSecond: 25))
    let largest = try Tool.run("ffprobe", ["-v", "error", "-show_entries", "packet=size", "-of", "csv=p=0", path])
    #expect(grant.largestPicture == largest.output.split(separator: "\n").compactMap { Int($0) }.max())
  }

  @Test("What is no stream of pictures is refused by name and reason")
  func refusals() throws {
    let folder = TemporaryFolder()
    #expect(deviceError { _ = try VideoFileSource(path: folder.file("none")) }?.kind == .missing)
    try Data("hello".utf8).write(to: URL(fileURLWithPath: folder.file("text")))
    #expect(deviceError { _ = try VideoFileSource(path: folder.file("text")) }?.kind == .unsupported)
    try Data([0xFF, 0xD8, 0xFF]).write(to: URL(fileURLWithPath: folder.file("jpeg")))
    #expect(deviceError { _ = try VideoFileSource(path: folder.file("jpeg")) }?.kind == .unsupported)
  }

  @Test("The words for cameras are read")
  func choices() throws {
    #expect(try CameraChoice(parsing: "bars") == .bars)
    #expect(try CameraChoice(parsing: "none") == CameraChoice.none)
    #expect(try CameraChoice(parsing: "v4l2:/dev/video0") == .v4l2("/dev/video0"))
    #expect(try CameraChoice(parsing: "a.h264") == .file("a.h264"))
    for bad in ["", "v4l2:"] { #expect(deviceError { _ = try CameraChoice(parsing: bad) }?.kind == .unsupported) }
  }
}
