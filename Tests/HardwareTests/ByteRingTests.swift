import Hardware
import TestSupport
import Testing

@Suite("A ring of bytes")
struct ByteRingTests {
  @Test("gives back what was written, in order, whatever the sizes of the pieces")
  func keepsOrder() {
    var random = SeededGenerator(seed: 1)
    let ring = ByteRing(minimumCapacity: 256)
    var model: [UInt8] = []
    var next: UInt8 = 0
    for _ in 0..<20_000 {
      let count = Int(random.next() % 100)
      if random.next() % 2 == 0 {
        let piece = (0..<count).map { _ -> UInt8 in
          next &+= 1
          return next
        }
        let fits = count <= ring.capacity - model.count
        #expect(ring.write(piece, count: count) == fits)
        if fits { model += piece } else { next &-= UInt8(truncatingIfNeeded: count) }
      } else {
        var piece = [UInt8](repeating: 0, count: count)
        let got = ring.read(into: &piece, count: count)
        #expect(got == min(count, model.count))
        #expect(Array(piece[..<got]) == Array(model[..<got]))
        model.removeFirst(got)
      }
      #expect(ring.readableCount == model.count)
    }
  }

  @Test("whose memory was given back goes on where it was, and gives none back while something waits in it")
  func vacated() {
    let ring = ByteRing(reservingCapacity: 200_000)
    #expect(ring.capacity == 262_144)
    var piece = [UInt8](repeating: 0, count: 100_000)
    for round in UInt8(1)..<8 {
      ring.occupy()
      #expect(ring.write([UInt8](repeating: round, count: 100_000), count: 100_000) == true)
      ring.vacate()
      #expect(ring.read(into: &piece, count: 100_000) == 100_000)
      #expect(piece.allSatisfy { $0 == round })
      ring.vacate()
    }
  }

  @Test("refuses what does not fit, whole, and leaves the rest alone")
  func refusesWhole() {
    let ring = ByteRing(minimumCapacity: 64)
    #expect(ring.write([UInt8](repeating: 7, count: 60), count: 60) == true)
    #expect(ring.write([UInt8](repeating: 8, count: 5), count: 5) == false)
    #expect(ring.readableCount == 60)
    #expect(ring.writableCount == 4)
  }

  @Test("skips to an index and never backwards or past what was written")
  func skips() {
    let ring = ByteRing(minimumCapacity: 64)
    #expect(ring.write([1, 2, 3, 4, 5], count: 5) == true)
    ring.skip(to: 3)
    #expect(ring.readableCount == 2)
    ring.skip(to: 1)
    #expect(ring.readableCount == 2)
    ring.skip(to: 100)
    #expect(ring.readableCount == 0)
    #expect(ring.writtenCount == 5)
  }
}

@Suite("The way from microphone to media worker")
struct CaptureRingTests {
  @Test("delivers blocks with their samples")
  func delivers() throws {
    let ring = CaptureRing(frames: 1000, channels: 2, blocks: 16)
    let sound: [Float] = (0..<200).map { Float($0) / 200 }
    #expect(ring.writer.deliver(sound, frames: 100, end: Instant(nanoseconds: 5)))
    let taken = ring.blocks.pointee.read()
    let block = try #require(taken)
    #expect(block.kind == .sound)
    #expect(block.frames == 100)
    #expect(block.end == Instant(nanoseconds: 5))
    var samples = [Float](repeating: 0, count: 200)
    #expect(ring.samples.pointee.read(into: &samples, count: 200) == 200)
    #expect(samples == sound)
  }

  @Test("refuses a block whose samples do not fit, so that no block is ever without its samples")
  func refuses() {
    let ring = CaptureRing(frames: 100, channels: 1, blocks: 16)
    let sound = [Float](repeating: 0.5, count: 100)
    #expect(ring.writer.deliver(sound, frames: 100, end: .zero))
    #expect(!ring.writer.deliver(sound, frames: 100, end: .zero))
    let first = ring.blocks.pointee.read()
    let second = ring.blocks.pointee.read()
    #expect(first != nil)
    #expect(second == nil)
  }
}
