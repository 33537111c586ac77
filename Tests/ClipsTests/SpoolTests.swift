import Hardware
import Library
import Recording
import SimulatedHardware
import Testing

@testable import Clips

/// The ring's copy on the storage.
@Suite struct SpoolTests {
  private var onDisk: ClipSettings {
    var settings = ClipSettings.small(pre: 5, post: 1)
    settings.ringStore = .disk
    return settings
  }

  private func pieces(_ bench: Bench) throws -> [String] {
    try bench.storage.list("cache").map(\.name).filter { $0.hasSuffix(".mp4") }
  }

  @Test func theNewestTwoPiecesAreKeptAndNobodyHearsOfThem() throws {
    let bench = try Bench(onDisk)
    bench.recorder.arm()
    bench.run(until: 45)
    #expect(try pieces(bench).count == 2)
    #expect(bench.recorder.status.isSpooling)
    #expect(!bench.recorder.isBusy)
    #expect(bench.recorder.status.capturing == 0)
    #expect(!bench.writer.isBusy)
    #expect(bench.log.files.isEmpty && bench.log.outcomes.isEmpty)
    #expect(try bench.names().isEmpty)
    // In good order nothing is left.
    bench.recorder.disarm(at: bench.clock.now)
    bench.run(until: 48)
    #expect(try bench.storage.list("cache").isEmpty)
    #expect(!bench.recorder.status.isSpooling)
    let next = try Bench(onDisk, memory: bench.memory)
    #expect(next.clips.list().total == 0)
  }

  @Test func theEndInClipModeLeavesNothingOfIt() throws {
    let bench = try Bench(onDisk)
    bench.recorder.arm()
    bench.run(until: 16)
    #expect(try !pieces(bench).isEmpty)
    try bench.spool.clear()
    #expect(try bench.storage.list("cache").isEmpty)
  }

  @Test func itComesAndGoesWithTheSetting() throws {
    let bench = try Bench(.small(pre: 5, post: 1))
    bench.recorder.arm()
    bench.run(until: 3)
    #expect(try pieces(bench).isEmpty)
    bench.recorder.configure(onDisk)
    bench.run(until: 6)
    #expect(try pieces(bench).count == 1)
    bench.recorder.configure(.small(pre: 5, post: 1))
    bench.run(until: 9)
    #expect(try bench.storage.list("cache").isEmpty)
  }

  @Test(arguments: 0..<12) func whatNobodyTriggeredOutlivesAPowerCut(step: Int) throws {
    let bench = try Bench(onDisk)
    bench.recorder.arm()
    let cut = 14 + Double(step) * 1.37
    bench.run(until: cut)
    try bench.storage.cutPower(step % 2 == 0 ? .nothingKept : .someKept(seed: UInt64(step)))
    let next = try Bench(onDisk, memory: bench.memory)
    #expect(try next.storage.list("cache").isEmpty)
    let clips = next.clips.list().clips.reversed().map { $0 }
    #expect(clips.count == (clips.count == 1 ? 1 : 2))
    var shown: [ClipContent.Shown] = []
    for clip in clips {
      let content = try ClipContent(next, clip.id)
      #expect(content.isUnbroken)
      #expect(clip.stopReason == "recovered")
      #expect(clip.frames > 0)
      shown += content.shown
    }
    // The pieces join, reach back over the whole window, and end at most a fragment before the cut.
    for (one, next) in zip(shown, shown.dropFirst()) { #expect(next.number == one.number + 1) }
    let (first, last) = (try #require(shown.first), try #require(shown.last))
    #expect(first.taken <= cut - 5.5)
    #expect(last.taken >= cut - 0.6, "\(cut - last.taken)")
    #expect(next.library.report.sentences.allSatisfy { $0.contains("nobody had triggered") })
    // It is there once.
    let again = try Bench(onDisk, memory: bench.memory)
    #expect(again.clips.list().total == clips.count)
  }

  @Test func aClipThatIsTriggeredIsExactBesideIt() throws {
    let bench = try Bench(onDisk)
    bench.capture(at: 16, until: 20)
    let receipt = try #require(bench.log.saved.first)
    let content = try ClipContent(bench, receipt.id)
    #expect(content.isUnbroken && bench.log.saved.count == 1)
    let picture = 1.0 / 30
    let (first, last) = (try #require(content.shown.first).taken, try #require(content.shown.last).taken)
    #expect(abs(first - 11) <= picture)
    #expect(abs(last + picture - 17) <= picture)
  }

  @Test func aStalledStorageIsLeftToTheClips() throws {
    let bench = try Bench(onDisk)
    bench.recorder.arm()
    bench.run(until: 8)
    bench.storage.stall(.seconds(8), at: bench.clock.now)
    bench.recorder.trigger(at: bench.instant(8), cause: .key)
    bench.run(until: 40)
    bench.finish()
    let receipt = try #require(bench.log.saved.first)
    #expect(try ClipContent(bench, receipt.id).isUnbroken)
    #expect(receipt.gaps.isEmpty)
    // It is back afterwards.
    #expect(bench.recorder.status.isSpooling)
    #expect(try pieces(bench).count >= 1)
  }

  @Test func aFullStorageEndsItAndIsToldOnce() throws {
    let bench = try Bench(onDisk)
    bench.storage.limitFreeSpace(to: 60_000)
    bench.recorder.arm()
    bench.run(until: 6)
    #expect(bench.log.saved.isEmpty)
    let refusals = bench.log.files.count { if case .refused = $0 { true } else { false } }
    #expect(refusals == 1, "\(bench.log.files)")
  }
}
