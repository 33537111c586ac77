import Foundation
import Hardware
import Media
import TestSupport
import Testing

@Suite("A decoded picture on a surface")
struct DecodedPictureTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("picture-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Colour bars of ffmpeg's, as our drawing has them and as ffmpeg's own conversion does.
  private func bars(_ size: String, _ filter: String, _ matrix: String) throws -> (ours: [UInt32], theirs: [UInt8]) {
    let path = folder.appendingPathComponent("bars.mp4").path
    _ = try text(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "smptehdbars=s=\(size):r=10:d=1", "-vf", filter, "-c:v", "libx264",
        "-crf", "10", path,
      ])
    let raw = folder.appendingPathComponent("bars.rgb").path
    _ = try text(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", path, "-frames:v", "1", "-vf", "scale=in_color_matrix=\(matrix)", "-f", "rawvideo",
        "-pix_fmt", "rgb24", raw,
      ])
    let file = try PictureFile(path: path)
    let decoder = try ProgrammePictureDecoder(room: 64 << 20)
    var found: DecodedPicture?
    while found == nil, let picture = file.next() {
      try decoder.decode(picture.bytes, time: picture.start) { found = found ?? $0 }
    }
    try decoder.finish { found = found ?? $0 }
    let picture = try #require(found)
    #expect(picture.time == 0)
    var ours = [UInt32](repeating: 0xFFFF_FFFF, count: picture.width * picture.height)
    ours.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      picture.draw(
        on: ScreenSurface(
          pixels: base, width: picture.width, height: picture.height, bytesPerRow: picture.width * 4))
    }
    return (ours, [UInt8](try Data(contentsOf: URL(fileURLWithPath: raw))))
  }

  @Test(
    "has the colours that ffmpeg sees in it",
    arguments: [
      ("640x360", "format=yuv420p", "bt601"), ("1280x720", "format=yuv420p", "bt709"),
      ("640x360", "format=yuv444p", "bt601"), ("640x360", "scale=out_range=full,format=yuvj420p", "bt601"),
    ])
  func colours(_ size: String, _ filter: String, _ matrix: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (ours, theirs) = try bars(size, filter, matrix)
    try #require(theirs.count == ours.count * 3)
    var sum = 0
    var far = 0
    for (index, pixel) in ours.enumerated() {
      for (channel, shift) in [16, 8, 0].enumerated() {
        let difference = abs(Int(pixel >> UInt32(shift) & 255) - Int(theirs[index * 3 + channel]))
        sum += difference
        if difference > 24 { far += 1 }
      }
    }
    // Chroma between two bars is interpolated there, and not here.
    #expect(Double(sum) / Double(theirs.count) < 3, "mean \(Double(sum) / Double(theirs.count))")
    #expect(Double(far) / Double(theirs.count) < 0.02)
    #expect(ours.allSatisfy { $0 >> 24 == 0 })
  }
}
