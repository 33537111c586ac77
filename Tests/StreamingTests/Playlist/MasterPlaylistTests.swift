import Testing

@testable import Streaming

@Suite struct MasterPlaylistTests {
  private let text = """
    #EXTM3U
    #EXT-X-VERSION:6
    #EXT-X-DEFINE:NAME="cdn",VALUE="https://cdn.test/x"
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Español, latino",LANGUAGE="es-MX",URI="{$cdn}/es.m3u8"
    #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Deutsch",LANGUAGE="de",URI="../de.m3u8",FORCED=NO
    #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="cc",INSTREAM-ID="CC1"
    #EXT-X-STREAM-INF:BANDWIDTH=2000000,AVERAGE-BANDWIDTH=1500000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=1280x720,AUDIO="a",SUBTITLES="s"
    hi/index.m3u8
    # a comment

    #EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a.40.5",AUDIO="a"
    /lo.m3u8\r
    #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="i.m3u8"
    """

  @Test(arguments: [
    ("LANGUAGE=\"spa\"", "spa"), ("LANGUAGE=\"es-419\"", "es-419"), ("LANGUAGE=\"Spanish\"", "es"),
    ("NAME=\"Español\"", "es"), ("NAME=\"Commentary\"", ""), ("NAME=\"es\"", ""),
  ])
  func languagesAreKnownByWhateverStrangersCallThem(_ words: String, _ language: String) throws {
    let text =
      "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",\(words),URI=\"x\"\n"
      + "#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\"\ny\n"
    let master = try MasterPlaylist(Array(text.utf8), url: "http://h/m")
    #expect(master.renditions.map(\.language) == [language])
  }

  @Test func variantsAndRenditionsAreReadWithTheirAddresses() throws {
    let master = try MasterPlaylist(Array(text.utf8), url: "http://h/live/master.m3u8?t=1")
    #expect(master.variants.map(\.url) == ["http://h/live/hi/index.m3u8", "http://h/lo.m3u8"])
    #expect(master.variants.map(\.bandwidth) == [2_000_000, 64_000])
    #expect(master.variants.map(\.isSoundOnly) == [false, true])
    #expect(master.variants[0].width == 1280)
    #expect(master.variants[0].subtitleGroup == "s")
    #expect(master.renditions.map(\.language) == ["en", "es-MX", "de"])
    #expect(master.renditions.map(\.url) == [nil, "https://cdn.test/x/es.m3u8", "http://h/de.m3u8"])
    #expect(master.renditions[1].name == "Español, latino")
    #expect(master.renditions.map(\.isDefault) == [true, false, false])
  }

  /// A line that is wrong costs what it says, and is remarked with its number and the cause.
  @Test(arguments: [
    ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n#EXT-X-STREAM-INF:BANDWIDTH=1\na", 3, "address"),
    ("#EXTM3U\n\n#EXT-X-STREAM-INF:CODECS=\"x\"\na", 3, "BANDWIDTH"),
    ("#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,NAME=\"x\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\na", 2, "GROUP-ID"),
    ("#EXTM3U\n#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"x\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\na", 2, "URI"),
    ("#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"s\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\na", 2, "NAME"),
    ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"open\na", 2, "CODECS"),
    ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=99999999999999999999999\na", 2, "BANDWIDTH"),
    ("#EXTM3U\n#EXT-X-DEFINE:NAME=\"n\",VALUE=\"v\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\na{$x}", 0, ""),
    ("#EXTM3U\n#EXTINF:2,\n#EXT-X-STREAM-INF:BANDWIDTH=1\na", 2, "EXTINF"),
  ])
  func aWrongLineCostsWhatItSays(_ text: String, _ line: Int, _ word: String) throws {
    let master = try MasterPlaylist(Array(text.utf8), url: "http://h/m.m3u8")
    #expect(master.variants.count == 1)
    #expect(master.variants.first?.url.hasPrefix("http://h/a") == true)
    #expect(master.remarks.count == (line == 0 ? 0 : 1))
    #expect(line == 0 || master.remarks[0].contains("line \(line)") && master.remarks[0].contains(word))
  }

  @Test func whatIsNoPlaylistSaysSo() {
    do {
      _ = try MasterPlaylist(Array("<html>".utf8), url: "http://h/m.m3u8")
      Issue.record("a page was taken for a playlist")
    } catch {
      #expect(error.kind == .notPlaylist && StreamFault(error).code == "not-hls")
      #expect(error.line == 1 && error.description.contains("#EXTM3U") && error.description.contains("line 1"))
    }
  }

  /// As ffmpeg and mpv play them.
  @Test(arguments: [
    "\u{FEFF}#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\na.m3u8",
    "#EXTM3U x-tvg-url=\"http://h/e.xml\" m3uautoload=1\n#EXT-X-STREAM-INF:BANDWIDTH=1000\na.m3u8",
    "\n  \n#EXTM3U\r#EXT-X-STREAM-INF:BANDWIDTH=1000\r  a.m3u8  \r",
    "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000.7\na.m3u8\0\0\0",
    "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=\"1000\" , RESOLUTION=640X360\na.m3u8",
    "#EXTM3U\n#EXT-X-STREAM-INF:AVERAGE-BANDWIDTH=1000,frame-rate=25,x_y=\"a,b\",flag\na.m3u8",
    "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-STREAM-INF: PROGRAM-ID=1, BANDWIDTH=1000\na.m3u8\n#EXTINF:4,\n",
  ])
  func masterPlaylistsAreReadAsPlayersReadThem(_ text: String) throws {
    guard case .master(let master) = try Playlist(Array(text.utf8), url: "http://h/m.m3u8") else {
      return #expect(Bool(false), "not taken for one of variants")
    }
    #expect(master.variants.map(\.url) == ["http://h/a.m3u8"])
    #expect(master.variants.map(\.bandwidth) == [1000])
  }

  @Test func renditionsWithoutAVariantArePlayed() throws {
    let text = "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"x\",URI=\"a.m3u8\"\n"
    guard case .master(let master) = try Playlist(Array(text.utf8), url: "http://h/m") else {
      return #expect(Bool(false), "not taken for one of variants")
    }
    #expect(master.soundAddress(of: master.variants[0]) == "http://h/a.m3u8")
  }

  /// A line of 16 kB of marks, with a variable defined, was looked at from each of them to its end.
  @Test func marksOfVariablesCostTimeByTheirNumber() throws {
    let define = "#EXTM3U\n#EXT-X-DEFINE:NAME=\"n\",VALUE=\"v\"\n"
    let text =
      define
      + String(repeating: "#EXT-X-STREAM-INF:BANDWIDTH=1\n" + String(repeating: "{$", count: 8000) + "\n", count: 20)
    let clock = ContinuousClock()
    let taken = try clock.measure { _ = try MasterPlaylist(Array(text.utf8), url: "http://h/m") }
    #expect(taken < .seconds(5))
    #expect(
      try MasterPlaylist(Array((define + "#EXT-X-STREAM-INF:BANDWIDTH=1\n{$n}{${$n}{$x}{$n").utf8), url: "http://h/")
        .variants[0].url == "http://h/v{$v{$x}{$n")
  }

  @Test func whatIsLeftOutIsPassedOverByAllWhoHaveSomethingElse() throws {
    let text =
      "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"x\",URI=\"x\"\n"
      + "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"y\",URI=\"y\",DEFAULT=YES\n"
      + "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"b\",NAME=\"y\",URI=\"y\"\n"
      + "#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\"\n1\n#EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO=\"b\"\n2\n"
    var master = try MasterPlaylist(Array(text.utf8), url: "http://h/m")
    let first = master.variants[0]
    func addresses(_ master: MasterPlaylist) -> [Substring] {
      master.variants.map { master.soundAddress(of: $0).dropFirst(9) }
    }
    #expect(addresses(master) == ["y", "y"])
    var isOther = master.leaveOut("http://h/y", of: first)
    #expect(isOther && addresses(master) == ["x", "2"])
    #expect(master.sound(of: master.variants[0]) != master.sound(of: master.variants[1]))
    isOther = master.leaveOut("http://h/x", of: first)
    #expect(isOther && addresses(master) == ["1", "2"])
    isOther = master.leaveOut("http://h/1", of: first)
    #expect(!isOther && addresses(master) == ["1", "2"])
    #expect(master.sound(at: "http://h/1") == master.sound(of: first))
  }

  /// What describes the pictures, or noises, is for those who want that.
  @Test func whatDescribesNothingComesFirst() throws {
    let describes = "CHARACTERISTICS=\"public.easy-to-read,public.accessibility.describes-"
    let text =
      "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"1\",URI=\"1\",\(describes)video\"\n"
      + "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"2\",URI=\"2\"\n"
      + "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"3\",URI=\"3\",CHARACTERISTICS=\"public.easy-to-read\"\n"
      + "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"4\",URI=\"4\",DEFAULT=YES\n"
      + "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"5\",URI=\"5\",\(describes)music-and-sound\"\n"
      + "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"6\",URI=\"6\"\n"
      + "#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\",SUBTITLES=\"s\"\nx\n"
    let master = try MasterPlaylist(Array(text.utf8), url: "http://h/m")
    #expect(master.audioRenditions(of: master.variants[0]).map(\.name) == ["4", "2", "3", "1"])
    #expect(master.subtitleRenditions(of: master.variants[0]).map(\.name) == ["6", "5"])
    #expect(master.soundAddress(of: master.variants[0]) == "http://h/4")
  }

  @Test func bothKindsAreToldApart() throws {
    guard case .master = try Playlist(Array(text.utf8), url: "http://h/x") else { return #expect(Bool(false)) }
    let media = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n"
    guard case .media = try Playlist(Array(media.utf8), url: "http://h/x") else { return #expect(Bool(false)) }
    #expect(throws: PlaylistError.self) { try Playlist(Array("#EXTM3U\n".utf8), url: "http://h/x") }
  }
}
