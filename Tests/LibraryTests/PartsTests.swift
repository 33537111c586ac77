import Hardware
import Testing

@testable import Library

/// Takes that were split: one row of the list, and one thing to those who change or delete them.
@Suite struct PartsTests {
  /// Records a take in parts of so many frames, each with a mark at its first frame.
  ///
  /// - Parameter first: format of the first of them.
  private static func record(_ bench: Bench, _ parts: [Int], first: String = "wav") throws -> [String] {
    var ids: [String] = []
    for (number, frames) in parts.enumerated() {
      let take = try bench.retrying { () throws(LibraryError) in try bench.begin() }
      try bench.fill(take, FakeDoctor.complete(frames: frames))
      take.file.close()
      var meta = take.meta
      meta.linkedTake = ids.last
      meta.frames = frames
      if number == 0 { meta.audio.format = first }
      meta.stopReason = number + 1 == parts.count ? "user" : "split"
      meta.bookmarks = [
        Bookmark(
          takeID: take.id, frame: 1, sampleRate: FakeDoctor.rate, ordinal: 0, title: "part \(number + 1)",
          createdAt: bench.clock.wallNow)
      ]
      try bench.retrying { () throws(LibraryError) in try bench.library.complete(take.id, meta) }
      ids.append(take.id)
    }
    return ids
  }

  @Test func `A split take is one row, with the sums of its parts, however it is sorted or found`() throws {
    let bench = try Bench.opened()
    let before = try bench.record(frames: 500)
    let ids = try Self.record(bench, [200, 300, 100])
    let after = try bench.record(frames: 400)
    for library in [bench.library, try Bench.opened(bench.storage.reboot()).library] {
      let page = library.list()
      #expect(page.takes.map(\.id) == [after, ids[0], before])
      #expect(page.total == 3 && library.count == 3)
      let take = page.takes[1]
      #expect(take.frames == 600 && take.bookmarkCount == 3 && take.stopReason == "user")
      #expect(take.parts?.map(\.id) == ids && take.parts?.map(\.frames) == [200, 300, 100])
      #expect(take.fileSizeBytes == take.files.reduce(0) { $0 + $1.bytes })
      #expect(page.takes[0].parts == nil && page.takes[0].files.map(\.id) == [after])
      #expect(library.list(sort: TakeSort(.duration)).takes.map(\.id) == [ids[0], before, after])
      #expect(library.list(sort: TakeSort(.size)).takes.map(\.id) == [ids[0], before, after])
      #expect(
        library.list(filter: TakeFilter(query: "000004")).takes.map(\.id) == [ids[0]], "by the name of its last part")
      #expect(library.files == [after, ids[2], ids[1], ids[0], before])
      #expect(try library.totals().takes == 3)
      // From its second part on.
      #expect(library.summary(ids[1])?.frames == 400 && library.wholeTake(ids[1]) == ids[0])
      #expect(try library.show(ids[1]).frames == 300)
    }
  }

  @Test func `A take that has gone on as WAV is one row, too`() throws {
    let bench = try Bench.opened()
    let ids = try Self.record(bench, [200, 300, 100], first: "flac")
    for library in [bench.library, try Bench.opened(bench.storage.reboot()).library] {
      let page = library.list()
      #expect(page.takes.map(\.id) == [ids[0]] && page.takes.map(\.frames) == [600])
      #expect(page.takes.first?.parts?.map(\.id) == ids)
    }
    #expect(try bench.library.rename(ids[2], to: "Interview").id == ids[0])
  }

  @Test func `What has a gap between, or a part missing, stays rows of its own`() throws {
    let bench = try Bench.opened()
    // Linked after a power cut.
    let cut = try bench.record(frames: 50)
    bench.library.continued = cut
    let take = try bench.begin()
    var meta = take.meta
    meta.linkedTake = cut
    try bench.fill(take, FakeDoctor.complete(frames: 60))
    take.file.close()
    meta.frames = 60
    meta.stopReason = "user"
    try bench.library.complete(take.id, meta)
    #expect(bench.library.count == 2)
    let ids = try Self.record(bench, [200, 300, 100])
    for name in [ids[1], Sidecar.name(ids[1]), Sidecar.backup(ids[1])] {
      bench.storage.nodes["recordings/\(name)"] = nil
    }
    let again = try Bench.opened(bench.storage.reboot())
    #expect(again.library.list().takes.map(\.id) == [ids[2], ids[0], take.id, cut])
  }

  @Test func `Takes of two devices with the same numbers on one card are not parts of each other`() throws {
    let bench = try Bench.opened()
    let ids = try Self.record(bench, [200, 300])
    // Those of another device, whose clock is a year ahead.
    var others: [String] = []
    for id in ids {
      let other = id.replacing("2026-", with: "2027-")
      for (name, new) in [(id, other), (Sidecar.name(id), Sidecar.name(other))] {
        let bytes = try bench.storage.read("recordings/\(name)", limit: 1 << 20)
        let text = String(decoding: bytes, as: UTF8.self).replacing("_2026-", with: "_2027-")
        try bench.storage.replace("recordings/\(new)", with: Sidecar.isOne(name) ? Array(text.utf8) : bytes)
      }
      others.append(other)
    }
    var storage = bench.storage
    // By their notes, and by the catalogue.
    for _ in 0..<2 {
      let again = try Bench.opened(storage.reboot())
      storage = again.storage
      let library = again.library
      #expect(library.list().takes.allSatisfy { $0.parts == nil } && library.count == 4)
      #expect(library.wholeTake(others[1]) == others[1] && library.wholeTake(ids[1]) == ids[1])
    }
    // What is deleted of them stays so.
    let last = try Bench.opened(storage.reboot())
    try last.library.delete(ids[1], now: .zero)
    let again = try Bench.opened(last.storage.reboot())
    #expect(again.library.summary(ids[1]) == nil && again.library.summary(ids[0])?.frames == 200)
  }

  @Test func `A catalogue of an earlier version, which does not know of links, is completed`() throws {
    let bench = try Bench.opened()
    let ids = try Self.record(bench, [200, 300, 100])
    let catalogue = Catalogue(Disk(bench.storage))
    var records = try catalogue.load().records
    for id in ids { records[id]?.link = 0 }
    try catalogue.rewrite(records.values.map { $0 })
    let again = try Bench.opened(bench.storage.reboot())
    #expect(again.library.list().takes.map(\.frames) == [600])
    #expect(try Bench.opened(again.storage.reboot()).library.report.known == 3)
  }

  @Test func `Name, tags, favourite and protection are those of all parts, whichever is named`() throws {
    let bench = try Bench.opened()
    let ids = try Self.record(bench, [200, 300, 100])
    #expect(try bench.library.rename(ids[1], to: "Interview").id == ids[0])
    try bench.library.setTags(ids[2], ["radio"])
    try bench.library.setFavourite(ids[0], true)
    try bench.library.protect(ids[1], true)
    for id in ids {
      let meta = try bench.library.show(id)
      #expect(meta.displayName == "Interview" && meta.userTags == ["radio"] && meta.favourite && meta.isProtected)
      #expect(throws: LibraryError.protected(ids[0])) { try bench.library.delete(id, now: .zero) }
    }
    #expect(
      bench.library.list(filter: TakeFilter(query: "interview radio", favouritesOnly: true)).takes.map(\.frames) == [
        600
      ])
  }

  @Test func `Marks have their places in the whole, and stay with the sound`() throws {
    let bench = try Bench.opened()
    let library = bench.library
    let ids = try Self.record(bench, [200, 300, 100])
    let place = { (id: String) in try library.showWhole(id).bookmarks.compactMap(\.frame) }
    #expect(try place(ids[0]) == [1, 201, 501])
    #expect(try place(ids[1]) == [1, 301])
    #expect(try library.showWhole(ids[0]).frames == 600)
    var mark = Bookmark(
      takeID: ids[0], frame: 499, sampleRate: FakeDoctor.rate, ordinal: 9, title: "x", createdAt: bench.clock.wallNow)
    try library.addBookmark(ids[0], mark)
    #expect(try library.show(ids[1]).bookmarks.map(\.frame) == [1, 299])
    // Over a seam.
    mark.move(to: 500, sampleRate: FakeDoctor.rate)
    try library.addBookmark(ids[0], mark)
    #expect(try library.show(ids[1]).bookmarks.map(\.frame) == [1])
    #expect(try library.show(ids[2]).bookmarks.map(\.frame) == [0, 1])
    #expect(try place(ids[0]) == [1, 201, 500, 501])
    try library.removeBookmark(ids[0], bookmarkID: mark.id)
    #expect(try place(ids[0]) == [1, 201, 501])
    bench.settle()
    #expect(library.summary(ids[0])?.bookmarkCount == 3)
  }

  @Test func `All parts are deleted, and come back`() throws {
    let bench = try Bench.opened()
    let ids = try Self.record(bench, [200, 300, 100])
    let before = bench.library.summary(ids[0])
    try bench.library.delete(ids[1], now: .zero)
    #expect(bench.library.count == 0 && bench.library.undoable == [ids[0]])
    #expect(bench.storage.names(in: "recordings") == [])
    #expect(try bench.library.undelete() == ids[0])
    #expect(bench.library.summary(ids[0]) == before)
    try bench.library.delete(ids[0], now: .zero)
    bench.settle(now: Instant(nanoseconds: 20_000_000_000))
    #expect(bench.storage.names(in: "trash") == [])
  }

  @Test func `A part that is being recorded keeps all of them`() throws {
    let bench = try Bench.opened()
    let ids = try Self.record(bench, [200])
    var first = try bench.library.show(ids[0])
    first.stopReason = "split"
    let storage = bench.storage
    storage.nodes["recordings/\(Sidecar.name(ids[0]))"]?.bytes = first.json()
    let again = try Bench.opened(storage.reboot())
    var plan = FileMeta(
      id: "", displayName: "", createdAt: again.clock.wallNow,
      audio: AudioAttributes(duration: 0, sampleRate: FakeDoctor.rate, channels: 2, format: "wav", fileSizeBytes: 0))
    plan.linkedTake = ids[0]
    let (meta, file) = try again.library.begin(plan, fileExtension: "wav")
    defer { file.close() }
    let take = try #require(again.library.list().takes.first)
    #expect(take.parts?.map(\.id) == [ids[0], meta.id] && take.inProgress && take.frames == 200)
    #expect(throws: LibraryError.busy(ids[0])) { try again.library.delete(ids[0], now: .zero) }
  }

  /// Stopped at every call to the storage while it is deleted or brought back, a split take is there as a whole, or gone.
  @Test(arguments: [false, true]) func `A crash at any call leaves all parts or none`(undeletes: Bool) throws {
    func work(_ bench: Bench, _ ids: [String]) throws {
      try bench.retrying { () throws(LibraryError) in try bench.library.delete(ids[0], now: .zero) }
      if undeletes { try bench.retrying { () throws(LibraryError) in try bench.library.undelete() } }
    }
    let whole = try Bench.opened()
    let begun = try Self.record(whole, [200, 300, 100])
    let before = whole.storage.calls
    try work(whole, begun)
    for call in before + 1...whole.storage.calls {
      let bench = try Bench.opened()
      let ids = try Self.record(bench, [200, 300, 100])
      bench.storage.disaster = (.kill, at: call)
      do { try work(bench, ids) } catch {}
      let again = try Bench.opened(bench.storage.reboot())
      let frames = again.library.list().takes.map(\.frames)
      #expect(frames == [600] || frames == [], "stopped at call \(call): \(frames)")
      let sounds = again.storage.names(in: "recordings").filter(TakePath.isSound)
      #expect(sounds == ids || sounds == [], "stopped at call \(call): \(sounds)")
      #expect(again.storage.names(in: "trash") == [] && again.storage.names(in: "_Corrupted") == [])
    }
  }
}
