import Foundation
import Hardware
import Media
import TestSupport
import Testing

@Suite("Pictures, JPEG images and thumbnails")
struct PictureTests {
  private func card(_ codec: VideoCodec = .nv12) throws -> Picture {
    let format = VideoFormat(codec: codec, width: 320, height: 180, framesPerSecond: 30)
    return try #require(cards(7..<8, codec)[0].withUnsafeBytes { Picture($0, format: format) })
  }

  @Test("NV12 and YUYV of the same scene are the same picture")
  func raw() throws {
    #expect(try card(.nv12) == card(.yuyv))
    #expect(try card().number == 7)
    let short = VideoFormat(codec: .nv12, width: 320, height: 182, framesPerSecond: 30)
    #expect(cards(7..<8)[0].withUnsafeBytes { Picture($0, format: short) } == nil)
  }

  @Test("A JPEG image shows the picture's colours to ffmpeg")
  func colours() throws {
    let folder = TemporaryFolder()
    let image = try JPEGEncoder.encode(try card(), quality: 95)
    try Data(image).write(to: URL(fileURLWithPath: folder.file("a.jpg")))
    let kind = try text(
      "ffprobe",
      [
        "-v", "error", "-show_entries", "stream=codec_name,width,height,color_range", "-of", "csv=p=0",
        folder.file("a.jpg"),
      ])
    #expect(kind == "mjpeg,320,180,pc\n")
    _ = try text(
      "ffmpeg",
      ["-v", "error", "-i", folder.file("a.jpg"), "-f", "rawvideo", "-pix_fmt", "yuvj420p", folder.file("raw")])
    let raw = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file("raw"))))
    // The middles of the bars, near the lower edge: 75 % of white is 191 of 255, black 0.
    #expect(abs(Int(raw[170 * 320 + 10]) - 191) <= 2)
    #expect(raw[170 * 320 + 310] <= 2)
    // Blue in the seventh bar: Cb of BT.709's 75 % blue, stretched from 224 steps to 255.
    let blue = Int(raw[320 * 180 + 85 * 160 + 130])
    #expect(abs(blue - (128 + 84 * 255 / 224)) <= 3)
    let back = try #require(try image.withUnsafeBytes { try VideoDecoder.picture(of: $0, .mjpeg, room: 64 << 20) })
    #expect(back.number == 7 && back.isFullRange)
    #expect(try JPEGEncoder.encode(card(), quality: 10).count < image.count)
  }

  @Test("Ten bits are seen as eight, whatever the chroma", arguments: ["yuv420p10le", "yuv422p10le", "yuv444p10le"])
  func tenBits(pixels: String) throws {
    let folder = TemporaryFolder()
    let (stream, raw) = (folder.file("ten.h264"), folder.file("raw"))
    _ = try text(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30", "-frames:v", "1", "-pix_fmt", pixels, "-c:v",
        "libx264", "-preset", "ultrafast", "-f", "h264", "-y", stream,
      ])
    _ = try text("ffmpeg", ["-v", "error", "-i", stream, "-f", "rawvideo", "-pix_fmt", pixels, "-y", raw])
    let planes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: raw)))
    func eight(_ place: Int) -> UInt8 { planes[2 * place] >> 2 | planes[2 * place + 1] << 6 }
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: stream)))
    let picture = try #require(try bytes.withUnsafeBytes { try VideoDecoder.picture(of: $0, .h264, room: 64 << 20) })
    #expect(picture.luma == (0..<320 * 180).map(eight) && !picture.isFullRange)
    // Blue of every other column and line.
    let (across, down) = (pixels == "yuv444p10le" ? 2 : 1, pixels == "yuv420p10le" ? 1 : 2)
    let blue = (0..<90).flatMap { y in
      (0..<160).map { x in eight(320 * 180 + y * down * 160 * across + x * across) }
    }
    #expect(picture.blue == blue)
  }

  @Test("A JPEG image has its picture's colours, whatever matrix the stream has", arguments: ["bt709", "smpte170m"])
  func matrices(matrix: String) throws {
    let folder = TemporaryFolder()
    let (stream, image) = (folder.file("bars.h264"), folder.file("a.jpg"))
    _ = try text(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "smptehdbars=s=320x180:r=30", "-frames:v", "1", "-vf",
        "scale=out_color_matrix=\(matrix),format=yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-colorspace",
        matrix, "-f", "h264", "-y", stream,
      ])
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: stream)))
    let picture = try #require(try bytes.withUnsafeBytes { try VideoDecoder.picture(of: $0, .h264, room: 64 << 20) })
    try Data(JPEGEncoder.encode(picture, quality: 95)).write(to: URL(fileURLWithPath: image))
    func colours(_ path: String) throws -> [UInt8] {
      let raw = folder.file("raw")
      _ = try text(
        "ffmpeg", ["-v", "error", "-i", path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-y", raw])
      let all = [UInt8](try Data(contentsOf: URL(fileURLWithPath: raw)))
      // The middles of the seven bars.
      return [60, 88, 117, 145, 174, 203, 231].flatMap { all[(40 * 320 + $0) * 3..<(40 * 320 + $0) * 3 + 3] }
    }
    let (wanted, found) = (try colours(stream), try colours(image))
    #expect(zip(wanted, found).allSatisfy { abs(Int($0) - Int($1)) <= 6 }, "\(wanted) \(found)")
  }

  @Test("Decoders survive anything that a camera can send", arguments: [VideoCodec.h264, .mjpeg])
  func fuzz(coding: VideoCodec) throws {
    let format = VideoFormat(codec: .nv12, width: 128, height: 72, framesPerSecond: 30)
    let kinds: [VideoEncoderKind] = coding == .h264 ? [.x264] : [.jpeg]
    let encoder = try VideoEncoder(format, bitrate: 200_000, keyframeInterval: 5, kinds: kinds)
    let good = try encoder.encodeAll(cards(0..<10, width: 128, height: 72))
    var random = SeededGenerator(seed: 8)
    let decoder = try VideoDecoder(coding, room: 64 << 20)
    var pictures = 0
    for _ in 0..<300 {
      for picture in good {
        var bytes = picture.bytes
        for _ in 0..<Int.random(in: 0...4, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        if Int.random(in: 0..<9, using: &random) == 0 {
          bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
        }
        try bytes.withUnsafeBytes { try decoder.decode($0) { _ in pictures += 1 } }
      }
    }
    try decoder.finish { _ in pictures += 1 }
    #expect(pictures > 300)
  }
}
