import Hardware
import Testing

@testable import Library

/// Copies of takes, what is deleted together, and files that are read in pieces.
@Suite struct CopyTests {
  private static func copy(_ bench: Bench, _ id: String) throws -> FileMeta {
    let copy = bench.library.copy(id)
    for _ in 0..<1000 {
      if let meta = try bench.retrying({ () throws(LibraryError) in try copy.step() }) { return meta }
    }
    throw LibraryError.busy(id)
  }

  @Test func `A copy is a take of its own, of the same sound and all that is known of it`() throws {
    let bench = try Bench.opened()
    let id = try bench.record(frames: 200_000)
    try bench.library.rename(id, to: "Harbour")
    try bench.library.changeTags(id, add: ["sea", "night"])
    try bench.library.setFavourite(id, true)
    try bench.library.protect(id, true)
    let copy = try Self.copy(bench, id)
    #expect(copy.id.hasPrefix("000002_") && copy.displayName == "Harbour copy" && copy.session == 2)
    #expect(copy.userTags == ["sea", "night"] && copy.favourite && !copy.isProtected && copy.frames == 200_000)
    #expect(copy.bookmarks.map(\.title) == ["here"])
    let bytes = try bench.storage.read("recordings/\(copy.id)", limit: 1 << 24)
    #expect(try bench.storage.read("recordings/\(id)", limit: 1 << 24) == bytes)
    #expect(try bench.faults() == [])
    let again = try Bench.opened(bench.storage.reboot())
    #expect(again.library.list().takes.map(\.id) == [copy.id, id])
    #expect(again.library.report.known == 2)
    #expect(try Self.copy(again, again.record()).displayName == "Take 3 copy")
  }

  @Test func `A copy for which there is no room is refused, and one that is given up leaves nothing`() throws {
    let bench = try Bench.opened()
    let id = try bench.record(frames: 200_000)
    bench.storage.free = 500_000
    let error = #expect(throws: LibraryError.self) { try Self.copy(bench, id) }
    #expect(error?.code == "storage-full")
    bench.storage.free = 1 << 30
    let copy = bench.library.copy(id)
    for _ in 0..<3 { #expect(try copy.step() == nil) }
    #expect(copy.progress.done > 0 && copy.progress.done < copy.progress.total)
    copy.giveUp()
    #expect(try bench.faults() == [])
    #expect(bench.library.count == 1)
    let take = try bench.begin()
    #expect(throws: LibraryError.busy(take.id)) { try bench.library.copy(take.id).step() }
    take.file.close()
  }

  @Test(arguments: [false, true]) func `A crash at any call leaves the whole copy or none`(powerCut: Bool) throws {
    let whole = try Bench.opened()
    let begun = try whole.record(frames: 100_000)
    let before = whole.storage.calls
    _ = try Self.copy(whole, begun)
    var outcomes: Set<Int> = []
    for call in before + 1...whole.storage.calls {
      let bench = try Bench.opened()
      let id = try bench.record(frames: 100_000)
      bench.storage.disaster = (.kill, at: call)
      do { _ = try Self.copy(bench, id) } catch {}
      let again = try Bench.opened(bench.storage.reboot(powerCut: powerCut))
      let frames = again.library.list().takes.map(\.frames)
      #expect(frames.allSatisfy { $0 == 100_000 } && (1...2).contains(frames.count), "stopped at \(call): \(frames)")
      #expect(try again.faults() == [], "stopped at \(call)")
      #expect(again.storage.names(in: "_Corrupted") == [], "stopped at \(call)")
      outcomes.insert(frames.count)
    }
    #expect(outcomes == [1, 2])
  }

  @Test func `A stall at any call only delays a copy`() throws {
    let whole = try Bench.opened()
    let begun = try whole.record(frames: 100_000)
    let before = whole.storage.calls
    _ = try Self.copy(whole, begun)
    for call in before + 1...whole.storage.calls {
      let bench = try Bench.opened()
      let id = try bench.record(frames: 100_000)
      bench.storage.disaster = (.stall, at: call)
      #expect(try Self.copy(bench, id).displayName == "Take 1 copy", "stalled at \(call)")
      #expect(bench.library.count == 2)
      #expect(try bench.faults() == [], "stalled at \(call)")
    }
  }

  @Test func `A split take is copied with all parts and safety takes, and can be told apart from it`() throws {
    let bench = try Bench.opened()
    let ids = try SafetyTests.record(bench, [70_000, 90_000, 50_000])
    try bench.library.rename(ids[0], to: "Harbour")
    // Whichever of its files is named.
    let copy = try Self.copy(bench, ids[1])
    let take = try #require(bench.library.summary(copy.id))
    #expect(take.displayName == "Harbour copy" && take.frames == 210_000)
    #expect(take.files.count == 3 && take.safety.count == 3 && bench.library.count == 2)
    let pairs = zip(ids + ids.map { bench.library.safety(of: $0) ?? "" }, (take.files + take.safety).map(\.id))
    for (old, new) in pairs {
      let bytes = try bench.storage.read("recordings/\(old)", limit: 1 << 24)
      #expect(try bench.storage.read("recordings/\(new)", limit: 1 << 24) == bytes)
      let (from, to) = (try bench.library.show(old).linkedTake, try bench.library.show(new).linkedTake)
      #expect(from == nil ? to == nil : to != nil && to != from)
    }
    try bench.library.delete(ids[0], now: .zero)
    let again = try Bench.opened(bench.storage.reboot())
    #expect(again.library.list().takes.map(\.frames) == [210_000])
    #expect(again.library.list().takes.first?.safety.count == 3)
    #expect(again.library.report.known == 6)
  }

  @Test(arguments: [false, true])
  func `A crash or a stall at any call leaves all files of a copy or none`(powerCut: Bool) throws {
    let whole = try Bench.opened()
    let begun = try SafetyTests.record(whole, [200, 300])
    let before = whole.storage.calls
    _ = try Self.copy(whole, begun[0])
    var outcomes: Set<Int> = []
    for call in before + 1...whole.storage.calls {
      let bench = try Bench.opened()
      let ids = try SafetyTests.record(bench, [200, 300])
      bench.storage.disaster = (.kill, at: call)
      do { _ = try Self.copy(bench, ids[0]) } catch {}
      // The next start is cut off, too.
      let second = bench.storage.reboot(powerCut: powerCut)
      second.disaster = (.kill, at: second.calls + call % 40)
      _ = try? Bench.opened(second)
      let again = try Bench.opened(second.reboot(powerCut: powerCut))
      let takes = again.library.list().takes
      #expect(takes.allSatisfy { $0.frames == 500 && $0.safety.count == 2 }, "stopped at \(call): \(takes)")
      let sounds = again.storage.names(in: "recordings").filter(TakePath.isSound)
      #expect(sounds.count == takes.count * 4, "stopped at \(call): \(sounds)")
      #expect(again.storage.names(in: "_Corrupted") == [], "stopped at \(call)")
      #expect(!again.storage.names(in: "recordings").contains { $0.hasSuffix(".tmp") }, "stopped at \(call)")
      outcomes.insert(takes.count)
    }
    #expect(outcomes == [1, 2])
    for call in before + 1...whole.storage.calls {
      let bench = try Bench.opened()
      let ids = try SafetyTests.record(bench, [200, 300])
      bench.storage.disaster = (.stall, at: call)
      _ = try Self.copy(bench, ids[0])
      #expect(bench.library.list().takes.map(\.frames) == [500, 500], "stalled at \(call)")
      #expect(!bench.storage.names(in: "recordings").contains { $0.hasSuffix(".tmp") }, "stalled at \(call)")
    }
  }

  @Test func `What is deleted together comes back together, and goes together`() throws {
    let bench = try Bench.opened()
    let ids = try (1...5).map { try bench.record(frames: $0) }
    try bench.library.delete(ids[4], now: .zero)
    for (number, id) in ids.prefix(4).enumerated() {
      try bench.library.delete(id, joining: number > 0, now: .zero)
    }
    #expect(bench.library.undoable == Array(ids.prefix(4)))
    #expect(try bench.library.undelete() == ids[3])
    #expect(bench.library.list().takes.map(\.id) == ids.prefix(4).reversed())
    #expect(try bench.faults() == [])
    for id in ids.prefix(4) { try bench.library.delete(id, joining: id != ids[0], now: .zero) }
    bench.settle(now: Instant(nanoseconds: 10_000_000_000))
    #expect(bench.storage.names(in: "trash") == [] && bench.library.undoable == [])
    // Many make way for the next one as there is time.
    let more = try (1...3).map { try bench.record(frames: $0) }
    for id in more.dropLast() { try bench.library.delete(id, joining: id != more[0], now: .zero) }
    try bench.library.delete(more[2], now: .zero)
    #expect(bench.library.undoable == [more[2]])
    bench.settle(now: .zero)
    #expect(bench.storage.names(in: "trash").allSatisfy { $0.hasPrefix(more[2].prefix(6)) })
    #expect(try bench.library.undelete() == more[2])
  }

  @Test func `Takes are found by the titles of their marks, after a restart and by an older catalogue too`() throws {
    let bench = try Bench.opened()
    let id = try bench.record(frames: 48_000)
    try bench.record()
    let mark = Bookmark(
      takeID: id, frame: 24_000, sampleRate: 48_000, ordinal: 1, title: "The Question", createdAt: bench.clock.wallNow)
    try bench.library.addBookmark(id, mark)
    func found(_ bench: Bench) -> [String] {
      bench.library.list(filter: TakeFilter(query: "question")).takes.map(\.id)
    }
    #expect(found(bench) == [id])
    let again = try Bench.opened(bench.storage.reboot())
    #expect(found(again) == [id] && again.library.report.known == 2)
    #expect(again.library.list(filter: TakeFilter(markedOnly: true)).total == 2)
    // As earlier firmware wrote it: without titles.
    let bytes = try again.storage.read("catalogue", limit: 1 << 20)
    let old = bytes.split(separator: UInt8(ascii: "\n")).flatMap { line -> [UInt8] in
      let fields = line.split(separator: 9, omittingEmptySubsequences: false)
      guard fields.count == 19 else { return Array(line) + [10] }
      let body = Array(fields.prefix(18).joined(separator: [9]).dropFirst(8))
      return Array(Checksum.hexadecimal(UInt64(Checksum.fnv32(body)), digits: 8).utf8) + body + [10]
    }
    again.storage.plant("catalogue", old)
    #expect(found(try Bench.opened(again.storage.reboot())) == [id])
  }

  @Test func `Tags are added and taken away whatever their case, listed once, and select takes`() throws {
    let bench = try Bench.opened()
    let ids = try (1...3).map { try bench.record(frames: $0) }
    try bench.library.changeTags(ids[0], add: ["Radio", "night"])
    try bench.library.changeTags(ids[1], add: ["radio"])
    #expect(bench.library.tags.map(\.tag) == ["night", "Radio"] && bench.library.tags.map(\.takes) == [1, 2])
    #expect(bench.library.list(filter: TakeFilter(tag: "RADIO")).takes.map(\.id) == [ids[1], ids[0]])
    #expect(try bench.library.changeTags(ids[0], add: [], remove: ["RADIO"]).userTags == ["night"])
    #expect(bench.library.list(filter: TakeFilter(query: "radio")).total == 1)
  }

  @Test func `A file is read in pieces, each with its sum, and the last with that of the whole`() throws {
    let bench = try Bench.opened()
    let id = try bench.record(frames: 1000)
    let all = try bench.storage.read("recordings/\(id)", limit: 1 << 20)
    var read: [UInt8] = []
    var whole: String?
    while read.count < all.count {
      let piece = try bench.library.read(id, offset: read.count, bytes: 700)
      // Somebody takes a file without sums meanwhile.
      #expect(try bench.library.read(id, offset: 0, bytes: 50, isSummed: false).sha256 == "")
      #expect(piece.total == all.count && piece.sha256 == SHA256.text(of: piece.data))
      read += piece.data
      #expect((piece.fileSHA256 != nil) == (read.count == all.count))
      whole = piece.fileSHA256
    }
    #expect(read == all && whole == SHA256.text(of: all))
    #expect(try bench.library.read(id, offset: 5000, bytes: 10).fileSHA256 == nil)
    #expect(try bench.library.read(id, offset: 1 << 40, bytes: 10).data == [])
    #expect(try bench.library.read(id, notes: true, offset: 0, bytes: 1).data == [UInt8(ascii: "{")])
    #expect(throws: LibraryError.notFound("../settings.json")) {
      try bench.library.read("../settings.json", offset: 0, bytes: 10)
    }
  }

  @Test func `SHA-256 gives what FIPS 180-4 says`() {
    #expect(SHA256.text(of: []) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      SHA256.text(of: Array("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      SHA256.text(of: Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8))
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    var sum = SHA256()
    for _ in 0..<1000 { sum.add([UInt8](repeating: UInt8(ascii: "a"), count: 1000)) }
    #expect(sum.text == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }
}
