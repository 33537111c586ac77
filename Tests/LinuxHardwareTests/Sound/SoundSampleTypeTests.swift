import Foundation
import TestSupport
import Testing

@testable import LinuxHardware

@Suite struct SoundSampleTypeTests {
  private func stored(_ type: SampleType, _ sample: Float) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4)
    bytes.withUnsafeMutableBytes { raw in
      if let base = raw.baseAddress { type.store(sample, base) }
    }
    return Array(bytes[0..<type.bytes])
  }

  private func loaded(_ type: SampleType, _ bytes: [UInt8]) -> Float {
    bytes.withUnsafeBytes { raw in raw.baseAddress.map { type.load($0) } ?? .nan }
  }

  @Test func `Every 16-bit sample and its like in the wider types comes back to the bit`() {
    for value in Int16.min...Int16.max {
      let sample = Float(value) / 32_768
      let low = UInt8(truncatingIfNeeded: value)
      let high = UInt8(truncatingIfNeeded: value >> 8)
      let sign: UInt8 = value < 0 ? 255 : 0
      let isRight =
        stored(.s16, sample) == [low, high] && stored(.s24In3Bytes, sample) == [0, low, high]
        && stored(.s24In4Bytes, sample) == [0, low, high, sign] && stored(.s32, sample) == [0, 0, low, high]
      // Not an expectation each: there are 65,536 of them.
      if !isRight { Issue.record("the bytes of \(value) are wrong") }
      for type in SampleType.allCases where loaded(type, stored(type, sample)) != sample {
        Issue.record("\(type) \(value)")
      }
    }
  }

  @Test func `Random 24-bit samples come back to the bit`() {
    var generator = SeededGenerator(seed: 24)
    for _ in 0..<100_000 {
      let value = Int32.random(in: -8_388_608...8_388_607, using: &generator)
      let sample = Float(value) / 8_388_608
      for type in [SampleType.s24In3Bytes, .s24In4Bytes, .s32, .float]
      where loaded(type, stored(type, sample)) != sample {
        Issue.record("\(type) \(value)")
      }
    }
  }

  @Test func `An undefined upper byte of S24_LE does not matter`() {
    #expect(loaded(.s24In4Bytes, [1, 0, 0, 0xAB]) == Float(1) / 8_388_608)
    #expect(loaded(.s24In4Bytes, [0xFF, 0xFF, 0xFF, 0]) == Float(-1) / 8_388_608)
  }

  @Test func `What is beyond full scale is clamped and NaN is silence`() {
    #expect(stored(.s16, 2) == [0xFF, 0x7F])
    #expect(stored(.s16, -.infinity) == [0, 0x80])
    #expect(stored(.s32, 1) == [0, 0xFF, 0xFF, 0x7F])
    for type in SampleType.allCases { #expect(loaded(type, stored(type, .nan)) == 0) }
    #expect(loaded(.float, [0, 0, 0xC0, 0x7F]) == 0)
  }

  @Test func `The wanted width is asked for first`() {
    #expect(SampleType.candidates(bits: 16).first == .s16)
    #expect(SampleType.candidates(bits: 24).first?.bits == 24)
    for bits in [16, 24] { #expect(Set(SampleType.candidates(bits: bits)) == Set(SampleType.allCases)) }
  }
}
