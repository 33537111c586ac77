import Testing

@testable import Panel

@Suite("Small pictures in greys")
struct GreyPictureTests {
  @Test("In one bit a point a ramp keeps its brightness, part by part")
  func ramp() throws {
    let line: [UInt8] = (0..<320).map { UInt8($0 * 255 / 319) }
    let levels = [[UInt8]](repeating: line, count: 180).flatMap(\.self)
    let ramp = try #require(GreyPicture(width: 320, height: 180, luma: levels))
    let lit = ramp.dithered(width: 64, height: 36)
    for part in 0..<4 {
      let whites = lit.enumerated().count { $0.element && $0.offset % 64 / 16 == part }
      #expect(abs(Double(whites) / (16 * 36) - (Double(part) + 0.5) / 4) < 0.06)
    }
  }

  @Test("Odd sizes are made, and a flat picture is not blown up")
  func odd() throws {
    let grey = try #require(GreyPicture(width: 3, height: 2, luma: [UInt8](repeating: 128, count: 6)))
    for (width, height) in [(1, 1), (7, 3), (128, 64), (5, 64)] {
      #expect(grey.dithered(width: width, height: height).count == width * height)
      #expect(grey.reduced(width: width, height: height)?.luma == [UInt8](repeating: 128, count: width * height))
    }
    let half = grey.dithered(width: 96, height: 64).count { $0 }
    #expect(abs(Double(half) / (96 * 64) - 0.5) < 0.02)
  }
}
