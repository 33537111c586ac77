import Foundation
import Hardware
import JSON
import TestSupport
import Testing

@testable import Runtime

/// What lies on a card as kept of feeds may be anything.
@Suite struct CraftedFeedShelfTests {
  private final class Clock: DeviceClock {
    var now: Instant { .zero }
    var wallNow: WallTime { WallTime(nanosecondsSince1970: 1_795_000_000_000_000_000) }
  }

  private func note(_ address: String, bytes: Int, used: Int) -> (name: String, content: String) {
    let note: JSONValue = [
      "version": 1, "address": .string(address), "feed": "http://host/feed", "id": "a", "title": "A", "language": "",
      "bytes": .integer(bytes), "sha256": "", "used": .integer(used),
    ]
    return (SHA256.text(of: Array(address.utf8)), note.text)
  }

  @Test func `notes of immense lengths and years are none, and a pipe holds nobody up`() throws {
    let folder = TemporaryFolder()
    let good = note("http://host/good", bytes: 5, used: 1_795_000_000 - 60)
    for (name, content) in [
      good, note("http://host/1", bytes: .max, used: 1_795_000_000), note("http://host/2", bytes: .max, used: 1),
      note("http://host/3", bytes: 5, used: 1 << 36), note("http://host/4", bytes: -1, used: 1),
      note("http://host/5", bytes: 5, used: -1), note("http://host/6", bytes: 1 << 41, used: 1_795_000_000),
    ] {
      folder.put(content, "\(name).json")
      folder.put("sound", name)
    }
    let pipe = SHA256.text(of: Array("http://host/pipe".utf8))
    try #require(mkfifo(folder.file("\(pipe).json"), 0o600) == 0)
    let shelf = FeedShelf(folder: folder.file("."), clock: Clock(), megabytes: 1, days: 30)
    #expect(shelf.look() == ["http://host/good"])
    #expect(shelf.bytes == 5)
  }

  @Test func `Behind a link lies nothing that was kept, and nothing there is taken away`() {
    let folder = TemporaryFolder()
    for name in ["recordings", "recordings/feed", "cache"] { mkdir(folder.file(name), 0o755) }
    for name in ["recordings/Talk.mp3", "recordings/Talk.mp3.json"] { folder.put("theirs", name) }
    symlink("../recordings", folder.file("cache/feed"))
    let shelf = FeedShelf(folder: folder.file("cache/feed"), clock: Clock(), megabytes: 1, days: 30)
    #expect(shelf.look() == [] && !shelf.makeFolder())
    #expect(folder.exists("recordings/Talk.mp3") && folder.exists("recordings/Talk.mp3.json"))
    symlink("recordings", folder.file("other"))
    folder.put("theirs", "recordings/feed/Talk.mp3.json")
    let behind = FeedShelf(folder: folder.file("other/feed"), clock: Clock(), megabytes: 1, days: 30)
    #expect(behind.look() == [] && folder.exists("recordings/feed/Talk.mp3.json"))
  }

  @Test func `Files of ours that nothing tells of go, and nothing else does`() {
    let folder = TemporaryFolder()
    mkdir(folder.file("feed"), 0o755)
    let name = { (text: String) in SHA256.text(of: Array(text.utf8)) }
    let ours = ["feed/\(name("lost"))", "feed/part"]
    let theirs = [
      "theirs", "feed/\(name("a").uppercased())", "feed/\(name("b")).mp3", "feed/\(name("c").dropLast())",
      "feed/Talk.mp3",
      "feed/\(String(repeating: "x", count: 64)).json",
    ]
    for file in ours + theirs { folder.put("sound", file) }
    let links = ["feed/\(name("link"))", "feed/\(name("note")).json"]
    for link in links { symlink("../theirs", folder.file(link)) }
    mkdir(folder.file("feed/\(name("folder"))"), 0o755)
    folder.put("sound", "feed/\(name("folder"))/Talk.mp3")
    let shelf = FeedShelf(folder: folder.file("feed"), clock: Clock(), megabytes: 1, days: 30)
    #expect(shelf.look() == [])
    for file in ours { #expect(!folder.exists(file), "\(file)") }
    for file in theirs + links + ["feed/\(name("folder"))/Talk.mp3"] { #expect(folder.exists(file), "\(file)") }
  }

  @Test func `A pipe, a device or a hole in the place of what was kept is not read, and none is written into`() throws {
    let folder = TemporaryFolder()
    mkdir(folder.file("feed"), 0o755)
    let addresses = ["http://host/pipe", "http://host/hole"]
    for address in addresses {
      let (name, content) = note(address, bytes: 5, used: 1_795_000_000 - 60)
      folder.put(content, "feed/\(name).json")
    }
    let shelf = FeedShelf(folder: folder.file("feed"), clock: Clock(), megabytes: 1, days: 30)
    try #require(mkfifo(shelf.file(of: addresses[0]), 0o600) == 0)
    folder.put("", "feed/\(SHA256.text(of: Array(addresses[1].utf8)))")
    truncate(shelf.file(of: addresses[1]), 1 << 40)
    #expect(Set(shelf.look()) == Set(addresses))
    for address in addresses { #expect(shelf.open(address) == -1) }
    try #require(mkfifo(shelf.partial, 0o600) == 0)
    let file = shelf.create(shelf.partial)
    #expect(file >= 0)
    close(file)
  }
}
