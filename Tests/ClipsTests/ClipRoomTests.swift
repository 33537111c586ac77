import Hardware
import Library
import Media
import Recording
import SimulatedHardware
import TestSupport
import Testing

@testable import Clips

/// Which clips go to make room, and when.
@Suite struct ClipRoomTests {
  @Test func theOldestUnprotectedClipMakesRoom() throws {
    let bench = try Bench.made(5)
    let before = bench.ids
    try bench.clips.protect(before[0], true)
    bench.clips.retention.quotaBytes = bench.clips.totalBytes - 1
    let time = 20.0
    bench.capture(at: time, until: time + 1)
    let after = bench.ids
    #expect(after.contains(before[0]))
    #expect(!after.contains(before[1]))
    #expect(after.contains(before[2]))
    #expect(after.count == 5)
    #expect(bench.library.takeWarnings().count == 1)
    // Nothing of the removed one is left.
    #expect(try bench.names().count == 10)
    #expect(bench.clips.summary(before[0])?.isProtected == true)
  }

  @Test func nothingIsRemovedWhileAllIsProtectedOrForbidden() throws {
    let bench = try Bench.made(3)
    for id in bench.ids { try bench.clips.protect(id, true) }
    bench.clips.retention.quotaBytes = 1
    bench.capture(at: 20, until: 21)
    #expect(bench.ids.count == 4)
    bench.clips.retention.removesOldest = false
    bench.capture(at: 25, until: 26)
    #expect(bench.ids.count == 5)
  }

  @Test func nothingGoesForAClipThatIsMadeOfOthers() throws {
    let bench = try Bench.made(2)
    let before = bench.ids
    bench.clips.retention.quotaBytes = 1
    let joining = bench.clips.join(before)
    while try joining.step() == nil {}
    #expect(bench.ids.prefix(2) == before[...])
    bench.clips.retention.quotaBytes = nil
    bench.storage.limitFreeSpace(to: 200_000)
    bench.clips.retention.reserveBytes = 250_000
    let trimming = bench.clips.trim(before[0], to: 100..<101)
    #expect(throws: LibraryError.self) { while try trimming.step() == nil {} }
    #expect(bench.ids.prefix(2) == before[...])
  }

  @Test func noClipGoesWhereAllTogetherAreNotEnough() throws {
    let bench = try Bench.made(3)
    let sizes = try bench.ids.map { try bench.bytes(of: $0).count }
    bench.clips.retention.reserveBytes = 1 << 30
    bench.storage.limitFreeSpace(to: 3 * (sizes.max() ?? 0))
    bench.capture(at: 20, until: 21)
    #expect(bench.ids.count == 4)
  }

  @Test func theReserveIsKeptFree() throws {
    let bench = try Bench.made(4)
    bench.storage.limitFreeSpace(to: 200_000)
    bench.clips.retention.reserveBytes = 250_000
    bench.capture(at: 20, until: 21)
    #expect(bench.ids.count < 5)
  }

  @Test func `While a clip goes on the oldest make room for what it takes, and no more`() throws {
    let bench = try Bench.made(6)
    let before = bench.clips.totalBytes
    bench.clips.retention.reserveBytes = 1 << 30
    bench.storage.limitFreeSpace(to: 1 << 20)
    // Nothing is being made.
    try bench.clips.keepRoom(free: bench.storage.space().free)
    #expect(bench.clips.totalBytes == before)
    bench.clips.retention.reserveBytes = 0
    bench.recorder.startContinuous(at: bench.clock.now)
    bench.run(until: 16)
    let part = try #require(try bench.names().first { $0.hasSuffix(".part") })
    let taken = try bench.storage.entry("clips/\(part)").size
    bench.clips.retention.reserveBytes = 1 << 30
    for _ in 0..<10 { try bench.clips.keepRoom(free: bench.storage.space().free) }
    let gone = before - bench.clips.totalBytes
    #expect(gone > 0)
    #expect(gone < taken + before / 3 || bench.clips.totalBytes == 0, "\(gone), \(taken)")
  }

  @Test func `While a clip goes on no second one goes where the first has made no room`() throws {
    let bench = try Bench.made(6)
    bench.clips.retention.reserveBytes = 0
    bench.recorder.startContinuous(at: bench.clock.now)
    bench.run(until: 30)
    let before = bench.ids
    bench.clips.retention.reserveBytes = 1 << 30
    bench.storage.setFull(true)
    try bench.clips.keepRoom(free: 0)
    #expect(bench.ids == Array(before.dropFirst()))
    bench.storage.setFull(false)
    bench.storage.limitFreeSpace(to: 1 << 20)
    try bench.clips.keepRoom(free: 1 << 20)
    #expect(bench.ids.count < before.count - 2)
  }

  @Test func `The oldest make room also once one of the clips that are being made is there`() throws {
    let bench = try Bench.made(12)
    bench.clips.retention.reserveBytes = 0
    bench.recorder.startContinuous(at: bench.clock.now)
    bench.run(until: 30)
    let (id, file) = try bench.clips.begin(createdAt: bench.clock.wallNow, receipt: Array("{}".utf8))
    let bytes = [UInt8](repeating: 0, count: 100_000)
    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    bench.storage.limitFreeSpace(to: 1 << 20)
    bench.clips.retention.reserveBytes = 1 << 30
    try bench.clips.keepRoom(free: bench.storage.space().free)
    file.close()
    try bench.clips.complete(id, receipt: Array("{}".utf8))
    let before = bench.ids
    #expect((2...12).contains(before.count))
    bench.run(until: 40)
    try bench.clips.keepRoom(free: bench.storage.space().free)
    #expect(bench.ids.count < before.count)
  }

  @Test func `While a clip goes on the trash makes room before any clip does`() throws {
    let bench = try Bench.made(3)
    bench.recorder.startContinuous(at: bench.clock.now)
    bench.run(until: 16)
    try bench.library.delete(bench.ids[0], now: bench.clock.now)
    let left = bench.ids
    bench.storage.limitFreeSpace(to: 1 << 20)
    bench.clips.retention.reserveBytes = (1 << 20) + 1
    try bench.clips.keepRoom(free: bench.storage.space().free)
    #expect(bench.ids == left)
    #expect(try bench.storage.list("trash").isEmpty)
  }
}
