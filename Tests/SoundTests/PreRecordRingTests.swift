import Hardware
import Sound
import TestSupport
import Testing

@Suite("Pre-record ring and packing")
struct PreRecordRingTests {
  @Test("Every 16-bit value comes back as itself")
  func exact16() {
    let source = (-32_768...32_767).map { Float($0) / 32_768 }
    var bytes = [UInt8](repeating: 0, count: source.count * 2)
    var back = [Float](repeating: 9, count: source.count)
    PCMPacking.packS16(source, into: &bytes, count: source.count)
    PCMPacking.unpackS16(bytes, into: &back, count: source.count)
    #expect(back == source)
    #expect(Array(bytes[0..<4]) == [0x00, 0x80, 0x01, 0x80])
    #expect(Array(bytes.suffix(2)) == [0xFF, 0x7F])
  }

  @Test("24-bit values come back as themselves, the extremes and a million others")
  func exact24() {
    var random = SeededGenerator(seed: 5)
    var integers: [Int32] = [-8_388_608, -8_388_607, -1, 0, 1, 8_388_606, 8_388_607]
    for _ in 0..<200_000 { integers.append(Int32.random(in: -8_388_608...8_388_607, using: &random)) }
    let source = integers.map { Float($0) / 8_388_608 }
    var bytes = [UInt8](repeating: 0, count: source.count * 3)
    var back = [Float](repeating: 9, count: source.count)
    PCMPacking.pack(source, into: &bytes, count: source.count, bits: 24)
    PCMPacking.unpack(bytes, into: &back, count: source.count, bits: 24)
    let isSame = back == source
    #expect(isSame)
    #expect(Array(bytes[0..<3]) == [0x00, 0x00, 0x80])
  }

  @Test("What is no integer is rounded, what is too large clamped, what is no number silent")
  func rounding() {
    let source: [Float] = [
      2, -2, .infinity, -.infinity, .nan, 0.5 / 32_768, 1.5 / 32_768, -0.5 / 32_768, 0.6 / 32_768, 1, -1,
      .greatestFiniteMagnitude,
    ]
    var bytes = [Int16](repeating: 0, count: source.count)
    bytes.withUnsafeMutableBytes { buffer in
      guard let base = buffer.baseAddress else { return }
      PCMPacking.packS16(source, into: base, count: source.count)
    }
    #expect(bytes == [32_767, -32_768, 32_767, -32_768, 0, 0, 2, 0, 1, 32_767, -32_768, 32_767])
  }

  @Test("Samples are rounded alike whether or not one beside them is too large")
  func besideAClip() {
    var random = SeededGenerator(seed: 11)
    let edge = Float(32_767) / 32_768
    var quiet: [Float] = [edge, -edge, 0, -0, 0.5 / 32_768, 1.5 / 32_768, -1.5 / 32_768, .leastNonzeroMagnitude]
    for _ in 0..<20_000 { quiet.append(Float.random(in: -edge...edge, using: &random)) }
    for integer in -32_767..<32_767 { quiet.append((Float(integer) + 0.5) / 32_768) }
    var alone = [UInt8](repeating: 0, count: quiet.count * 2)
    PCMPacking.packS16(quiet, into: &alone, count: quiet.count)
    let loud = quiet + [2]
    var beside = [UInt8](repeating: 0, count: loud.count * 2)
    PCMPacking.packS16(loud, into: &beside, count: loud.count)
    let isSame = Array(beside.dropLast(2)) == alone
    #expect(isSame)
  }

  @Test("Whatever is pushed, the ring holds the last frames under their numbers", arguments: [16, 24], [1, 2])
  func model(bits: Int, channels: Int) {
    var random = SeededGenerator(seed: UInt64(bits * channels))
    let scale = Float(1 << (bits - 1))
    for _ in 0..<60 {
      let capacity = Int.random(in: 1...300, using: &random)
      let ring = PreRecordRing(
        format: PCMFormat(sampleRate: 48_000, channels: channels, bits: bits), capacity: capacity)
      var all: [Float] = []
      var start = 0
      for _ in 0..<40 {
        let frames = Int.random(in: 0...400, using: &random)
        switch Int.random(in: 0...9, using: &random) {
        case 0:
          ring.pushSilence(frames: frames)
          all += [Float](repeating: 0, count: frames * channels)
        case 1:
          start = Int.random(in: 0...1_000_000, using: &random)
          ring.restart(at: start)
          all = []
        default:
          let samples = (0..<(frames * channels)).map { _ in
            Float(Int.random(in: -Int(scale)...Int(scale) - 1, using: &random)) / scale
          }
          ring.push(samples, frames: frames)
          all += samples
        }
        let total = all.count / channels
        #expect(ring.endFrame == start + total)
        #expect(ring.heldFrames == min(total, capacity))
        let from = Int.random(in: (ring.firstFrame - 3)...(ring.endFrame + 3), using: &random)
        let wanted = Int.random(in: 0...400, using: &random)
        var got = [Float](repeating: 7, count: wanted * channels + 1)
        let count = ring.read(from: from, into: &got, frames: wanted)
        let isHeld = from >= ring.firstFrame && from < ring.endFrame
        #expect(count == (isHeld ? min(wanted, ring.endFrame - from) : 0))
        if count > 0 {
          let place = (from - start) * channels
          #expect(Array(got[0..<(count * channels)]) == Array(all[place..<(place + count * channels)]))
        }
        #expect(got[(count * channels)...].allSatisfy { $0 == 7 })
      }
    }
  }

  @Test("A minute of 48 kHz stereo takes 11.5 MB at 16 bits and 17.3 at 24")
  func size() {
    let frames = 60 * 48_000
    #expect(
      PreRecordRing.byteCount(format: PCMFormat(sampleRate: 48_000, channels: 2, bits: 16), capacity: frames)
        == 11_520_000)
    #expect(
      PreRecordRing.byteCount(format: PCMFormat(sampleRate: 48_000, channels: 2, bits: 24), capacity: frames)
        == 17_280_000)
  }
}
