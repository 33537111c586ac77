import Foundation
import Hardware
import TestSupport
import Testing

@testable import Panel

@Suite struct PNGTests {
  @Test("A frame comes back pixel by pixel at any scale", arguments: [1, 2, 3, 5, 8])
  func roundTrip(scale: Int) throws {
    var generator = SeededGenerator(seed: 7)
    var frame = Frame(width: 37, height: 24)
    for x in 0..<37 { for y in 0..<24 { frame[x, y] = Bool.random(using: &generator) } }
    let picture = try PNGReader.decode(PNG.encode(frame, scale: scale))
    #expect(picture.width == 37 * scale)
    #expect(picture.height == 24 * scale)
    for y in 0..<picture.height {
      for x in 0..<picture.width {
        #expect(picture.pixels[y * picture.width + x] == frame[x / scale, y / scale])
      }
    }
  }

  @Test("Scales out of range are clamped")
  func clampedScale() throws {
    #expect(try PNGReader.decode(PNG.encode(Frame(width: 8, height: 8), scale: 0)).width == 8)
    #expect(try PNGReader.decode(PNG.encode(Frame(width: 8, height: 8), scale: 1000)).width == 512)
  }

  @Test("A screen at eight times its size stays under three kilobytes")
  func size() {
    for sample in SampleScreens.all {
      let bytes = PNG.encode(Screens.render(sample.state, sample.readings, at: sample.now), scale: 8)
      #expect(bytes.count < 3000, "\(sample.name)")
    }
  }

  @Test("ffprobe reads the file as a one-bit picture of the right size")
  func ffprobe() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "panel-\(UUID().uuidString).png")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(PNG.encode(Frame(), scale: 8)).write(to: file)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width,height,pix_fmt", "-of", "csv=p=0",
      file.path(),
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(said.trimmingCharacters(in: .whitespacesAndNewlines) == "png,1024,512,monob")
  }
}
