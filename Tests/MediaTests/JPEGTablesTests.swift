import Foundation
import Hardware
import TestSupport
import Testing

@testable import Media

@Suite struct JPEGTablesTests {
  /// An image without its Huffman tables, as many cameras send it.
  private func stripped(_ image: [UInt8]) -> [UInt8] {
    var result: [UInt8] = Array(image[..<2])
    var place = 2
    while place + 4 <= image.count, image[place] == 0xFF {
      let length = 2 + Int(image[place + 2]) * 256 + Int(image[place + 3])
      if image[place + 1] == 0xDA { return result + image[place...] }
      if image[place + 1] != 0xC4 { result += image[place..<place + length] }
      place += length
    }
    return result
  }

  @Test func anImageWithoutTablesGetsTheTypicalOnes() throws {
    let folder = TemporaryFolder()
    let path = folder.file("a.jpg")
    // The typical tables are the ones that are used when none are optimised.
    _ = try Tool.run(
      "/usr/bin/ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180", "-frames:v", "1", "-huffman", "default", "-y", path,
      ])
    let image = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let bare = stripped(image)
    #expect(bare.count < image.count)
    let whole = JPEGTables.complete(bare)
    #expect(whole.count > bare.count)
    #expect(JPEGTables.complete(whole) == whole)
    let again = folder.put(whole, "b.jpg")
    #expect(try complaints(again) == "")
    let pixels = try [path, again].map {
      try Tool.run("ffmpeg", ["-v", "error", "-i", $0, "-f", "rawvideo", "-pix_fmt", "gray", "-"]).data
    }
    #expect(pixels[0] == pixels[1])
  }

  @Test func noBytesTrapTheScan() {
    var dice = SeededGenerator(seed: 1)
    for _ in 0..<50_000 {
      var bytes = (0..<Int.random(in: 0...60, using: &dice)).map { _ -> UInt8 in
        Bool.random(using: &dice) ? 0xFF : UInt8.random(in: 0...255, using: &dice)
      }
      if Bool.random(using: &dice) { bytes = [0xFF, 0xD8, 0xFF] + bytes }
      #expect(JPEGTables.complete(bytes).count >= bytes.count)
    }
  }
}
