import Hardware
import Testing

@testable import Library

/// The file of an update that is fetched: whole under its name, or not there.
@Suite struct FetchedUpdateTests {
  private static let content = (0..<5 << 19).map { UInt8(truncatingIfNeeded: $0 % 253) }

  private static func fetch(_ bench: Bench) throws -> String {
    let fetched = bench.library.fetched
    try bench.retrying { () throws(LibraryError) in try fetched.discard() }
    var offset = 0
    while offset < content.count {
      let piece = Array(content[offset...].prefix(400_000))
      try bench.retrying { () throws(LibraryError) in try fetched.append(piece, at: offset) }
      offset += piece.count
    }
    return try bench.retrying { () throws(LibraryError) in try fetched.finish() }
  }

  @Test func `It takes the place of the one before, and goes when it is not wanted`() throws {
    let bench = try Bench.opened()
    for _ in 0..<2 {
      #expect(try Self.fetch(bench) == "\(bench.storage.root)/cache/fetched.raucb")
      #expect(try bench.storage.read("cache/fetched.raucb", limit: 1 << 24) == Self.content)
      #expect(bench.storage.names(in: "cache") == ["fetched.raucb"])
    }
    try bench.library.fetched.append([1, 2, 3], at: 0)
    try bench.library.fetched.append([4, 5], at: 0)
    #expect(try bench.storage.read("cache/fetched.raucb.tmp", limit: 10) == [4, 5])
    try bench.library.fetched.discard()
    #expect(bench.storage.names(in: "cache") == [])
  }

  @Test func `Nobody who sends a file can give it its name`() throws {
    let bench = try Bench.opened()
    let progress = try bench.library.incoming.take(
      Incoming.Piece(name: "fetched.raucb", total: 2, bytes: [1, 2]))
    #expect(progress.id == "\(bench.storage.root)/cache/Sent fetched.raucb")
  }

  @Test(arguments: [false, true])
  func `Cut off at any call it is whole or a part that goes, and a stall costs nothing`(powerCut: Bool) throws {
    let whole = try Bench.opened()
    let before = whole.storage.calls
    _ = try Self.fetch(whole)
    for call in before + 1...whole.storage.calls {
      let bench = try Bench.opened()
      bench.storage.disaster = (.kill, at: call)
      do { _ = try Self.fetch(bench) } catch {}
      let again = try Bench.opened(bench.storage.reboot(powerCut: powerCut))
      try again.library.fetched.removePart()
      let names = again.storage.names(in: "cache")
      #expect(names == [] || names == ["fetched.raucb"], "stopped at \(call): \(names)")
      if !names.isEmpty { #expect(try again.storage.read("cache/fetched.raucb", limit: 1 << 24) == Self.content) }
      #expect(try Self.fetch(again).hasSuffix("/cache/fetched.raucb"), "stopped at \(call)")
      let slow = try Bench.opened()
      slow.storage.disaster = (.stall, at: call)
      _ = try Self.fetch(slow)
      #expect(try slow.storage.read("cache/fetched.raucb", limit: 1 << 24) == Self.content, "stalled at \(call)")
    }
  }
}
