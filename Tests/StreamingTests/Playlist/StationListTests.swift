import Testing

@testable import Streaming

/// Lists that lead to streams.
@Suite struct StationListTests {
  @Test(arguments: [
    "[playlist]\nNumberOfEntries=2\nFile2=http://b/2\nTitle1=x\nLength1=-1\nFile1=http://a/1\nVersion=2\n",
    "\u{FEFF}[Playlist]\r\nfile1 = http://a/1\r\nFile2=http://b/2\r\n",
    "http://a/1\nhttp://b/2\n",
    "#EXTM3U\n#EXTINF:-1,Radio\nhttp://a/1\n#EXTINF:-1 tvg-id=\"x\" tvg-logo=\"http://l/x.png\",TV\nhttp://b/2\n",
    "#EXTM3U\n#EXTINF:213,Song\nhttp://a/1\n\nhttp://b/2",
    "#EXTM3U x=\"y\"\n#EXTVLCOPT:a\nhttp://a/1\nhttp://b/2\0\0",
  ])
  func theirAddressesAreThoseOfTheList(_ text: String) throws {
    guard case .list(let found) = try Playlist(Array(text.utf8), url: "http://h/r.m3u") else {
      return #expect(Bool(false), "not taken for a list")
    }
    #expect(found == ["http://a/1", "http://b/2"])
  }

  @Test func relativeOnesAreOfTheListsPlace() throws {
    guard case .list(let found) = try Playlist(Array("#EXTM3U\nx/a.mp3\n../b.mp3\n".utf8), url: "http://h/d/r.m3u8")
    else {
      return #expect(Bool(false), "not taken for a list")
    }
    #expect(found == ["http://h/d/x/a.mp3", "http://h/b.mp3"])
  }

  @Test(arguments: ["<html><body>http://x</body></html>", "", "{\"a\": 1}", "#EXTM3U\n", "just words\n"])
  func whatIsNoneIsNotTakenForOne(_ text: String) {
    #expect(throws: PlaylistError.self) { try Playlist(Array(text.utf8), url: "http://h/") }
  }

  @Test func whatIsThereTwiceIsPlayedOnce() throws {
    let text = "#EXTM3U\n" + String(repeating: "b\nhttp://h/b\n./b\nc\n", count: 20_000)
    guard case .list(let found) = try Playlist(Array(text.utf8), url: "http://h/r.m3u") else {
      return #expect(Bool(false), "not taken for a list")
    }
    #expect(found == ["http://h/b", "http://h/c"])
  }
}
