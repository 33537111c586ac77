import Hardware
import TestSupport
import Testing

@Suite("Cutting H.264 byte streams into pictures")
struct AccessUnitSplitterTests {
  /// A NAL unit behind a start code; its payload holds no start code.
  private func nal(_ type: UInt8, _ payload: [UInt8], long: Bool = true) -> [UInt8] {
    (long ? [0, 0, 0, 1] : [0, 0, 1]) + [0x60 | type] + payload
  }

  private func cut(_ stream: [UInt8], chunks: () -> Int, capacity: Int = 1 << 16) -> (
    units: [[UInt8]], keys: [Bool], discarded: Int
  ) {
    var splitter = AccessUnitSplitter(capacity: capacity)
    var units: [[UInt8]] = []
    var keys: [Bool] = []
    var place = 0
    while place < stream.count {
      let room = splitter.room()
      let count = min(chunks(), room.count, stream.count - place)
      stream.withUnsafeBytes { room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[place..<(place + count)])) }
      splitter.append(count, at: Instant(nanoseconds: Int64(place)))
      place += count
      while let unit = splitter.next() {
        units.append(Array(unit.bytes))
        keys.append(unit.isKeyframe)
      }
    }
    if let last = splitter.finish() {
      units.append(Array(last.bytes))
      keys.append(last.isKeyframe)
    }
    return (units, keys, splitter.discardedBytes)
  }

  private var pictures: [[UInt8]] {
    [
      nal(7, [66, 0, 30]) + nal(8, [0xCE, 1]) + nal(6, [5, 1, 2]) + nal(5, [0x80, 1, 2, 3], long: false),
      nal(1, [0x9A, 7, 7]) + nal(1, [0x3A, 8, 8], long: false) + nal(1, [0x1A, 0, 0, 3, 9]),
      nal(9, [0xF0]) + nal(1, [0xE0, 1]),
      nal(7, [66, 0, 30], long: false) + nal(8, [0xCE, 1]) + nal(5, [0x88, 9, 9]),
      nal(1, [0x9A, 7, 7]),
    ]
  }

  @Test("Any chunks give the same pictures, whole")
  func chunks() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      let most = Int.random(in: 1...40, using: &random)
      let result = cut(pictures.flatMap { $0 }) { Int.random(in: 1...most, using: &random) }
      #expect(result.units == pictures)
      #expect(result.keys == [true, false, false, true, false])
      #expect(result.discarded == 0)
    }
  }

  @Test("Garbage in front and in between costs no more than the picture that it hits")
  func garbage() {
    let stream = [UInt8](repeating: 0xA7, count: 777) + pictures.flatMap { $0 }
    let result = cut(stream) { 100 }
    #expect(result.units == pictures)
    #expect(result.discarded == 777)
  }

  @Test("A picture that is too long is dropped and counted, and the stream goes on behind it")
  func oversized() {
    let long = nal(5, [0x80] + [UInt8](repeating: 0x55, count: 10_000))
    let result = cut(pictures[0] + long + pictures.flatMap { $0 }, chunks: { 500 }, capacity: 4096)
    #expect(result.units.first == pictures[0])
    #expect(Array(result.units.suffix(4)) == Array(pictures.suffix(4)))
    #expect(result.discarded >= 8192)
  }

  @Test("A picture's time is that of the chunk in which it begins")
  func times() throws {
    var splitter = AccessUnitSplitter(capacity: 4096)
    var times: [Int64] = []
    for (index, picture) in (pictures + [nal(9, [0xF0])]).enumerated() {
      for part in [picture.prefix(6), picture.dropFirst(6)] {
        let room = splitter.room()
        for (place, byte) in part.enumerated() { room[place] = byte }
        splitter.append(part.count, at: Instant(nanoseconds: Int64(index * 10 + (part.startIndex == 0 ? 0 : 1))))
        while let unit = splitter.next() { times.append(unit.time.nanoseconds) }
      }
    }
    #expect(times == [0, 10, 20, 30, 40])
  }

  @Test("No stream, however broken, traps or gives a picture without a slice")
  func fuzz() {
    var random = SeededGenerator(seed: 9)
    var pieces = 0
    for _ in 0..<6000 {
      var stream = pictures.flatMap { $0 }
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        let place = Int.random(in: 0..<stream.count, using: &random)
        switch Int.random(in: 0...3, using: &random) {
        case 0: stream[place] = UInt8.random(in: 0...255, using: &random)
        case 1: stream.insert(contentsOf: [0, 0, 1], at: place)
        case 2: stream.removeSubrange(place..<min(stream.count, place + 5))
        default: stream.insert(contentsOf: [UInt8](repeating: 0, count: 4), at: place)
        }
        if stream.isEmpty { break }
      }
      let result = cut(stream, chunks: { Int.random(in: 1...64, using: &random) })
      pieces += result.units.count
      for (unit, isKey) in zip(result.units, result.keys) {
        let slice = unit.withUnsafeBytes { NALScan.firstSlice(in: $0) }
        #expect(slice != 0 && (!isKey || unit.contains { $0 & 31 == 5 }))
      }
      let isSubset = result.units.reduce(0) { $0 + $1.count } + result.discarded <= stream.count
      #expect(isSubset)
    }
    #expect(pieces > 6000)
  }
}
