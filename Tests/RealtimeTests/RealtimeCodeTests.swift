import CMallocCount
import Foundation
import Hardware
import Sound
import Testing

/// Code that runs on real-time threads, on this one, a thousand periods long.
@Suite struct RealtimeCodeTests {
  private static let periods = 1000
  private static let frames = 480
  private static let format = PCMFormat(sampleRate: 48_000, channels: 2)

  private final class Box {
    var value: Int
    init(_ value: Int) { self.value = value }
  }

  private func sine() -> [Float] { (0..<(2 * Self.frames)).map { sinf(Float($0) * 0.05) } }

  @Test func `The counter counts`() {
    var boxes = [Box?](repeating: nil, count: 100)
    // Once before, so that what is made once (the box's type, say) is there.
    for index in 0..<100 { boxes[index] = Box(-index) }
    let count = Ceilings.allocations { for index in 0..<100 { boxes[index] = Box(index) } }
    #expect(boxes.compactMap { $0?.value }.reduce(0, +) == 4950)
    Ceilings.check("control", count)
  }

  @Test func `The byte ring does not allocate`() {
    let ring = ByteRing(minimumCapacity: 10_000)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 64)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 1, count: 4096)
    let before = mynah_thread_allocations()
    for _ in 0..<Self.periods {
      _ = ring.write(memory, count: 3000)
      _ = ring.read(into: memory, count: 3000)
    }
    Ceilings.check("byte-ring", mynah_thread_allocations() - before)
    #expect(ring.writtenCount == 3_000_000)
  }

  @Test func `The capture writer does not allocate, with a full ring neither`() {
    let ring = CaptureRing(frames: 100_000, channels: 2, blocks: 512)
    let writer = ring.writer
    let period = sine()
    var delivered = 0
    let count = Ceilings.allocations {
      for index in 0..<Self.periods {
        let end = Instant(nanoseconds: Int64(index) * 10_000_000)
        if writer.deliver(period, frames: Self.frames, end: end) { delivered += 1 }
        _ = writer.announce(CaptureBlock(.discontinuity, end: end))
      }
    }
    #expect(delivered > 100 && delivered < Self.periods)
    Ceilings.check("capture-writer", count)
  }

  @Test func `The frame queue's writer does not allocate, with a full queue neither`() {
    let queue = FrameQueue(bytes: 1 << 20)
    let writer = queue.writer
    let picture = [UInt8](repeating: 7, count: 3000)
    var delivered = 0
    let count = Ceilings.allocations {
      for index in 0..<Self.periods {
        let record = FrameRecord(.picture, bytes: 3000, time: Instant(nanoseconds: Int64(index)))
        if writer.write(record, picture) { delivered += 1 }
        _ = writer.reserve(5000)
      }
    }
    #expect(delivered > 100 && delivered < Self.periods)
    Ceilings.check("frame-queue", count)
  }

  @Test func `Cutting a byte stream and checking images does not allocate`() {
    var splitter = AccessUnitSplitter(capacity: 4096)
    let picture: [UInt8] = [0, 0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x65, 0x88] + [UInt8](repeating: 5, count: 1000)
    var units = 0
    var keyframes = 0
    let count = picture.withUnsafeBytes { picture in
      let before = mynah_thread_allocations()
      for index in 0..<Self.periods {
        let room = splitter.room()
        let part = min(room.count, picture.count)
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: picture[0..<part]))
        splitter.append(part, at: Instant(nanoseconds: Int64(index)))
        while let unit = splitter.next() {
          units += 1
          if NALScan.isKeyframe(unit.bytes) { keyframes += 1 }
        }
        _ = JPEGScan.length(in: picture)
      }
      return mynah_thread_allocations() - before
    }
    #expect(units == Self.periods - 1 && keyframes == units)
    Ceilings.check("access-units", count)
  }

  @Test func `Rendering does not allocate, through pauses, flushes and starvation`() {
    let ring = RenderRing(frames: 48_000, channels: 2, rampFrames: 240)
    let period = sine()
    let target = UnsafeMutablePointer<Float>.allocate(capacity: 2 * Self.frames)
    defer { target.deallocate() }
    target.initialize(repeating: 0, count: 2 * Self.frames)
    let before = mynah_thread_allocations()
    for index in 0..<Self.periods {
      if index % 7 != 0 { _ = ring.write(period, frames: Self.frames) }
      ring.setRunning(index % 50 < 40)
      if index % 111 == 0 { ring.flush() }
      ring.render(into: target, frames: Self.frames)
      ring.setDeviceDelay(frames: index)
    }
    Ceilings.check("render-ring", mynah_thread_allocations() - before)
    #expect(ring.renderedFrames > 100_000)
  }

  @Test(arguments: [(48_000, 8000), (8000, 48_000), (44_100, 48_000), (48_000, 44_100)])
  func `Converting the rate does not allocate, in pieces of any length and through resets`(from: Int, to: Int) throws {
    var filter = try Self.filter(from: from, to: to)
    let input = UnsafeMutablePointer<Float>.allocate(capacity: 2 * 4096)
    let output = UnsafeMutablePointer<Float>.allocate(capacity: 2 * 60_000)
    defer {
      input.deallocate()
      output.deallocate()
    }
    input.initialize(repeating: 0.25, count: 2 * 4096)
    output.initialize(repeating: 0, count: 2 * 60_000)
    var written = 0
    var made = 0
    let before = mynah_thread_allocations()
    for index in 0..<Self.periods {
      let piece = 1 + index * 977 % 4096
      if index % 111 == 0 { filter.reset() }
      filter.write(input, frames: piece)
      made += filter.read(into: output, frames: 60_000)
      written += piece
    }
    Ceilings.check("rate-filter", mynah_thread_allocations() - before)
    #expect(made > written * to / from * 9 / 10)
  }

  private static func filter(from: Int, to: Int) throws -> RateFilter {
    guard let filter = RateFilter(from: from, to: to, channels: 2, frames: 4096) else {
      throw CocoaError(.featureUnsupported)
    }
    return filter
  }

  @Test func `The level meter does not allocate`() {
    var meter = LevelMeter(format: Self.format)
    let period = sine()
    let count = Ceilings.allocations { for _ in 0..<Self.periods { meter.add(period, frames: Self.frames) } }
    Ceilings.check("level-meter", count)
  }

  @Test func `The pre-record ring does not allocate`() {
    let ring = PreRecordRing(format: Self.format, capacity: 20_000)
    let period = sine()
    let count = Ceilings.allocations { for _ in 0..<Self.periods { ring.push(period, frames: Self.frames) } }
    #expect(ring.endFrame == Self.periods * Self.frames)
    Ceilings.check("pre-record-ring", count)
  }
}
