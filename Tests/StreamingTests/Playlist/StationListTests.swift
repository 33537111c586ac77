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
    "rtsp://r/1\nhttp://a/1\nmms://r/2\nfile:///r/3\nhttp://b/2\n",
    "#EXTM3U\n#EXTINF:-1,TV\nudp://@239.0.0.1:1234\n#EXTINF:-1,TV\nhttp://a/1\nrtsp://r\nhttp://b/2\n",
    "[playlist]\nFile1=rtsp://r/1\nFile2=http://a/1\nFile3=http://b/2\n",
    "; made by a program\n\n[playlist]\n;File1=http://c/3\nFile1=http://a/1\nFile2=http://b/2\n",
    "#EXTM3U\nicy://a/1\nICY://b/2\n",
    "\r\n\r\n[PLAYLIST]\r\nnumberofentries=2\r\nFILE1=http://a/1\r\nFILE2 = http://b/2\r\n",
    "# made by a program\n[playlist]\nFile1=\"http://a/1\"\nFile2= \"http://b/2\" \n",
    "#EXTM3U\n#EXTINF:-1,x\nhttp://a/1|User-Agent=x y/1.0&Referer=http://r/\nhttp://b/2|seekable=0\n",
  ])
  func theirAddressesAreThoseOfTheList(_ text: String) throws {
    guard case .list(let found) = try Playlist(Array(text.utf8), url: "http://h/r.m3u") else {
      return #expect(Bool(false), "not taken for a list")
    }
    #expect(found == ["http://a/1", "http://b/2"])
  }

  /// Letters of an older encoding are what the server knows, as they are; a bar need not begin options.
  @Test func addressesThatAreNoUTF8AreEscaped() throws {
    var bytes: [UInt8] = Array("#EXTM3U\n#EXTINF:1,x\nCaf".utf8)
    bytes.append(0xE9)
    bytes += Array(".mp3\na|b\n".utf8)
    guard case .list(let found) = try Playlist(bytes, url: "http://h/d/r.m3u") else {
      return #expect(Bool(false), "not taken for a list")
    }
    #expect(found == ["http://h/d/Caf%E9.mp3", "http://h/d/a|b"])
  }

  @Test func relativeOnesAreOfTheListsPlace() throws {
    guard case .list(let found) = try Playlist(Array("#EXTM3U\nx/a.mp3\n../b.mp3\n".utf8), url: "http://h/d/r.m3u8")
    else {
      return #expect(Bool(false), "not taken for a list")
    }
    #expect(found == ["http://h/d/x/a.mp3", "http://h/b.mp3"])
  }

  /// What is called a list need not begin like one.
  @Test(arguments: ["r.m3u", "r.M3U?x=y.mp3"])
  func whatIsCalledAListIsOne(_ name: String) throws {
    guard case .list(let found) = try Playlist(Array("# mine\n\na.mp3\n/b.mp3\n".utf8), url: "http://h/d/\(name)")
    else {
      return #expect(Bool(false), "not taken for a list")
    }
    #expect(found == ["http://h/d/a.mp3", "http://h/b.mp3"])
    for text in ["<html>\n", "\n<!DOCTYPE html>\nx\n", "{\"a\": 1}", "", "# mine\n"] {
      #expect(throws: PlaylistError.self) { try Playlist(Array(text.utf8), url: "http://h/d/\(name)") }
    }
    #expect(throws: PlaylistError.self) { try Playlist(Array("a.mp3\n".utf8), url: "http://h/r?m3u") }
  }

  @Test(arguments: ["#EXTM3U\nhttp://a/Жук\n", "[playlist]\r\nFile1=http://a/Жук\r\n", "http://a/Жук"])
  func listsInUTF16AreRead(_ text: String) throws {
    for isBig in [false, true] {
      let bytes = "\u{FEFF}\(text)".utf16.flatMap { unit -> [UInt8] in
        let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
        return isBig ? pair : pair.reversed()
      }
      guard case .list(let found) = try Playlist(bytes, url: "http://h/r") else {
        return #expect(Bool(false), "not taken for a list")
      }
      #expect(found == ["http://a/Жук"])
    }
  }

  @Test(arguments: ["<html><body>http://x</body></html>", "", "{\"a\": 1}", "#EXTM3U\n", "just words\n"])
  func whatIsNoneIsNotTakenForOne(_ text: String) {
    #expect(throws: PlaylistError.self) { try Playlist(Array(text.utf8), url: "http://h/") }
  }

  /// What cannot be fetched is told where there is nothing else.
  @Test(arguments: [
    "rtsp://u:secret@r/1\nmms://r/2\n", "#EXTM3U\n#EXTINF:10,TV\nrtsp://u:secret@r/1?key=x\n",
    "[playlist]\nFile1=rtsp://u:secret@r/1\n",
  ])
  func aListOfNothingElseNamesWhatCannotBeFetched(_ text: String) {
    let error = #expect(throws: PlaylistError.self) { try Playlist(Array(text.utf8), url: "http://h/r.m3u") }
    #expect(error?.kind == .address)
    #expect(error?.reason.hasPrefix("rtsp://r/1 is no address that begins with http:// or https://") == true)
  }

  @Test func whatIsThereTwiceIsPlayedOnce() throws {
    let text = "#EXTM3U\n" + String(repeating: "b\nhttp://h/b\n./b\nc\n", count: 20_000)
    guard case .list(let found) = try Playlist(Array(text.utf8), url: "http://h/r.m3u") else {
      return #expect(Bool(false), "not taken for a list")
    }
    #expect(found == ["http://h/b", "http://h/c"])
  }
}
