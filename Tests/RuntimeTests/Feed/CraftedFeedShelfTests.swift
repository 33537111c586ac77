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
}
