import Foundation
import Hardware
import SimulatedHardware
import TestSupport
import Testing

@Suite("Pattern in the simulated camera's pictures")
struct PictureCodeTests {
  static let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Tools/picture_code.py").path

  @Test("The reading tool is right about itself")
  func check() throws {
    #expect(try Tool.run("python3", [Self.tool, "--check"]).output == "ok\n")
  }

  @Test(
    "It is read back from H.264 at a low bit rate by ffmpeg and the tool",
    arguments: [(320, 180, 60), (1280, 720, 250)])
  func throughCodec(width: Int, height: Int, kilobits: Int) throws {
    let folder = TemporaryFolder()
    let clock = VirtualClock()
    let camera = SimulatedCamera(clock: clock, origin: .zero)
    let queue = FrameQueue(bytes: 8 << 20)
    clock.advance(to: .at(59.8))
    let format = try camera.open(cameraRequest(width: width, height: height)).format
    try camera.start(into: queue)
    var pictures = Pictures()
    run(clock, until: .at(60.5), [camera]) { pictures.drain(queue, format, keepsBytes: true) }
    try Data(pictures.bytes.joined()).write(to: URL(fileURLWithPath: folder.file("raw")))
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "rawvideo", "-pix_fmt", "nv12", "-s", "\(width)x\(height)", "-r", "30", "-i",
        folder.file("raw"), "-c:v", "libx264", "-preset", "ultrafast", "-b:v", "\(kilobits)k", "-maxrate",
        "\(kilobits)k", "-bufsize", "\(kilobits)k", "-g", "15", folder.file("out.mp4"),
      ])
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-i", folder.file("out.mp4"), "-f", "rawvideo", "-pix_fmt", "gray", folder.file("luma")])
    let lines = try Tool.run("python3", [Self.tool, "\(width)", "\(height)", folder.file("luma")]).output
      .split(separator: "\n").map(String.init)
    let expected = zip(pictures.codes, pictures.flashes).enumerated().map { index, picture in
      "\(index) \(picture.0?.number ?? 0) \(picture.0?.nanoseconds ?? 0) \(picture.1 ? 1 : 0)"
    }
    #expect(expected.count == 22 && pictures.flashes.filter { $0 }.count == 3)
    #expect(lines == expected)
  }

  @Test("No picture of noise is taken for one with a pattern")
  func noise() {
    var random = SeededGenerator(seed: 5)
    var found = 0
    for _ in 0..<2000 {
      let bits = (0..<112).map { _ in UInt8.random(in: 0...1, using: &random) }
      let code = PictureCode(width: 128, height: 72) { x, y in
        let block = PictureCode.blockSize(width: 128, height: 72)
        return bits[(y / block - 1) * 16 + x / block - 1] * 255
      }
      if code != nil { found += 1 }
    }
    // A checksum of 16 bits lets one in 65,536 through.
    #expect(found < 2)
    #expect(PictureCode(width: 10, height: 10) { _, _ in 0 } == nil)
  }
}
