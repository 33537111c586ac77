import Hardware
import Testing

@testable import Library

@Suite struct EditingTests {
  @Test func renamingChangesTheNameAndNotTheFile() throws {
    let bench = try Bench.opened()
    let id = try bench.record()
    try bench.library.rename(id, to: "  Утро в порту ")
    #expect(bench.library.summary(id)?.displayName == "Утро в порту")
    #expect(bench.storage.nodes["recordings/\(id)"] != nil)
    let again = try Bench.opened(bench.storage.reboot())
    #expect(again.library.list(filter: TakeFilter(query: "порту")).takes.map(\.id) == [id])
    #expect(again.library.report.known == 1)
  }

  @Test(arguments: ["", " \t ", "a\nb", "bell\u{7}", "x\u{2028}y", String(repeating: "я", count: 101)])
  func badNamesAreRefused(name: String) throws {
    let bench = try Bench.opened()
    let id = try bench.record()
    let error = #expect(throws: LibraryError.self) { try bench.library.rename(id, to: name) }
    #expect(error?.code == "bad-argument")
    #expect(throws: LibraryError.self) { try bench.library.setTags(id, [name]) }
  }

  @Test func theLongestNameIsTaken() throws {
    let bench = try Bench.opened()
    let id = try bench.record()
    let name = String(repeating: "я", count: 100)
    #expect(try bench.library.rename(id, to: name).displayName == name)
  }

  @Test func tagsMarksFavouriteAndPositionAreKept() throws {
    let bench = try Bench.opened()
    let id = try bench.record(frames: 48_000)
    try bench.library.setTags(id, ["Radio", "radio", " night "])
    try bench.library.setFavourite(id, true)
    try bench.library.updatePosition(id, 0.5)
    let mark = Bookmark(
      takeID: id, frame: 24_000, sampleRate: 48_000, ordinal: 1, title: nil, createdAt: bench.clock.wallNow)
    try bench.library.addBookmark(id, mark)
    try bench.library.addBookmark(id, mark)
    let again = try Bench.opened(bench.storage.reboot())
    let meta = try again.library.show(id)
    #expect(meta.userTags == ["Radio", "night"])
    #expect(meta.favourite)
    #expect(meta.lastPlayedPosition == 0.5)
    #expect(meta.bookmarks.map(\.frame) == [1, 24_000])
    let summary = try #require(again.library.summary(id))
    #expect(summary.favourite && summary.lastPlayedPosition == 0.5 && summary.bookmarkCount == 2)
    #expect(again.library.list(filter: TakeFilter(favouritesOnly: true)).total == 1)
    try again.library.removeBookmark(id, bookmarkID: mark.id)
    #expect(try again.library.show(id).bookmarks.count == 1)
    #expect(throws: LibraryError.self) { try again.library.updatePosition(id, -1) }
    #expect(throws: LibraryError.self) { try again.library.updatePosition(id, .nan) }
  }

  @Test func aDeletedTakeComesBackForTenSeconds() throws {
    let bench = try Bench.opened()
    let id = try bench.record(frames: 77)
    try bench.library.rename(id, to: "Dear")
    let before = bench.library.summary(id)
    try bench.library.delete(id, now: .zero)
    #expect(bench.library.count == 0)
    #expect(bench.library.undoable == [id])
    #expect(bench.library.step(now: Instant(nanoseconds: 9_999_999_999)) == Instant.zero + .seconds(10))
    #expect(try bench.library.undelete() == id)
    #expect(bench.library.summary(id) == before)
    #expect(try bench.faults() == [])
    try bench.library.delete(id, now: .zero)
    bench.settle(now: Instant(nanoseconds: 10_000_000_000))
    #expect(bench.storage.names(in: "trash") == [])
    #expect(throws: LibraryError.self) { try bench.library.undelete() }
  }

  @Test func theNextDeleteEmptiesTheTrash() throws {
    let bench = try Bench.opened()
    let first = try bench.record()
    let second = try bench.record()
    try bench.library.delete(first, now: .zero)
    try bench.library.delete(second, now: .zero)
    #expect(bench.storage.names(in: "trash").allSatisfy { $0.hasPrefix("000002_") })
    #expect(try bench.library.undelete() == second)
    #expect(throws: LibraryError.notFound(first)) { try bench.library.delete(first, now: .zero) }
  }

  @Test func aDeleteThatFailsHalfWayLeavesTheTakeWhole() throws {
    let bench = try Bench.opened()
    let id = try bench.record()
    bench.storage.failure = .denied
    bench.storage.failingSuffix = ".json"
    #expect(throws: LibraryError.self) { try bench.library.delete(id, now: .zero) }
    bench.storage.failure = nil
    #expect(try bench.faults() == [])
    #expect(bench.storage.names(in: "trash") == [])
    try bench.library.delete(id, now: .zero)
    #expect(bench.library.count == 0)
  }

  @Test func totalsAndTimeLeftAddUp() throws {
    let bench = try Bench.opened()
    try bench.record(frames: 48_000)
    try bench.record(frames: 96_000)
    let totals = try bench.library.totals()
    #expect(totals.takes == 2)
    #expect(totals.seconds == 3)
    #expect(totals.bytes == 144_000 * 4 + 24)
    bench.storage.free = 192_000 * 60
    #expect(try bench.library.timeLeft(bytesPerSecond: 192_000) == 60)
    #expect(try bench.library.timeLeft(bytesPerSecond: 0) == nil)
  }

  @Test func verifyFindsWhatIsWrongAndRepairMendsIt() throws {
    let bench = try Bench.opened()
    let id = try bench.record(frames: 10)
    #expect(try bench.library.verify(id) == [])
    let json = "recordings/000001_2026-11-20T21-54-00Z.json"
    bench.storage.plant(json, [1, 2])
    #expect(try bench.library.verify(id).map(\.code) == ["metadata-damaged"])
    #expect(try bench.library.repair(id).count > 0)
    #expect(try bench.library.verify(id) == [])
    #expect(try bench.library.show(id).bookmarks.count == 1)
    bench.storage.plant("\(json).bak", [1])
    #expect(try bench.library.verify(id).map(\.code) == ["backup-damaged"])
    #expect(try bench.library.repair(id).count == 1)
    #expect(try bench.library.verify(id) == [])
    bench.storage.nodes["recordings/\(id)"] = nil
    #expect(try bench.library.verify(id).map(\.code) == ["sound-missing"])
    #expect(throws: LibraryError.notFound("nothing.wav")) { _ = try bench.library.verify("nothing.wav") }
  }
}
