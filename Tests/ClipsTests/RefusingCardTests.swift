import Hardware
import Library
import Media
import Recording
import SimulatedHardware
import TestSupport
import Testing

@testable import Clips

/// A card that hangs, or is full, while clips are made.
@Suite struct RefusingCardTests {
  /// At 10 s the card hangs for so long, and a key is pressed three times: neither pipe nor ring holds as much as comes then.
  private func stuck(_ settings: ClipSettings, for length: Duration) throws -> Bench {
    let bench = try Bench(settings, source: NumberedSource(sizes: 9_000...11_000))
    bench.recorder.arm()
    bench.run(until: 10)
    bench.storage.stall(length, at: bench.clock.now)
    for time in [10, 10.5, 11] {
      bench.run(until: time)
      bench.recorder.trigger(at: bench.instant(time), cause: .key)
    }
    return bench
  }

  @Test func tenSecondsOfAStuckCardLoseNothing() throws {
    let bench = try Bench(.small(pre: 5, post: 12))
    bench.recorder.arm()
    bench.run(until: 10)
    bench.recorder.trigger(at: bench.instant(10), cause: .key)
    bench.run(until: 11)
    bench.storage.stall(.seconds(10), at: bench.clock.now)
    bench.run(until: 22.5)
    bench.finish()
    let receipt = try #require(bench.log.saved.first)
    #expect(receipt.gaps == [])
    let content = try ClipContent(bench, receipt.id)
    #expect(content.isUnbroken)
    #expect(content.shown.count >= 510)
  }

  /// Neither pipe nor ring holds as much as comes in ten seconds, and the ring may be larger.
  @Test(arguments: [ClipSettings.Overlap.merge, .independent])
  func tenSecondsOfAStuckCardLoseNothingWhereTheBudgetHasRoom(overlap: ClipSettings.Overlap) throws {
    var settings = ClipSettings.small(pre: 5, post: 10, overlap: overlap, ringBytes: 2_400_000)
    settings.largestRingBytes = 16 << 20
    let bench = try stuck(settings, for: .seconds(10))
    bench.run(until: 22.5)
    bench.finish()
    #expect(bench.log.saved.count == (overlap == .merge ? 1 : 3))
    for receipt in bench.log.saved {
      #expect(receipt.pictures.droppedForStorage == 0 && !receipt.gaps.contains { $0.track == "picture" })
      #expect(try ClipContent(bench, receipt.id).isUnbroken)
    }
  }

  @Test func aFullCardKeepsWhatIsOnIt() throws {
    let bench = try Bench(.small(pre: 3, post: 20))
    bench.recorder.arm()
    bench.run(until: 5)
    bench.recorder.trigger(at: bench.instant(5), cause: .key)
    bench.run(until: 10)
    bench.storage.setFull(true)
    bench.run(until: 15)
    bench.storage.setFull(false)
    bench.run(until: 30)
    bench.finish()
    let receipt = try #require(bench.log.saved.first)
    #expect(receipt.stopReason == "storage-full")
    let content = try ClipContent(bench, receipt.id)
    #expect(content.isUnbroken)
    #expect(content.reader.duration > 7 && content.reader.duration < 9)
    #expect(abs(content.reader.duration - receipt.duration) < 0.001)
  }

  /// Also where none of the clip's first pictures, or of all, could be sent.
  @Test func whatACardHasHeldUpForTooLongIsInTheGaps() throws {
    let bench = try stuck(.small(pre: 5, post: 1, overlap: .independent), for: .seconds(20))
    bench.run(until: 32)
    bench.finish()
    #expect(bench.log.saved.contains { $0.pictures.droppedForStorage > 0 })
    for receipt in bench.log.saved {
      let unseen = receipt.gaps.reduce(0) { $0 + ($1.track == "picture" ? $1.seconds : 0) }
      #expect(abs((receipt.duration - unseen) * 30 - Double(receipt.pictures.captured)) <= 2, "\(receipt)")
    }
  }

  @Test func `A press after a card that was full has the seconds of the press that it did not take`() throws {
    let bench = try Bench(.small(pre: 10, post: 2))
    bench.recorder.arm()
    bench.run(until: 12)
    bench.storage.setFull(true)
    bench.recorder.trigger(at: bench.instant(12), cause: .key)
    bench.run(until: 15)
    #expect(bench.log.saved.isEmpty)
    bench.storage.setFull(false)
    bench.run(until: 15.5)
    bench.recorder.trigger(at: bench.instant(15.5), cause: .key)
    bench.run(until: 18)
    bench.finish()
    let receipt = try #require(bench.log.saved.first)
    #expect(receipt.continues == nil)
    let first = try #require(try ClipContent(bench, receipt.id).shown.first)
    #expect(first.taken <= 5.5)
  }
}
