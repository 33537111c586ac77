import Foundation
import Hardware
import Media
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
    let folder = Folder()
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
    let back = try #require(try image.withUnsafeBytes { try VideoDecoder.picture(of: $0, .mjpeg) })
    #expect(back.number == 7 && back.isFullRange)
    #expect(try JPEGEncoder.encode(card(), quality: 10).count < image.count)
  }

  @Test("Decoders survive anything that a camera can send", arguments: [VideoCodec.h264, .mjpeg])
  func fuzz(coding: VideoCodec) throws {
    let format = VideoFormat(codec: .nv12, width: 128, height: 72, framesPerSecond: 30)
    let kinds: [VideoEncoderKind] = coding == .h264 ? [.x264] : [.jpeg]
    let encoder = try VideoEncoder(format, bitrate: 200_000, keyframeInterval: 5, kinds: kinds)
    let good = try encoder.encodeAll(cards(0..<10, width: 128, height: 72))
    var random = Dice(8)
    let decoder = try VideoDecoder(coding)
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

  @Test("A thumbnail keeps the picture's shape, its brightness and its edges")
  func thumbnail() {
    var ramp = Picture(width: 320, height: 180, isFullRange: true)
    for y in 0..<180 { for x in 0..<320 { ramp.luma[y * 320 + x] = UInt8(x * 255 / 319) } }
    let small = Thumbnail(ramp, width: 64, height: 64)
    func whites(_ columns: Range<Int>, _ rows: Range<Int>) -> Int {
      columns.reduce(0) { sum, x in sum + rows.filter { small.isSet(x, $0) }.count }
    }
    // 16:9 in a square: bars of 14 dots above and below.
    #expect(whites(0..<64, 0..<14) == 0 && whites(0..<64, 50..<64) == 0)
    for part in 0..<4 {
      let share = Double(whites(part * 16..<part * 16 + 16, 14..<50)) / (16 * 36)
      #expect(abs(share - (Double(part) + 0.5) / 4) < 0.06)
    }
    #expect(small.bits.count == 8 * 64)
  }

  @Test("Thumbnails of odd sizes and flat pictures are made, too")
  func oddThumbnails() {
    var grey = Picture(width: 3, height: 2, isFullRange: false)
    for index in grey.luma.indices { grey.luma[index] = 128 }
    for (width, height) in [(1, 1), (7, 3), (128, 64), (5, 64)] {
      let small = Thumbnail(grey, width: width, height: height)
      #expect(small.bits.count == (width + 7) / 8 * height)
    }
    let half = Thumbnail(grey, width: 96, height: 64)
    let whites = (0..<64).reduce(0) { sum, y in sum + (0..<96).filter { half.isSet($0, y) }.count }
    #expect(abs(Double(whites) / (96 * 64) - 0.5) < 0.02)
    #expect(
      Thumbnail(Picture(width: 0, height: 0, isFullRange: true), width: 8, height: 8).bits
        == [UInt8](repeating: 0, count: 8))
  }
}
