import Hardware
import TestSupport
import Testing

@Suite("Telling whole JPEG images from broken ones")
struct JPEGScanTests {
  private let image: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 6, 1, 2, 3, 4, 0xFF, 0xDB, 0, 5, 0xFF, 0xD9, 0, 0xFF, 0xFF, 0xC0, 0, 11, 8, 0, 16, 0]
    + [16, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 0xFF, 0, 0xFF, 0xD0, 3, 4, 0xFF, 0xD9]

  private func length(_ bytes: [UInt8]) -> Int { bytes.withUnsafeBytes { JPEGScan.length(in: $0) } }

  @Test("A whole image has its length, padding behind it does not count")
  func whole() {
    #expect(length(image) == image.count)
    #expect(length(image + [UInt8](repeating: 0, count: 1000)) == image.count)
    #expect(length(image + image) == image.count)
  }

  @Test("An image that is cut off anywhere is broken")
  func cutOff() {
    for count in 0..<image.count { #expect(length(Array(image.prefix(count))) == 0) }
    #expect(length([UInt8](repeating: 0, count: 100)) == 0)
    // No scan, no frame.
    #expect(length([0xFF, 0xD8, 0xFF, 0xD9]) == 0)
  }

  @Test("No bytes, however broken, trap or give a length beyond them")
  func fuzz() {
    var random = SeededGenerator(seed: 12)
    for _ in 0..<20_000 {
      var bytes = image
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] =
          Bool.random(using: &random) ? 0xFF : UInt8.random(in: 0...255, using: &random)
      }
      bytes.removeLast(Int.random(in: 0...3, using: &random))
      let found = length(bytes)
      #expect(found >= 0 && found <= bytes.count)
    }
  }
}
