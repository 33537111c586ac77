import Foundation
import Hardware
import TestSupport
import Testing

@Suite("The way from a camera to the clip recorder")
struct FrameQueueTests {
  private func record(_ bytes: Int, _ number: Int) -> FrameRecord {
    FrameRecord(
      .picture, isKeyframe: number % 3 == 0, bytes: bytes, missedBefore: number,
      time: Instant(nanoseconds: Int64(number)))
  }

  @Test("Records of any sizes come out whole and in order, round and round, and what does not fit is refused")
  func order() {
    var random = SeededGenerator(seed: 2)
    let queue = FrameQueue(bytes: 4096)
    var waiting: [(FrameRecord, UInt8)] = []
    var refused = 0
    for number in 0..<20_000 {
      if Int.random(in: 0...2, using: &random) > 0 {
        let record = record(Int.random(in: 0...1500, using: &random), number)
        let value = UInt8(truncatingIfNeeded: number)
        if queue.write(record, [UInt8](repeating: value, count: max(1, record.bytes))) {
          waiting.append((record, value))
        } else {
          refused += 1
          #expect(queue.queuedBytes + 2 * record.bytes + 128 > queue.capacity)
        }
      } else if let (record, bytes) = queue.peek() {
        let (expected, value) = waiting.removeFirst()
        let isWhole = bytes.count == expected.bytes && bytes.allSatisfy { $0 == value }
        #expect(record == expected && isWhole)
        queue.drop()
      } else {
        #expect(waiting.isEmpty && queue.queuedBytes == 0)
      }
    }
    #expect(refused > 1000)
    queue.clear()
    #expect(queue.peek() == nil)
    #expect(!queue.write(record(queue.capacity, 0), [UInt8](repeating: 0, count: queue.capacity)))
  }

  @Test("A place that was reserved is where the reader finds the picture")
  func reserved() throws {
    let queue = FrameQueue(bytes: 2048)
    for number in 0..<50 {
      let place = try #require(queue.writer.reserve(700))
      place.initializeMemory(as: UInt8.self, repeating: UInt8(number), count: 700)
      #expect(queue.peek() == nil)
      #expect(queue.writer.commit(record(700, number)))
      let (found, bytes) = try #require(queue.peek())
      #expect(
        found == record(700, number) && bytes.baseAddress == UnsafeRawPointer(place) && bytes[699] == UInt8(number))
      queue.drop()
    }
    #expect(queue.writer.reserve(2048) == nil && queue.writer.reserve(-1) == nil)
  }

  @Test("Two threads agree")
  func threads() {
    let queue = FrameQueue(bytes: 1 << 16)
    let writer = Thread {
      var number = 0
      while number < 20_000 {
        let bytes = number * 37 % 5000
        if queue.write(
          self.record(bytes, number), [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes + 1))
        {
          number += 1
        }
      }
    }
    writer.start()
    var number = 0
    var isRight = true
    while number < 20_000 {
      guard let (found, bytes) = queue.peek() else { continue }
      isRight = isRight && found == record(number * 37 % 5000, number)
      isRight =
        isRight
        && (bytes.isEmpty || (bytes[0] == UInt8(truncatingIfNeeded: number) && bytes[bytes.count - 1] == bytes[0]))
      queue.drop()
      number += 1
    }
    #expect(isRight)
  }
}
