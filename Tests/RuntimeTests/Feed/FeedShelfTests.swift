import Appliance
import Foundation
import Hardware
import SimulatedHardware
import TestSupport
import Testing

@testable import Runtime

/// Row F4: what is kept for when there is no network, and what goes.
@Suite struct FeedShelfTests {
  private let folder = TemporaryFolder()
  private let clock = VirtualClock()
  private static let feed = "http://a.example/feed.json"

  private func shelf(megabytes: Int = 1, days: Int = 30) -> FeedShelf {
    FeedShelf(folder: folder.file("cache/feed"), clock: clock, megabytes: megabytes, days: days)
  }

  private func item(_ name: String) -> FeedItem {
    FeedItem(id: name, title: name, kind: .remote, address: "http://a.example/\(name).mp4")
  }

  /// Keeps a file of some bytes, a minute after what was kept before.
  private func keep(_ name: String, bytes: Int = 400_000, on shelf: FeedShelf) throws {
    clock.jumpWall(by: .seconds(60))
    shelf.makeFolder()
    let content = Data(repeating: UInt8(name.utf8.first ?? 0), count: bytes)
    try content.write(to: URL(fileURLWithPath: shelf.partial))
    shelf.take(item(name), of: Self.feed, bytes: bytes, sum: SHA256.text(of: Array(content)))
  }

  private func names(_ shelf: FeedShelf) -> [String] { shelf.items(of: Self.feed).map(\.id) }

  private var files: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.file("cache/feed")).count) ?? 0
  }

  /// Reads what a new start finds, as the cache does.
  private func check(_ shelf: FeedShelf) {
    for address in shelf.look() {
      let content = FileManager.default.contents(atPath: shelf.file(of: address))
      shelf.judge(address, bytes: content?.count, sum: SHA256.text(of: Array(content ?? Data())))
    }
  }

  @Test func `When there is too much, what was used longest ago goes, file and note`() throws {
    let shelf = shelf()
    try keep("a", on: shelf)
    try keep("b", on: shelf)
    #expect(names(shelf) == ["b", "a"] && shelf.bytes == 800_000)
    clock.jumpWall(by: .seconds(60))
    shelf.use(item("a").address)
    try keep("c", on: shelf)
    #expect(names(shelf) == ["c", "a"] && shelf.path(of: item("b").address) == nil && files == 4)
    shelf.configure(megabytes: 0, days: 30)
    #expect(names(shelf) == [] && shelf.bytes == 0 && files == 0)
  }

  @Test func `What has not been used for so many days goes, also at the next start`() throws {
    let first = shelf()
    try keep("a", on: first)
    clock.jumpWall(by: .seconds(20 * 86_400))
    try keep("b", on: first)
    clock.jumpWall(by: .seconds(11 * 86_400))
    let second = shelf()
    check(second)
    #expect(names(second) == ["b"] && files == 2)
    second.configure(megabytes: 1, days: 10)
    #expect(names(second) == [] && files == 0)
  }

  @Test func `What has the longest of addresses and titles is kept over a start`() throws {
    let first = shelf()
    first.makeFolder()
    let address = "http://a.example/" + String(repeating: "s", count: 4096 - 17)
    let title = String(repeating: "\u{1F399}", count: 200)
    let content = Data(repeating: 1, count: 1000)
    try content.write(to: URL(fileURLWithPath: first.partial))
    first.take(
      FeedItem(id: title, title: title, kind: .remote, address: address), of: address, bytes: 1000,
      sum: SHA256.text(of: Array(content)))
    let second = shelf()
    check(second)
    #expect(second.items(of: address).map(\.address) == [address])
  }

  @Test func `What has another length when it is played goes`() throws {
    let shelf = shelf()
    for name in ["a", "b"] { try keep(name, on: shelf) }
    try Data(repeating: 97, count: 1000).write(to: URL(fileURLWithPath: shelf.file(of: item("a").address)))
    for name in ["a", "b"] { shelf.use(item(name).address) }
    #expect(names(shelf) == ["b"] && !shelf.has(item("a").address) && files == 2)
  }

  @Test func `Where nothing is to be kept any more, nothing is found`() throws {
    try keep("a", on: shelf())
    #expect(shelf(megabytes: 0).look() == [] && files == 0)
  }

  @Test func `Only whole files come back: another length, other bytes, a lost note or file do not`() throws {
    let first = shelf(megabytes: 4)
    for name in ["whole", "short", "other", "gone", "bare", "note"] { try keep(name, on: first) }
    let path = { (name: String) in first.file(of: item(name).address) }
    try Data(repeating: 115, count: 399_999).write(to: URL(fileURLWithPath: path("short")))
    try Data(repeating: 1, count: 400_000).write(to: URL(fileURLWithPath: path("other")))
    try FileManager.default.removeItem(atPath: path("gone"))
    try FileManager.default.removeItem(atPath: path("bare") + ".json")
    try Data("{}".utf8).write(to: URL(fileURLWithPath: path("note") + ".json"))
    let second = shelf(megabytes: 4)
    // Nothing is used before it has been read.
    let addresses = second.look()
    #expect(addresses.count == 4 && names(second) == [] && second.path(of: item("whole").address) == nil)
    check(second)
    #expect(names(second) == ["whole"] && files == 2)
    let found = second.path(of: item("whole").address)
    #expect(found == path("whole"))
    #expect(second.items(of: "http://a.example/other.json").isEmpty)
  }
}
