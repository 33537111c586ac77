import Hardware
import TestSupport
import Testing

@testable import Streaming

/// Streams whose last segments cannot be had, or heard.
@Suite struct StreamEndTests: StreamListening {
  /// A list without its last segment, which is a splinter, and the names of the two that are its last then.
  private func withoutSplinter(_ folder: TemporaryFolder) throws -> (list: FakeNetwork.Answer, last: [String]) {
    let names = Streams.entries(folder, "ts").compactMap(\.lines.last)
    var lines = try #require(folder.text(of: "ts.m3u8")).split(separator: "\n").map(String.init)
    let first = try #require(lines.lastIndex { $0.hasPrefix("#EXTINF") })
    let end = try #require(lines.lastIndex(of: names[names.count - 1]))
    lines.removeSubrange(first...end)
    return (.text(lines.joined(separator: "\n")), names.dropLast().suffix(2).reversed())
  }

  /// What is gone from the end of a stream is no end of it; a splinter is.
  @Test func whatIsGoneFromTheEndIsTold() throws {
    let source = try Streams.source.get()
    let (list, names) = try withoutSplinter(source.folder)
    for name in names {
      let network = Streams.serve(source.folder) { path, _ in
        path == "ts.m3u8" ? list : path == name ? .status(404) : nil
      }
      let status = play("ts.m3u8", network).programme.status
      #expect(status.phase == .ended && status.breaksOff?.code == (name == names.first ? "http-404" : nil))
    }
    let splinter = try #require(Streams.entries(source.folder, "ts").compactMap(\.lines.last).last)
    let network = Streams.serve(source.folder) { path, _ in path == splinter ? .status(404) : nil }
    #expect(play("ts.m3u8", network).programme.status.breaksOff == nil)
  }

  /// So is what came in part, or as something else.
  @Test(arguments: ["part", "page", "nothing"]) func whatIsNoSoundAtTheEndIsTold(_ kind: String) throws {
    let source = try Streams.source.get()
    let (list, names) = try withoutSplinter(source.folder)
    let name = names[0]
    let bytes = try #require(source.folder.bytes(name))
    var isAsked = false
    let network = Streams.serve(source.folder) { path, _ in
      if path == "ts.m3u8" { return list }
      guard path == name else { return nil }
      if kind == "page" { return .text("<html>sorry</html>") }
      if kind == "nothing" { return FakeNetwork.Answer(bytes: bytes, breaksAfter: 0) }
      defer { isAsked = true }
      return isAsked ? .status(416) : FakeNetwork.Answer(bytes: bytes, breaksAfter: bytes.count / 564 * 188 + 100)
    }
    let status = play("ts.m3u8", network).programme.status
    #expect(status.phase == .ended && status.breaksOff?.code == (kind == "nothing" ? "interrupted" : "damaged"))
    #expect(status.lost > 24_000)
  }
}
